"""The table of one sale's exchanges: repeated polls folded, failures marked by sign, word and colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_rows import Fold, folds_of
from keybench.ui.sale.exchange_text import answer_word, is_failed, short_line, span
from keybench.ui.widgets.rows_model import Column, Look, RowsModel
from keybench.words.formats import clock_time_exact

TIME, REQUEST, ANSWER, TOOK = range(4)
_INDENT: Final = "    "
_TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """What a row shows.

    Attributes:
        fold: Which exchanges it stands for.
        exchange: The first of them.
        answer: What their answer is called.
        took: How long they took, from the quickest to the slowest.
        is_open: Whether they are shown below one by one, too.
    """

    fold: Fold
    exchange: Exchange
    answer: str
    took: str
    is_open: bool

    @property
    def request(self) -> str:
        """The request line, with how often it was sent and whether that is unfolded."""
        line = short_line(self.exchange)
        if self.fold.count == 1:
            return f"{_INDENT if self.fold.inner else ''}{line}"
        return f"{line} {_TIMES} {self.fold.count} {'▾' if self.is_open else '▸'}"

    @property
    def spoken(self) -> str:
        """The same in words."""
        line = short_line(self.exchange)
        if self.fold.count == 1:
            return line
        way = "shown below; Enter folds them" if self.is_open else "folded; Enter unfolds them"
        return f"{line}, {self.fold.count} times, {way}"


_COLUMNS: Final[tuple[Column[ExchangeRow], ...]] = (
    Column("Time", lambda row: clock_time_exact(row.exchange.at), Look(mono=True)),
    Column(
        "Request",
        lambda row: row.request,
        Look(mono=True, spoken=lambda row: row.spoken, hint=lambda row: row.exchange.url),
    ),
    Column(
        "Answer",
        lambda row: row.answer,
        Look(right=True, ink=lambda row: "bad" if is_failed(row.exchange) else ""),
    ),
    Column("Took", lambda row: row.took, Look(right=True)),
)


class ExchangesModel(RowsModel[ExchangeRow]):
    """One sale's exchanges in order; new ones are added below."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self._exchanges: list[Exchange] = []
        self._answers: list[str] = []
        self._unfolded: set[int] = set()

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
        self._exchanges = list(exchanges)
        self._answers = [answer_word(exchange) for exchange in exchanges]
        self._unfolded = set()
        self.show_rows(self._folded())

    def place(self, row: int) -> int:
        """Return the place of a row's exchange among all; the first one's of a folded row."""
        return self._rows[row].fold.first

    def exchange(self, row: int) -> Exchange:
        """Return the exchange of a row; the first one of a folded row."""
        return self._rows[row].exchange

    def reveal_place(self, place: int) -> int:
        """Return the row that shows an exchange alone, unfolding what it is folded into."""
        for number, fold in enumerate([row.fold for row in self._rows]):
            if fold.first <= place < fold.first + fold.count and fold.count > 1:
                if fold.first not in self._unfolded:
                    self.toggle(number)
                return number + 1 + place - fold.first
            if fold.first == place:
                return number
        raise IndexError(place)

    def can_fold(self, row: int) -> bool:
        """Tell whether a row stands for several exchanges."""
        return self._rows[row].fold.count > 1

    def toggle(self, row: int) -> None:
        """Unfold a row that stands for several exchanges, or fold it again."""
        if self.can_fold(row):
            self._unfolded ^= {self.place(row)}
            self._renew_rows()

    def _renew_rows(self) -> None:
        """Take out and put in only what changes, so that what is chosen stays so."""
        self.renew_rows(self._folded(), key=lambda row: row.fold.key)

    def _folded(self) -> list[ExchangeRow]:
        return [self._row(fold) for fold in folds_of(self._exchanges, self._answers, self._unfolded)]

    def _row(self, fold: Fold) -> ExchangeRow:
        took = [one.timings.total_s for one in self._exchanges[fold.first : fold.first + fold.count]]
        return ExchangeRow(
            fold,
            self._exchanges[fold.first],
            self._answers[fold.first],
            span(min(took), max(took)),
            is_open=fold.count > 1 and fold.first in self._unfolded,
        )
