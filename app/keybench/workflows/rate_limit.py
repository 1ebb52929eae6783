"""One rate limit for each account, shared by all its calls: so many requests a second, so many at once.

How many a second the gateway takes isn't known, so it is learnt from its answers, as TCP learns a network's
rate (RFC 5681): twice as many while they are well and more is wanted, half as many after a refusal, and from
then on a little more at a time. What may be refused is a poll, never a sale: a sale is sent only once.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError
from keybench.core.ports import Clock, ContractFacts

#: How many requests may go out at one stroke after a quiet time, in seconds' worth of the rate.
BURST_S: Final = 1.0
#: The longest that one gateway's wish for patience holds up the polls of other sales, in seconds.
LONGEST_REST_S: Final = 60.0
#: By how much of itself the rate grows each second, once the gateway has refused one.
GROWTH: Final = 0.25
#: What is left of it after a later refusal (RFC 9438); the first one halves it.
SHARE: Final = 0.7
#: The rate grows only while so much of it is used, as TCP's does: what isn't used shows nothing.
USED: Final = 0.6
#: The lowest rate: a gateway that refuses everything is still asked every two seconds.
LEAST_PER_S: Final = 0.5
#: Refusals within so many seconds are of one burst and halve the rate once. Gateways count by the second, and
#: what is sent a second apart may arrive a little closer, so sends keep away from other requests by this.
ONE_BURST_S: Final = 1.2
#: How long the first of a queue waits before it looks again: what others are answered changes its turn.
LOOK_S: Final = 0.05
#: Adding up parts of a token leaves crumbs.
_WHOLE: Final = 1.0 - 1e-9

_Queue = deque[asyncio.Event]


class RateLimit:
    """A bucket of tokens, one a request, that fills at the account's rate; first come, first served.

    Sends, which move money, go before all polls that wait. Where no contract tells the limit, they keep to
    half of the rate, polls included, and each other second polls go first: they find out if more is taken.
    Whoever is cancelled while waiting leaves the queue and takes nothing.

    Args:
        clock: Fills the bucket.
        requests_per_s: The highest rate.
        start_per_s: The rate to begin with; the highest one if 0.
        at_once: How many polls may be under way, held ones not counted.

    Attributes:
        kept: The rate that the journal keeps for the next start; 0 until it was read.
    """

    def __init__(self, clock: Clock, requests_per_s: float, at_once: int, start_per_s: float = 0.0) -> None:
        self._clock = clock
        self._most = requests_per_s
        self.kept = 0.0
        self._sending = 0
        self._gone = deque[float](maxlen=max(1, int(self._most)))
        self._halved_at = self._refused_at = self._sent_at = -math.inf
        self._filled_at = self._rests_until = clock.monotonic()
        self._free = at_once
        self.begin(start_per_s or requests_per_s)
        self._sends: _Queue = deque()
        self._polls: _Queue = deque()

    @property
    def rate(self) -> float:
        """How many requests a second may go out at present."""
        return self._rate

    @property
    def refused_s(self) -> float:
        """How long ago the gateway last asked for fewer requests, in seconds; infinite if it never did."""
        return self._clock.monotonic() - self._refused_at

    @property
    def _size(self) -> float:
        return max(1.0, self._rate * BURST_S)

    @property
    def waiting(self) -> int:
        """How many wait for their turn now."""
        return len(self._sends) + len(self._polls)

    def begin(self, rate: float) -> None:
        """Begin with a rate; it doubles until it is refused."""
        self._rate = min(max(LEAST_PER_S, rate), self._most)
        self._doubles = self._rate < self._most
        self._tokens = self._size

    @asynccontextmanager
    async def send(self) -> AsyncIterator[None]:
        """Wait for a send's turn; it is under way for as long as the block lasts."""
        await self._turn(self._sends)
        self._sending, self._sent_at = self._sending + 1, self._clock.monotonic()
        try:
            yield
        finally:
            self._sending -= 1
            self._wake_heads()

    def answered(self, error: GatewayError | None) -> None:
        """Learn from what a request met."""
        now = self._clock.monotonic()
        if error is None or not error.asks_to_wait:
            if error is None and self._fits_at(self._rate * USED) > now:
                self._fill()
                self._rate = min(self._rate + (1.0 if self._doubles else GROWTH), self._most)
                self._tokens += 2.0 if self._doubles else 0.0
            return
        self._refused_at = now
        if now - self._halved_at > ONE_BURST_S:
            self._fill()
            share = SHARE if math.isfinite(self._halved_at) else 0.5
            self._rate = max(self._rate * share, min(LEAST_PER_S, self._rate))
            # A second's worth went out at a stroke while it doubled.
            self._tokens = min(self._tokens, -self._rate * BURST_S if self._doubles else 0.0)
            self._doubles, self._halved_at = False, now
        if error.retry_after_s:  # it holds for the account, so for the other calls, too
            self.rest(error.retry_after_s)

    def rest(self, seconds: float) -> None:
        """Let no request begin for a while, because the gateway asked one of them for patience."""
        until = self._clock.monotonic() + min(seconds, LONGEST_REST_S)
        self._rests_until = max(self._rests_until, until)

    @asynccontextmanager
    async def poll(self, *, held: bool = False) -> AsyncIterator[None]:
        """Wait for a poll's turn; it is under way for as long as the block lasts."""
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
        if queue[0] is not woken:
            return None
        tries = self._clock.monotonic() // ONE_BURST_S % 2 and self._free > 0 and self._rate < self._most
        first = self._polls if self._polls and tries else self._sends
        if first and queue is not first:
            return LOOK_S
        short_s = self._short_s(queue)
        return short_s and min(short_s, LOOK_S)

    def _fits_at(self, rate: float) -> float:
        count = max(1, int(rate))
        span_s = max(ONE_BURST_S, count / rate)
        return self._gone[-count] + span_s if len(self._gone) >= count else 0.0

    def _take(self, queue: _Queue) -> None:
        self._gone.append(self._clock.monotonic())
        self._tokens -= 1
        self._free -= queue is self._polls

    def _short_s(self, queue: _Queue) -> float | None:
        """Return how long until it is allowed, in seconds; None if another must end first."""
        polls = queue is self._polls
        if polls and self._free <= 0:
            return None
        self._fill()
        short_s = 0.0 if self._tokens >= _WHOLE else (1 - self._tokens) / self._rate
        ready_at = self._rests_until
        if not polls or (self._sending and self._sent_at + ONE_BURST_S > self._filled_at):
            # A sale that is on its way for longer has arrived.
            sure = self._rate / 2 if self._rate < self._most else self._rate
            ready_at = max(ready_at, self._fits_at(sure), self._refused_at + ONE_BURST_S)
        return max(short_s, ready_at - self._filled_at, 0.0)

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
