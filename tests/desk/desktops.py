"""Desktops as people have them, each on a screen of its own: X11 with a window manager, and Wayland."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import psutil
import pytest
from PySide6.QtCore import QRect

sys.path.append(os.fspath(Path(__file__).resolve().parents[2] / "packaging"))

from display import stop, virtual_screen, window_manager

#: The window managers that the window is tried under, and the Wayland compositor.
NAMES = ("openbox", "metacity", "sway")
PATIENCE_S = 60.0
_LOOK_S = 0.05
_NOBODY = "65534"
#: Each wtype is a new keyboard; a program that hasn't heard of its layout yet loses the first keys.
_KEYBOARD_KNOWN = ("-s", "200")


class Screen:
    """Where a program and what works its window run.

    Attributes:
        variables: What tells a program that it runs here.
    """

    variables: Mapping[str, str]

    def ask(self, *command: str) -> str:
        """Run a command on this screen and return what it prints."""
        done = subprocess.run(
            command, env={**os.environ, **self.variables}, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def cover(self) -> subprocess.Popen[bytes]:
        """Open another program's window over all others."""
        program = [sys.executable, "-c", _OTHER_WINDOW]
        return subprocess.Popen(program, env={**os.environ, **self.variables})


class X11Desktop(Screen):
    """An X screen with a window manager, worked with wmctrl and xdotool."""

    def __init__(self, screen: str, server_pid: int) -> None:
        self._server_pid = server_pid
        self.variables: Mapping[str, str] = {
            "DISPLAY": screen,
            "QT_QPA_PLATFORM": "xcb",
            "WAYLAND_DISPLAY": "",
        }

    def shown(self, pid: int) -> bool:
        return bool(self._windows(pid))

    def is_active(self, pid: int) -> bool:
        active = self.ask("xdotool", "getactivewindow")
        return active.isdecimal() and int(active) in {int(one, 16) for one in self._windows(pid)}

    def close(self, pid: int) -> None:
        self.ask("wmctrl", "-i", "-c", self._window(pid))

    def minimise(self, pid: int) -> None:
        self.ask("xdotool", "windowminimize", self._window(pid))

    def restore(self, pid: int) -> None:
        self.ask("wmctrl", "-i", "-a", self._window(pid))

    def maximise(self, pid: int) -> None:
        self.ask("wmctrl", "-i", "-r", self._window(pid), "-b", "add,maximized_vert,maximized_horz")

    def resize(self, pid: int, width: int, height: int) -> None:
        window = self._window(pid)
        self.ask("wmctrl", "-i", "-r", window, "-b", "remove,maximized_vert,maximized_horz")
        self.ask("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")

    def frame(self, pid: int) -> QRect:
        """Return where a window stands on the screen, its frame included."""
        window = self._window(pid)
        told = self.ask("xwininfo", "-id", window)
        x, y, width, height = (int(_figure(told, name)) for name in _PLACE)
        extents = self.ask("xprop", "-id", window, "_NET_FRAME_EXTENTS").partition("=")[2]
        left, right, top, bottom = (int(one) for one in extents.split(",")) if extents else (0, 0, 0, 0)
        return QRect(x - left, y - top, width + left + right, height + top + bottom)

    def press(self, keys: str) -> None:
        self.ask("xdotool", "key", "--clearmodifiers", keys)

    def type(self, text: str) -> None:
        self.ask("xdotool", "type", "--delay", "5", text)

    def asks_for_a_look(self, pid: int) -> bool:
        """Tell whether the program's window wants to be looked at, as a taskbar shows it; sway has none."""
        return "DEMANDS_ATTENTION" in self.ask("xprop", "-id", self._window(pid), "_NET_WM_STATE")

    def end(self) -> None:
        os.kill(self._server_pid, 15)

    def _window(self, pid: int) -> str:
        return until(lambda: self._windows(pid), "the program's window")[0]

    def _windows(self, pid: int) -> list[str]:
        rows = [line.split(maxsplit=4) for line in self.ask("wmctrl", "-l", "-p").splitlines()]
        return [row[0] for row in rows if len(row) > 2 and row[2] == str(pid)]


class WaylandDesktop(Screen):
    """A Wayland session of sway's, which draws on no screen, worked with swaymsg and wtype.

    A tiling compositor knows no minimised windows; away is another workspace there.
    """

    def __init__(self, process: subprocess.Popen[bytes], runtime: Path) -> None:
        self._process = process
        until(lambda: list(runtime.glob("sway-ipc*")) and self._display(runtime), "the Wayland compositor")
        self._socket = os.fspath(next(runtime.glob("sway-ipc*")))
        self.variables: Mapping[str, str] = {
            "WAYLAND_DISPLAY": os.fspath(self._display(runtime)),
            "QT_QPA_PLATFORM": "wayland",
            "DISPLAY": "",
        }

    def shown(self, pid: int) -> bool:
        return bool(self._node(pid))

    def is_active(self, pid: int) -> bool:
        return bool((self._node(pid) or {}).get("focused"))

    def close(self, pid: int) -> None:
        self._tell(pid, "kill")

    def minimise(self, pid: int) -> None:
        self._tell(pid, "move to workspace away")

    def restore(self, pid: int) -> None:
        self._tell(pid, "focus")

    def maximise(self, pid: int) -> None:
        self._tell(pid, "floating disable")

    def resize(self, pid: int, width: int, height: int) -> None:
        self._tell(pid, f"floating enable, resize set {width} {height}")

    def frame(self, pid: int) -> QRect:
        place = until(lambda: self._node(pid), "the program's window")["rect"]
        return QRect(place["x"], place["y"], place["width"], place["height"])

    def press(self, keys: str) -> None:
        *held, key = keys.split("+")
        down = [word for one in held for word in ("-M", one)]
        up = [word for one in held for word in ("-m", one)]
        self.ask("wtype", *_KEYBOARD_KNOWN, *down, "-k", key, *up)

    def type(self, text: str) -> None:
        self.ask("wtype", *_KEYBOARD_KNOWN, text)

    def end(self) -> None:
        self.ask("swaymsg", "-s", self._socket, "exit")

    @staticmethod
    def _display(runtime: Path) -> Path | None:
        return next((one for one in runtime.glob("wayland-*") if one.suffix != ".lock"), None)

    def _tell(self, pid: int, command: str) -> None:
        until(lambda: self._node(pid), "the program's window")
        self.ask("swaymsg", "-s", self._socket, f"[pid={pid}] {command}")

    def _node(self, pid: int) -> dict[str, Any] | None:
        told = self.ask("swaymsg", "-s", self._socket, "-t", "get_tree")
        return next((node for node in _nodes(json.loads(told or "{}")) if node.get("pid") == pid), None)


#: A desktop and what a person does with a program's window by means of it.
Desktop: TypeAlias = X11Desktop | WaylandDesktop

# A window of another program's, which says when it is there.
_OTHER_WINDOW = """
import sys
from PySide6.QtWidgets import QApplication, QLabel
app = QApplication(["other"])
label = QLabel("Another program")
label.resize(900, 600)
label.show()
sys.exit(app.exec())
"""


# How xwininfo names a window's place and size, its frame left out.
_PLACE = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")


def _figure(told: str, name: str) -> str:
    return told.partition(f"{name}:")[2].split()[0]


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in (*node.get("nodes", ()), *node.get("floating_nodes", ())):
        yield from _nodes(child)


def until(look: Any, what: str, limit_s: float = PATIENCE_S) -> Any:
    """Look until there is something to see and return it; fail with what was waited for."""
    end = time.monotonic() + limit_s
    while not (seen := look()):
        if time.monotonic() > end:
            pytest.fail(f"waited {limit_s:g} s for {what}")
        threading.Event().wait(_LOOK_S)  # nothing tells from outside when another program's window changes
    return seen


@contextmanager
def desktop(name: str, size: str = "1440x900") -> Iterator[Desktop]:
    """Start a desktop and end it afterwards.

    Args:
        name: One of `NAMES`.
        size: Its screen's width and height in pixels.
    """
    if name == "sway":
        with _wayland(size) as wayland:
            yield wayland
        return
    before = _servers()
    with virtual_screen(size) as screen, window_manager(screen, name):
        (server,) = _servers() - before
        x11 = X11Desktop(screen, server)
        until(lambda: x11.ask("wmctrl", "-m"), f"the window manager {name}")
        yield x11


def _servers() -> set[int]:
    """Return the process ids of the X servers that this process started."""
    return {child.pid for child in psutil.Process().children() if child.name() == "Xvfb"}


@contextmanager
def _wayland(size: str) -> Iterator[WaylandDesktop]:
    with tempfile.TemporaryDirectory(prefix="kb-wl-") as folder:
        runtime, settings = Path(folder) / "run", Path(folder) / "config"
        runtime.mkdir(mode=0o700)
        Path(folder).chmod(0o755)
        settings.write_text(
            f"output HEADLESS-1 resolution {size}\nxwayland disable\n"
            # As other desktops do where a person started the program that asks for it.
            "focus_on_window_activation focus\n"
        )
        process = subprocess.Popen(
            [*_as_nobody(runtime), "sway", "-c", os.fspath(settings)],
            env={
                "PATH": os.environ["PATH"],
                "XDG_RUNTIME_DIR": os.fspath(runtime),
                "WLR_BACKENDS": "headless",
                "WLR_RENDERER": "pixman",
                "WLR_LIBINPUT_NO_DEVICES": "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield WaylandDesktop(process, runtime)
        finally:
            stop(process)


def _as_nobody(runtime: Path) -> Sequence[str]:
    """Return what to put before sway, which doesn't run as root."""
    if os.geteuid() != 0:
        return ()
    os.chown(runtime, int(_NOBODY), int(_NOBODY))
    return ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
