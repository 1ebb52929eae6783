"""The poll plan: when to ask for a sale's status again. Pure, so that it can explain itself.

A device talks to a person, so most outcomes come within seconds and the first polls are quick; a sale that
takes long is asked for ever more seldom. A gateway in trouble or asking for patience is given it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PollPlan:
    """When to poll, in seconds since the sale was accepted.

    Attributes:
        first_s: The pause before the first poll.
        growth: By how much of the time gone by the pause grows.
        shortest_s: The least pause between two polls.
        longest_s: The longest pause between two polls.
        backoff_s: The first pause after trouble; it doubles with each further trouble in a row.
        grace_s: How long a sale taken up late is followed at least.
        deadline_s: When to stop and call the sale unknown. Beyond the device's own five minutes, so that
            the gateway's time-out is seen.
    """

    first_s: float = 0.5
    growth: float = 0.12
    shortest_s: float = 0.8
    longest_s: float = 4.0
    backoff_s: float = 2.0
    grace_s: float = 30.0
    deadline_s: float = 330.0

    def pause(
        self,
        elapsed_s: float,
        followed_s: float,
        *,
        asked: int,
        troubles: int = 0,
        retry_after_s: float | None = None,
    ) -> float | None:
        """Return how long to wait before the next poll, in seconds, or None when it is time to give up.

        Args:
            elapsed_s: Since the sale was accepted.
            followed_s: Since this program follows it; shorter than `elapsed_s` after a restart.
            asked: How often this program has asked.
            troubles: How many polls in a row brought no status.
            retry_after_s: What the gateway asked for, if it did.
        """
        left_s = max(self.deadline_s - elapsed_s, self.grace_s - followed_s)
        if left_s <= 0:
            return None
        pause = self._steady(elapsed_s) if asked else max(self.first_s - elapsed_s, 0.0)
        if troubles:
            pause = max(pause, min(self.backoff_s * 2 ** min(troubles - 1, 8), self.longest_s * 4))
        if retry_after_s is not None:
            pause = max(pause, retry_after_s)
        return min(pause, left_s)

    def _steady(self, elapsed_s: float) -> float:
        return min(max(elapsed_s * self.growth, self.shortest_s), self.longest_s)
