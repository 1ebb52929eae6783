"""The field that searches the exchanges, with its count and the ways to the matches before and after."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import button, label

_USUAL_COUNT: Final = "00 of 00"


class SearchBar(QWidget):
    """The field.

    Signals:
        changed: Another text is sought.
        stepped: The match after (1) or before (-1) is wanted.
    """

    changed = Signal(str)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search exchanges")
        self.field.setAccessibleName("Search exchanges")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(scaled(90))
        self.field.setMaximumWidth(scaled(260))
        self.count = label("", "dim")
        self.count.setAccessibleName("Matches")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.before = button("↑", self._to_before, tone="quiet", name="Previous match", hint="Previous match")
        self.after = button("↓", self._to_after, tone="quiet", name="Next match", hint="Next match")
        for arrow in (self.before, self.after):
            arrow.setFixedWidth(scaled(32))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.count)
        layout.addWidget(self.before)
        layout.addWidget(self.after)
        self.field.textChanged.connect(self.changed)
        self.field.installEventFilter(self)
        self.show_count(0, 0)

    def show_count(self, number: int, total: int) -> None:
        """Show which match of how many is looked at."""
        sought = bool(self.field.text())
        self.count.setText((f"{number} of {total}" if total else "Not found") if sought else "")
        for arrow in (self.before, self.after):
            arrow.setEnabled(total > 0)
        self.count.setMinimumWidth(self.count.fontMetrics().horizontalAdvance(_USUAL_COUNT))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Enter go on, Shift+Enter go back, and Esc clear the field."""
        if watched is not self.field or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        if event.type() is not QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3}:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if back else 1)
            return True
        if event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
            return True
        return super().eventFilter(watched, event)

    def _to_before(self) -> None:
        self.stepped.emit(-1)

    def _to_after(self) -> None:
        self.stepped.emit(1)
