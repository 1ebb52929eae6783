"""When a deleted key is tried again until it is refused: quickly at first, most deletions spread at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RefusalPlan:
    """The pauses between two tries, all in seconds.

    Attributes:
        first_s: The first pause.
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


USUAL: Final = RefusalPlan()
#: A leaked key is watched more closely, and for longer: as long as it works, somebody else may sell with it.
COMPROMISED: Final = RefusalPlan(first_s=0.3, growth=1.25, longest_s=5.0, gives_up_s=1800.0)
