"""What becomes due within the next days, the soonest first."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from keybench.core.hygiene.reminders import WITHIN_DAYS, Reminder
from keybench.ui.preferences import Preferences
from keybench.ui.review.rows import REMINDERS
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.workflows.review import Reviewed

NOTHING: Final = f"Nothing becomes due within {WITHIN_DAYS} days."


class RemindersPane(QWidget):
    """The table, and buttons for the chosen reminder.

    Args:
        preferences: Remembers the columns.

    Signals:
        rotate_wanted: The key of the chosen one is to be rotated, or its rotation shown (a key's identifier).
        key_wanted: It is to be shown (a key's identifier).
    """

    rotate_wanted = Signal(str)
    key_wanted = Signal(str)

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TableModel(REMINDERS, _key, parent=self)
        self.table = Table("Reminders", self.model, empty_text=NOTHING)
        self.table.columns.keep(preferences, "review/reminders columns")
        self.rotate, self.open = QPushButton("Rotate"), QPushButton("Open the key")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.rotate)
        buttons.addWidget(self.open)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        self.rotate.clicked.connect(self._on_rotate)
        self.open.clicked.connect(self._on_open)
        self.table.opened.connect(self._on_open)
        self.table.selection_changed.connect(self._show_buttons)
        self._show_buttons()

    @property
    def chosen(self) -> Reminder | None:
        """The chosen reminder, or None."""
        return self.table.selected

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what becomes due."""
        self.model.show(reviewed.reminders)

    def _show_buttons(self) -> None:
        chosen = self.chosen
        self.rotate.setText("Open the rotation" if chosen and chosen.rotation_id else "Rotate")
        self.rotate.setEnabled(chosen is not None)
        self.open.setEnabled(chosen is not None)

    def _on_rotate(self) -> None:
        if self.chosen:
            self.rotate_wanted.emit(self.chosen.key_id)

    def _on_open(self) -> None:
        if self.chosen:
            self.key_wanted.emit(self.chosen.key_id)


def _key(reminder: Reminder) -> tuple[object, ...]:
    return reminder.what, reminder.key_id, reminder.rotation_id
