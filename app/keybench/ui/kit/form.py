"""Forms: fields with their labels, checks and messages, in an order, checked and focused in one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QPlainTextEdit, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import CardDataRefused, InputInvalid, ValueMisplaced
from keybench.core.text import PURPOSE_LIMIT, clean_note, clean_text
from keybench.ui.kit.boxes import bring_into_sight, in_column, in_row
from keybench.ui.kit.choosers import Segments, name_line
from keybench.ui.kit.labels import MessageLabel, WrappingLabel
from keybench.ui.kit.theme import scaled, set_role, theme
from keybench.ui.kit.tokens import Tone
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.words.language import _

#: Looks at a text: raises `InputInvalid` for a fault, and may return a `Hint` about a text that can be used.
Check = Callable[[str], object]

#: For lines whose text input methods may neither show nor remember.
_Hint = Qt.InputMethodHint
SENSITIVE: Final = _Hint.ImhSensitiveData | _Hint.ImhNoPredictiveText | _Hint.ImhNoAutoUppercase
REQUIRED: Final = _("Write it down; it goes into the record.")


@dataclass(frozen=True, slots=True)
class Hint:
    """What the line below a field says of its text; ``bad`` is a fault, every other tone is none."""

    text: str = ""
    tone: Tone | None = None


def error_text(error: KeybenchError) -> str:
    if isinstance(error, InputInvalid):
        return field_sentence(error)
    words = explain(error)
    return f"{words.title} {words.text}".strip()


class Field(QWidget):
    """A label above an editor, with a line below it for messages.

    It says nothing of a fault until something was typed or the person went past it with Tab, so an untouched
    form is calm. Card data that its check finds is taken out at once, together with the undo history, and the
    reason stays until the next edit. What a program says with `show_message` stays until then, too.

    Args:
        text: The label; it becomes the editor's accessible name if it has none.
        editor: A line, a text area, a combo box or segments; any other widget only has its label.
        id: The stable word by which errors name the field, and under which a form returns its text.
        unfinished: Tells of a text that it may become right while somebody is still typing.
        required: What is said of an empty text; empty if it may be.
        lines: How many lines below are kept free; 0 keeps none and messages take their own room, and with
            None they are shown elsewhere, by `shown`.
    """

    edited = Signal()
    shown_changed = Signal()

    def __init__(
        self,
        text: str,
        editor: QWidget,
        hint: str = "",
        *,
        id: str = "",  # noqa: A002 - as HTML and Qt call it
        check: Check | None = None,
        unfinished: Callable[[str], bool] | None = None,
        required: str = "",
        lines: int | None = 1,
        beside: QWidget | None = None,
    ) -> None:
        super().__init__()
        self.id, self.editor, self.beside = id, editor, beside
        self._check, self._unfinished, self._required = check, unfinished, required
        self._hint = Hint(hint)
        self._touched, self._is_finished = False, False
        self._told: Hint | None = None
        self.shown = self._hint
        if not editor.accessibleName():
            editor.setAccessibleName(text)
        if isinstance(editor, QComboBox):
            name_line(editor)
        self.label = WrappingLabel(text, "field")
        self.label.setBuddy(editor)
        self.message = MessageLabel(lines or 0, "field", of=editor)
        self._lines = lines
        self.message.show_quietly(hint)
        self._row = in_row((editor, 1), spacing=4)
        if isinstance(editor, Segments):  # as wide as its words: Qt would put it in the middle
            self.keep_narrow()
        if beside:
            self._row.addWidget(beside)
        in_column(self.label, self._row, self.message, within=self, spacing=4)
        self._show_line()
        self._watch()

    def keep_narrow(self) -> None:
        self._row.setAlignment(self.editor, Qt.AlignmentFlag.AlignLeft)

    # --- text ----------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text as it stands; of a combo box that can't be edited and of segments, the chosen value."""
        match self.editor:
            case QLineEdit() as editor:
                return editor.text()
            case QPlainTextEdit() as editor:
                return editor.toPlainText()
            case QComboBox() as editor:
                data = None if editor.isEditable() else editor.currentData()
                return editor.currentText() if data is None else str(data)
            case Segments() as editor:
                return editor.value
            case _:
                return ""

    def reset(self, text: str = "") -> None:
        self._put(text)
        self._touched, self._told = False, None
        self.refresh()

    def take_out(self, reason: str) -> None:
        """Empty it, so that nothing of it can be undone, and say why until it is edited."""
        self._put("")
        self._told = Hint(reason, "bad")
        self.touch()

    # --- faults and messages -------------------------------------------------------------------------

    @property
    def fault(self) -> str:
        """What is wrong with the text as it stands; not what was taken out of a field that may stay empty."""
        try:
            found = self._examine(self.text)
        except CardDataRefused as error:
            return field_sentence(error)
        fault = found.text if found.tone == "bad" else ""
        if self._told and self._told.tone == "bad" and (fault or not self.was_taken_out):
            return self._told.text
        return fault

    @property
    def has_message(self) -> bool:
        return bool(self.shown.text) and self.shown != self._hint

    def show_message(self, text: str, tone: Tone | None = "bad") -> None:
        self._told = Hint(text, tone)
        self.touch()

    def clear_message(self) -> None:
        self._told = None
        self.refresh()

    @property
    def was_taken_out(self) -> bool:
        return self._told is not None and not self.text

    def touch(self) -> None:
        self._touched = self._is_finished = True
        self.refresh()

    def refresh(self) -> None:
        self._show(self._look())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        went_on = isinstance(event, QFocusEvent) and event.reason() == Qt.FocusReason.TabFocusReason
        if went_on and event.type() is QEvent.Type.FocusOut and self.isEnabled():
            self.touch()
        return super().eventFilter(watched, event)

    def watch_focus(self) -> None:
        """Notice when the person leaves; a combo box is told itself, for its line never has the keyboard."""
        self.editor.installEventFilter(self)

    # --- inside --------------------------------------------------------------------------------------

    def _watch(self) -> None:
        match self.editor:
            case QLineEdit() as editor:
                editor.textChanged.connect(self._on_edited)
            case QPlainTextEdit() as editor:
                editor.textChanged.connect(self._on_edited)
            case QComboBox() as editor:
                editor.currentTextChanged.connect(self._on_edited)
            case Segments() as editor:
                editor.changed.connect(self._on_edited)
            case _:
                return
        if self._check or self._required:
            self.watch_focus()

    def _put(self, text: str) -> None:
        match self.editor:
            case QLineEdit() as editor:
                editor.setText(text)
            case QPlainTextEdit() as editor:
                editor.setPlainText(text)
            case QComboBox() as editor if editor.isEditable():
                editor.setEditText(text)
            case QComboBox() as editor:
                editor.setCurrentIndex(editor.findData(text) if text else -1)
            case Segments() as editor if text:
                editor.choose(text)

    def _on_edited(self) -> None:
        text, self._told = self.text, None
        try:
            found = self._examine(text)
        except CardDataRefused as error:
            self.take_out(field_sentence(error))
            return
        self._touched, self._is_finished = self._touched or bool(text), False
        self._show(found)
        self.edited.emit()

    def _look(self) -> Hint:
        try:
            return self._told or self._examine(self.text)
        except CardDataRefused as error:
            return Hint(field_sentence(error), "bad")

    def _examine(self, text: str) -> Hint:
        if self._required and not text.strip():
            return Hint(self._required, "bad")
        try:
            found = self._check(text) if self._check else None
        except CardDataRefused:
            raise
        except InputInvalid as error:
            return Hint(field_sentence(error), "bad")
        return found if isinstance(found, Hint) and found.text else self._hint

    def _show(self, found: Hint) -> None:
        is_typing = not self._is_finished and self._unfinished is not None and self._unfinished(self.text)
        if found.tone == "bad" and not self._told and (is_typing or not self._touched):
            found = self._hint
        if found == self.shown:
            return
        self.shown = found
        if found.tone in {"bad", "warning"}:
            self.message.say(found.text, found.tone)
            bring_into_sight(self, near_keyboard=True)
        else:
            self.message.show_quietly(found.text, found.tone or "")
        set_role(self.editor, "invalid", "true" if found.tone == "bad" else "false")
        line = self.editor.lineEdit() if isinstance(self.editor, QComboBox) else None
        if line:
            line.setAccessibleDescription(found.text)
        self._show_line()
        self.shown_changed.emit()

    def _show_line(self) -> None:
        self.message.setVisible(self._lines is not None and bool(self._lines or self.message.text()))


def text_field(
    name: str,
    text: str = "",
    *,
    id: str = "",  # noqa: A002 - as `Field` has it
    what: str = "text",
    lines: int = 1,
    required: bool = True,
    hint: str = "",
) -> Field:
    """Return a field for words that go into the record: no card data, and not empty if `required`."""
    editor: QLineEdit | QPlainTextEdit
    check: Check
    if lines == 1:
        editor = QLineEdit(text)
        check = partial(clean_text, what, limit=PURPOSE_LIMIT, required=False)
    else:
        editor = TextArea(lines)
        editor.setPlainText(text)
        check = partial(clean_note, what, required=False)
    return Field(name, editor, hint, id=id, check=check, required=REQUIRED if required else "")


class TextArea(QPlainTextEdit):
    """A text area as high as some lines, whatever the size of the text; Tab leaves it."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self._lines_high = lines
        self._fit()
        theme().changed.connect(self._fit)

    def _fit(self) -> None:
        self.setFixedHeight(self.fontMetrics().lineSpacing() * self._lines_high + scaled(20))


def password_line() -> QLineEdit:
    line = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
    line.setInputMethodHints(SENSITIVE)
    return line


class Form(QFrame):
    """Fields below each other; those of a tuple stand in one row, and what isn't a field is only shown."""

    edited = Signal()

    def __init__(self, *rows: QWidget | tuple[QWidget, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: list[Field] = []
        self._rows = in_column(within=self)
        for row in rows:
            self.add(*row) if isinstance(row, tuple) else self.add(row)

    def add(self, *widgets: QWidget, stretch: Sequence[int] = ()) -> None:
        if len(widgets) == 1:
            self._rows.addWidget(widgets[0])
        else:
            row = in_row(spacing=12)
            for widget, share in zip(widgets, stretch or [1] * len(widgets), strict=True):
                row.addWidget(widget, share, Qt.AlignmentFlag.AlignTop)
            self._rows.addLayout(row)
        self.take(*(one for one in widgets if isinstance(one, Field)))

    def take(self, *fields: Field) -> None:
        for field in fields:
            self.fields.append(field)
            field.edited.connect(self.edited)

    def field(self, id: str) -> Field:  # noqa: A002 - as `Field` has it
        return next(field for field in self.fields if field.id == id)

    def values(self) -> dict[str, str]:
        return {field.id: field.text.strip() for field in self.fields}

    def first_fault(self) -> QWidget | None:
        shown = [field for field in self.fields if field.isVisibleTo(self)]
        for field in shown:
            field.touch()
        fault = next((field for field in shown if field.fault), None)
        if fault:
            fault.editor.setFocus(Qt.FocusReason.OtherFocusReason)
            bring_into_sight(fault)
        return fault

    def field_of(self, error: KeybenchError) -> Field | None:
        if not isinstance(error, InputInvalid):
            return None
        named = [*(getattr(error, name, "") for name in ("where", "what", "setting")), error.field]
        return next((field for word in named for field in self.fields if word and field.id == word), None)

    def show_error(self, error: KeybenchError, otherwise: Field | None = None) -> None:
        """Show a use case's error at the field that it names, else at another or the first.

        Card data and a key's value are taken out of the field. It gets the keyboard, unless another page is
        shown by now.
        """
        field = self.field_of(error) or otherwise or self.fields[0]
        if isinstance(error, CardDataRefused | ValueMisplaced):
            field.take_out(error_text(error))
        else:
            field.show_message(error_text(error))
        if self.isVisible() or not self.window().isVisible():
            field.editor.setFocus(Qt.FocusReason.OtherFocusReason)
