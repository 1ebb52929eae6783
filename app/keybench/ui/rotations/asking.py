"""Questions with fields in them: a written reason, a name, a moment; asked without a nested loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from keybench.core.card_data import refuse_card_data
from keybench.core.errors import InputInvalid
from keybench.core.text import PURPOSE_LIMIT, clean_note, clean_text
from keybench.ui.rotations.parts import row_of
from keybench.ui.theme import scaled
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.fields import field_sentence

Tone = Literal["primary", "danger"]


class FormQuestion(QDialog):
    """A question with fields; Esc leaves it, the button goes on once nothing is wrong with them.

    Args:
        parent: Whose window it belongs to; it is modal to that.
        title: The question in a few words.
        text: What going on means.
        confirm: The label of the button that goes on.
        tone: How that button looks.
        by_enter: Whether Enter in a field goes on; else it leaves the question.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        confirm: str,
        tone: Tone = "primary",
        by_enter: bool = True,
    ) -> None:
        super().__init__(parent.window())
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.answer: asyncio.Future[bool] | None = None
        self.check: Callable[[], bool] = _nothing_wrong
        heading = label(title, "title")
        heading.setWordWrap(True)
        body = prose(text)
        body.setMinimumWidth(scaled(420))
        body.setVisible(bool(text))
        self.confirm_button = button(confirm)
        self.confirm_button.setProperty("tone", tone)
        self.confirm_button.clicked.connect(self.go_on)
        self.cancel_button = button("Cancel", self.reject)
        self.cancel_button.setAutoDefault(not by_enter)
        (self.confirm_button if by_enter else self.cancel_button).setDefault(True)
        self.setAccessibleDescription(text)
        self._fields = QVBoxLayout()
        self._fields.setSpacing(8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(heading)
        layout.addWidget(body)
        layout.addLayout(self._fields)
        layout.addLayout(row_of(None, self.cancel_button, self.confirm_button))

    def add(self, widget: QWidget) -> None:
        """Put a field below the others; the first one gets the keyboard."""
        self._fields.addWidget(widget)
        if self._fields.count() == 1:
            widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_on(self) -> None:
        """Close it, unless something is wrong with a field."""
        if self.check():
            self.accept()

    def showEvent(self, event: QShowEvent) -> None:
        """Be as high as the broken lines need; a dialog's own height counts on fewer."""
        super().showEvent(event)
        layout = self.layout()
        if layout:
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

    def done(self, result: int) -> None:
        """Close with a result and hand the answer to whoever waits for it."""
        super().done(result)
        if self.answer and not self.answer.done():
            self.answer.set_result(result == QDialog.DialogCode.Accepted)


def _nothing_wrong() -> bool:
    return True


async def answered(question: FormQuestion, *, keep: bool = False) -> bool:
    """Show a question until it is answered; the caller reads its fields before it goes.

    Args:
        question: What is asked.
        keep: Whether it is to be asked again where the answer can't be used; else it is gone then.
    """
    question.answer = asyncio.get_running_loop().create_future()
    question.open()
    try:
        return await question.answer
    finally:
        question.close()
        if not keep:
            question.deleteLater()


class WordsField(Field):
    """A field for words that go into the record: not empty, and no card data.

    Args:
        name: Its label.
        lines: How many lines have room.
        required: Whether it may not stay empty.
        text: What stands there to begin with.
        hint: Shown below while there is no message.
    """

    def __init__(
        self, name: str, *, lines: int = 1, required: bool = True, text: str = "", hint: str = ""
    ) -> None:
        editor: QLineEdit | QPlainTextEdit
        editor = QLineEdit(text) if lines == 1 else QPlainTextEdit(text)
        super().__init__(name, editor, hint)
        if isinstance(editor, QPlainTextEdit):
            editor.setTabChangesFocus(True)
            editor.setFixedHeight(editor.fontMetrics().lineSpacing() * lines + 20)
        self._required = required
        editor.textChanged.connect(self._on_edited)

    @property
    def text(self) -> str:
        """What was entered, without white space around it."""
        editor = self.editor
        if isinstance(editor, QPlainTextEdit):
            return editor.toPlainText().strip()
        return editor.text().strip() if isinstance(editor, QLineEdit) else ""

    def put(self, text: str) -> None:
        """Show another text, as if nothing had been entered."""
        editor = self.editor
        if isinstance(editor, QPlainTextEdit):
            editor.setPlainText(text)
        elif isinstance(editor, QLineEdit):
            editor.setText(text)
        self.clear_message()

    def is_right(self) -> bool:
        """Tell whether it can be used; if not, say why and take the keyboard."""
        wrong = "" if self.text or not self._required else "Write it down; it goes into the record."
        wrong = wrong or self._fault()
        if wrong:
            self.show_message(wrong)
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        return not wrong

    def _fault(self) -> str:
        try:
            if isinstance(self.editor, QPlainTextEdit):
                clean_note("text", self.text, required=False)
            else:
                clean_text("text", self.text, limit=PURPOSE_LIMIT, required=False)
        except InputInvalid as error:
            return field_sentence(error)
        return ""

    def _on_edited(self) -> None:
        self.clear_message()
        wrong = _card_sentence(self.text)
        if wrong:  # card data is taken out the moment it is recognised
            self.put("")
            self.show_message(wrong)


def _card_sentence(text: str) -> str:
    try:
        refuse_card_data("text", text)
    except InputInvalid as error:
        return field_sentence(error)
    return ""


async def ask_words(
    parent: QWidget,
    *,
    title: str,
    text: str,
    label: str,
    confirm: str,
    tone: Tone = "primary",
    lines: int = 3,
) -> str:
    """Ask for words that must not be empty and return them; empty if the question was left."""
    question = FormQuestion(parent, title=title, text=text, confirm=confirm, tone=tone)
    field = WordsField(label, lines=lines)
    question.add(field)
    question.check = field.is_right
    return field.text if await answered(question) else ""
