"""The system's clock, and a time limit that counts only such time as the program could use.

A stopped process, a sleeping computer or a busy loop finds its timers due before it has read what came
meanwhile. An ordinary time limit then ends work whose answer is there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final


class SystemClock:
    """Real time; implements `core.ports.Clock`."""

    def __init__(self) -> None:
        self.moved_s = 0.0
        self.haste = 1.0

    def now(self) -> datetime:
        """Return the wall-clock time in UTC, as far as it was moved on."""
        return datetime.now(UTC) + timedelta(seconds=self.moved_s)

    def monotonic(self) -> float:
        """Return seconds on the system's monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds`, or `haste` times less.

        Qt's timers may fire some 5 % early, so the rest is waited for until the clock agrees.
        """
        end = self.monotonic() + seconds / self.haste
        while (left := end - self.monotonic()) > 0:  # noqa: ASYNC110 - it sleeps for time, not for an event
            await asyncio.sleep(left)


#: For how long what came meanwhile is still handled when a limit has passed, in seconds.
AGAIN_S: Final = 0.1
#: A timer that is delayed by more was so because the program stood still, in seconds.
PUNCTUAL_S: Final = 0.25


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[None]:
    """Limit how long the block may take, as `asyncio.timeout`, with a moment more to handle what has come.

    As long as the program stands still, there is another moment.
    """
    if seconds is None:
        yield
        return
    loop = asyncio.get_running_loop()
    due = loop.time() + seconds
    looked_again = False
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal due, looked_again, timer
        now = loop.time()
        if looked_again and now - due <= PUNCTUAL_S:
            limit.reschedule(now)
            return
        looked_again, due = True, now + AGAIN_S
        timer = loop.call_at(due, look)

    async with asyncio.timeout(None) as limit:
        timer = loop.call_at(due, look)
        try:
            yield
        finally:
            timer.cancel()
