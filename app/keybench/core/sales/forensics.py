"""What a sale's timeline shows by itself: how long its steps took, and when nothing was known of it.

Times are in seconds since the sale was noted, by this computer's clock.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import Final

from keybench.core.exchange import Exchange
from keybench.core.ports import ContractFacts
from keybench.core.reasons import Reason
from keybench.core.sales.sale import RESUMED, Mark, Outcome, Sale, SaleEvent

#: What is later than the plan by more than this wasn't planned, in seconds: timers may be late.
_SLACK_S: Final = 2.0
#: What a status tells of a sale's end holds if so much of the time at most was unseen before it.
_UNSEEN: Final = 0.25
_ANSWERS: Final = frozenset({Mark.ACCEPTED, Mark.STATUS, Mark.OUTCOME})
#: An answer to the sale itself that came and can't be used wasn't lost.
_LOST: Final = frozenset(
    {
        Reason.TIMEOUT, Reason.CONNECTION_RESET, Reason.CONNECTION_CLOSED, Reason.CANCELLED, Reason.FAILED,
        Reason.NOT_HTTP, Reason.PROXY_CLOSED, Reason.ENDED_BEFORE_ANSWER,
    }
)  # fmt: skip
_KEYSTORE: Final = frozenset(one for one in Reason if one.name.startswith("KEYSTORE_"))


class WaitCause(enum.StrEnum):
    """What a sale waited for, the gravest first; `words.sales.forensics` has the sentences."""

    ANSWER_LOST = "answer_lost"
    NEVER_WOKE = "never_woke"
    CUSTOMER_LEFT = "customer_left"
    NETWORK_GAP = "network_gap"
    GATEWAY_GAP = "gateway_gap"
    KEYBENCH_CLOSED = "keybench_closed"
    POLLING_LATE = "polling_late"


@dataclass(frozen=True, slots=True)
class Wait:
    """A finding with when that was; a gap is the time between two answers.

    `word` is the status that shows it, `polls` how many in a gap were in vain, and `reason` and `status` what
    the last of them met.
    """

    finding: WaitCause
    begin_s: float
    end_s: float
    word: str = ""
    polls: int = 0
    reason: str = ""
    status: int = 0

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end_s - self.begin_s


_Timed = tuple[SaleEvent, float]  # and when it was


@dataclass(frozen=True, slots=True)
class Account:
    """All of it; None for what didn't happen or wasn't seen.

    `device_s` is when a status first told that the device had begun, `late_s` how late a poll saw the
    outcome, at the most. Gaps were longer than planned; the gravest finding comes first.
    """

    accepted_s: float | None = None
    device_s: float | None = None
    outcome_s: float | None = None
    longest_gap_s: float | None = None
    late_s: float | None = None
    gaps: tuple[Wait, ...] = ()
    findings: tuple[Wait, ...] = ()

    def found(self, finding: WaitCause) -> Wait | None:
        """Return a finding if it holds."""
        return next((one for one in self.findings if one.finding is finding), None)


def account_of(
    sale: Sale,
    events: Sequence[SaleEvent],
    exchanges: Sequence[Exchange] = (),
    facts: ContractFacts | None = None,
    now: datetime | None = None,
) -> Account:
    """Return what a sale's timeline shows; `now` is the time, UTC, for a sale under way."""
    facts = facts or ContractFacts("")
    # Where the clock was set back, the later event stands at the same second.
    seconds = list(accumulate((max((one.at - sale.noted_at).total_seconds(), 0.0) for one in events), max))
    timed = list(zip(events, seconds, strict=True))
    end_s = seconds[-1] if seconds else 0.0
    if sale.verdict is None and now is not None:
        end_s = max(end_s, (now - sale.noted_at).total_seconds())
    silences = list(_silences(timed, end_s, facts))
    gaps = tuple(one for one in silences if one.seconds > facts.longest_pause_s + facts.held_s + _SLACK_S)
    findings = {gap.finding: gap for gap in sorted(gaps, key=lambda gap: gap.seconds)}
    for found in (_lost_answer(sale, timed, exchanges), _who(sale, timed, facts.begun, end_s)):
        if found:
            findings[found.finding] = found
    accepted_s = _accepted_s(timed)
    # An outcome that a later look-up found wasn't seen as it came.
    last = next((pair for pair in reversed(timed) if pair[0].mark is Mark.OUTCOME), None)
    seen = last if last and last[0].took_s is not None and sale.is_settled else None
    return Account(
        accepted_s,
        next((at_s for one, at_s in timed if facts.begun.get(one.detail)), None),
        seen[1] if seen else None,
        max((one.seconds for one in silences), default=None),
        _late_s(sale, timed, facts.held_s, *seen) if seen else None,
        gaps,
        tuple(findings[one] for one in WaitCause if one in findings),
    )


def _accepted_s(timed: Sequence[_Timed]) -> float | None:
    first = next((pair for pair in timed if pair[0].mark in _ANSWERS), None)
    return first[1] if first and first[0].mark is Mark.ACCEPTED else None


def _silences(timed: Sequence[_Timed], end_s: float, facts: ContractFacts) -> Iterator[Wait]:
    since_s: float | None = None
    failed: list[SaleEvent] = []
    was_closed = False
    for event, at_s in timed:
        if event.mark is Mark.TROUBLE:
            failed.append(event)
        elif event.mark is Mark.LOOKED_UP and event.detail == RESUMED:
            was_closed = True
        elif event.mark in _ANSWERS:
            if since_s is not None and was_closed:
                yield Wait(WaitCause.KEYBENCH_CLOSED, since_s, at_s)
            elif since_s is not None:
                asked_s = at_s - (event.took_s or 0.0)
                is_late = asked_s - since_s > facts.longest_pause_s + _SLACK_S
                yield _silence(since_s, at_s, failed, is_late=is_late)
            since_s = None if event.mark is Mark.OUTCOME else at_s  # what is looked up later is no gap
            failed, was_closed = [], False
    if since_s is not None and failed:
        yield _silence(since_s, end_s, failed, is_late=False)


def _silence(begin_s: float, end_s: float, failed: Sequence[SaleEvent], *, is_late: bool) -> Wait:
    if not failed:
        return Wait(WaitCause.POLLING_LATE if is_late else WaitCause.NETWORK_GAP, begin_s, end_s)
    first, _, rest = failed[-1].detail.partition(" ")
    status = int(first) if first.isdigit() else 0
    reason = rest if status else failed[-1].detail
    finding = WaitCause.GATEWAY_GAP if status else WaitCause.NETWORK_GAP
    if reason in _KEYSTORE:
        finding = WaitCause.POLLING_LATE
    return Wait(finding, begin_s, end_s, "", len(failed), reason, status)


def _late_s(
    sale: Sale, timed: Sequence[_Timed], held_s: float, outcome: SaleEvent, seen_s: float
) -> float | None:
    """Return how late a poll saw the outcome, at the most; None for a sale that wasn't polled."""
    accepted_s = _accepted_s(timed)
    if accepted_s is None:
        return None
    statuses = [(one, at_s) for one, at_s in timed if one.mark is Mark.STATUS]
    open_s = max(
        (at_s if held_s else at_s - (one.took_s or 0.0) for one, at_s in statuses), default=accepted_s
    )
    if sale.lasted_s is not None:
        ended_s = accepted_s + sale.lasted_s
        if open_s - 1 <= ended_s <= seen_s + 1:  # else it contradicts what was seen
            return max(seen_s - ended_s, 0.0)
    was_held = held_s and (outcome.took_s or 0.0) > 1
    return 0.0 if was_held else max(seen_s - open_s, 0.0)


def _lost_answer(sale: Sale, timed: Sequence[_Timed], exchanges: Sequence[Exchange]) -> Wait | None:
    sent_s = next((at_s for one, at_s in timed if one.mark is Mark.SENT), None)
    first, ended_s = next((pair for pair in timed if pair[0].mark in _ANSWERS), (None, 0.0))
    if sent_s is None or first is None or first.detail != Outcome.UNKNOWN:
        return None
    was_resumed = any(one.detail == RESUMED for one, _at_s in timed)
    reason, status = Reason.ENDED_BEFORE_ANSWER if was_resumed else "", 0
    if sale.verdict and sale.outcome is Outcome.UNKNOWN and not was_resumed:
        reason, status = sale.verdict.reason, sale.verdict.status
    elif post := next((one for one in exchanges if one.method == "POST"), None):
        reason, status = post.failure, post.status
    return (
        Wait(WaitCause.ANSWER_LOST, sent_s, ended_s, "", 0, reason)
        if reason in _LOST and not status
        else None
    )


def _who(sale: Sale, timed: Sequence[_Timed], begun: Mapping[str, bool], end_s: float) -> Wait | None:
    """Return whom a sale waited for that timed out, where the contract's own words tell it."""
    timed_out = sale.outcome is Outcome.EXPIRED or (sale.verdict and sale.verdict.reason == Reason.DEADLINE)
    accepted_s = _accepted_s(timed)
    statuses = [(one.detail, at_s) for one, at_s in timed if one.mark is Mark.STATUS]
    if not timed_out or accepted_s is None or not statuses:
        return None
    word, seen_s = statuses[-1]
    if any(begun.get(one) for one, _at_s in statuses):
        return Wait(WaitCause.CUSTOMER_LEFT, accepted_s, end_s, word)
    # What it began with says nothing of what came later.
    if begun.get(word) is False and end_s - seen_s <= (end_s - accepted_s) * _UNSEEN:
        return Wait(WaitCause.NEVER_WOKE, accepted_s, seen_s, word)
    return None
