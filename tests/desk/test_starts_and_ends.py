"""The window on a real desktop: it starts each time, ends in silence, and leaves nothing behind."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import secretstorage
from PySide6.QtCore import QRect

from desk.desktops import Desktop, X11Desktop, desktop, until
from endtoend.conftest import Keybench
from endtoend.troubled_keyring import Keyring, Trouble
from endtoend.window_fixtures import Window, open_window, wait_until_gone
from keystore.buses import private_bus
from sweeps import every

SMALL, LARGE = 760, 1400
BUTTON = "push button"


@contextmanager
def started(desk: Desktop, folder: Path, **variables: str) -> Iterator[Window]:
    """Open the window on a desktop; yields it when it can be used."""
    with open_window(folder, desk, **desk.variables, **variables) as window:
        window.wait_until_ready()
        yield window


def assert_it_ends(window: Window) -> None:
    """Wait until the window has ended: with status 0, without a word, and its gateway with it."""
    gateways = window.gateways()
    assert window.ended() == 0
    for gateway in gateways:
        wait_until_gone(gateway)


def test_it_is_used_minimised_maximised_resized_and_closed_over_a_sale_by_its_frame(
    desk: Desktop, keybench: Keybench
) -> None:
    with started(desk, keybench.folder) as window:
        pid = window.process.pid
        window.activate("Test key")
        window.wait_for_words("✓ accepted (200)")
        desk.resize(pid, 700, 500)
        window.until(lambda: desk.frame(pid).width() < SMALL, "the window to be small")
        desk.minimise(pid)
        window.until(lambda: not desk.is_active(pid), "the window to be away")
        desk.restore(pid)
        window.until(lambda: desk.is_active(pid), "the window to be back")
        window.activate("Send sale")
        desk.maximise(pid)
        window.until(lambda: desk.frame(pid).width() > LARGE, "the window to fill the screen")
        window.wait_for_outcome("Approved")
        desk.resize(pid, 1100, 760)
        sell_for_long(window)
        desk.close(pid)
        window.wait_for("Close while a sale is under way?", "dialog")
        window.activate("Close")
        assert_it_ends(window)


def test_it_ends_with_the_session(own_desk: Desktop, keybench: Keybench) -> None:
    with started(own_desk, keybench.folder) as window:
        window.gateway()
        own_desk.end()
        assert_it_ends(window)


@pytest.mark.sweep
def test_a_second_start_brings_the_first_window_to_the_front(desk: Desktop, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with started(desk, folder) as window:
        pid = window.process.pid
        for away in ("covered", "minimised"):
            other = desk.cover()
            try:
                until(lambda one=other: desk.is_active(one.pid), "the other program's window")
                if away == "minimised":
                    desk.minimise(pid)
                with open_window(folder, desk, **desk.variables) as second:
                    assert second.ended() == 0
                until(lambda: desk.is_active(pid), f"the window that was {away} in front")
            finally:
                other.kill()
                other.wait()
        desk.close(pid)
        assert_it_ends(window)


@pytest.mark.sweep
@pytest.mark.parametrize("desk", ["openbox", "sway"], indirect=True)
def test_a_start_just_after_the_end_opens_a_window_of_its_own(desk: Desktop, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with started(desk, folder) as window:
        window.process.send_signal(signal.SIGTERM)
        with started(desk, folder) as second:
            assert_it_ends(window)
            desk.close(second.process.pid)
            assert_it_ends(second)


@pytest.mark.sweep
@pytest.mark.parametrize("desk", ["openbox", "metacity"], indirect=True)
def test_a_sale_that_ends_behind_another_window_is_shown_in_the_taskbar(
    desk: X11Desktop, keybench: Keybench
) -> None:
    with started(desk, keybench.folder) as window:
        window.until(lambda: window.value_of("Device"), "a device")
        pid = window.process.pid
        other = desk.cover()
        try:
            until(lambda: desk.is_active(other.pid), "the other program's window")
            assert not desk.asks_for_a_look(pid)
            window.fill("Amount", "10.00")
            window.activate("Send sale")
            until(lambda: desk.asks_for_a_look(pid), "the window's wish to be looked at")
        finally:
            other.kill()
            other.wait()
        desk.restore(pid)
        until(lambda: not desk.asks_for_a_look(pid), "the end of that wish")
        desk.close(pid)
        assert_it_ends(window)


def sell_for_long(window: Window) -> None:
    """Send a sale that stays under way for half a minute."""
    window.until(lambda: window.value_of("Device"), "a device")
    window.fill("Amount", "90.00")
    window.activate("Send sale")
    window.wait_for("Cancel on device", BUTTON)


@pytest.mark.parametrize("desk", ["sway"], indirect=True)
def test_sigterm_during_a_sale_closes_without_a_question(desk: Desktop, keybench: Keybench) -> None:
    with started(desk, keybench.folder) as window:
        sell_for_long(window)
        window.process.send_signal(signal.SIGTERM)
        assert_it_ends(window)
    left = keybench.run("history").lines
    assert [sale["state"] for sale in left] == ["under_way"]


@pytest.mark.sweep
@pytest.mark.parametrize("desk", ["metacity"], indirect=True)
def test_closing_during_a_bulk_test(desk: Desktop, keybench: Keybench) -> None:
    keybench.add_key("another")
    with started(desk, keybench.folder) as window:
        window.activate("Keys", "radio button")
        window.until(lambda: len(window.rows("Key inventory")) == 2, "the keys")
        assert window.ask("select_all", table="Key inventory")
        window.activate("Test the selected keys")
        desk.close(window.process.pid)
        assert_it_ends(window)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("desk", "trouble"), [("openbox", Trouble.LOCKED), ("sway", Trouble.SILENT)], indirect=["desk"]
)
def test_closing_beside_a_keyring_in_trouble(desk: Desktop, tmp_path: Path, trouble: Trouble) -> None:
    with tempfile.TemporaryDirectory(prefix="kb-") as place, private_bus(Path(place)) as bus:
        keyring = Keyring(bus)
        keyring.befall(trouble)
        with started(desk, tmp_path / "data", DBUS_SESSION_BUS_ADDRESS=bus.address) as window:
            desk.close(window.process.pid)
            assert_it_ends(window)


# --- the tour -----------------------------------------------------------------------------------

TOUR_ENDS: dict[str, Callable[[Desktop, Window], None]] = {
    "frame": lambda desk, window: desk.close(window.process.pid),
    "Esc": lambda _desk, window: window.press("Escape"),
    "button": lambda _desk, window: window.activate("End the tour"),
    "Ctrl+C": lambda _desk, window: window.process.send_signal(signal.SIGINT),
    "SIGTERM": lambda _desk, window: window.process.send_signal(signal.SIGTERM),
}
#: Ways that no window manager has a part in.
ON_ANY_DESKTOP = ("button", "Ctrl+C", "SIGTERM")


def entries_kept() -> int:
    """Return how many entries the session's keyring has."""
    with closing(secretstorage.dbus_init()) as connection:
        return len(list(secretstorage.get_default_collection(connection).get_all_items()))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("desk", "way"),
    [
        ("metacity", "frame"),
        ("sway", "frame"),
        ("sway", "Esc"),
        *(("openbox", way) for way in ON_ANY_DESKTOP),
    ],
    indirect=["desk"],
)
def test_the_tour_ends_wherever_it_is_and_leaves_nothing(desk: Desktop, tmp_path: Path, way: str) -> None:
    before = entries_kept()
    with open_window(
        tmp_path, desk, command=("tour", "--pace", "0.5"), **desk.variables, TMPDIR=str(tmp_path)
    ) as window:
        until(lambda: entries_kept() > before, "the tour's key")
        TOUR_ENDS[way](desk, window)
        assert_it_ends(window)
    assert entries_kept() == before
    assert not list(tmp_path.glob("keybench-tour-*"))


# --- the screen ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size", "scale"),
    every(
        4,
        [
            ("openbox", "1024x700", "1"),
            ("openbox", "1440x900", "1.5"),
            ("openbox", "1600x900", "2"),
            ("metacity", "1440x900", "2"),
        ],
    ),
)
def test_the_first_window_fits_its_screen_and_what_is_needed_can_be_reached(
    tmp_path: Path, name: str, size: str, scale: str
) -> None:
    width, height = (int(one) for one in size.split("x"))
    keybench = Keybench(tmp_path / "data")
    keybench.add_key()
    with desktop(name, size) as desk, started(desk, keybench.folder, QT_SCALE_FACTOR=scale) as window:
        assert QRect(0, 0, width, height).contains(desk.frame(window.process.pid))
        for button in ("Add a New Key", "Test key", "Send sale"):
            window.tab_to(button)

            def reached(button: str = button) -> bool:
                left, top, wide, high = window.ask("frame", name=button, role=BUTTON)
                return left >= 0 and top >= 0 and left + wide <= width and top + high <= height

            window.until(reached, f"{button} on the screen")
        desk.close(window.process.pid)
        assert_it_ends(window)
