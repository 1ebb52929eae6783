"""A clock that a test moves: nobody waits for real time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)
# Woken sleepers often do several awaits before they sleep again; so many turns of the loop are theirs.
TURNS = 20
# Timers that are due come with the next turn, so that one in which nobody runs isn't the end.
IDLE_TURNS = 2
# What adding and subtracting times may lose.
ROUNDING_S = 1e-9


class MovedClock:
    """Implements `core.ports.Clock`; stands still until it is moved.

    Args:
        start: What `now` tells at first, UTC.
    """

    def __init__(self, start: datetime = START) -> None:
        self.moved_s = 0.0
        self.haste = 1.0
        self._start = start
        self._passed = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed + self.moved_s)

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        awake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._passed + seconds, next(self._order), awake))
        await awake

    @property
    def sleepers(self) -> int:
        """How many wait for the clock now."""
        return sum(not awake.done() for _due, _order, awake in self._sleepers)

    @property
    def next_due_s(self) -> float | None:
        """In how many seconds the next sleeper wakes; None while nobody sleeps."""
        waiting = [due for due, _order, awake in self._sleepers if not awake.done()]
        return min(waiting) - self._passed if waiting else None

    def move(self, seconds: float) -> None:
        """Let time pass at one stroke: everybody due wakes at the end of it."""
        self._passed += seconds
        while self._sleepers and self._sleepers[0][0] <= self._passed:
            _wake(heapq.heappop(self._sleepers)[2])

    async def advance(self, seconds: float) -> None:
        """Let time pass from sleeper to sleeper, so that who sleeps again on the way wakes again, too."""
        end = self._passed + seconds
        await turns()
        while self._sleepers and self._sleepers[0][0] <= end + ROUNDING_S:
            due, _order, awake = heapq.heappop(self._sleepers)
            self._passed = max(self._passed, due)
            _wake(awake)
            await turns()
        self._passed = max(self._passed, end)
        await turns()


class HurriedClock(MovedClock):
    """Lets time pass as soon as anybody sleeps, where nobody stands beside to move the clock.

    Attributes:
        before_sleep: Called each time, before time passes.
    """

    before_sleep: Callable[[], None] = staticmethod(lambda: None)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.before_sleep()
        self.move(seconds)


class JumpingClock(MovedClock):
    """A clock whose time of day somebody sets while its monotonic side goes on.

    Attributes:
        set_by: By how much the time of day was set.
    """

    set_by = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.set_by


async def turns(count: int = TURNS) -> None:
    """Give everybody who can run `count` turns of the loop, or fewer if nobody can any more."""
    loop = asyncio.get_running_loop()
    # On Qt's loop others run that asyncio knows nothing of.
    ready = loop._ready if type(loop).__module__.startswith("asyncio.") else None
    idle = 0
    for _ in range(count):
        await asyncio.sleep(0)
        idle = idle + 1 if ready is not None and not ready else 0
        if idle == IDLE_TURNS:
            break


def _wake(awake: asyncio.Future[None]) -> None:
    if not awake.done():
        awake.set_result(None)
