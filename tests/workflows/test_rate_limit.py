"""One rate limit for an environment: its rate, its order, and that nobody who leaves takes anything."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.clock import START, MovedClock
from fakes.scripted_gateway import PASTED_FACTS
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, Forbidden, GatewayError, GatewayFailed, KeyRefused, Refused
from keybench.workflows.rate_limit import BURST_S, GROWTH, LEAST_PER_S, LONGEST_REST_S, RateLimit, RateLimits

#: What a test does: somebody comes to send or to poll, somebody gives up, a poll ends, time passes.
STEPS = st.lists(
    st.sampled_from(["send", "poll"])
    | st.tuples(st.sampled_from(["leave", "end"]), st.integers(0, 30))
    | st.tuples(st.just("wait"), st.floats(0.01, 3)),
    max_size=40,
)


def environment(name: str) -> Environment:
    return Environment(name, name, EnvironmentKind.TEST, f"https://{name}.example", "v5", START)


class Street:
    """Callers at one limit, and when each had its turn."""

    def __init__(self, rate: float, at_once: int) -> None:
        self.clock = MovedClock()
        self.limit = RateLimit(self.clock, rate, at_once)
        self.tasks: list[asyncio.Task[None]] = []
        self.turns: list[tuple[str, int, float]] = []
        self.under_way: dict[int, asyncio.Event] = {}
        self.most_under_way = 0

    def come(self, kind: str) -> None:
        number = len(self.tasks)
        work = self._send(number) if kind == "send" else self._poll(number)
        self._start(work)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    async def _send(self, number: int) -> None:
        await self.limit.send()
        self.turns.append(("send", number, self.clock.monotonic()))

    async def _poll(self, number: int) -> None:
        async with self.limit.poll():
            self.turns.append(("poll", number, self.clock.monotonic()))
            self.under_way[number] = asyncio.Event()
            self.most_under_way = max(self.most_under_way, len(self.under_way))
            try:
                await self.under_way[number].wait()
            finally:
                del self.under_way[number]

    def leave(self, which: int) -> None:
        waiting = [task for task in self.tasks if not task.done()]
        if waiting:
            waiting[which % len(waiting)].cancel()

    def end(self, which: int) -> None:
        if self.under_way:
            list(self.under_way.values())[which % len(self.under_way)].set()

    async def walk(self, steps: list[Any]) -> None:
        """Do the steps, and then let everybody who is left have a turn."""
        for step in steps:
            match step:
                case "send" | "poll":
                    self.come(step)
                case ("wait", seconds):
                    await self.clock.advance(seconds)
                case (what, which):
                    getattr(self, what)(which)
            await self.clock.advance(0)
        for _ in self.tasks:
            for ended in self.under_way.values():
                ended.set()
            await self.clock.advance(10)

    def of(self, kind: str) -> list[int]:
        return [number for one, number, _at in self.turns if one == kind]


@settings(max_examples=60, deadline=None)
@given(STEPS, st.sampled_from([0.5, 1.0, 4.0]), st.integers(1, 3))
async def test_laws_of_the_rate_limit(steps: list[Any], rate: float, at_once: int) -> None:
    street = Street(rate, at_once)
    await street.walk(steps)
    assert street.limit.waiting == 0, "somebody waits for ever"
    assert all(task.done() for task in street.tasks)
    assert street.most_under_way <= at_once
    for kind in ("send", "poll"):
        assert street.of(kind) == sorted(street.of(kind)), "first come, first served"
    times = [at for _kind, _number, at in street.turns]
    burst = max(1.0, rate * BURST_S)
    for first, began in enumerate(times):
        for count, now in enumerate(times[first:], start=1):
            assert count <= burst + (now - began) * rate + 1e-6, "the rate is kept in every stretch of time"


async def test_a_send_goes_before_the_polls_that_wait() -> None:
    street = Street(1.0, 8)
    for kind in ("poll", "poll", "poll", "send", "send"):
        street.come(kind)
    await street.walk([])
    assert [(kind, at) for kind, _number, at in street.turns] == [
        ("poll", 0.0),
        ("send", pytest.approx(1.0)),
        ("send", pytest.approx(2.0)),
        ("poll", pytest.approx(3.0)),
        ("poll", pytest.approx(4.0)),
    ]


async def test_who_gives_up_leaves_no_trace() -> None:
    street = Street(1.0, 1)
    street.come("poll")
    await street.clock.advance(0)
    for _ in range(20):
        street.come("poll")
        await street.clock.advance(0)
        street.leave(1)
        await street.clock.advance(0)
    assert street.limit.waiting == 0
    street.come("poll")
    await street.clock.advance(5)
    assert street.of("poll") == [0], "the first is still under way"
    street.end(0)
    await street.clock.advance(0)
    assert street.of("poll") == [0, 21], "twenty tokens weren't taken"
    await street.walk([])


async def test_the_gateways_wish_for_patience_holds_up_the_other_sales_polls_but_no_send() -> None:
    street = Street(100.0, 8)
    street.limit.rest(5.0)
    street.come("poll")
    street.come("send")
    await street.walk([])
    assert [(kind, at) for kind, _number, at in street.turns] == [("send", 0.0), ("poll", pytest.approx(5.0))]


async def test_a_wish_for_very_much_patience_holds_up_nobody_else_for_ever() -> None:
    street = Street(100.0, 8)
    street.limit.rest(100_000.0)
    street.come("poll")
    await street.clock.advance(LONGEST_REST_S)
    assert street.of("poll") == [0]
    await street.walk([])


async def test_held_polls_are_not_counted_among_those_under_way() -> None:
    limit = RateLimit(MovedClock(), 100.0, 1)
    async with limit.poll(held=True), limit.poll(held=True), limit.poll():
        assert limit.waiting == 0


def test_each_account_has_one_limit_for_as_long_as_its_limits_stay() -> None:
    limits = RateLimits(MovedClock())
    other = replace(PASTED_FACTS, requests_per_s=3.0)
    a, b = environment("a"), environment("b")
    assert limits.of(a, PASTED_FACTS) is limits.of(a, PASTED_FACTS)
    assert limits.of(a, PASTED_FACTS) is not limits.of(b, PASTED_FACTS)
    assert limits.of(a, PASTED_FACTS) is not limits.of(a, other)
    same_account = replace(b, base_url=a.base_url)
    assert limits.of(same_account, PASTED_FACTS) is limits.of(a, PASTED_FACTS)


# --- learning what a gateway takes -------------------------------------------------------------------

TOO_OFTEN = Refused("rate limit", status=429)


class Account:
    """A gateway's account that takes so many requests a second and refuses the others."""

    def __init__(self, takes_per_s: float, *, start_per_s: float = 10.0, most_per_s: float = 500.0) -> None:
        self.clock = MovedClock()
        self.limit = RateLimit(self.clock, most_per_s, 1000, start_per_s)
        self.takes_per_s = takes_per_s
        self.pause_s = 0.05
        self.seconds: dict[int, int] = {}
        self.refused = 0

    async def use(self, seconds: float, callers: int = 40) -> None:
        """Have callers ask one question after the other for a while."""
        tasks = [asyncio.get_running_loop().create_task(self._ask_on()) for _ in range(callers)]
        for _ in range(round(seconds * 20)):
            await self.clock.advance(0.05)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_on(self) -> None:
        while True:
            async with self.limit.poll():
                second = int(self.clock.monotonic())
                self.seconds[second] = self.seconds.get(second, 0) + 1
                is_too_often = self.seconds[second] > self.takes_per_s
                self.refused += is_too_often
                self.limit.answered(TOO_OFTEN if is_too_often else None)
            await self.clock.sleep(self.pause_s)


async def test_it_begins_near_ten_a_second_and_grows_while_more_is_wanted() -> None:
    account = Account(takes_per_s=1000)
    assert account.limit.rate == 10
    await account.use(8)
    assert account.seconds[0] <= 2 * 10 + GROWTH  # the bucket was full
    assert 30 < account.limit.rate <= 10 + 9 * GROWTH
    assert not account.refused


async def test_it_stays_as_it_is_while_no_more_is_wanted() -> None:
    account = Account(takes_per_s=1000)
    account.pause_s = 0.2
    await account.use(30, callers=1)
    for _ in range(1000):
        account.limit.answered(None)
    assert account.limit.rate == 10


@pytest.mark.parametrize("takes_per_s", [3, 20, 60])
async def test_it_settles_around_what_the_gateway_takes(takes_per_s: float) -> None:
    account = Account(takes_per_s)
    await account.use(60)
    last = [account.seconds.get(second, 0) for second in range(30, 60)]
    mean = sum(last) / len(last)
    assert 0.4 * takes_per_s <= mean <= takes_per_s + GROWTH
    assert account.refused < 0.25 * sum(account.seconds.values())


def test_a_burst_of_refusals_halves_it_once_and_it_never_stops() -> None:
    limit = RateLimit(clock := MovedClock(), 100, 8)
    for _ in range(50):
        limit.answered(TOO_OFTEN)
    assert limit.rate == 50
    for _ in range(50):
        clock.move(2)
        limit.answered(TOO_OFTEN)
    assert limit.rate == LEAST_PER_S


@pytest.mark.parametrize(
    "error",
    [
        KeyRefused("unauthorised", status=401),
        Forbidden("forbidden", status=403),
        Refused("request unknown", status=404),
        GatewayFailed("failed", status=502),
        AnswerLost("timeout"),
    ],
)
def test_only_a_gateway_that_was_asked_too_often_slows_it_down(error: GatewayError) -> None:
    limit = RateLimit(MovedClock(), 100, 8)
    limit.answered(error)
    assert limit.rate == 100


def test_a_wish_for_patience_slows_it_down_and_holds_for_the_account() -> None:
    limit = RateLimit(MovedClock(), 100, 8)
    limit.answered(GatewayFailed("failed", status=503, retry_after_s=7.0))
    assert limit.rate == 50
    assert limit._short_s(limit._polls) == 7.0
