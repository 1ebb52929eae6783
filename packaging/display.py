"""Tell whether there is a screen to open a window on, and make a virtual one where there is none."""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from messages import SetupError

_START_LIMIT_S = 60.0
_STOP_LIMIT_S = 5.0


def is_present(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Tell whether a window can be shown: always on macOS and Windows, elsewhere with X11 or Wayland."""
    if system in {"win32", "darwin"}:
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


@contextmanager
def virtual_screen(size: str = "1600x1000") -> Iterator[str]:
    """Run an X server of so many pixels without a screen; yields its display (`:N`)."""
    if sys.platform != "linux" or shutil.which("Xvfb") is None:
        raise SetupError("There is no virtual screen (Xvfb) here.")
    reads, writes = os.pipe()
    # A session of its own: Ctrl-C must reach what runs on the screen first, and the screen last.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(writes,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        os.close(writes)
        yield f":{_read_number(reads)}"
    finally:
        os.close(reads)
        stop(server)


@contextmanager
def window_manager(screen: str, name: str = "openbox") -> Iterator[None]:
    """Run a window manager on an X server, as every desktop does; ends it afterwards.

    A window manager reparents, focuses and resizes windows: what only works without one doesn't work.
    """
    program = shutil.which(name)
    if program is None:
        raise SetupError(f"There is no window manager ({name}) here.")
    manager = subprocess.Popen(
        [program, "--sm-disable"],
        # A window manager that tells screen readers of itself may hang them, and with them the tests.
        env={**os.environ, "DISPLAY": screen, "NO_AT_BRIDGE": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        stop(manager)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a child process, kindly and then surely."""
    process.terminate()
    try:
        process.wait(_STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _read_number(descriptor: int) -> int:
    """Read the display's number, which the server writes once it takes connections."""
    ready, _, _ = select.select([descriptor], [], [], _START_LIMIT_S)
    text = os.read(descriptor, 16) if ready else b""
    if not text.strip().isdigit():
        raise SetupError("The virtual screen (Xvfb) did not start.")
    return int(text)
