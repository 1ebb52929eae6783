"""The key of a sale is found by typing any part of its name, and never guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey
from keybench.ui.kit.form import Field
from keybench.ui.kit.theme import Theme
from keybench.ui.shared.sales.fields import KeyBox, key_field

NOW = datetime(2026, 3, 3, tzinfo=UTC)
CARD = "4111 1111 1111 1111"


def key(name: str, **known: object) -> SecurityKey:
    made = SecurityKey(f"id-{name}", "practice", name, "u", "Sale", KeyKind.PRIVATE, "", "a-b-c-d", NOW)
    return replace(made, **known)  # type: ignore[arg-type]  # the test names the fields it needs


@pytest.fixture
def field(qtbot: QtBot, light_theme: Theme) -> Iterator[Field]:
    box = KeyBox()
    field = key_field(box)
    window = QWidget()
    column = QVBoxLayout(window)
    column.addWidget(field)
    column.addWidget(QLineEdit())
    qtbot.addWidget(window)
    box.show_keys([key("airport kiosk"), key("branch 001 till"), key("empty", state=KeyState.NO_VALUE)])
    window.resize(600, 200)
    window.show()
    window.activateWindow()
    qtbot.waitActive(window, timeout=PATIENCE_MS)
    box.editor.selectAll()
    yield field
    light_theme.set_scale(1.0)


def box_of(field: Field) -> KeyBox:
    assert isinstance(field.editor, KeyBox)
    return field.editor


def offered(box: KeyBox) -> list[str]:
    """Return what the list of completions offers."""
    model = box.completer().completionModel()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_any_part_of_a_name_finds_it(field: Field, qtbot: QtBot) -> None:
    box = box_of(field)
    box.editor.setFocus()
    box.editor.selectAll()
    qtbot.keyClicks(box.editor, "1 TI")
    assert offered(box) == ["branch 001 till"]
    assert box.key is None, "nothing is guessed"
    popup = box.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    QTest.keyClick(popup, Qt.Key.Key_Down)
    QTest.keyClick(popup, Qt.Key.Key_Return)
    assert box.key == key("branch 001 till")
    assert not popup.isVisible()


def test_a_whole_name_is_the_key_in_any_case_of_letters(field: Field) -> None:
    box = box_of(field)
    box.setEditText(" Branch 001 TILL ")
    assert box.key == key("branch 001 till")
    assert not field.fault
    box.setEditText("empty")
    assert box.key
    assert box.key.name == "empty"
    assert box.itemText(2) == "empty · no value here"


def test_a_text_that_names_no_key_is_said_so_once_it_is_left(field: Field, qtbot: QtBot) -> None:
    box = box_of(field)
    box.editor.setFocus()
    box.editor.selectAll()
    qtbot.keyClicks(box.editor, "branch 00")
    assert not field.message.text(), "it may become a name"
    QTest.keyClick(box.completer().popup(), Qt.Key.Key_Escape)
    QTest.keyClick(box, Qt.Key.Key_Tab)
    assert "No private key has this name" in field.message.text()
    assert box.key is None


def test_card_data_is_taken_out(field: Field) -> None:
    box = box_of(field)
    box.setEditText(CARD)
    assert box.currentText() == ""
    assert "card number" in field.message.text()
    assert box.key is None


def test_a_name_that_reads_like_another_with_its_mark_is_its_own(field: Field) -> None:
    box = box_of(field)
    box.show_keys([key("till", state=KeyState.NO_VALUE), key("till · no value here")])
    box.setEditText("TILL · no value here")
    assert box.key == key("till · no value here")
    box.setCurrentIndex(0)
    assert box.key
    assert box.key.name == "till"


def test_typing_goes_on_while_the_keys_are_read_again(field: Field, qtbot: QtBot) -> None:
    box = box_of(field)
    box.editor.setFocus()
    box.editor.selectAll()
    qtbot.keyClicks(box.editor, "bra")
    box.show_keys([key("airport kiosk"), key("branch 001 till"), key("branch 002 till")])
    assert box.currentText() == "bra"
    qtbot.keyClicks(box.editor, "nch 002 till")
    assert box.key == key("branch 002 till")


def test_the_list_of_hundreds_of_keys_is_ten_rows_high_and_shows_whole_names(
    field: Field, qtbot: QtBot
) -> None:
    box = box_of(field)
    box.setFixedWidth(120)
    box.show_keys([key(f"branch {number:03} till", state=KeyState.NO_VALUE) for number in range(300)])
    box.showPopup()
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    row = view.sizeHintForRow(0)
    assert view.height() <= 12 * row
    assert view.viewport().width() >= view.sizeHintForColumn(0)
    box.hidePopup()
    box.editor.selectAll()
    qtbot.keyClicks(box.editor, "till")
    popup = box.completer().popup()
    qtbot.waitUntil(popup.isVisible)
    assert popup.height() <= 12 * max(popup.sizeHintForRow(0), 1)
    popup.hide()


def test_a_click_into_it_selects_what_is_there(field: Field, qtbot: QtBot) -> None:
    box = box_of(field)
    field.setFocus()
    qtbot.mouseClick(box.editor, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: box.editor.selectedText() == "airport kiosk")


def test_what_was_typed_is_no_key_of_another_environment(field: Field) -> None:
    box = box_of(field)
    box.setEditText("till")
    box.show_keys([key("airport kiosk"), key("branch 001 till")])
    assert box.currentText() == "till", "it is read again"
    box.show_keys([key("first", environment_id="live"), key("till", environment_id="live")])
    assert box.currentText() == "first"
