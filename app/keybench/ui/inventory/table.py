"""The inventory's table: several keys can be chosen, and stay chosen while rows come, go and move."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from keybench.core.inventory import InventoryRow
from keybench.ui.inventory.columns import ColumnsMemory, Layout
from keybench.ui.inventory.model import STATE, InventoryModel
from keybench.ui.preferences import Preferences
from keybench.ui.widgets.old_table import Table
from keybench.ui.widgets.pill import PillDelegate

READING: Final = "Reading the journal…"
_USUAL: Final = Layout(
    {
        "Name": 190,
        "Environment": 168,
        "State": 122,
        "User": 92,
        "Kind": 70,
        "Permission": 110,
        "Owner": 110,
        "Purpose": 140,
        "Age": 84,
        "Last tested": 104,
        "Last used here": 118,
        "Applications": 98,
        "Fingerprint": 270,
        "Rotation": 84,
        "Created": 130,
    },
    hidden=("Created",),
)


class InventoryTable(Table):
    """The table.

    Args:
        found: The keys.
        preferences: Remembers the columns.

    Signals:
        chosen_changed: Other keys are chosen, or the chosen ones say something else.
    """

    chosen_changed = Signal()

    def __init__(
        self, found: InventoryModel, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__("Key inventory", stretch=-1, empty_text=READING, parent=parent)
        self._found = found
        self._chosen: set[str] = set()
        self._current = ""
        self._is_renewed = False
        self.setModel(found)
        # Heads show no choice. Asked for one, they would look at every chosen row for every column.
        self.horizontalHeader().setSelectionModel(QItemSelectionModel(found, self))
        self.setItemDelegateForColumn(STATE, PillDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.columns = ColumnsMemory(self, preferences, "keys/inventory columns", _USUAL)
        found.modelAboutToBeReset.connect(self._on_renewing)
        found.arranged.connect(self._choose_again)
        found.dataChanged.connect(self.chosen_changed)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.selectionModel().currentRowChanged.connect(self._on_selection)

    def chosen(self) -> list[InventoryRow]:
        """Return the chosen keys in the order shown."""
        # By its ranges: asking for the rows takes Qt a tenth of a second where thousands are chosen.
        parts = self.selectionModel().selection().toList()
        rows = {row for part in parts for row in range(part.top(), part.bottom() + 1)}
        return [self._found.row(row) for row in sorted(rows)]

    def current(self) -> InventoryRow | None:
        """Return the key that the keyboard is at, if it is one of those chosen; else the first chosen."""
        at = self.currentIndex()
        if at.isValid() and self.selectionModel().isSelected(at):
            return self._found.row(at.row())
        return next(iter(self.chosen()), None)

    def choose_key(self, key_id: str) -> bool:
        """Choose one key and bring it into view; tell whether it is shown."""
        for row, shown in enumerate(self._found.rows):
            if shown.key.id == key_id:
                self.setCurrentIndex(self._found.index(row, 0))
                self.choose_row(row)
                return True
        return False

    def _on_renewing(self) -> None:
        self._is_renewed = True

    def _on_selection(self) -> None:
        if not self._is_renewed:
            self._chosen = {row.key.id for row in self.chosen()}
            row = self.currentIndex().row()
            self._current = self._found.row(row).key.id if 0 <= row < self._found.rowCount() else ""
            self.chosen_changed.emit()

    def _choose_again(self) -> None:
        """Choose by identifier what was chosen by row; what a search hides is no longer chosen."""
        ranges, last = QItemSelection(), self._found.columnCount() - 1
        start: int | None = None
        for row, shown in enumerate((*self._found.rows, None)):
            is_chosen = shown is not None and shown.key.id in self._chosen
            if is_chosen and start is None:
                start = row
            elif not is_chosen and start is not None:
                ranges.select(self._found.index(start, 0), self._found.index(row - 1, last))
                start = None
            if shown is not None and shown.key.id == self._current:
                no_choice = QItemSelectionModel.SelectionFlag.NoUpdate
                self.selectionModel().setCurrentIndex(self._found.index(row, 0), no_choice)
        self.selectionModel().select(ranges, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._is_renewed = False
        self._on_selection()
