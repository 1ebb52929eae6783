"""Labels of the sale panel, which show what gateways say as plain text, never as markup."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from keybench.ui.widgets.plain import PlainLabel


def label(role: str, text: str = "") -> QLabel:
    """Return a label of one line in a role of the style sheet."""
    made = PlainLabel(text)
    made.setProperty("role", role)
    return made


def prose(role: str, text: str = "") -> QLabel:
    """Return a label of as many lines as it needs, whose text can be copied with the mouse."""
    made = label(role, text)
    made.setWordWrap(True)
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made
