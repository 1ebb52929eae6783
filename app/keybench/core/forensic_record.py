"""What was seen of a sale while it was under way: its polls, its statuses, and when nothing was known of it.

A poll sees the status at one moment, so all that is known of what changed between two polls is that it did.
Times are in seconds since the sale was noted. They are this computer's; where the gateway's `Date` headers
show that its clock was set meanwhile, that is taken out.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Final

from keybench.core.exchange import Exchange
from keybench.core.forensic_times import Answers, seconds_of
from keybench.core.habit import UNTAUGHT, Habit
from keybench.core.poll_plan import PollPlan
from keybench.core.reasons import Reason
from keybench.core.sale import RESUMED, Mark, Outcome, Sale, SaleEvent

#: What is later than the plan by more than this wasn't planned, in seconds: timers may be late.
SLACK_S: Final = 2.0
#: An answer that takes longer than this, without being held, is a gap.
_SLOW_ANSWER_S: Final = 5.0
_KEYSTORE: Final = frozenset(
    {
        Reason.KEYSTORE_MISSING, Reason.KEYSTORE_GONE, Reason.KEYSTORE_LOCKED, Reason.KEYSTORE_DENIED,
        Reason.KEYSTORE_SILENT, Reason.KEYSTORE_FAILED,
    }
)  # fmt: skip
_POLLS: Final = frozenset({Mark.STATUS, Mark.TROUBLE})


class GapKind(enum.StrEnum):
    """Why nothing was known of a sale for a while."""

    NETWORK = "network"
    GATEWAY = "gateway"
    REFUSED = "refused"
    RATE_LIMIT = "rate_limit"
    KEYSTORE = "keystore"
    STOPPED = "stopped"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which nothing was known of the sale, longer than planned.

    Attributes:
        polls: How many polls in it were in vain.
        reason: What the last of them met, a `Reason`; empty for one that was answered in the end.
        status: The HTTP status of that; 0 if no answer came.
        is_open: Whether it hasn't ended: no later poll was answered.
    """

    kind: GapKind
    begin_s: float
    end_s: float
    polls: int = 0
    reason: str = ""
    is_open: bool = False
    status: int = 0

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end_s - self.begin_s


@dataclass(frozen=True, slots=True)
class Poll:
    """One question for the sale's status.

    Attributes:
        asked_s: When it began.
        answered_s: When it was answered, or was given up.
        word: The status word or the outcome; empty if there was none.
        trouble: Why there was none, a `Reason`; empty if there was one.
        status: The HTTP status of a trouble; 0 if no answer came.
    """

    asked_s: float
    answered_s: float
    word: str = ""
    trouble: str = ""
    status: int = 0
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """For how long the sale had a status word; its begin lies in the middle between two polls."""

    word: str
    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the sale's own records.

    Attributes:
        habit: When outcomes of its device usually come.
        longest_pause_s: The longest pause that is planned between two polls.
        held_s: How long the gateway may hold a poll; 0 where it answers at once.
        begun: What status words under way tell by the contract: whether the device has begun.
        begins_s: After how long other sales there usually leave their first status; None if they don't, or
            too few are known.
    """

    habit: Habit = UNTAUGHT
    longest_pause_s: float = 10.0
    held_s: float = 0.0
    begun: Mapping[str, bool] = field(default_factory=dict)
    begins_s: float | None = None


class Record:
    """What was seen of one sale.

    Args:
        sale: As stored.
        events: Its timeline in order.
        exchanges: Its exchanges in order.
        known: What is known besides.
        now: The time, for a sale under way, UTC; None to look no further than its timeline.

    Attributes:
        seconds: When each event was, in the timeline's order.
        jumps: Where this computer's clock was set.
        accepted_s: When the gateway took it; None if it didn't.
        end_s: When it was over, or now.
        resumed: When another program, or another run of this one, went on with it.
        found_later: Whether its outcome was seen by a look-up, after nobody could tell.
    """

    def __init__(
        self,
        sale: Sale,
        events: Sequence[SaleEvent],
        exchanges: Sequence[Exchange],
        known: Known,
        now: datetime | None,
    ) -> None:
        self.sale, self.events, self.exchanges, self.known = sale, events, exchanges, known
        self._answers = Answers(exchanges)
        self.seconds, self.jumps = seconds_of(sale.noted_at, events, self._answers)
        timed = list(zip(events, self.seconds, strict=True))
        self.accepted_s = next((at for event, at in timed if event.mark is Mark.ACCEPTED), None)
        self._over = over = [at for event, at in timed if event.mark is Mark.OUTCOME]
        latest_s = self.seconds[-1] if self.seconds else 0.0
        if not over and now:
            latest_s = max(latest_s, (now - sale.noted_at).total_seconds())
        self.end_s = over[-1] if over else latest_s
        self.polls = tuple(self._read_polls(timed))
        self.resumed = [at for event, at in timed if event.mark is Mark.LOOKED_UP and event.detail == RESUMED]
        self.found_later = self._was_found_later()
        self.gaps = tuple(sorted(self._read_gaps(), key=lambda gap: gap.begin_s))
        self.spans = tuple(self._read_spans(timed))

    def _read_polls(self, timed: Sequence[tuple[SaleEvent, float]]) -> Iterator[Poll]:
        was_accepted, answered_s = False, 0.0
        for event, at_s in timed:
            was_accepted = was_accepted or event.mark is Mark.ACCEPTED
            by_poll = event.mark is Mark.OUTCOME and event.took_s is not None and was_accepted
            if event.mark not in _POLLS and not by_poll:
                continue
            asked_s = max(
                at_s - (event.took_s or 0.0), answered_s
            )  # one after another, whatever the clock says
            answered_s = at_s
            if event.mark is not Mark.TROUBLE:
                yield Poll(asked_s, at_s, event.detail)
                continue
            first, _, rest = event.detail.partition(" ")
            status = int(first) if first.isdigit() else 0
            trouble = rest if status else event.detail
            yield Poll(asked_s, at_s, "", trouble, status, self._answers.retry_after_s(event.at))

    def _read_gaps(self) -> Iterator[Gap]:
        at = 0
        for kind, group in groupby(self.polls, _kind_of):
            run = list(group)
            at += len(run)
            if kind is not None:
                later = self.polls[at] if at < len(self.polls) else None
                end_s = later.answered_s if later and not later.trouble else (
                    later.asked_s if later else self.end_s
                )  # fmt: skip
                last = run[-1]
                is_open = later is None
                yield Gap(kind, run[0].asked_s, end_s, len(run), last.trouble, is_open, last.status)
        for poll in self.polls:
            slow_s = poll.answered_s - poll.asked_s - self.known.held_s
            if not poll.trouble and slow_s >= _SLOW_ANSWER_S:
                yield Gap(GapKind.NETWORK, poll.asked_s, poll.answered_s, 1)
        yield from self._unasked()

    def _unasked(self) -> Iterator[Gap]:
        """Yield where nobody asked for longer than the plan explains."""
        before_s = self.accepted_s
        if before_s is None or self.found_later:
            return
        planned_s, troubles = before_s + self.known.longest_pause_s, 0
        plan = PollPlan()
        ends = [*((poll.asked_s, poll) for poll in self.polls), (self.end_s, None)]
        for asked_s, poll in ends:
            stops = [at for at in self.resumed if before_s < at <= asked_s + SLACK_S]
            if stops:
                yield Gap(GapKind.STOPPED, before_s, max(stops[-1], before_s))
            elif any(before_s <= at < asked_s for at in self._over):
                pass  # it was given up, and looked up later
            elif asked_s > planned_s + SLACK_S:
                yield Gap(GapKind.UNASKED, before_s, asked_s, is_open=poll is None and not self.sale.verdict)
            if poll is None:
                return
            troubles = troubles + 1 if poll.trouble else 0
            backoff_s = (
                min(plan.backoff_s * 2 ** min(troubles - 1, 8), plan.longest_backoff_s) if troubles else 0
            )
            before_s = poll.answered_s
            planned_s = max(
                poll.asked_s + self.known.longest_pause_s,
                before_s + max(backoff_s, poll.retry_after_s or 0.0),
            )

    def _read_spans(self, timed: Sequence[tuple[SaleEvent, float]]) -> Iterator[Span]:
        if self.accepted_s is None:
            return
        first = next(event.detail for event, _at in timed if event.mark is Mark.ACCEPTED)
        word, begin_s, seen_s = first, self.accepted_s, self.accepted_s
        for poll in self.polls:
            if poll.trouble:
                continue
            if poll.word != word:
                changed_s = poll.answered_s if not word else (seen_s + poll.asked_s) / 2
                if word:
                    yield Span(word, begin_s, max(changed_s, begin_s))
                word, begin_s = poll.word, max(changed_s, begin_s)
            seen_s = poll.answered_s
        if word and (not self.sale.verdict or word != self.sale.outcome):
            yield Span(word, begin_s, max(self.end_s, begin_s))

    def _was_found_later(self) -> bool:
        """Tell whether the outcome was seen by a look-up, after nobody could tell."""
        marks = [event.mark for event in self.events]
        if marks.count(Mark.OUTCOME) < 2 or self.sale.outcome is Outcome.UNKNOWN:  # noqa: PLR2004 - the second one
            return False
        last = max(at for at, mark in enumerate(marks) if mark is Mark.OUTCOME)
        return not any(mark in _POLLS for mark in marks[last - 1 : last])

    # --- when it was over ---------------------------------------------------------------------------------

    def open_s(self) -> float | None:
        """Return when it was last known to be under way; None if it never was."""
        held = self.known.held_s > 0
        words = [
            poll.answered_s if held else poll.asked_s
            for poll in self.polls
            if poll.word and not self.is_end(poll)
        ]
        return max(words, default=self.accepted_s)

    def is_end(self, poll: Poll) -> bool:
        """Tell whether a poll brought the outcome."""
        return bool(self.sale.verdict) and poll is self.polls[-1] and poll.word == self.sale.outcome

    def ended_s(self) -> float | None:
        """Return when it was over by the gateway's own clock; None where that isn't told, or contradicts."""
        open_s, lasted_s = self.open_s(), self.sale.lasted_s
        if lasted_s is None or open_s is None or self.found_later:
            return None
        ended_s = (self.accepted_s or 0.0) + lasted_s
        return ended_s if open_s - 1 <= ended_s <= self.end_s + 1 else None

    def lag_s(self) -> tuple[float, float] | None:
        """Return how late a poll saw the outcome, at the least and at the most; None where none did."""
        open_s = self.open_s()
        if open_s is None or not self.polls or not self.is_end(self.polls[-1]) or self.found_later:
            return None
        if self.sale.outcome is Outcome.UNKNOWN:
            return None
        seen, ended_s = self.polls[-1], self.ended_s()
        if ended_s is not None:
            lag_s = max(seen.answered_s - ended_s, 0.0)
            return lag_s, lag_s
        was_held = self.known.held_s and seen.answered_s - seen.asked_s > 1
        return 0.0, 0.0 if was_held else max(seen.answered_s - open_s, 0.0)


def _kind_of(poll: Poll) -> GapKind | None:
    if not poll.trouble:
        return None
    if poll.trouble in _KEYSTORE:
        return GapKind.KEYSTORE
    if poll.trouble == Reason.RATE_LIMIT or poll.status == 429:  # noqa: PLR2004 - HTTP's own
        return GapKind.RATE_LIMIT
    if not poll.status:
        return GapKind.NETWORK
    if poll.status in {401, 403}:
        return GapKind.REFUSED
    return GapKind.GATEWAY
