"""The table of recent sales: newest first, changed row by row as sales move on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from keybench.core.sale import Sale
from keybench.ui.widgets.table import TONE_ROLE
from keybench.words.outcomes import outcome_headline, outcome_shape, tone_of_outcome
from keybench.words.times import clock_time, day_and_time, duration

Index = QModelIndex | QPersistentModelIndex

LIMIT: Final = 50
TIME, DEVICE, AMOUNT, KEY, OUTCOME, TOOK = range(6)
_HEADERS: Final = ("Time", "Device", "Amount", "Key", "Outcome", "Took")
_RIGHT: Final = (AMOUNT, TOOK)
_NOT_YET: Final = "\N{EN DASH}"
IN_PROGRESS: Final = "in progress"


def outcome_text(sale: Sale) -> str:
    """Return a sale's outcome as sign and word, or that it is in progress."""
    verdict = sale.verdict
    return f"{outcome_shape(verdict.outcome)} {outcome_headline(sale)}" if verdict else f"… {IN_PROGRESS}"


def outcome_tone(sale: Sale) -> str:
    """Return the tone of a sale's outcome; the accent while it is under way."""
    return tone_of_outcome(sale.verdict.outcome) if sale.verdict else "accent"


def _rank(sale: Sale) -> tuple[datetime, str]:
    return sale.noted_at, sale.reference


class SalesModel(QAbstractTableModel):
    """One environment's recent sales."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sales: list[Sale] = []
        self._nicknames: Mapping[str, str] = {}

    # --- content ---------------------------------------------------------------------------------

    def show_sales(self, sales: Sequence[Sale]) -> None:
        """Show other sales altogether."""
        self.beginResetModel()
        self._sales = sorted(sales, key=_rank, reverse=True)[:LIMIT]
        self.endResetModel()

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Renew the rows of sales that are there, and put new ones in their places by time.

        Views measure their columns anew at each change, so rows that look as before, as after a poll,
        aren't announced, and the others are announced at one stroke.
        """
        known = []
        for sale in sales:
            if self.row_of(sale.reference) is None:
                self._insert(sale)
            else:
                known.append(sale)
        changed = [row for sale in known if (row := self._replace(sale)) is not None]
        if changed:
            self.dataChanged.emit(self.index(min(changed), OUTCOME), self.index(max(changed), TOOK))

    def _replace(self, sale: Sale) -> int | None:
        """Put a sale in the place of what it was; return its row if that looks otherwise now."""
        row = self.row_of(sale.reference)
        if row is None:  # pushed out by a newer one meanwhile
            return None
        before, self._sales[row] = self._sales[row], sale
        same = before.verdict == sale.verdict and before.finished_at == sale.finished_at
        return None if same else row

    def name_devices(self, nicknames: Mapping[str, str]) -> None:
        """Show devices by their nicknames, given by identifier."""
        if nicknames != self._nicknames:
            self._nicknames = dict(nicknames)
            if self._sales:
                self.dataChanged.emit(self.index(0, DEVICE), self.index(len(self._sales) - 1, DEVICE))

    def sale(self, row: int) -> Sale:
        """Return the sale of a row."""
        return self._sales[row]

    def row_of(self, reference: str) -> int | None:
        """Return the row of a sale, or None if it isn't among them."""
        return next((row for row, sale in enumerate(self._sales) if sale.reference == reference), None)

    def _insert(self, sale: Sale) -> None:
        # Newest first, so the search runs over the sales from the oldest.
        older_first = self._sales[::-1]
        row = len(self._sales) - bisect_left(older_first, _rank(sale), key=_rank)
        if row >= LIMIT:
            return
        self.beginInsertRows(QModelIndex(), row, row)
        self._sales.insert(row, sale)
        self.endInsertRows()
        if len(self._sales) > LIMIT:
            self.beginRemoveRows(QModelIndex(), LIMIT, len(self._sales) - 1)
            del self._sales[LIMIT:]
            self.endRemoveRows()

    # --- Qt's model ------------------------------------------------------------------------------

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of sales; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._sales)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(_HEADERS)

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
            case Qt.ItemDataRole.ToolTipRole:
                return f"{sale.reference} · {day_and_time(sale.noted_at)} · {sale.device}"
            case _ if role == TONE_ROLE and column == OUTCOME:
                return outcome_tone(sale)
            case _:
                return None

    def _text(self, sale: Sale, column: int) -> str:
        match column:
            case _ if column == TIME:
                return clock_time(sale.noted_at)
            case _ if column == DEVICE:
                return self._nicknames.get(sale.device) or sale.device
            case _ if column == AMOUNT:
                return str(sale.money)
            case _ if column == KEY:
                return sale.key_name
            case _ if column == OUTCOME:
                return outcome_text(sale)
            case _:
                return _NOT_YET if sale.elapsed_s is None else duration(sale.elapsed_s)


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
