"""One budget of requests for each environment, shared by all its sales: so many a second, so many at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from keybench.core.ports import Clock, ContractFacts

#: How many requests may go out at one stroke after a quiet time, in seconds' worth of the rate.
BURST_S: Final = 1.0
#: The longest that one gateway's wish for patience holds up the polls of other sales, in seconds.
LONGEST_REST_S: Final = 60.0
#: Adding up parts of a token leaves crumbs.
_WHOLE: Final = 1.0 - 1e-9

_Queue = deque[asyncio.Event]


class Budget:
    """A bucket of tokens, one a request, that fills at the environment's rate; first come, first served.

    Sends, which move money, go before all polls that wait. Whoever is cancelled while waiting leaves the
    queue and takes nothing.

    Args:
        clock: Fills the bucket.
        requests_per_s: The rate.
        at_once: How many polls may be under way, held ones not counted.
    """

    def __init__(self, clock: Clock, requests_per_s: float, at_once: int) -> None:
        self._clock = clock
        self._rate = requests_per_s
        self._size = max(1.0, requests_per_s * BURST_S)
        self._tokens = self._size
        self._filled_at = self._rests_until = clock.monotonic()
        self._free = at_once
        self._sends: _Queue = deque()
        self._polls: _Queue = deque()

    @property
    def waiting(self) -> int:
        """How many wait for their turn now."""
        return len(self._sends) + len(self._polls)

    async def send(self) -> None:
        """Wait for a send's turn."""
        await self._turn(self._sends)

    def rest(self, seconds: float) -> None:
        """Let no poll begin for a while, because the gateway asked one of them for patience."""
        until = self._clock.monotonic() + min(seconds, LONGEST_REST_S)
        self._rests_until = max(self._rests_until, until)

    @asynccontextmanager
    async def poll(self, *, held: bool = False) -> AsyncIterator[None]:
        """Wait for a poll's turn; it is under way for as long as the block lasts.

        Args:
            held: The gateway holds its answer, so it isn't counted among those under way.
        """
        await self._turn(self._polls)
        if held:
            self._give_back()
        try:
            yield
        finally:
            if not held:
                self._give_back()

    def _give_back(self) -> None:
        self._free += 1
        self._wake_heads()

    async def _turn(self, queue: _Queue) -> None:
        if not self.waiting and self._short_s(queue) == 0:  # nearly always
            self._take(queue)
            return
        woken = asyncio.Event()
        queue.append(woken)
        try:
            while (wait_s := self._wait_s(queue, woken)) != 0:
                if wait_s is None:
                    woken.clear()
                    await woken.wait()
                else:
                    await self._clock.sleep(wait_s)
            self._take(queue)
        finally:
            queue.remove(woken)
            self._wake_heads()

    def _wait_s(self, queue: _Queue, woken: asyncio.Event) -> float | None:
        """Return how long until the turn has come, in seconds; None if others are first."""
        if queue[0] is not woken or (queue is self._polls and self._sends):
            return None
        return self._short_s(queue)

    def _take(self, queue: _Queue) -> None:
        self._tokens -= 1
        self._free -= queue is self._polls

    def _short_s(self, queue: _Queue) -> float | None:
        """Return how long until it is allowed, in seconds; None if another must end first."""
        polls = queue is self._polls
        if polls and self._free <= 0:
            return None
        self._fill()
        short_s = 0.0 if self._tokens >= _WHOLE else (1 - self._tokens) / self._rate
        rests_s = self._rests_until - self._filled_at if polls else 0.0
        return max(short_s, rests_s, 0.0)

    def _fill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._size, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now

    def _wake_heads(self) -> None:
        for queue in (self._sends, self._polls):
            if queue:
                queue[0].set()


class Budgets:
    """The environments' budgets, each made when it is first asked for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._budgets: dict[tuple[str, float, int], Budget] = {}

    def of(self, environment_id: str, facts: ContractFacts) -> Budget:
        """Return an environment's budget; other limits, from another contract, begin another one."""
        name = environment_id, facts.requests_per_s, facts.at_once
        if name not in self._budgets:
            self._budgets[name] = Budget(self._clock, facts.requests_per_s, facts.at_once)
        return self._budgets[name]
