"""A run's rows as a table, renewed while it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.outcome import Outcome
from keybench.core.run_account import RowResult, RowState
from keybench.ui.devices.cells import Cell, CellModel
from keybench.words.explain import explain
from keybench.words.outcomes import outcome_headline, outcome_shape, outcome_word, tone_of_outcome
from keybench.words.times import duration

LINE, DEVICE, AMOUNT, OUTCOME, TOOK, NOTE = range(6)
_HEADERS: Final = ("Row", "Device", "Amount", "Outcome", "Took", "Reference or reason")
_NONE: Final = "\N{EN DASH}"
#: How the states stand in order when sorted by outcome: what needs a look first.
_RANKS: Final = (
    *(Outcome.UNKNOWN, Outcome.NOT_SENT, Outcome.REFUSED, Outcome.DECLINED),
    *(Outcome.EXPIRED, Outcome.CANCELLED, Outcome.APPROVED),
)


def result_text(result: RowResult) -> str:
    """Return how a row stands as sign and word."""
    match result.state:
        case RowState.WAITING:
            return "waiting"
        case RowState.UNDER_WAY:
            return "… in progress"
        case RowState.LEFT:
            return f"{outcome_shape(Outcome.NOT_SENT)} Not started"
        case _ if result.outcome is None:
            return ""
        case RowState.ENDED if result.sale:
            return f"{outcome_shape(result.outcome)} {outcome_headline(result.sale)}"
        case _:
            return f"{outcome_shape(result.outcome)} {outcome_word(result.outcome)}"


def result_tone(result: RowResult) -> str:
    """Return the tone of how a row stands; none while it waits."""
    if result.state is RowState.UNDER_WAY:
        return "accent"
    if result.state is RowState.LEFT or result.outcome is None:
        return "dim" if result.state is RowState.LEFT else ""
    return tone_of_outcome(result.outcome)


def result_note(result: RowResult) -> str:
    """Return a row's reference, or why it has none."""
    if result.error:
        return explain(result.error).title
    return result.sale.reference if result.sale else ""


class ResultsModel(CellModel):
    """The rows of one run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_HEADERS, parent, right=(AMOUNT, TOOK))
        self._results: list[RowResult] = []
        self._nicknames: Mapping[str, str] = {}

    def show_results(self, results: Sequence[RowResult], nicknames: Mapping[str, str]) -> None:
        """Show another run; devices go by their nicknames, given by identifier."""
        self._results, self._nicknames = list(results), dict(nicknames)
        self.renew()

    def take_in(self, changed: Mapping[int, RowResult]) -> None:
        """Show some rows anew, given by their places in the run."""
        for item, result in changed.items():
            self._results[item] = result
        self.renew_items(changed)

    def shown(self) -> list[RowResult]:
        """Return the rows shown, in the order shown."""
        return [self._results[item] for item in self.shown_items()]

    def item_count(self) -> int:
        """Return how many rows there are."""
        return len(self._results)

    def cells(self, item: int) -> tuple[Cell, ...]:
        """Return how a row stands."""
        result = self._results[item]
        row, sale = result.row, result.sale
        name = self._nicknames.get(row.device)
        took = sale.elapsed_s if sale and sale.verdict else None
        rank = _RANKS.index(result.outcome) if result.outcome else len(_RANKS)
        return (
            Cell(str(row.line), key=(row.line,)),
            Cell(f"{name} · {row.device}" if name else row.device),
            Cell(str(row.money), key=(row.money.currency, row.money.amount)),
            Cell(result_text(result), key=(rank, result.state), tone=result_tone(result)),
            Cell(_NONE if took is None else duration(took), key=(took or 0.0,)),
            Cell(result_note(result)),
        )
