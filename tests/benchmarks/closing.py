"""How long the window takes to end, under each window manager, and while something goes on."""

from __future__ import annotations

import shutil
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, size
from desk.desktops import NAMES, Desktop, desktop
from endtoend.conftest import Keybench
from endtoend.troubled_keyring import Keyring, Trouble
from endtoend.window_fixtures import Window, open_window
from keystore.buses import private_bus

#: How long a person waits without wondering, in seconds.
WANTED_S: Final = 2.0


def measure(folder: Path) -> list[Figure]:
    """Close the window by its frame and by SIGTERM, and beside a sale and a keyring in trouble."""
    keybench = Keybench(folder / "data")
    keybench.add_key()
    figures = []
    for name in NAMES:
        # A sale that is left under way would be asked about when the next window closes.
        copied = Keybench(Path(shutil.copytree(keybench.folder, folder / f"selling-{name}")))
        with desktop(name) as desk:
            by_frame = [_idle(desk, keybench, _by_frame) for _ in range(size("KEYBENCH_CLOSINGS", 5))]
            by_signal = [_idle(desk, keybench, _by_signal) for _ in range(size("KEYBENCH_CLOSINGS", 5))]
            figures += [
                Figure(f"{name}: closed by its frame, the slowest", max(by_frame), "s", WANTED_S),
                Figure(f"{name}: closed by its frame, the median", statistics.median(by_frame), "s"),
                Figure(f"{name}: ended by SIGTERM, the slowest", max(by_signal), "s", WANTED_S),
                Figure(f"{name}: ended while a sale is under way", _selling(desk, copied), "s", WANTED_S),
                Figure(f"{name}: ended during the tour", _touring(desk, folder), "s", WANTED_S),
            ]
            figures += [
                Figure(
                    f"{name}: closed, the keyring {trouble}", _beside(desk, folder, trouble), "s", WANTED_S
                )
                for trouble in (Trouble.LOCKED, Trouble.SILENT)
            ]
    return figures


def _by_frame(desk: Desktop, window: Window) -> None:
    desk.close(window.process.pid)


def _by_signal(_desk: Desktop, window: Window) -> None:
    window.process.send_signal(signal.SIGTERM)


def _idle(desk: Desktop, keybench: Keybench, close: Callable[[Desktop, Window], None]) -> float:
    with open_window(keybench.folder, desk, **desk.variables) as window:
        window.wait_until_ready()
        window.gateway()
        return _timed(window, lambda: close(desk, window))


def _selling(desk: Desktop, keybench: Keybench) -> float:
    with open_window(keybench.folder, desk, **desk.variables) as window:
        window.wait_until_ready()
        window.until(lambda: window.value_of("Device"), "a device")
        window.fill("Amount", "90.00")
        window.activate("Send sale")
        window.wait_for("Cancel on device", "push button")
        return _timed(window, lambda: _by_signal(desk, window))


def _touring(desk: Desktop, folder: Path) -> float:
    with open_window(folder, desk, command=("tour", "--pace", "1"), **desk.variables) as window:
        window.until(lambda: window.rows("Security keys"), "the tour's key")
        return _timed(window, lambda: _by_frame(desk, window))


def _beside(desk: Desktop, folder: Path, trouble: Trouble) -> float:
    with tempfile.TemporaryDirectory(prefix="kb-") as place, private_bus(Path(place)) as bus:
        Keyring(bus).befall(trouble)
        own_bus = {"DBUS_SESSION_BUS_ADDRESS": bus.address}
        with open_window(folder / trouble, desk, **desk.variables, **own_bus) as window:
            window.wait_until_ready()
            return _timed(window, lambda: _by_frame(desk, window))


def _timed(window: Window, close: Callable[[], None]) -> float:
    began = time.perf_counter()
    close()
    window.ended()
    return time.perf_counter() - began
