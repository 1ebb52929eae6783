"""What the columns of the devices' table and of a run's results show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from keybench.core.devices.report import DeviceReport
from keybench.core.devices.state import DeviceState
from keybench.core.ports import Device
from keybench.core.sales.sale import Outcome, Sale
from keybench.ui.kit.tables.model import Column
from keybench.ui.shared.sales.table import outcome_text, outcome_tone
from keybench.words.devices.report import NONE, habit_cell, habit_rank, habit_tone, remark_sentence
from keybench.words.devices.states import state_tone
from keybench.words.explain import explain
from keybench.words.formats import day_and_time, duration, money
from keybench.words.language import _
from keybench.words.sales.outcomes import (
    outcome_headline,
    outcome_shape,
    outcome_word,
    sale_amount,
    tone_of_outcome,
)
from keybench.words.sales.polls import usual_time
from keybench.workflows.batch import RowState
from keybench.workflows.sales.batch import RowResult

#: How results are sorted by outcome: what needs a look first.
_RANKS: Final = (
    *(Outcome.UNKNOWN, Outcome.PARTLY_APPROVED, Outcome.NOT_SENT, Outcome.REFUSED),
    *(Outcome.DECLINED, Outcome.EXPIRED, Outcome.CANCELLED, Outcome.APPROVED),
)


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device, its newest sales here, what is known of its habit, and what was last told of it.

    Attributes:
        sales: The newest first.
        connection: Whether it is connected, as sign, word and age.
        lately: What was sold on it within a day.
    """

    device: Device
    sales: tuple[Sale, ...] = ()
    report: DeviceReport | None = None
    state: DeviceState | None = None
    connection: str = ""
    lately: str = NONE

    @property
    def sale(self) -> Sale | None:
        return self.sales[0] if self.sales else None

    @property
    def last(self) -> str:
        return day_and_time(self.sale.noted_at) if self.sale else NONE

    @property
    def usual(self) -> str:
        return usual_time(self.report.habit) if self.report and self.report.has_habit else NONE

    @property
    def half_s(self) -> float:
        seen = self.report.habit.seen if self.report and self.report.has_habit else None
        return seen.time(0.5) if seen else math.inf


DEVICES: Final[tuple[Column[DeviceLine], ...]] = (
    Column("nickname", _("Nickname"), lambda line: line.device.nickname or NONE, stretch=True, bold=True),
    Column("id", _("Identifier"), lambda line: line.device.id, mono=True),
    Column(
        "habit",
        _("Habit"),
        lambda line: habit_cell(line.report),
        empty=NONE,
        tone=lambda line: habit_tone(line.report),
        hint=lambda line: remark_sentence(line.report) if line.report else "",
        sort=lambda line: habit_rank(line.report),
    ),
    Column(
        "usual",
        _("Usual time"),
        lambda line: line.usual,
        right=True,
        empty=NONE,
        sort=lambda line: line.half_s,
    ),
    Column(
        "connection",
        _("Connection"),
        lambda line: line.connection,
        tone=lambda line: "warning" if state_tone(line.state, None) == "warning" else "",
    ),
    Column("lately", _("Last 24 hours"), lambda line: line.lately, empty=NONE),
    Column(
        "last",
        _("Last sale here"),
        lambda line: line.last,
        sort=lambda line: line.sale.noted_at.timestamp() if line.sale else 0.0,
    ),
    Column(
        "outcome",
        _("Outcome"),
        lambda line: outcome_text(line.sale) if line.sale else "",
        tone=lambda line: outcome_tone(line.sale) if line.sale else "",
        hint=lambda line: line.last if line.sale else "",
    ),
)


def result_text(result: RowResult) -> str:
    match result.state:
        case RowState.WAITING:
            return _("waiting")
        case RowState.UNDER_WAY:
            return _("… in progress")
        case RowState.LEFT:
            return _("{outcome_shape} Not started").format(outcome_shape=outcome_shape(Outcome.NOT_SENT))
        case _ if result.outcome is None:
            return ""
        case RowState.ENDED if result.sale:
            return f"{outcome_shape(result.outcome)} {outcome_headline(result.sale)}"
        case _:
            return f"{outcome_shape(result.outcome)} {outcome_word(result.outcome)}"


def result_tone(result: RowResult) -> str:
    if result.state is RowState.UNDER_WAY:
        return "accent"
    if result.state is RowState.LEFT or result.outcome is None:
        return "dim" if result.state is RowState.LEFT else ""
    return tone_of_outcome(result.outcome)


def result_note(result: RowResult) -> str:
    if result.error:
        return explain(result.error).title
    return result.sale.reference if result.sale else ""


def _took(result: RowResult) -> float | None:
    return result.sale.elapsed_s if result.sale and result.sale.verdict else None


def _standing(result: RowResult) -> tuple[int, RowState]:
    return _RANKS.index(result.outcome) if result.outcome else len(_RANKS), result.state


def results_columns(nicknames: Mapping[str, str]) -> tuple[Column[RowResult], ...]:
    """Return the columns of a run's results; devices go by `nicknames`, given by identifier."""

    def device(result: RowResult) -> str:
        name = nicknames.get(result.row.device)
        return f"{name} · {result.row.device}" if name else result.row.device

    return (
        Column("line", _("Row"), lambda result: str(result.row.line), sort=lambda result: result.row.line),
        Column("device", _("Device"), device),
        Column(
            "amount",
            _("Amount"),
            lambda result: sale_amount(result.sale) if result.sale else money(result.row.money),
            right=True,
            sort=lambda result: (result.row.money.currency, result.row.money.amount),
        ),
        Column("outcome", _("Outcome"), result_text, tone=result_tone, sort=_standing),
        Column(
            "took",
            _("Took"),
            lambda result: NONE if (took := _took(result)) is None else duration(took),
            right=True,
            sort=lambda result: _took(result) or 0.0,
        ),
        Column("note", _("Reference or reason"), result_note, stretch=True),
    )
