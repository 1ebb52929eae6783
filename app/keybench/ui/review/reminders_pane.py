"""What becomes due within the next days, the soonest first."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.hygiene.reminders import WITHIN_DAYS, Reminder
from keybench.ui.review import rows
from keybench.ui.review.rows import REMINDERS
from keybench.ui.review.steady_table import SteadyTable
from keybench.ui.widgets.labels import button
from keybench.ui.widgets.rows_model import RowsModel
from keybench.workflows.review import Reviewed

NOTHING: Final = f"Nothing becomes due within {WITHIN_DAYS} days."
_SAMPLES: Final = {rows.DUE: "28 Sep 2026, 20:58", rows.DUE_PLACE: "● an environment"}


class RemindersPane(QWidget):
    """The table, and buttons for the chosen reminder.

    Signals:
        rotate_wanted: The key of the chosen one is to be rotated, or its rotation shown (a key's identifier).
        key_wanted: It is to be shown (a key's identifier).
    """

    rotate_wanted = Signal(str)
    key_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: RowsModel[Reminder] = RowsModel(REMINDERS, self)
        self.table = SteadyTable("Reminders", self.model, stretch=rows.WHAT, samples=_SAMPLES)
        self.table.empty_text = NOTHING
        self.rotate = button("Rotate", self._on_rotate)
        self.open = button("Open the key", self._on_open)
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
        self.table.opened.connect(self._on_open)
        self.table.selectionModel().selectionChanged.connect(self._show_buttons)
        self._show_buttons()

    @property
    def chosen(self) -> Reminder | None:
        """The chosen reminder, or None."""
        row = self.table.current_row()
        return self.model.row(row) if row >= 0 else None

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what becomes due."""
        self.model.renew_rows(reviewed.reminders, lambda one: (one.what, one.key_id, one.rotation_id))
        self._show_buttons()

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
