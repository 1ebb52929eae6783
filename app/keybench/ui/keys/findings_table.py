"""The table of findings, whose rows for several findings are opened and closed."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from keybench.ui.keys.review_rows import FOLDED_COLUMN, FindingRow
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled

#: So many rows are in sight on the smallest screen; the page scrolls for them.
LEAST_ROWS: Final = 4
#: How far the mark that opens a row reaches, with what is around it.
_MARK_PX: Final = 28


class FindingsTable(Table[FindingRow]):
    """Opens a row by its mark or the Right key, and closes it by its mark or the Left key.

    Its order is the review's: what is listed below a row belongs to it, so it can't be sorted.

    Signals:
        toggled: The findings of a row for several are to be listed below it, or no longer (the row).
    """

    toggled = Signal(object)

    def __init__(self, name: str, model: TableModel[FindingRow], empty_text: str) -> None:
        super().__init__(name, model, sortable=False, empty_text=empty_text)

    def minimumSizeHint(self) -> QSize:
        """Return the room for some rows; where there is less, the page scrolls."""
        hint = super().minimumSizeHint()
        return QSize(hint.width(), max(hint.height(), self.height_for_rows(LEAST_ROWS)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right} and not event.modifiers():
            opens = (event.key() == Qt.Key.Key_Right) is not self.isRightToLeft()
            self._go_sideways(opens=opens)
            event.accept()
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Open or close by the mark; a click elsewhere only selects."""
        if not self._is_toggled(event):
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take a second quick click on the mark for another one."""
        if not self._is_toggled(event):
            super().mouseDoubleClickEvent(event)

    def _go_sideways(self, *, opens: bool) -> None:
        row, number = self.selected, self.selected_number
        if row is None:
            return
        if row.is_group and row.is_open is not opens:
            self.toggled.emit(row)
        elif row.is_group and opens:
            self.select_row(number + 1)
        elif row.is_inner and not opens:
            self.select_row(max(at for at in range(number) if not self.model().row(at).is_inner))

    def _is_toggled(self, event: QMouseEvent) -> bool:
        row = self._by_its_mark(event.position().toPoint())
        if row is None or event.button() is not Qt.MouseButton.LeftButton:
            return False
        self.select(row.key)
        self.toggled.emit(row)
        return True

    def _by_its_mark(self, at: QPoint) -> FindingRow | None:
        """Return the row for several findings whose mark is at a point of the viewport."""
        index = self.indexAt(at)
        if not index.isValid() or index.column() != self.model().column(FOLDED_COLUMN):
            return None
        row, cell = self.model().row(index.row()), self.visualRect(index)
        away = cell.right() - at.x() if self.isRightToLeft() else at.x() - cell.left()
        return row if row.is_group and away < scaled(_MARK_PX) else None
