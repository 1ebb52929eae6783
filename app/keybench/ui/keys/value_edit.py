"""The field a portal's key value is pasted into: dots only, and beside them how much is there."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from keybench.core.security_key import KeyKind
from keybench.ui.widgets.labels import label

_USUAL: Final = {
    KeyKind.PRIVATE: "usually 32 letters and digits",
    KeyKind.PUBLIC: "usually four groups of six",
}


class ValueEdit(QLineEdit):
    """A password line that says how long its text is, never what it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Key value")
        self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setStyleSheet("QLineEdit { lineedit-password-character: 8226 }")  # dots small enough for 32
        self.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
            | Qt.InputMethodHint.ImhNoAutoUppercase
        )
        self._kind = KeyKind.PRIVATE
        self._form: QLabel = label("", "dim")
        self._form.setParent(self)
        self._form.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
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
        """Keep the description at the right."""
        super().resizeEvent(event)
        self._place()

    def _describe(self) -> None:
        self._form.setText(_form_of(self.text()) or _USUAL[self._kind])
        self._place()

    def _place(self) -> None:
        size: QSize = self._form.sizeHint()
        self._form.setGeometry(
            self.width() - size.width() - 10,
            (self.height() - size.height()) // 2,
            size.width(),
            size.height(),
        )
        self.setTextMargins(0, 0, size.width() + 8, 0)


def _form_of(text: str) -> str:
    value = text.strip()
    if not value:
        return ""
    what = "letters and digits" if value.isascii() and value.isalnum() else "characters"
    return f"{len(value):,} {what}"
