"""The poll plan: when to ask for a sale's status again, and why then. Pure, so that it can explain itself.

A device talks to a person: hardly a sale ends while the card is still being looked for, most end a few
seconds later, and those are asked for quickest; one that takes long is asked for ever more seldom. A gateway
in trouble or asking for patience is given it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final


class Why(enum.StrEnum):
    """Why a pause is as long as it is; `words.outcomes` has the sentences."""

    FIRST = "first"
    EARLY = "early"
    LIKELY = "likely"
    LATE = "late"
    HELD = "held"
    HINT = "hint"
    TROUBLE = "trouble"
    PATIENCE = "patience"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Pause:
    """How long to wait before a poll, in seconds, and why."""

    seconds: float
    why: Why


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the following of a sale has come.

    Attributes:
        elapsed_s: Since the sale was accepted, in seconds.
        followed_s: Since this program follows it; shorter than `elapsed_s` after a restart.
        asked: How often this program has asked.
        troubles: How many polls in a row brought no status.
        retry_after_s: What the gateway asked to wait, if it did.
        hint_s: When the gateway suggested to ask again, if it did.
        held: Whether the gateway holds polls until there is news.
        phase: From 0 to below 1; other sales have others, so that their polls don't come all at once.
        asked_after_s: When the last question began, in seconds since the sale was accepted; None before the
            first one. An answer may be held, and a whole computer may sleep, past the deadline.
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


@dataclass(frozen=True, slots=True)
class PollPlan:
    """When to poll, in seconds since the sale was accepted.

    Attributes:
        spread_s: By how much the first polls of sales that begin together are spread.
        early_s: The pause while hardly a sale ends, until `rises_s`.
        rises_s: From here on the pause shrinks.
        likely_s: The pause while most sales end, from `peak_s` to `falls_s`.
        falls_s: From here on the pause grows with the time gone by.
        growth: By how much of that time.
        longest_s: The longest pause between two polls, but for troubles.
        held_s: The pause after an answer that the gateway held.
        least_hint_s: The shortest pause that a gateway's suggestion can lead to.
        backoff_s: The first pause after trouble; it doubles with each further trouble in a row.
        grace_s: How long a sale that was resumed late is followed at least.
        deadline_s: When to stop and call the sale unknown. Beyond the device's own five minutes, so that
            the gateway's time-out is seen.
    """

    first_s: float = 0.5
    spread_s: float = 0.9
    early_s: float = 1.4
    rises_s: float = 4.0
    likely_s: float = 0.26
    peak_s: float = 6.0
    falls_s: float = 10.0
    growth: float = 0.11
    longest_s: float = 4.0
    held_s: float = 0.3
    least_hint_s: float = 0.2
    backoff_s: float = 2.0
    grace_s: float = 30.0
    deadline_s: float = 330.0

    def pause(self, now: Progress) -> Pause | None:
        """Return how long to wait before the next poll, or None when it is time to give up.

        It isn't before a question was asked at the deadline or after it.
        """
        left_s = max(self.deadline_s - now.elapsed_s, self.grace_s - now.followed_s)
        if left_s <= 0:
            asked_late = now.asked_after_s is not None and now.asked_after_s >= now.elapsed_s + left_s
            return None if asked_late else Pause(0.0, Why.LAST)
        pause = self._patient(self._wished(now), now)
        return pause if pause.seconds < left_s else Pause(left_s, Why.LAST)

    def _wished(self, now: Progress) -> Pause:
        if not now.asked:
            return Pause(max(self.first_s - now.elapsed_s, 0.0) + now.phase * self.spread_s, Why.FIRST)
        if now.hint_s is not None:
            return Pause(max(now.hint_s, self.least_hint_s), Why.HINT)
        return Pause(self.held_s, Why.HELD) if now.held else self._steady(now.elapsed_s)

    def _steady(self, elapsed_s: float) -> Pause:
        if elapsed_s < self.rises_s:
            return Pause(self.early_s, Why.EARLY)
        if elapsed_s < self.peak_s:
            way = (elapsed_s - self.rises_s) / (self.peak_s - self.rises_s)
            return Pause(self.early_s + way * (self.likely_s - self.early_s), Why.LIKELY)
        if elapsed_s < self.falls_s:
            return Pause(self.likely_s, Why.LIKELY)
        return Pause(min(max(elapsed_s * self.growth, self.likely_s), self.longest_s), Why.LATE)

    def _patient(self, wished: Pause, now: Progress) -> Pause:
        """Return the pause made longer where the gateway is in trouble or asked for it."""
        if now.troubles:
            backoff_s = min(self.backoff_s * 2 ** min(now.troubles - 1, 8), self.longest_s * 4)
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
        """Return how long to wait before the next try, or None when it is time to give up.

        Args:
            elapsed_s: Since the first try.
            tries: How many were made, the last one included.
            retry_after_s: What the gateway asked to wait with its last answer, if it did.
        """
        # Bounded before it is raised to a power, so that a clock that stands still can't overflow it.
        wished = min(self.first_s * self.growth ** min(max(tries - 1, 0), 60), self.longest_s)
        pause = max(wished, retry_after_s or 0.0)
        return pause if elapsed_s + pause <= self.gives_up_s else None


USUAL_REFUSAL: Final = RefusalPlan()
#: A leaked key is watched more closely, and for longer: as long as it works, somebody else may sell with it.
COMPROMISED_REFUSAL: Final = RefusalPlan(first_s=0.3, growth=1.25, longest_s=5.0, gives_up_s=1800.0)
