"""Forms: fields that check what is typed, and the first fault that gets the keyboard."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from fakes.waiting import PATIENCE_MS
from keybench.core.errors import JournalBusy
from keybench.core.input_errors import NameTaken, ValueMisplaced
from keybench.core.text import clean_text
from keybench.ui.kit.boxes import PageFrame
from keybench.ui.kit.choosers import Segments, quiet_combo
from keybench.ui.kit.form import REQUIRED, Field, Form, Hint, text_field
from keybench.ui.kit.labels import MessageLabel
from keybench.ui.kit.theme import theme

CARD = "4111 1111 1111 1111"


@pytest.fixture
def form(qtbot: QtBot) -> Form:
    """A form in a window that has the keyboard, with a button behind it."""
    window = QWidget()
    layout = QVBoxLayout(window)
    name = Field("Name", QLineEdit(), "A hint", id="name", check=partial(clean_text, "name"))
    form = Form(name, text_field("Reason", id="reason", lines=3))
    layout.addWidget(form)
    layout.addWidget(QPushButton("Go on"))
    qtbot.addWidget(window)
    with qtbot.waitActive(window, timeout=PATIENCE_MS):
        window.show()
        window.activateWindow()
    return form


def test_an_untouched_form_is_calm(form: Form) -> None:
    assert [field.fault for field in form.fields] == ["Name can't be empty.", REQUIRED]
    assert not any(field.has_message for field in form.fields)
    assert form.field("name").message.text() == "A hint"


def test_a_field_passed_by_with_tab_says_what_is_missing(qtbot: QtBot, form: Form) -> None:
    name, reason = form.fields
    name.editor.setFocus()
    qtbot.keyClick(name.editor, Qt.Key.Key_Tab)
    assert name.message.text() == "Name can't be empty."
    assert name.editor.accessibleDescription() == "Name can't be empty."
    assert name.editor.property("invalid") == "true"
    assert reason.editor.hasFocus()
    qtbot.keyClick(reason.editor, Qt.Key.Key_Tab)
    assert reason.message.text() == REQUIRED


def test_a_fault_out_of_sight_is_scrolled_to(qtbot: QtBot) -> None:
    frame = PageFrame()
    qtbot.addWidget(frame)
    fields = [text_field(f"Field {number}", id=str(number)) for number in range(9)]
    form = Form(*fields, parent=frame.viewport())
    frame.hold(form)
    frame.resize(300, 160)
    with qtbot.waitActive(frame, timeout=PATIENCE_MS):
        frame.show()
        frame.activateWindow()
    bar, message = frame.verticalScrollBar(), fields[0].message
    bar.setValue(bar.maximum())
    assert message.visibleRegion().isEmpty()
    assert form.first_fault() is fields[0]  # the keyboard is there from now on
    qtbot.waitUntil(lambda: message.visibleRegion().boundingRect().height() == message.height())
    bar.setValue(bar.maximum())
    qtbot.keyClicks(fields[0].editor, "4111 1111 1111 1111")
    qtbot.waitUntil(lambda: message.visibleRegion().boundingRect().height() == message.height())


def test_the_first_fault_gets_the_keyboard_and_all_are_shown(form: Form) -> None:
    assert form.first_fault() is form.field("name")
    assert form.field("name").editor.hasFocus()
    assert all(field.has_message for field in form.fields)
    form.field("name").reset("till")
    assert form.first_fault() is form.field("reason")
    form.field("reason").reset(" one\ntwo ")
    assert form.first_fault() is None
    assert form.values() == {"name": "till", "reason": "one\ntwo"}


def test_what_cant_be_seen_is_no_fault(form: Form) -> None:
    form.field("name").hide()
    form.field("reason").reset("x")
    assert form.first_fault() is None


@pytest.mark.parametrize("name", ["name", "reason"])
def test_card_data_is_taken_out_with_its_history(form: Form, name: str) -> None:
    field = form.field(name)
    editor = field.editor
    assert isinstance(editor, QLineEdit | QPlainTextEdit)
    editor.insert(CARD) if isinstance(editor, QLineEdit) else editor.insertPlainText(CARD)
    assert field.text == ""
    assert "card number" in field.message.text()
    undo = editor.isUndoAvailable() if isinstance(editor, QLineEdit) else editor.document().isUndoAvailable()
    assert not undo
    assert "card number" in field.fault
    editor.insert("a") if isinstance(editor, QLineEdit) else editor.insertPlainText("a")
    assert not field.has_message


def test_an_optional_field_emptied_of_card_data_holds_nobody_up(qtbot: QtBot) -> None:
    note = text_field("Note", id="note", required=False)
    form = Form(note)
    qtbot.addWidget(form)
    assert isinstance(note.editor, QLineEdit)
    note.editor.insert(CARD)
    assert note.text == ""
    assert form.first_fault() is None
    assert "card number" in note.message.text()


def test_an_error_stands_at_the_field_that_it_names_until_it_is_edited(form: Form) -> None:
    name, reason = form.fields
    name.reset("till")
    reason.reset("a value")
    form.show_error(NameTaken("key", "till"))
    assert "already a key named" in name.message.text()
    assert form.first_fault() is name
    form.show_error(ValueMisplaced("reason"))
    assert reason.text == ""
    assert reason.editor.hasFocus()
    form.show_error(JournalBusy("held"))
    assert "Another program" in name.message.text()
    assert isinstance(name.editor, QLineEdit)
    name.editor.setText("till 2")
    assert not name.has_message


def test_a_fault_is_announced_once_and_a_hint_is_not(
    qtbot: QtBot, form: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("keybench.ui.kit.labels.announce", lambda _widget, text: said.append(text))
    name = form.field("name")
    qtbot.keyClicks(name.editor, "n" * 103)
    assert said == ["Name can have 100 characters at the most."]
    name.reset("till")
    assert name.editor.accessibleDescription() == "A hint"
    assert len(said) == 1


def test_a_message_that_is_cleared_is_gone_for_screen_readers_too(qtbot: QtBot) -> None:
    message = MessageLabel()
    qtbot.addWidget(message)
    message.say("It couldn't be kept.", "bad")
    assert message.accessibleDescription() == "It couldn't be kept."
    message.clear()
    assert (message.text(), message.accessibleDescription()) == ("", "")


def test_a_check_may_say_something_of_a_sound_text_and_wait_for_more(qtbot: QtBot) -> None:
    def check(text: str) -> Hint:
        return Hint("Fine.", "good") if text == "https://a" else Hint("Too short.", "bad")

    field = Field("Address", QLineEdit(), check=check, unfinished="https://".startswith)
    qtbot.addWidget(field)
    for typed, says in (("h", ""), ("https://", ""), ("x", "Too short."), ("https://a", "Fine.")):
        field.reset()
        qtbot.keyClicks(field.editor, typed)
        assert field.message.text() == says
    field.reset("https://")
    field.touch()
    assert field.message.text() == "Too short."


def test_each_editor_has_its_text(qtbot: QtBot) -> None:
    combo, fixed = quiet_combo(editable=True), quiet_combo(editable=False)
    fixed.addItem("Mira", "mira")
    segments = Segments([("a", "A"), ("b", "B")], "Way")
    for editor, text in ((combo, "typed"), (fixed, "mira"), (segments, "b")):
        field = Field("Field", editor)
        qtbot.addWidget(field)
        field.reset(text)
        assert field.text == text
    assert combo.completer() is None


def test_sizes_follow_the_text_size(form: Form) -> None:
    area, message = form.field("reason").editor, form.field("reason").message
    before = area.height(), message.minimumHeight()
    theme().set_scale(2.0)
    assert area.minimumHeight() > before[0] * 1.5
    assert message.minimumHeight() > before[1] * 1.5


def test_a_choice_of_segments_begins_where_the_other_fields_do(qtbot: QtBot) -> None:
    choice = Field("Kind", Segments([("a", "A"), ("b", "B")], "Kind"))
    text = text_field("Name")
    form = Form(text, choice)
    qtbot.addWidget(form)
    form.resize(600, 300)
    form.show()
    assert choice.editor.mapTo(form, QPoint()).x() == text.editor.mapTo(form, QPoint()).x()
    assert choice.editor.width() < text.editor.width()


def test_the_gaps_between_fields_are_even_whatever_they_have_to_say(qtbot: QtBot) -> None:
    fields = [text_field(f"Field {number}", id=f"f{number}", lines=1 + number % 2) for number in range(5)]
    form = Form(*fields)
    qtbot.addWidget(form)
    form.show()

    def gaps() -> set[int]:
        form.adjustSize()
        tops = [field.geometry().top() for field in fields[1:]]
        return {top - field.geometry().bottom() - 1 for field, top in zip(fields, tops, strict=False)}

    (gap,) = gaps()
    fields[2].show_message(REQUIRED)
    assert gaps() == {gap}
