"""A run's rows as a table, renewed while it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.outcome import Outcome
from keybench.ui.widgets.arranged_model import ArrangedModel
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.explain import explain
from keybench.words.outcomes import outcome_headline, outcome_shape, outcome_word, tone_of_outcome
from keybench.words.times import duration
from keybench.workflows.batch import RowState
from keybench.workflows.sale_batch import RowResult

LINE, DEVICE, AMOUNT, OUTCOME, TOOK, NOTE = range(6)
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


class _Nicknames:
    """What the devices are called, for the column that shows them."""

    def __init__(self) -> None:
        self.by_device: Mapping[str, str] = {}

    def of(self, result: RowResult) -> str:
        device = result.row.device
        name = self.by_device.get(device)
        return f"{name} · {device}" if name else device


def _took(result: RowResult) -> float | None:
    return result.sale.elapsed_s if result.sale and result.sale.verdict else None


def _took_text(result: RowResult) -> str:
    took = _took(result)
    return _NONE if took is None else duration(took)


def _standing(result: RowResult) -> tuple[int, RowState]:
    return _RANKS.index(result.outcome) if result.outcome else len(_RANKS), result.state


def _columns(nicknames: _Nicknames) -> tuple[Column[RowResult], ...]:
    return (
        Column("Row", lambda result: str(result.row.line), sort=lambda result: result.row.line),
        Column("Device", nicknames.of),
        Column(
            "Amount",
            lambda result: str(result.row.money),
            Look(right=True),
            sort=lambda result: (result.row.money.currency, result.row.money.amount),
        ),
        Column("Outcome", result_text, Look(tone=result_tone), sort=_standing),
        Column("Took", _took_text, Look(right=True), sort=lambda result: _took(result) or 0.0),
        Column("Reference or reason", result_note),
    )


class ResultsModel(ArrangedModel[RowResult]):
    """The rows of one run."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._nicknames = _Nicknames()
        super().__init__(_columns(self._nicknames), parent)

    def show_results(self, results: Sequence[RowResult], nicknames: Mapping[str, str]) -> None:
        """Show another run; devices go by their nicknames, given by identifier."""
        self._nicknames.by_device = dict(nicknames)
        self.show_items(results)
