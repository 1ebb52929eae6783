"""Nothing happens by accident: what one key, one click or one turn of the wheel must not do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from endtoend.conftest import Keybench
from endtoend.window_fixtures import Window, open_window

CHOOSER = ("combo box", "Environment")
SHOP = ("--base-url", "https://gateway.example")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Keybench:
    """A data folder with a practice key named till and a live environment named shop."""
    folder = Keybench(tmp_path_factory.mktemp("prepared") / "data")
    folder.add_key()
    assert folder.run("environment", "add", "shop", "--kind", "live", *SHOP).status == 0
    return folder


@pytest.fixture
def ready(prepared: Keybench, tmp_path: Path) -> Keybench:
    """A copy of it, of the test's own; the keyring's entry is shared."""
    return Keybench(Path(shutil.copytree(prepared.folder, tmp_path / "data")))


@pytest.fixture
def window(ready: Keybench) -> Iterator[Window]:
    with open_window(ready.folder) as opened:
        opened.wait_until_ready()
        opened.until(lambda: opened.value_of("Device"), "a device")
        yield opened


def sold(folder: Keybench) -> list[str]:
    """Return the amounts of all sales, newest first."""
    return [line["amount"] for line in folder.run("history").lines if "amount" in line]


def assert_only_send_and_its_shortcut_sell_and_only_with_the_form_in_sight(
    ready: Keybench, window: Window
) -> None:
    for field in ("Amount", "Device", "Currency"):
        window.tab_to(field)
        window.press("Return")
    window.write("Amount", "11.00")
    window.press("Return", "ctrl+e")
    window.until(lambda: window.focus == CHOOSER, "the keyboard at the chooser")
    window.press("Return", "Escape")
    window.until(lambda: window.focus == CHOOSER, "the keyboard at the chooser again")

    window.go_to("Keys")
    window.wait_for("Find keys", "text")
    window.tab_to("Find keys")
    window.press("ctrl+Return")
    window.go_to("History")
    window.press("ctrl+Return")
    assert window.wait_for("History", "radio button").is_checked

    window.go_to("Bench")
    window.press("ctrl+n")
    window.until(lambda: window.focus == ("text", "Key Name"), "the keyboard at Key Name")
    window.press("ctrl+Return")
    window.press_button("Cancel")
    assert not sold(ready)


def assert_a_sale_is_sent_with_what_was_typed_before_its_shortcut(ready: Keybench, window: Window) -> None:
    window.write("Amount", "11.00")
    window.press_at_once("ctrl+a", *"12", "ctrl+Return")
    window.wait_for_outcome("Approved")
    assert sold(ready) == ["12.00"]


def assert_no_key_over_the_closed_chooser_changes_the_environment(window: Window) -> None:
    for key in ("Down", "Up", "Next", "End", "s"):
        window.press("ctrl+e")
        window.until(lambda: window.focus == CHOOSER, "the keyboard at the chooser")
        window.press(key, "Escape")
        window.until(lambda: window.focus == CHOOSER, "the keyboard at the chooser again")
        assert window.value_of("Environment").startswith("practice"), key


def assert_the_wheel_changes_no_closed_chooser(window: Window) -> None:
    boxes = ("Environment", "Device", "Currency", "Key")
    before = {box: window.value_of(box) for box in boxes}
    for box in boxes:
        window.tab_to(box)
        window.turn_wheel(box, "combo box")
    window.ask("pump", limit_ms=100)
    assert {box: window.value_of(box) for box in boxes} == before


def assert_a_second_space_on_test_key_reveals_nothing(window: Window) -> None:
    window.press_button("Test key")
    window.press("space", "space")
    window.wait_for_words("✓ accepted (200)")
    assert window.focus[1] == "Test key"
    assert window.find("Value, hidden")
    window.press("Tab")
    window.until(lambda: window.focus[1] == "Reveal", "Tab to go on from there")


def assert_what_was_pressed_before_the_lock_does_not_unlock_the_window(window: Window) -> None:
    window.tab_to("Test key")
    window.press_at_once("space", "ctrl+l")
    window.wait_for_focus("push button", "Unlock")
    window.ask("settle")
    assert window.focus == ("push button", "Unlock")
    window.press("space")
    window.until(lambda: window.find("Unlock", "push button") is None, "the cover to go")
    window.wait_for_words("accepted")


def test_nothing_happens_by_accident(ready: Keybench, window: Window) -> None:
    assert_no_key_over_the_closed_chooser_changes_the_environment(window)
    assert_the_wheel_changes_no_closed_chooser(window)
    assert_a_second_space_on_test_key_reveals_nothing(window)
    assert_only_send_and_its_shortcut_sell_and_only_with_the_form_in_sight(ready, window)
    assert_a_sale_is_sent_with_what_was_typed_before_its_shortcut(ready, window)
    assert_what_was_pressed_before_the_lock_does_not_unlock_the_window(window)
    assert window.quit() == 0
