"""Devices in words: what is remarkable of one, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from keybench.core.devices.habit import ENOUGH, Habit
from keybench.core.devices.report import DeviceReport, Kind, Remark
from keybench.core.sales.sale import Outcome
from keybench.words.formats import duration, some
from keybench.words.language import _, ngettext
from keybench.words.sales.outcomes import outcome_shape
from keybench.words.sales.polls import learnt_from, time_span, usual_time, usually

RemarkTone = Literal["", "dim", "warning", "bad"]

#: Nothing is known, or nothing is to be told.
NONE: Final = "\N{EN DASH}"
NO_CHART: Final = _("Too few sales for a chart")
_CELLS: Final = {
    Kind.MISSING: _("◷ No outcome comes"),
    Kind.SLOWER: _("▲ Slower than it was"),
    Kind.SLOWER_THAN_OTHERS: _("▲ Slower than others"),
}
_OFTEN: Final = {
    Outcome.DECLINED: _("{shape} Often declined"),
    Outcome.CANCELLED: _("{shape} Often cancelled"),
    Outcome.EXPIRED: _("{shape} Often expired"),
}
#: What is looked for first stands first when sorted.
_RANKS: Final = {kind: rank for rank, kind in enumerate(Kind)}

_TO_DO: Final = {
    Kind.MISSING: _("Check whether it is switched on, connected and shows a sale."),
    Kind.SLOWER: _("Check its network and its power, and restart it."),
    Kind.SLOWER_THAN_OTHERS: _("Compare its network and its software with theirs."),
    Kind.OUTCOMES: _("Look at its last sales for what the gateway said."),
}
_SHARES: Final = {
    Outcome.DECLINED: _(
        "{count} of its last {sales} sales were declined; on the other devices, {percent} in 100 are."
    ),
    Outcome.CANCELLED: _(
        "{count} of its last {sales} sales were cancelled; on the other devices, {percent} in 100 are."
    ),
    Outcome.EXPIRED: _(
        "{count} of its last {sales} sales expired; on the other devices, {percent} in 100 do."
    ),
}


def habit_cell(report: DeviceReport | None) -> str:
    if report is None:
        return NONE
    if report.remark is None:
        return _("✓ As usual") if report.has_habit else NONE
    if report.remark.outcome:
        return _OFTEN[report.remark.outcome].format(shape=outcome_shape(report.remark.outcome))
    return _CELLS[report.remark.kind]


def habit_tone(report: DeviceReport | None) -> RemarkTone:
    if report is None or report.remark is None:
        return ""
    return "bad" if report.remark.kind is Kind.MISSING else "warning"


def habit_rank(report: DeviceReport | None) -> int:
    if report is None:
        return len(_RANKS) + 1
    if report.remark is None:
        return len(_RANKS) + (0 if report.has_habit else 1)
    return _RANKS[report.remark.kind]


def remark_sentence(report: DeviceReport) -> str:
    remark = report.remark
    if remark is None:
        return ""
    return f"{_figures(remark)} {_TO_DO[remark.kind]}"


def _figures(remark: Remark) -> str:
    count, now, beside = remark.sales, time_span(*remark.now_s), time_span(*remark.beside_s)
    match remark.kind:
        case Kind.MISSING:
            return ngettext(
                "Its last sale had no outcome when Keybench stopped waiting.",
                "Its last {count} sales had no outcome when Keybench stopped waiting.",
                count,
            )
        case Kind.OUTCOMES if remark.outcome:
            percent = round(100 * remark.usual_share)
            return _SHARES[remark.outcome].format(count=remark.count, sales=count, percent=percent)
        case Kind.SLOWER:
            return ngettext(
                "Its last sale took {now}; before, {beside}.",
                "Its last {count} sales took {now}; before, {beside}.",
                count,
            ).format(now=now, beside=beside)
        case _:
            told = _("Its sales take {now}; on the other devices, {beside}.")
            return told.format(now=now, beside=beside)


def needs_a_look(names: Sequence[str]) -> str:
    if not names:
        return ""
    return ngettext(
        "One device needs a look: {names}.", "{count} devices need a look: {names}.", len(names)
    ).format(names=some(names))


def habit_sentence(report: DeviceReport) -> str:
    if report.has_habit:
        return f"{usually(report.habit)}. {learnt_from(report.habit)}"
    missing = ENOUGH - len(report.past_sales)
    if missing <= 0:
        return _("Its usual time isn't known any more. A few more sales will tell.")
    return ngettext(
        "Its usual time isn't known yet. One more sale will tell.",
        "Its usual time isn't known yet. {count} more sales will tell.",
        missing,
    )


def habit_sentences(report: DeviceReport | None, others: Habit) -> str:
    if report is None or report.habit.seen is None or not report.has_habit:
        return NO_CHART
    half = duration(report.habit.seen.time(0.5))
    said = [
        _("Eight in ten outcomes take {time}, half of them at most {half}.").format(
            time=usual_time(report.habit), half=half
        )
    ]
    if others.usual_s:
        said.append(_("On the other devices, they take {time}.").format(time=usual_time(others)))
    newest = report.past_sales[-1]
    if math.isfinite(newest.until_s):
        said.append(_("The newest took {time}.").format(time=duration(newest.middle_s)))
    else:
        said.append(_("The newest never came."))
    return " ".join(said)
