"""The window locked while something is under way: a value that is still to come, a key that was pressed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.rotation_hand import BUTTON, TEXT
from endtoend.troubled_keyring import Keyring, Trouble
from endtoend.window_fixtures import Window, open_window
from keystore.buses import Bus, private_bus

HIDDEN = "Value, hidden"
FILTER = "Filter keys"


@pytest.fixture
def own_bus() -> Iterator[Bus]:
    """A session bus for one keyring; its path has to be short."""
    with tempfile.TemporaryDirectory(prefix="kb-") as folder, private_bus(Path(folder)) as bus:
        yield bus


def test_a_value_that_comes_after_the_window_was_locked_is_not_on_the_clipboard(
    tmp_path: Path, own_bus: Bus
) -> None:
    keyring = Keyring(own_bus)
    with open_window(tmp_path / "data", DBUS_SESSION_BUS_ADDRESS=own_bus.address) as window:
        window.wait_until_ready()
        window.add_key("till")
        window.tab_to("Copy")
        keyring.befall(Trouble.SILENT)
        window.press("space")
        lock(window)
        keyring.mend()
        unlock(window)

        # The keystore answers in turn: what is revealed now comes after what was to be copied.
        window.until(lambda: window.ask("keep", mark="value", name=HIDDEN, role="label"), "the hidden value")
        window.press_button("Reveal")
        value = window.until(lambda: _revealed(window), "the value")
        window.tab_to(FILTER)
        window.press("ctrl+v")
        window.type("till")
        window.until(lambda: (field := window.find(FILTER, TEXT)) and field.text.endswith("till"), "the text")
        field = window.find(FILTER, TEXT)
        was_copied = field is not None and value in field.text
        assert not was_copied, "the value is on the clipboard"
        assert window.quit() == 0


def test_what_was_pressed_before_the_lock_does_not_unlock_the_window(keybench: Keybench) -> None:
    keybench.add_key()
    with open_window(keybench.folder) as window:
        window.wait_until_ready()
        window.tab_to("Test key")
        window.press_at_once("space", "ctrl+l")
        window.wait_for_focus(BUTTON, "Unlock")
        window.ask("settle")
        assert window.focus == (BUTTON, "Unlock")
        unlock(window)
        window.wait_for_words("accepted")
        assert window.quit() == 0


def lock(window: Window) -> None:
    """Lock the window by its keys, and wait for the cover."""
    window.press("ctrl+l")
    window.wait_for("Unlock", BUTTON)


def unlock(window: Window) -> None:
    """Press Unlock, and wait until the cover has gone."""
    window.until(lambda: window.focus == (BUTTON, "Unlock"), "the keyboard at Unlock")
    window.press("space")
    window.until(lambda: window.find("Unlock", BUTTON) is None, "the cover to go")


def _revealed(window: Window) -> str:
    name = str(window.ask("kept", mark="value")["name"])
    return "" if name == HIDDEN else name
