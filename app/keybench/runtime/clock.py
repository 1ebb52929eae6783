"""The system's clock."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Real time; implements `core.ports.Clock`."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds on the system's monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds`.

        Qt's timers may fire some 5 % early, so the rest is waited for until the clock agrees.
        """
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:  # noqa: ASYNC110 - it sleeps for time, not for an event
            await asyncio.sleep(left)
