"""The table of past sales: pages are read as they are scrolled to, and rows stay where they are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont

from keybench.core.sale import Sale
from keybench.ui.sale.sales_model import outcome_text, outcome_tone
from keybench.ui.theme import mono_font, theme
from keybench.ui.widgets.table import TONE_ROLE
from keybench.words.times import day_and_time, duration

Index = QModelIndex | QPersistentModelIndex
#: Nicknames by environment and device.
Nicknames = Mapping[tuple[str, str], str]

TIME, ENVIRONMENT, DEVICE, AMOUNT, KEY, OUTCOME, TOOK, REFERENCE = range(8)
_HEADERS: Final = ("Time", "Environment", "Device", "Amount", "Key", "Outcome", "Took", "Reference")
_RIGHT: Final = (AMOUNT, TOOK)
_NOT_YET: Final = "\N{EN DASH}"
_REMOVED: Final = "removed"


class HistoryModel(QAbstractTableModel):
    """The sales found so far, newest first.

    Signals:
        more_wanted: The view has come to the end of what is here, and there is more.
    """

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sales: list[Sale] = []
        self._nicknames: Nicknames = {}
        self._environments: Mapping[str, str] = {}
        self.has_more = False

    # --- content ---------------------------------------------------------------------------------

    def show_page(self, sales: Sequence[Sale], *, has_more: bool) -> None:
        """Show these sales in place of all others."""
        self.beginResetModel()
        self._sales = list(sales)
        self.has_more = has_more
        self.endResetModel()

    def add_page(self, sales: Sequence[Sale], *, has_more: bool) -> None:
        """Add the sales of the next page below."""
        self.has_more = has_more
        known = {sale.reference for sale in self._sales[-len(sales) :]} if sales else set()
        new = [sale for sale in sales if sale.reference not in known]
        if new:
            first = len(self._sales)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._sales.extend(new)
            self.endInsertRows()

    def renew(self, sale: Sale) -> bool:
        """Show what has become of a sale, if it is here; tell whether it is."""
        row = self.row_of(sale)
        if row is None:
            return False
        before, self._sales[row] = self._sales[row], sale
        if (before.verdict, before.finished_at) != (sale.verdict, sale.finished_at):
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(_HEADERS) - 1))
        return True

    def insert(self, sale: Sale) -> None:
        """Put a sale in its place by time, unless that is behind all that are here and more are to come."""
        row = self._row_for(sale.noted_at)
        if row == len(self._sales) and self.has_more:
            return
        self.beginInsertRows(QModelIndex(), row, row)
        self._sales.insert(row, sale)
        self.endInsertRows()

    def name(self, environments: Mapping[str, str], nicknames: Nicknames) -> None:
        """Show environments and devices by these names."""
        if (environments, nicknames) != (self._environments, self._nicknames):
            self._environments, self._nicknames = dict(environments), dict(nicknames)
            if self._sales:
                last = self.index(len(self._sales) - 1, DEVICE)
                self.dataChanged.emit(self.index(0, ENVIRONMENT), last)

    def sale(self, row: int) -> Sale:
        """Return the sale of a row."""
        return self._sales[row]

    def row_of(self, sale: Sale) -> int | None:
        """Return the row of a sale, or None if it isn't here."""
        row = self._row_for(sale.noted_at)
        while row < len(self._sales) and self._sales[row].noted_at == sale.noted_at:
            if self._sales[row].reference == sale.reference:
                return row
            row += 1
        return None

    def device_of(self, sale: Sale) -> str:
        """Return what a sale's device is called."""
        return self._nicknames.get((sale.environment_id, sale.device)) or sale.device

    @property
    def last_reference(self) -> str:
        """The reference of the last sale here; empty if there is none."""
        return self._sales[-1].reference if self._sales else ""

    def _row_for(self, noted_at: datetime) -> int:
        return bisect_left(self._sales, -noted_at.timestamp(), key=lambda sale: -sale.noted_at.timestamp())

    # --- Qt's model ------------------------------------------------------------------------------

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of sales that are here; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._sales)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(_HEADERS)

    def canFetchMore(self, parent: Index) -> bool:
        """Tell whether there are more sales than are here."""
        return not parent.isValid() and self.has_more

    def fetchMore(self, parent: Index) -> None:
        """Ask for the next page; it comes when it has been read."""
        if not parent.isValid() and self.has_more:
            self.more_wanted.emit()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title or its alignment."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _HEADERS[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows; the outcome's tone under `TONE_ROLE`."""
        if not index.isValid():
            return None
        sale, column = self._sales[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(sale, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.ToolTipRole if column == DEVICE:
                return sale.device
            case Qt.ItemDataRole.FontRole if column == REFERENCE:
                return QFont(mono_font(theme().scale))
            case _:
                return outcome_tone(sale) if (role, column) == (TONE_ROLE, OUTCOME) else None

    def _text(self, sale: Sale, column: int) -> str:
        if column == ENVIRONMENT:
            return self._environments.get(sale.environment_id, _REMOVED)
        if column == DEVICE:
            return self.device_of(sale)
        return _TEXTS[column](sale)


def _took(sale: Sale) -> str:
    return _NOT_YET if sale.elapsed_s is None else duration(sale.elapsed_s)


_TEXTS: Final[Mapping[int, Callable[[Sale], str]]] = {
    TIME: lambda sale: day_and_time(sale.noted_at),
    AMOUNT: lambda sale: str(sale.money),
    KEY: lambda sale: sale.key_name,
    OUTCOME: outcome_text,
    TOOK: _took,
    REFERENCE: lambda sale: sale.reference,
}


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
