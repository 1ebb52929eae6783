"""A table model that searches and sorts its own rows, so that ten thousand of them stay quick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal

from keybench.ui.widgets.rows_model import Column, Row, RowsModel

#: So many items are searched and sorted within one frame of the screen.
_QUICK: Final = 1000


class ArrangedModel(RowsModel[Row]):
    """Rows in an order of their own.

    *Row* means a place on the screen, *item* the place in the order in which the items were given.

    Signals:
        arranged: The rows are others, or in another order, and views have taken it in.
    """

    arranged = Signal()

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._items: list[Row] = []
        self._words: tuple[str, ...] = ()
        self._column = -1
        self._descending = False
        self._order: list[int] = []
        self._places: dict[int, int] = {}

    # --- content ---------------------------------------------------------------------------------

    @property
    def items(self) -> Sequence[Row]:
        """All items, shown or not."""
        return self._items

    def show_items(self, items: Iterable[Row]) -> None:
        """Show other items altogether, searched and sorted."""
        self._items = list(items)
        self.renew()

    def put_items(self, changed: Mapping[int, Row]) -> None:
        """Put items in the places of what they were; a search or a sort is done again where that is quick.

        With more items the order stays until somebody searches, sorts, or calls `renew`.
        """
        for item, row in changed.items():
            self._items[item] = row
        if (self._words or self._column >= 0) and len(self._items) <= _QUICK:
            order = self._arranged()
            if order != self._order:
                self._arrange(order)
                return
        shown = {self._places[item]: row for item, row in changed.items() if item in self._places}
        self.put_rows(shown)

    def renew(self) -> None:
        """Search and sort all items again."""
        self._arrange(self._arranged())

    # --- searching and sorting -------------------------------------------------------------------

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

    def row_of(self, item: int) -> int | None:
        """Return the row that shows an item, or None."""
        return self._places.get(item)

    def shown_items(self) -> tuple[int, ...]:
        """Return the items shown, in the order shown."""
        return tuple(self._order)

    def _arranged(self) -> list[int]:
        found = [item for item, row in enumerate(self._items) if self._is_found(row)]
        if self._column >= 0:
            column = self._columns[self._column]
            found.sort(key=lambda item: column.sort_key(self._items[item]), reverse=self._descending)
        return found

    def _is_found(self, row: Row) -> bool:
        if not self._words:
            return True
        text = " ".join(column.text(row) for column in self._columns).casefold()
        return all(word in text for word in self._words)

    def _arrange(self, order: list[int]) -> None:
        self._order = order
        self._places = {item: row for row, item in enumerate(order)}
        self.show_rows(self._items[item] for item in order)
        self.arranged.emit()
