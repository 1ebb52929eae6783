"""The rate limit: how many requests one key may make, as a bucket that refills."""

from collections.abc import Callable
from typing import Final

PER_SECOND: Final = 200.0
BURST: Final = 400.0


class RateLimiter:
    """A bucket for each key; it lives in memory, since a restart may well forgive."""

    def __init__(
        self, clock: Callable[[], float], per_second: float = PER_SECOND, burst: float = BURST
    ) -> None:
        self._clock = clock
        self._per_second = per_second
        self._burst = burst
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, key_id: str) -> bool:
        """Count one request of a key; say whether it is within the limit."""
        now = self._clock()
        left, counted = self._buckets.get(key_id, (self._burst, now))
        left = min(self._burst, left + max(0.0, now - counted) * self._per_second)
        allowed = left >= 1.0
        self._buckets[key_id] = (left - 1.0 if allowed else left, now)
        return allowed
