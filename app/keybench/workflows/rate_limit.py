"""One rate limit for each account, shared by all its calls: so many requests a second, so many at once.

How many a second the gateway takes isn't known, so it is learnt from its answers, as TCP learns a network's
rate (RFC 5681): a little more while they are well and more is wanted, half as many after a refusal.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from keybench.core.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.ports import Clock, ContractFacts

#: How many requests may go out at one stroke after a quiet time, in seconds' worth of the rate.
BURST_S: Final = 1.0
#: The longest that one gateway's wish for patience holds up the polls of other sales, in seconds.
LONGEST_REST_S: Final = 60.0
#: By how many requests a second the rate grows each second at the most, while it is used to the full.
GROWTH: Final = 5.0
#: By how much of itself a low rate grows each second.
_SHARE: Final = 0.25
#: The lowest rate: a gateway that refuses everything is still asked every two seconds.
LEAST_PER_S: Final = 0.5
#: Refusals within so many seconds are of one burst and halve the rate once.
ONE_BURST_S: Final = 1.0
#: Adding up parts of a token leaves crumbs.
_WHOLE: Final = 1.0 - 1e-9

_Queue = deque[asyncio.Event]


class RateLimit:
    """A bucket of tokens, one a request, that fills at the account's rate; first come, first served.

    Sends, which move money, go before all polls that wait. Whoever is cancelled while waiting leaves the
    queue and takes nothing.

    Args:
        clock: Fills the bucket.
        requests_per_s: The highest rate.
        start_per_s: The rate to begin with; the highest one if 0.
        at_once: How many polls may be under way, held ones not counted.
    """

    def __init__(self, clock: Clock, requests_per_s: float, at_once: int, start_per_s: float = 0.0) -> None:
        self._clock = clock
        self._most = requests_per_s
        self._rate = min(start_per_s or requests_per_s, requests_per_s)
        self._tokens = self._size
        self._pressed_at = self._halved_at = float("-inf")
        self._filled_at = self._rests_until = clock.monotonic()
        self._free = at_once
        self._sends: _Queue = deque()
        self._polls: _Queue = deque()

    @property
    def rate(self) -> float:
        """How many requests a second may go out at present."""
        return self._rate

    @property
    def refused_s(self) -> float:
        """How long ago the gateway last asked for fewer requests, in seconds; infinite if it never did."""
        return self._clock.monotonic() - self._halved_at

    @property
    def _size(self) -> float:
        return max(1.0, self._rate * BURST_S)

    @property
    def waiting(self) -> int:
        """How many wait for their turn now."""
        return len(self._sends) + len(self._polls)

    async def send(self) -> None:
        """Wait for a send's turn."""
        await self._turn(self._sends)

    def answered(self, error: GatewayError | None) -> None:
        """Learn from what a request met.

        Args:
            error: Why it failed; None for an answer that is well.
        """
        now = self._clock.monotonic()
        if error is None or not error.asks_to_wait:
            if error is None and now - self._pressed_at <= ONE_BURST_S:
                self._fill()
                self._rate = min(self._rate + min(GROWTH / self._rate, _SHARE), self._most)
            return
        if now - self._halved_at > ONE_BURST_S:
            self._fill()
            self._rate = max(self._rate / 2, min(LEAST_PER_S, self._rate))
            self._tokens = min(self._tokens, 0.0)
            self._halved_at = now
        if error.retry_after_s:  # it holds for the account, so for the other calls, too
            self.rest(error.retry_after_s)

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
        if short_s:
            self._pressed_at = self._filled_at
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


class RateLimits:
    """The accounts' rate limits, each created when it is first asked for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._limits: dict[tuple[str, float, int, float], RateLimit] = {}

    def of(self, environment: Environment, facts: ContractFacts) -> RateLimit:
        """Return the rate limit of an environment's account: environments with one address share it.

        Other limits, from another contract, begin another one.
        """
        account = environment.base_url or environment.id
        limits = facts.requests_per_s, facts.at_once, facts.start_per_s
        if (account, *limits) not in self._limits:
            self._limits[account, *limits] = RateLimit(self._clock, *limits)
        return self._limits[account, *limits]
