"""The poll plan: when to ask for a sale's status again, and why then. Pure, so that it can explain itself.

A poll costs the gateway something and a late outcome costs the till something. The plan asks as soon as the
outcome is expected to have waited for as long as a poll is worth, by what is known of the device's habit. A
gateway in trouble or asking for patience is given it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

from keybench.core.devices.habit import Habit


class Why(enum.StrEnum):
    """Why a pause is as long as it is; `words.sales.polls` has the sentences."""

    FIRST = "first"
    EARLY = "early"
    LIKELY = "likely"
    LATE = "late"
    STATE = "state"
    HELD = "held"
    HINT = "hint"
    TROUBLE = "trouble"
    PATIENCE = "patience"
    LAST = "last"


#: The share of outcomes before which it is early, and after which it is late.
_FEW: Final = 0.1
#: What is waited for whatever is learnt meanwhile.
UNMOVED: Final = frozenset({Why.HELD, Why.HINT, Why.TROUBLE, Why.PATIENCE, Why.LAST})


@dataclass(frozen=True, slots=True)
class Pause:
    """How long to wait before a poll, in seconds, and why."""

    seconds: float
    why: Why


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the following of a sale has come; all times in seconds since the sale was accepted.

    Attributes:
        elapsed_s: Now.
        followed_s: Since this program follows it; shorter than `elapsed_s` after a restart.
        asked: How often this program has asked.
        troubles: How many polls in a row brought no status.
        retry_after_s: What the gateway asked to wait, if it did.
        hint_s: When the gateway suggested to ask again, if it did.
        held: Whether the gateway holds polls until there is news.
        phase: From 0 to below 1; other sales have others, so that their polls don't come all at once.
        asked_after_s: When the last question began; None before the first one. An answer may be held, and a
            whole computer may sleep, past the deadline.
        open_after_s: When the sale was last known to be under way.
        state: Its status word, if that isn't the one it began with.
        state_after_s: When that word was first there, as far as can be told.
        sparing: Whether it is one of many under way on devices of which nothing is known.
    """

    elapsed_s: float
    followed_s: float
    asked: int
    troubles: int = 0
    retry_after_s: float | None = None
    hint_s: float | None = None
    held: bool = False
    phase: float = 0.0
    asked_after_s: float | None = None
    open_after_s: float = 0.0
    state: str = ""
    state_after_s: float = 0.0
    sparing: bool = False


@dataclass(frozen=True, slots=True)
class PollPlan:
    """When to poll, in seconds since the sale was accepted.

    Attributes:
        price_s: What a poll costs, in seconds of lag. At this price what is usual at tills leads to about as
            many polls as one a second.
        shortest_s: The shortest pause between two polls.
        longest_s: The longest one, but for troubles.
        sparing_s: How far apart the polls of a sale are on the whole where it is one of many untaught ones.
        spread_s: By how much the first polls of sales that are resumed together are spread.
        held_s: The pause after an answer that the gateway held.
        least_hint_s: The shortest pause that a gateway's suggestion can lead to.
        backoff_s: The first pause after trouble; it doubles with each further trouble in a row.
        longest_backoff_s: The longest of those.
        grace_s: How long a sale that was resumed late is followed at least.
        deadline_s: When to stop and call the sale unknown. Beyond the device's own five minutes, so that
            the gateway's time-out is seen.
    """

    price_s: float = 0.037
    shortest_s: float = 0.2
    longest_s: float = 10.0
    sparing_s: float = 1.0
    spread_s: float = 0.9
    held_s: float = 0.3
    least_hint_s: float = 0.2
    backoff_s: float = 2.0
    longest_backoff_s: float = 16.0
    grace_s: float = 30.0
    deadline_s: float = 330.0

    def pause(self, now: Progress, habit: Habit) -> Pause | None:
        """Return how long to wait before the next poll, or None when it is time to give up."""
        left_s = max(self.deadline_s - now.elapsed_s, self.grace_s - now.followed_s)
        if left_s <= 0:
            asked_late = now.asked_after_s is not None and now.asked_after_s >= now.elapsed_s + left_s
            return None if asked_late else Pause(0.0, Why.LAST)
        pause = self._patient(self._wished(now, habit), now)
        return pause if pause.seconds < left_s else Pause(left_s, Why.LAST)

    def _wished(self, now: Progress, habit: Habit) -> Pause:
        if now.asked and now.hint_s is not None:
            return Pause(max(now.hint_s, self.least_hint_s), Why.HINT)
        if now.held:
            return Pause(self.held_s + (0.0 if now.asked else now.phase * self.spread_s), Why.HELD)
        due_s, why = self._due(now, habit)
        if now.asked or due_s >= now.elapsed_s:
            return Pause(max(due_s - now.elapsed_s, 0.0), why)
        return Pause(max(now.phase * self.spread_s - now.followed_s, 0.0), why)

    def _due(self, now: Progress, habit: Habit) -> tuple[float, Why]:
        # The first poll settles when the others come: all of them are spread from one sale to the next.
        price_s = self.price_s if now.asked else self.price_s * (0.7 + 0.6 * now.phase) ** 2
        after_state = habit.after.get(now.state) if now.state else None
        begin_s = now.state_after_s if after_state else 0.0
        expected = after_state or habit.expected
        wished_s = begin_s + expected.next_look(max(now.open_after_s - begin_s, 0.0), price_s)
        last_s = now.asked_after_s or 0.0
        sparing_s = now.asked * self.sparing_s if now.sparing else 0.0
        due_s = min(max(wished_s, last_s + self.shortest_s, sparing_s), last_s + self.longest_s)
        if after_state:
            return due_s, Why.STATE
        over = (habit.seen or habit.expected).share(due_s)
        if not habit.seen and not now.asked:
            return due_s, Why.FIRST
        return due_s, Why.EARLY if over < _FEW else Why.LIKELY if over < 1 - _FEW else Why.LATE

    def _patient(self, wished: Pause, now: Progress) -> Pause:
        """Return the pause made longer where the gateway is in trouble or asked for it."""
        if now.troubles:
            backoff_s = min(self.backoff_s * 2 ** min(now.troubles - 1, 8), self.longest_backoff_s)
            wished = max(wished, Pause(backoff_s, Why.TROUBLE), key=_seconds)
        if now.retry_after_s is not None:
            wished = max(wished, Pause(now.retry_after_s, Why.PATIENCE), key=_seconds)
        return wished


def _seconds(pause: Pause) -> float:
    return pause.seconds


@dataclass(frozen=True, slots=True)
class RefusalPlan:
    """When a deleted key is tried again until it is refused: quickly at first, as most are refused at once.

    Attributes:
        growth: How much longer each pause is than the one before.
        longest_s: The longest pause, but for a gateway that asks for patience.
        gives_up_s: How long it is tried; a person may begin again.
    """

    first_s: float = 0.5
    growth: float = 1.5
    longest_s: float = 20.0
    gives_up_s: float = 600.0

    def pause_s(self, elapsed_s: float, tries: int, retry_after_s: float | None = None) -> float | None:
        """Return how long to wait before the next try, or None when it is time to give up."""
        # Bounded before it is raised to a power, so that a clock that stands still can't overflow it.
        wished = min(self.first_s * self.growth ** min(max(tries - 1, 0), 60), self.longest_s)
        pause = max(wished, retry_after_s or 0.0)
        return pause if elapsed_s + pause <= self.gives_up_s else None


USUAL_REFUSAL: Final = RefusalPlan()
#: A leaked key is watched more closely, and for longer: as long as it works, somebody else may sell with it.
COMPROMISED_REFUSAL: Final = RefusalPlan(first_s=0.3, growth=1.25, longest_s=5.0, gives_up_s=1800.0)
