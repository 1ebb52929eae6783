"""Small parts the views of a rotation share: buttons, rows of them, tables, the box that says why not."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from keybench.ui.widgets.labels import prose
from keybench.ui.widgets.wrapping_row import WrappingRow

#: What is read across, at 13 px text, isn't wider: the eye would lose the row.
WIDEST_PX: Final = 760


def column(parent: QWidget, *, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a calm vertical layout on `parent`."""
    made = QVBoxLayout(parent)
    made.setContentsMargins(*margins)
    made.setSpacing(8)
    return made


def row_of(*widgets: QWidget | None) -> QHBoxLayout:
    """Return widgets beside each other; None stands for the room between left and right."""
    made = QHBoxLayout()
    made.setSpacing(8)
    for widget in widgets:
        if widget is None:
            made.addStretch(1)
        else:
            made.addWidget(widget)
    return made


class WhyNot(QFrame):
    """A box that says why something can't be done yet, with what can be done about it at its right."""

    def __init__(self, title: str, *actions: QPushButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setProperty("tone", "warning")
        self._title = prose(title, "strong")
        self._title.setProperty("tone", "warning")
        self._reason = prose()
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._title)
        texts.addWidget(self._reason)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(12)
        layout.addLayout(texts, 1)
        for action in actions:
            layout.addWidget(action)

    @property
    def reason(self) -> str:
        """What it says."""
        return self._reason.text()

    def show_reason(self, reason: str) -> None:
        """Say why not; an empty reason takes the box away."""
        self._reason.setText(reason)
        self.setAccessibleName(f"{self._title.text()} {reason}" if reason else "")
        self.setVisible(bool(reason))


__all__ = ["WIDEST_PX", "WhyNot", "WrappingRow", "column", "row_of"]
