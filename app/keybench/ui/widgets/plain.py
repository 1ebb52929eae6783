"""Texts as they are: Qt takes what looks like markup for markup, and opens the files that it names.

Names, devices and messages come from people and gateways, so every label is a `PlainLabel` and every tool tip
is set by `set_tip`.
"""

from __future__ import annotations

from typing import Final

from PySide6 import QtGui
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

#: Unseen, and part of no tag or character reference.
_JOINER: Final = "\u2060"


class PlainLabel(QLabel):
    """A label that shows its text as it is."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        QLabel.setText(self, text)  # a subclass may not be ready for its own


def literal(text: str) -> str:
    """Return a text for a place where Qt guesses whether it is markup, so that it is shown as it is."""
    if not QtGui.Qt.mightBeRichText(text):
        return text
    return text.replace("<", f"<{_JOINER}").replace("&", f"&{_JOINER}")


def set_tip(widget: QWidget, text: str) -> None:
    """Give a widget a tool tip."""
    widget.setToolTip(literal(text))
