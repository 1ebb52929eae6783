"""A value is shown and copied for ten seconds, and for no longer, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QWidget

from fakes.waiting import until
from keybench.core.errors import KeystoreSilent, ValueLost
from keybench.ui.shared.keys.value_line import ValueLine
from ui.keys_driver import KeysWindow, accessible_name

MADE_UP = "MadeUpFakeKeyValue"


@pytest.fixture(autouse=True)
def clipboard(qapp: QGuiApplication) -> Iterator[None]:
    yield
    qapp.clipboard().clear()


def line(keys: KeysWindow) -> ValueLine:
    return keys.panel.details.value


def says_value(widget: QWidget) -> bool:
    """Tell whether anything a screen reader can read of a widget and its children has the value."""
    interface = QAccessible.queryAccessibleInterface(widget)
    parts = (QAccessible.Text.Name, QAccessible.Text.Value, QAccessible.Text.Description)
    return any(MADE_UP in interface.text(part) for part in parts) or any(
        says_value(child) for child in widget.children() if isinstance(child, QWidget)
    )


def clipboard_has_value() -> bool:
    return MADE_UP in QGuiApplication.clipboard().text()


async def revealed(keys: KeysWindow) -> None:
    keys.press("Reveal")
    await until(lambda: line(keys).revealed)


async def test_reveal_shows_it_to_eye_and_ear_with_a_countdown(keys: KeysWindow) -> None:
    assert not says_value(keys.window)
    assert accessible_name(line(keys)) == "Value, hidden"
    await revealed(keys)

    assert MADE_UP in line(keys).text()
    assert says_value(line(keys))
    button = keys.button("Reveal")
    assert button.text() == "Hide (10 s)"
    keys.move_clock(3)
    assert button.text() == "Hide (7 s)"
    keys.move_clock(6.9)
    assert line(keys).revealed
    keys.move_clock(0.1)

    assert not line(keys).revealed
    assert not says_value(keys.window)
    assert keys.button("Reveal").text() == "Reveal"


@pytest.mark.parametrize("how", ["button", "another key", "another environment", "page", "add a key"])
async def test_it_hides_with_what_it_belongs_to(keys: KeysWindow, how: str) -> None:
    await revealed(keys)

    match how:
        case "button":
            keys.press("Reveal")
        case "another key":
            keys.choose("nightly reports")
        case "another environment":
            keys.session.choose_environment(await keys.test_environment())
        case "page":
            keys.panel.hide()
        case _:
            keys.panel.add_new_key()

    assert not line(keys).revealed
    assert MADE_UP not in line(keys).text()
    assert not says_value(keys.window)


async def test_it_hides_when_the_window_is_left(keys: KeysWindow) -> None:
    await revealed(keys)

    other = QWidget()
    other.show()
    other.activateWindow()
    await until(lambda: not line(keys).revealed)
    other.close()
    other.deleteLater()

    assert not says_value(keys.window)


@pytest.mark.parametrize("how", ["locking", "closing"])
async def test_it_hides_and_the_clipboard_is_cleared_when_the_window_locks_or_closes(
    keys: KeysWindow, how: str
) -> None:
    await revealed(keys)
    keys.press("Copy")
    await until(clipboard_has_value)

    if how == "locking":
        keys.session.locking.emit()
    else:
        keys.session.end()

    assert not says_value(keys.window)
    assert not clipboard_has_value()
    assert keys.panel.details.report.clipboard.text() == ""


async def test_a_test_meanwhile_leaves_it_shown(keys: KeysWindow) -> None:
    await revealed(keys)

    keys.press("Test key")
    await until(lambda: keys.tested.startswith("✓ accepted"))

    assert line(keys).revealed


async def test_a_value_asked_for_and_left_isnt_shown(keys: KeysWindow) -> None:
    keys.press("Reveal")
    keys.choose("nightly reports")

    await until(lambda: ("read", f"practice/{keys.panel.keys[0].id}") in keys.keystore.calls)
    assert not says_value(keys.window)


@pytest.mark.parametrize("name", ["Reveal", "Copy"])
async def test_a_value_that_comes_after_the_window_was_locked_goes_nowhere(
    keys: KeysWindow, name: str
) -> None:
    keys.slow_keystore.hold("read")
    keys.press(name)
    await until(lambda: keys.slow_keystore.is_held)

    keys.session.locking.emit()
    keys.slow_keystore.let_go()

    await until(lambda: not keys.session.supervisor.running)
    assert not clipboard_has_value()
    assert not says_value(keys.window)
    keys.press(name)
    await until(lambda: clipboard_has_value() or line(keys).revealed)


async def test_a_value_that_comes_when_another_key_is_chosen_isnt_copied(keys: KeysWindow) -> None:
    keys.slow_keystore.hold("read")
    keys.press("Copy")
    await until(lambda: keys.slow_keystore.is_held)

    keys.choose("nightly reports")
    keys.slow_keystore.let_go()

    await until(lambda: not keys.session.supervisor.running)
    assert not clipboard_has_value()
    assert [notice.title for notice in keys.notices] == ["“front-desk till” was not copied."]


async def test_it_cant_be_selected_or_taken_along(keys: KeysWindow) -> None:
    await revealed(keys)

    assert line(keys).textInteractionFlags() == Qt.TextInteractionFlag.NoTextInteraction
    assert line(keys).focusPolicy() == Qt.FocusPolicy.TabFocus
    line(keys).hide_value()
    assert line(keys).focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.parametrize("name", ["Reveal", "Copy"])
@pytest.mark.parametrize(
    ("error", "said"), [(KeystoreSilent("3 s"), "no answer"), (ValueLost(""), "no longer has")]
)
async def test_a_keystore_in_trouble_is_explained(
    keys: KeysWindow, name: str, error: KeystoreSilent, said: str
) -> None:
    keys.keystore.failure = error

    keys.press(name)

    await until(lambda: said in keys.message)
    assert not says_value(keys.window)


# --- copy --------------------------------------------------------------------------------------------


async def test_copy_counts_down_and_clears(keys: KeysWindow) -> None:
    keys.press("Copy")
    await until(clipboard_has_value)

    assert not says_value(keys.window)
    assert keys.panel.details.report.clipboard.text() == "Copied. The clipboard is cleared in 10 s."
    keys.move_clock(2)
    assert keys.panel.details.report.clipboard.text() == "Copied. The clipboard is cleared in 8 s."
    keys.move_clock(8)

    assert not clipboard_has_value()
    assert keys.panel.details.report.clipboard.text() == "The clipboard was cleared."
    report = keys.panel.details.report
    assert report.isVisible()
    report._lingering.timeout.emit()
    assert not report.isVisible(), "the table has its room again"


async def test_copy_leaves_what_came_after_it(keys: KeysWindow) -> None:
    keys.press("Copy")
    await until(clipboard_has_value)
    QGuiApplication.clipboard().setText("shopping list")

    keys.move_clock(10)

    assert QGuiApplication.clipboard().text() == "shopping list"
    assert "something else" in keys.panel.details.report.clipboard.text()


async def test_what_was_asked_for_is_noted_without_the_value(keys: KeysWindow) -> None:
    await revealed(keys)
    keys.press("Copy")
    await until(clipboard_has_value)

    noted = [f"{each.action} {each.subject} {each.result}" for each in await keys.journal.activities(2)]
    assert [text.strip() for text in noted] == [
        "value copied front-desk till",
        "value revealed front-desk till",
    ]
