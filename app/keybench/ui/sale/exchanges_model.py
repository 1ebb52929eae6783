"""The table of one sale's exchanges: repeated polls folded, failures marked by sign, word and colour."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.exchange import Exchange
from keybench.ui.sale.exchange_text import answer_word, is_failed, short_line, span
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.words.formats import clock_time_exact
from keybench.words.language import _

_INDENT: Final = "    "
_TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Fold:
    """Which exchanges a row stands for.

    Attributes:
        first: The number of its exchange among all, or of the first of those folded into it.
        count: How many it stands for.
        inner: Whether it is one of an unfolded row's, and stands below that.
    """

    first: int
    count: int = 1
    inner: bool = False

    @property
    def key(self) -> tuple[int, bool]:
        """What stays the same when more exchanges are folded into it."""
        return self.first, self.inner


def folds_of(exchanges: Sequence[Exchange], answers: Sequence[str], unfolded: Collection[int]) -> list[Fold]:
    """Return the rows in order.

    Args:
        exchanges: All of the sale's, in order.
        answers: What each one's answer is called (`exchange_text.answer_word`), which takes some reading.
        unfolded: The first numbers of the rows whose exchanges are shown one by one, too.
    """
    rows: list[Fold] = []

    def likeness(number: int) -> tuple[object, ...]:
        """Return what neighbours must share to be folded; anything but a GET stands alone."""
        one = exchanges[number]
        return (one.url, answers[number]) if one.method == "GET" else (number,)

    for _likeness, group in groupby(range(len(exchanges)), key=likeness):
        numbers = list(group)
        rows.append(Fold(numbers[0], len(numbers)))
        if len(numbers) > 1 and numbers[0] in unfolded:
            rows += [Fold(number, inner=True) for number in numbers]
    return rows


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
        way = _("shown below; Enter folds them") if self.is_open else _("folded; Enter unfolds them")
        return _("{line}, {count} times, {way}").format(line=line, count=self.fold.count, way=way)


def _ink(row: ExchangeRow) -> str:
    return "bad" if is_failed(row.exchange) else ""


_COLUMNS: Final[tuple[Column[ExchangeRow], ...]] = (
    Column("time", _("Time"), lambda row: clock_time_exact(row.exchange.at), mono=True),
    Column(
        "request",
        _("Request"),
        lambda row: row.request,
        mono=True,
        stretch=True,
        spoken=lambda row: row.spoken,
        hint=lambda row: row.exchange.url,
    ),
    Column("answer", _("Answer"), lambda row: row.answer, right=True, ink=_ink),
    Column("took", _("Took"), lambda row: row.took, right=True),
)


class ExchangesModel(TableModel[ExchangeRow]):
    """One sale's exchanges in order; new ones are added below."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, lambda row: row.fold.key, parent=parent)
        self._exchanges: list[Exchange] = []
        self._answers: list[str] = []
        self._unfolded: set[int] = set()

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """All exchanges, folded or not."""
        return self._exchanges

    def show_exchanges(self, exchanges: Sequence[Exchange]) -> bool:
        """Show these; tell whether they only go on where the shown ones end, whose rows stay then."""
        known = len(self._exchanges)
        goes_on = list(exchanges[:known]) == self._exchanges
        if not goes_on:
            self._answers, self._unfolded, known = [], set(), 0
            self.show([])
        if len(exchanges) > known:
            self._answers += map(answer_word, exchanges[known:])
        self._exchanges = list(exchanges)
        self.show(self._folded())
        return goes_on

    def reveal(self, number: int) -> tuple[int, bool]:
        """Return the key of the row that shows an exchange alone, unfolding what it is folded into."""
        for row in self.rows:
            fold = row.fold
            if fold.first <= number < fold.first + fold.count and fold.count > 1:
                if not row.is_open:
                    self.toggle(row)
                return number, True
        return number, False

    def toggle(self, row: ExchangeRow) -> None:
        """Unfold a row that stands for several exchanges, or fold it again."""
        if row.fold.count > 1:
            self._unfolded ^= {row.fold.first}
            self.show(self._folded())

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
