"""The field a portal's key value is pasted into: dots only, and beside them how much is there."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.card_data import refuse_card_data
from keybench.core.security_key import KeyKind, tidy_value
from keybench.ui.widgets.form import SENSITIVE, Field, Hint
from keybench.ui.widgets.labels import label
from keybench.words.keys import hint_sentence, trimmed_sentence

_USUAL: Final = {
    KeyKind.PRIVATE: "usually 32 letters and digits",
    KeyKind.PUBLIC: "usually four groups of six",
}


def check_value(text: str, kind: KeyKind) -> Hint:
    """Look at a pasted value, and return what was left out of it and what is odd about its form.

    Raises:
        InputInvalid: It can't be a key's value.
    """
    refuse_card_data("key value", text)
    tidy = tidy_value(text, kind)
    trimmed, odd = trimmed_sentence(tidy.trimmed), hint_sentence(tidy.hint)
    if odd:
        return Hint(f"{trimmed} {odd}".strip(), "warning")
    return Hint(f"✓ {trimmed}" if trimmed else "", "good")


class ValueField(Field):
    """A password line that says how long its text is, never what it is."""

    def __init__(self, *, lines: int = 1) -> None:
        self._kind = KeyKind.PRIVATE
        self.line = ValueEdit()
        super().__init__("Key value", self.line, id="value", check=self._look_at, lines=lines)

    def show_kind(self, kind: KeyKind) -> None:
        """Say what a value of `kind` usually looks like, and check it as one."""
        self._kind = kind
        self.line.show_kind(kind)
        self.refresh()

    def _look_at(self, text: str) -> Hint:
        return check_value(text, self._kind)


class ValueEdit(QLineEdit):
    """The line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = label("", "dim")
        self._form.setParent(self)
        self._form.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Key value")
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setStyleSheet("QLineEdit { lineedit-password-character: 8226 }")  # dots small enough for 32
        self.setInputMethodHints(SENSITIVE)
        self._kind = KeyKind.PRIVATE
        self.textChanged.connect(self._describe)
        self._describe()

    @property
    def form(self) -> str:
        """What is said of the text's form."""
        return self._form.text()

    def show_kind(self, kind: KeyKind) -> None:
        """Say what a key of `kind` usually looks like while the field is empty."""
        self._kind = kind
        self._describe()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the description at the end of the line."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Do the same for another text size or direction."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.StyleChange, QEvent.Type.LayoutDirectionChange}:
            self._arrange()

    def _describe(self) -> None:
        self._form.setText(_form_of(self.text()) or _USUAL[self._kind])
        self._arrange()

    def _arrange(self) -> None:
        size, is_mirrored = self._form.sizeHint(), self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = 10 if is_mirrored else self.width() - size.width() - 10
        self._form.setGeometry(left, (self.height() - size.height()) // 2, size.width(), size.height())
        room = size.width() + 8
        self.setTextMargins(*((room, 0, 0, 0) if is_mirrored else (0, 0, room, 0)))


def _form_of(text: str) -> str:
    value = text.strip()
    if not value:
        return ""
    what = "letters and digits" if value.isascii() and value.isalnum() else "characters"
    return f"{len(value):,} {what}"
