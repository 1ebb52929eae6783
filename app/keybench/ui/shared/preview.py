"""A file of a bundle as text, all of it, however long: it goes on as one scrolls."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from keybench.words.language import _

#: So many characters are laid out at a time, in some tens of milliseconds.
_AT_A_TIME: Final = 100_000


class Preview(QPlainTextEdit):
    """Shows a text that can be read and copied, and not changed."""

    def __init__(self) -> None:
        super().__init__()
        self._rest = ""
        self.setReadOnly(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # files are, and lines begin in sight
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setProperty("role", "mono")
        self.setAccessibleName(_("What the file says"))
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def show_text(self, text: str) -> None:
        self._rest = text[_AT_A_TIME:]
        self.setPlainText(text[:_AT_A_TIME])

    def _on_scrolled(self, value: int) -> None:
        if self._rest and value >= self.verticalScrollBar().maximum():
            more, self._rest = self._rest[:_AT_A_TIME], self._rest[_AT_A_TIME:]
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            end.insertText(more)
