"""A table model that searches and sorts its own rows, so that ten thousand of them stay quick."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from keybench.ui.widgets.table import TONE_ROLE

Index = QModelIndex | QPersistentModelIndex
SortKey = tuple[Any, ...]
#: So many items are searched and sorted within one frame of the screen.
_QUICK: Final = 1000


class Cell(NamedTuple):
    """What one cell shows.

    Attributes:
        text: Its words.
        key: What it is sorted by; empty for its words.
        tone: A tone of `tokens.TONES` to show it as a pill, or empty.
    """

    text: str
    key: SortKey = ()
    tone: str = ""


class CellModel(QAbstractTableModel):
    """Rows in an order of their own; subclasses say what stands in a row, and how many there are.

    *Row* means a place on the screen, *item* the place in the subclass's own order.

    Signals:
        arranged: The rows are others, or in another order, and views have taken it in.

    Args:
        headers: The columns' titles.
        right: Which columns stand at the right, as figures do.
    """

    arranged = Signal()

    def __init__(
        self, headers: tuple[str, ...], parent: QObject | None = None, *, right: tuple[int, ...] = ()
    ) -> None:
        super().__init__(parent)
        self._right = right
        self.headers = headers
        self._words: tuple[str, ...] = ()
        self._column = -1
        self._descending = False
        self._order: list[int] = []
        self._rows: dict[int, int] = {}

    # --- for subclasses --------------------------------------------------------------------------

    def item_count(self) -> int:
        """Return how many items there are."""
        raise NotImplementedError

    def cells(self, item: int) -> tuple[Cell, ...]:
        """Return an item's cells, one a column."""
        raise NotImplementedError

    def renew(self) -> None:
        """Show all items anew, searched and sorted."""
        self._arrange(self._arranged())

    def renew_items(self, items: Iterable[int]) -> None:
        """Show some items anew; a search or a sort is done again where that is quick.

        With more items the order stays until somebody searches, sorts, or calls `renew`.
        """
        changed = list(items)
        if (self._words or self._column >= 0) and self.item_count() <= _QUICK:
            order = self._arranged()
            if order != self._order:
                self._arrange(order)
                return
        rows = [self._rows[item] for item in changed if item in self._rows]
        if rows:
            self.dataChanged.emit(self.index(min(rows), 0), self.index(max(rows), len(self.headers) - 1))

    # --- searching and sorting -------------------------------------------------------------------

    @property
    def is_searched(self) -> bool:
        """Whether only some items are looked for."""
        return bool(self._words)

    def look_for(self, text: str) -> None:
        """Show only items in which each word of `text` stands, in any case of letters."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self.renew()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 is the items' own order."""
        self._column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self.renew()

    def item(self, row: int) -> int:
        """Return the item that a row shows."""
        return self._order[row]

    def row_of(self, item: int) -> int | None:
        """Return the row that shows an item, or None."""
        return self._rows.get(item)

    def shown_items(self) -> tuple[int, ...]:
        """Return the items shown, in the order shown."""
        return tuple(self._order)

    def _arranged(self) -> list[int]:
        items: list[int] = [item for item in range(self.item_count()) if self._is_found(item)]
        if self._column >= 0:
            items.sort(key=self._key, reverse=self._descending)
        return items

    def _is_found(self, item: int) -> bool:
        if not self._words:
            return True
        text = " ".join(cell.text for cell in self.cells(item)).casefold()
        return all(word in text for word in self._words)

    def _key(self, item: int) -> SortKey:
        cell = self.cells(item)[self._column]
        return cell.key or (cell.text.casefold(),)

    def _arrange(self, order: list[int]) -> None:
        self.beginResetModel()
        self._order = order
        self._rows = {item: row for row, item in enumerate(order)}
        self.endResetModel()
        self.arranged.emit()

    # --- Qt's model ------------------------------------------------------------------------------

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of items shown; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self.headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title or its side."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.headers[section]
        return self._side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's words, its side, or its tone under `TONE_ROLE`."""
        if not index.isValid():
            return None
        cell = self.cells(self._order[index.row()])[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return cell.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._side(index.column())
            case _ if role == TONE_ROLE:
                return cell.tone or None
            case _:
                return None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self._right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter
