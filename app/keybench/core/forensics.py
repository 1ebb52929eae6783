"""What went on while a sale was under way, and whom it waited for: told from evidence, or not told."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from keybench.core.exchange import Exchange
from keybench.core.forensic_record import SLACK_S, Gap, GapKind, Known, Poll, Record, Span
from keybench.core.forensic_times import Jump
from keybench.core.reasons import Reason
from keybench.core.sale import APPROVALS, Mark, Outcome, Sale, SaleEvent, SaleMode

#: An outcome that was seen so late, in seconds, was seen late.
_LATE_S: Final = 3.0
#: From here on a sale is slow where its device's usual time isn't known, and a device's beginning always.
_SLOW_S: Final = 60.0
_BEGINS_LATE_S: Final = 15.0
#: A status that sales leave so soon is left by the device; customers need longer, and vary.
DEVICE_BEGINS_S: Final = 5.0
#: What a status tells of a sale's end holds if so much of the time at most was unseen before it.
_UNSEEN: Final = 0.25

#: An answer to the sale itself that came and can't be used wasn't lost.
_LOST: Final = frozenset(
    {
        Reason.TIMEOUT, Reason.CONNECTION_RESET, Reason.CONNECTION_CLOSED, Reason.CANCELLED, Reason.FAILED,
        Reason.NOT_HTTP, Reason.PROXY_CLOSED, Reason.ENDED_BEFORE_ANSWER,
    }
)  # fmt: skip
#: HTTP's first status of a failure.
_ERRORS: Final = 400
_BY_DEVICE: Final = frozenset({*APPROVALS, Outcome.DECLINED, Outcome.CANCELLED})


class Finding(enum.StrEnum):
    """What a sale waited for, in stable words; `words.forensics` has the sentences."""

    ANSWER_LOST = "answer_lost"
    NEVER_WOKE = "never_woke"
    WOKE_LATE = "woke_late"
    CUSTOMER_LEFT = "customer_left"
    CUSTOMER_SLOW = "customer_slow"
    NETWORK_GAP = "network_gap"
    GATEWAY_GAP = "gateway_gap"
    POLLING_LATE = "polling_late"


class Untold(enum.StrEnum):
    """What the evidence can't tell."""

    #: Nothing but the intent was recorded.
    TIMELINE = "timeline"
    #: The gateway took it and nobody asked, or nobody was answered, before it was over.
    STATUS = "status"
    #: It expired: the device never began, or the customer never came.
    DEVICE_OR_CUSTOMER = "device_or_customer"
    #: It took long: the device began late, or the customer was slow.
    WHO_WAS_SLOW = "who_was_slow"
    #: Its outcome was found by a later look-up.
    WHEN_IT_ENDED = "when_it_ended"


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with its figures.

    Attributes:
        begin_s, end_s: When that was; for `POLLING_LATE` between when the outcome can have been there first
            and when it was seen.
        is_exact: Whether the figure is measured; else the time was at the least that long, or, for
            `POLLING_LATE`, at the most.
        usual_s: What is usual instead, between eight in ten; None if it isn't known.
        polls: How many polls show it.
        word: The status word that shows it.
        gap: The gap that is it, or that made polling late; None where there was none.
    """

    finding: Finding
    begin_s: float
    end_s: float
    is_exact: bool = True
    usual_s: tuple[float, float] | None = None
    polls: int = 0
    word: str = ""
    gap: Gap | None = None

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end_s - self.begin_s


@dataclass(frozen=True, slots=True)
class Account:
    """All of it.

    Attributes:
        seconds: When each event was, in the timeline's order.
        spans: Status by status.
        lag_s: How late the outcome was seen, at the least and at the most; None where no poll saw it.
        jumps: Where this computer's clock was set.
        findings: What it waited for, the gravest first.
    """

    seconds: tuple[float, ...] = ()
    spans: tuple[Span, ...] = ()
    polls: tuple[Poll, ...] = ()
    gaps: tuple[Gap, ...] = ()
    jumps: tuple[Jump, ...] = ()
    lag_s: tuple[float, float] | None = None
    findings: tuple[Found, ...] = ()
    untold: tuple[Untold, ...] = ()

    @property
    def pauses(self) -> tuple[float, ...]:
        """The time from each poll's question to the next one's."""
        return tuple(later.asked_s - earlier.asked_s for earlier, later in pairwise(self.polls))

    def found(self, finding: Finding) -> Found | None:
        """Return a finding if it holds."""
        return next((one for one in self.findings if one.finding is finding), None)


def account_of(
    sale: Sale,
    events: Sequence[SaleEvent],
    exchanges: Sequence[Exchange] = (),
    known: Known | None = None,
    now: datetime | None = None,
) -> Account:
    """Return what went on while a sale was under way.

    Args:
        sale: As stored.
        events: Its timeline in order.
        exchanges: Its exchanges in order; without them clocks and waiting times are known less well.
        known: What is known besides.
        now: The time, for a sale under way, UTC.
    """
    return _Inquiry(Record(sale, events, exchanges, known or Known(), now)).account()


class _Inquiry:
    """Weighs the record of one sale."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._sale = record.sale
        self._lag_s = record.lag_s()

    def account(self) -> Account:
        record = self._record
        untold = list(self._unrecorded())
        findings: list[Found] = []
        for found in (self._answer_lost(), self._who(), *self._gap_findings(), self._late()):
            if isinstance(found, Untold):
                untold.append(found)
            elif found:
                findings.append(found)
        order = list(Finding)
        return Account(
            record.seconds,
            record.spans,
            record.polls,
            record.gaps,
            record.jumps,
            self._lag_s,
            tuple(sorted(findings, key=lambda one: order.index(one.finding))),
            tuple(untold),
        )

    def _unrecorded(self) -> Iterator[Untold]:
        record, is_over = self._record, self._sale.verdict is not None
        if is_over and {event.mark for event in record.events} <= {Mark.NOTED}:
            yield Untold.TIMELINE
        if record.found_later:
            yield Untold.WHEN_IT_ENDED
        elif is_over and record.accepted_s is not None and not any(poll.word for poll in record.polls):
            yield Untold.STATUS

    # --- the answer to the sale itself --------------------------------------------------------------------

    def _answer_lost(self) -> Found | None:
        timed = list(zip(self._record.events, self._record.seconds, strict=True))
        sent_s = next((at for event, at in timed if event.mark is Mark.SENT), None)
        first = next((one for one in timed if one[0].mark in {Mark.ACCEPTED, Mark.OUTCOME}), None)
        if (
            sent_s is None
            or first is None
            or (first[0].mark, first[0].detail) != (Mark.OUTCOME, Outcome.UNKNOWN)
        ):
            return None
        ended_s, reason = first[1], self._reason_of_loss()
        if reason not in _LOST:
            return None
        kind = GapKind.STOPPED if reason == Reason.ENDED_BEFORE_ANSWER else GapKind.NETWORK
        return Found(Finding.ANSWER_LOST, sent_s, ended_s, gap=Gap(kind, sent_s, ended_s, reason=reason))

    def _reason_of_loss(self) -> str:
        """Return why the sale's own request had no answer; empty if it had one, or that can't be told."""
        verdict = self._sale.verdict
        if verdict and verdict.outcome is Outcome.UNKNOWN and not self._record.resumed:
            return "" if verdict.status >= _ERRORS else verdict.reason
        post = next((one for one in self._record.exchanges if one.method == "POST"), None)
        if post:
            return "" if post.status >= _ERRORS else post.failure
        return Reason.ENDED_BEFORE_ANSWER if self._record.resumed else ""

    # --- the device and the customer ----------------------------------------------------------------------

    def _who(self) -> Found | Untold | None:
        """Return whom the sale waited for: the device or the customer."""
        sale, open_s, accepted_s = self._sale, self._record.open_s(), self._record.accepted_s
        if self._record.found_later:
            return None
        if accepted_s is None or open_s is None:
            is_held = sale.mode is not SaleMode.ASYNCHRONOUS
            return self._held_sale() if is_held else None
        timed_out = sale.outcome is Outcome.EXPIRED or (
            sale.verdict and sale.verdict.reason == Reason.DEADLINE
        )
        if timed_out:
            return self._nobody_paid(accepted_s, open_s)
        if sale.verdict is None or sale.outcome in _BY_DEVICE:
            return self._slow(accepted_s, open_s)
        return None

    def _slow(self, accepted_s: float, open_s: float) -> Found | Untold | None:
        """Return who was slow, of a sale that was paid, declined or cancelled, or goes on."""
        begun_s, waited_s, word = self._beginning(accepted_s)
        known, ended_s = self._record.known, self._record.ended_s()
        lasted_s = (open_s if ended_s is None else ended_s) - accepted_s
        if waited_s is not None and waited_s >= max(_BEGINS_LATE_S, lasted_s / 2):
            return Found(
                Finding.WOKE_LATE,
                accepted_s,
                accepted_s + waited_s,
                is_exact=False,
                usual_s=None if known.begins_s is None else (0.0, known.begins_s),
                polls=self._seen(word),
                word=word,
            )
        if not self._is_slow(lasted_s):
            return None
        if begun_s is None:
            return Untold.WHO_WAS_SLOW
        return Found(
            Finding.CUSTOMER_SLOW,
            accepted_s,
            accepted_s + lasted_s,
            is_exact=ended_s is not None,
            usual_s=known.habit.usual_s,
            polls=len(self._record.polls),
        )

    def _held_sale(self) -> Untold | None:
        """Return what can't be told of a sale whose own call was held until its end."""
        if self._sale.outcome is Outcome.EXPIRED:
            return Untold.DEVICE_OR_CUSTOMER
        is_slow = self._sale.outcome in _BY_DEVICE and self._is_slow(self._sale.elapsed_s or 0.0)
        return Untold.WHO_WAS_SLOW if is_slow else None

    def _nobody_paid(self, accepted_s: float, open_s: float) -> Found | Untold:
        begun_s, waited_s, word = self._beginning(accepted_s)
        end_s = self._record.end_s
        if begun_s is not None:
            last = next((poll.word for poll in reversed(self._record.polls) if self._is_status(poll)), "")
            return Found(
                Finding.CUSTOMER_LEFT, begun_s, end_s, is_exact=False, polls=self._seen(last), word=last
            )
        # What it began with says nothing of what came later.
        is_unseen = not self._seen(word) or end_s - open_s > max((end_s - accepted_s) * _UNSEEN, SLACK_S)
        if waited_s is None or is_unseen:
            return Untold.DEVICE_OR_CUSTOMER
        return Found(
            Finding.NEVER_WOKE,
            accepted_s,
            accepted_s + waited_s,
            is_exact=False,
            polls=self._seen(word),
            word=word,
        )

    def _beginning(self, accepted_s: float) -> tuple[float | None, float | None, str]:
        """Return by when the device had begun, for how long it surely hadn't, and the word that shows that.

        The contract tells what a word means. Where it doesn't, other sales do: a first status that they leave
        within seconds is left by the device.
        """
        known, record = self._record.known, self._record
        waiting = {word for word, begun in known.begun.items() if not begun}
        working = {word for word, begun in known.begun.items() if begun}
        first = next(event.detail for event in record.events if event.mark is Mark.ACCEPTED)
        if first and first not in working and (known.begins_s or DEVICE_BEGINS_S * 2) <= DEVICE_BEGINS_S:
            waiting.add(first)
            working |= {span.word for span in record.spans} - waiting
        seen = [(accepted_s, first)]
        seen += [(poll.answered_s, poll.word) for poll in record.polls if self._is_status(poll)]
        begun_s = next((at for at, word in seen if word in working), None)
        waits = [(at - accepted_s, word) for at, word in seen if word in waiting]
        return begun_s, *(waits[-1] if waits else (None, ""))

    def _is_status(self, poll: Poll) -> bool:
        return bool(poll.word) and not self._record.is_end(poll)

    def _seen(self, word: str) -> int:
        return sum(1 for poll in self._record.polls if poll.word == word)

    def _is_slow(self, lasted_s: float) -> bool:
        habit = self._record.known.habit
        return habit.is_unusual(lasted_s) if habit.seen else lasted_s >= _SLOW_S

    # --- the way there, and our own polls -----------------------------------------------------------------

    def _gap_findings(self) -> Iterator[Found]:
        for kind, finding in ((GapKind.NETWORK, Finding.NETWORK_GAP), (GapKind.GATEWAY, Finding.GATEWAY_GAP)):
            gaps = [gap for gap in self._record.gaps if gap.kind is kind]
            if gaps:
                longest = max(gaps, key=lambda gap: gap.seconds)
                polls = sum(gap.polls for gap in gaps)
                yield Found(finding, longest.begin_s, longest.end_s, polls=polls, gap=longest)

    def _late(self) -> Found | None:
        """Return that the outcome was there before it was seen, because nobody asked."""
        if self._lag_s is None or self._lag_s[1] < _LATE_S:
            return None
        least_s, most_s = self._lag_s
        seen_s = self._record.polls[-1].answered_s
        hiding = [gap for gap in self._record.gaps if gap.end_s > seen_s - most_s and gap.begin_s < seen_s]
        if any(gap.kind in {GapKind.NETWORK, GapKind.GATEWAY} for gap in hiding):
            return None  # that gap is told
        gap = max(hiding, key=lambda one: one.seconds, default=None)
        if gap is None and least_s < _LATE_S:
            return None  # it may have come the moment before
        return Found(Finding.POLLING_LATE, seen_s - most_s, seen_s, is_exact=least_s == most_s, gap=gap)
