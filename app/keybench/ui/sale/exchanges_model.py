"""The table of one sale's exchanges: repeated polls folded, failures marked by sign, word and colour."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_rows import Row, rows_of
from keybench.ui.sale.exchange_text import answer_word, is_failed, short_line, span
from keybench.ui.theme import mono_font, theme, tokens
from keybench.words.times import clock_time_exact

Index = QModelIndex | QPersistentModelIndex

TIME, REQUEST, ANSWER, TOOK = range(4)
_HEADERS: Final = ("Time", "Request", "Answer", "Took")
_INDENT: Final = "    "
_TIMES: Final = "\N{MULTIPLICATION SIGN}"


class ExchangesModel(QAbstractTableModel):
    """One sale's exchanges in order; new ones are added below."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._exchanges: list[Exchange] = []
        self._answers: list[str] = []
        self._unfolded: set[int] = set()
        self._rows: list[Row] = []

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """All exchanges, folded or not."""
        return self._exchanges

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> None:
        """Show these; if they only go on where the shown ones end, the rows that stay are left alone."""
        known = len(self._exchanges)
        if list(exchanges[:known]) == self._exchanges:
            if len(exchanges) > known:
                self._exchanges = list(exchanges)
                self._answers += map(answer_word, exchanges[known:])
                self._renew_rows()
            return
        self.beginResetModel()
        self._exchanges = list(exchanges)
        self._answers = [answer_word(exchange) for exchange in exchanges]
        self._unfolded = set()
        self._rows = rows_of(self._exchanges, self._answers, self._unfolded)
        self.endResetModel()

    def place(self, row: int) -> int:
        """Return the place of a row's exchange among all; the first one's of a folded row."""
        return self._rows[row].first

    def exchange(self, row: int) -> Exchange:
        """Return the exchange of a row; the first one of a folded row."""
        return self._exchanges[self.place(row)]

    def reveal_place(self, place: int) -> int:
        """Return the row that shows an exchange alone, unfolding what it is folded into."""
        for number, row in enumerate(self._rows):
            if row.first <= place < row.first + row.count and row.count > 1:
                if row.first not in self._unfolded:
                    self.toggle(number)
                return number + 1 + place - row.first
            if row.first == place:
                return number
        raise IndexError(place)

    def can_fold(self, row: int) -> bool:
        """Tell whether a row stands for several exchanges."""
        return self._rows[row].count > 1

    def toggle(self, row: int) -> None:
        """Unfold a row that stands for several exchanges, or fold it again."""
        if self.can_fold(row):
            self._unfolded ^= {self._rows[row].first}
            self._renew_rows()

    def _renew_rows(self) -> None:
        """Take out and put in only what changes, so that what is chosen stays so."""
        old, new = self._rows, rows_of(self._exchanges, self._answers, self._unfolded)
        same = takewhile(lambda pair: pair[0].key == pair[1].key, zip(old, new, strict=False))
        head = sum(1 for _ in same)
        rest = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
        tail = sum(1 for _ in takewhile(lambda pair: pair[0].key == pair[1].key, rest))
        if len(old) > head + tail:
            self.beginRemoveRows(QModelIndex(), head, len(old) - tail - 1)
            self._rows = old[:head] + old[len(old) - tail :]
            self.endRemoveRows()
        if len(new) > head + tail:
            self.beginInsertRows(QModelIndex(), head, len(new) - tail - 1)
            self._rows = new
            self.endInsertRows()
        self._rows = new
        if new:
            self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, TOOK))

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows; rows have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

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
        """Return what a cell shows."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        exchange = self._exchanges[row.first]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _alignment(column)
            case Qt.ItemDataRole.FontRole if column in {TIME, REQUEST}:
                return QFont(mono_font(theme().scale))
            case Qt.ItemDataRole.ForegroundRole if column == ANSWER and is_failed(exchange):
                return QColor(tokens().bad)
            case _:
                return self._about(row, role) if column == REQUEST else None

    def _about(self, row: Row, role: int) -> str | None:
        """Return what is said about a row besides its text."""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        return self._exchanges[row.first].url if role == Qt.ItemDataRole.ToolTipRole else None

    def _text(self, row: Row, column: int) -> str:
        exchange = self._exchanges[row.first]
        match column:
            case _ if column == TIME:
                return clock_time_exact(exchange.at)
            case _ if column == REQUEST:
                return self._request(row)
            case _ if column == ANSWER:
                return self._answers[row.first]
            case _:
                took = [one.timings.total_s for one in self._exchanges[row.first : row.first + row.count]]
                return span(min(took), max(took))

    def _request(self, row: Row) -> str:
        line = short_line(self._exchanges[row.first])
        if row.count == 1:
            return f"{_INDENT if row.inner else ''}{line}"
        return f"{line} {_TIMES} {row.count} {'▾' if row.first in self._unfolded else '▸'}"

    def _spoken(self, row: Row) -> str:
        line = short_line(self._exchanges[row.first])
        if row.count == 1:
            return line
        way = "shown below; Enter folds them" if row.first in self._unfolded else "folded; Enter unfolds them"
        return f"{line}, {row.count} times, {way}"


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in {ANSWER, TOOK} else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
