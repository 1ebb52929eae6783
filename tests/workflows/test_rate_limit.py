"""One rate limit for an environment: its rate, its order, and that nobody who leaves takes anything."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.clock import START, MovedClock
from fakes.scripted_gateway import ACCEPTED, DONE, PASTED_FACTS
from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, Forbidden, GatewayError, GatewayFailed, KeyRefused, Refused
from keybench.workflows.rate_limit import (
    BURST_S,
    LEAST_PER_S,
    LONGEST_REST_S,
    ONE_BURST_S,
    RateLimit,
    RateLimits,
)
from sweeps import examples

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
        async with self.limit.send():
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


@settings(max_examples=examples(60))
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
        ("send", pytest.approx(ONE_BURST_S)),
        ("send", pytest.approx(2 * ONE_BURST_S)),
        ("poll", pytest.approx(2 * ONE_BURST_S + 1)),
        ("poll", pytest.approx(2 * ONE_BURST_S + 2)),
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


async def test_the_gateways_wish_for_patience_holds_up_polls_and_sends() -> None:
    street = Street(100.0, 8)
    street.limit.rest(5.0)
    street.come("poll")
    street.come("send")
    await street.walk([])
    assert [(kind, at) for kind, _number, at in street.turns] == [
        ("send", pytest.approx(5.0)),
        ("poll", pytest.approx(5.0, abs=0.1)),
    ]


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
    """A gateway's account that takes so many requests in any second and refuses the others."""

    def __init__(self, takes_per_s: int, *, start_per_s: float = 10.0, most_per_s: float = 500.0) -> None:
        self.clock = MovedClock()
        self.limit = RateLimit(self.clock, most_per_s, 16, start_per_s)
        self.pause_s = 0.05
        self.way_s = 0.02
        self.taken = deque[float](maxlen=takes_per_s)
        self.polls = Counter[int]()
        self.refused = {"poll": 0, "send": 0}

    async def ask(self, kind: str) -> None:
        """Make a request and learn from what it meets."""
        await self.clock.sleep(self.way_s)
        now = self.clock.monotonic()
        is_too_often = len(self.taken) == self.taken.maxlen and now - self.taken[0] < 1.0
        if is_too_often:
            self.refused[kind] += 1
            self.limit.answered(TOO_OFTEN)
        else:
            self.taken.append(now)
        await self.clock.sleep(self.way_s)
        if kind == "poll":
            self.polls[int(now)] += not is_too_often
            if not is_too_often:
                self.limit.answered(None)

    async def use(self, seconds: float, callers: int = 40) -> None:
        """Have callers ask one question after the other for a while."""
        tasks = [asyncio.get_running_loop().create_task(self._ask_on()) for _ in range(callers)]
        await self.clock.advance(seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_on(self) -> None:
        while True:
            async with self.limit.poll():
                await self.ask("poll")
            await self.clock.sleep(self.pause_s)

    async def sell(self, number: int) -> None:
        """Send a sale and ask for it about each second, ten times."""
        async with self.limit.send():
            await self.ask("send")
        for poll in range(10):
            await self.clock.sleep(0.8 + (number * 7 + poll) % 5 / 10)
            async with self.limit.poll():
                await self.ask("poll")


async def test_it_doubles_while_answers_are_well_and_more_is_wanted() -> None:
    account = Account(takes_per_s=1000)
    assert account.limit.rate == 10
    await account.use(1)
    assert account.polls[0] > 150, "as many as 16 at once allow"
    assert account.limit.rate > 150
    assert not account.refused["poll"]
    await account.use(5)
    assert account.limit.rate <= 500


async def test_the_first_refusal_halves_what_was_taken_and_lets_a_second_pass() -> None:
    account = Account(takes_per_s=60)
    await account.use(1)
    assert account.polls[0] == 60
    assert account.refused["poll"] <= 16, "no more than were under way"
    assert 30 <= account.limit.rate <= 40
    await account.use(1)
    assert account.refused["poll"] <= 16


async def test_it_stays_as_it_is_while_no_more_is_wanted() -> None:
    account = Account(takes_per_s=1000)
    account.pause_s = 0.2
    await account.use(30, callers=1)
    for _ in range(1000):
        account.limit.answered(None)
    assert account.limit.rate == 10


@pytest.mark.thin(2)
@pytest.mark.parametrize("takes_per_s", [3, 20, 60])
async def test_it_settles_around_what_the_gateway_takes(takes_per_s: int) -> None:
    account = Account(takes_per_s)
    await account.use(60)
    last = [account.polls[second] for second in range(30, 60)]
    assert 0.6 * takes_per_s <= sum(last) / len(last)
    assert account.refused["poll"] < 0.25 * (account.polls.total() + account.refused["poll"])


@pytest.mark.parametrize("takes_per_s", [6, 20, 60, 1000])
async def test_no_sale_is_refused_for_a_limit_that_it_could_have_waited_for(takes_per_s: int) -> None:
    account = Account(takes_per_s)
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(account.sell(number)) for number in range(60)]
    while not all(task.done() for task in tasks):
        await account.clock.advance(10)
    assert account.refused["send"] == 0
    assert takes_per_s == 1000 or account.refused["poll"], "the limit was met"


async def test_sends_wait_after_a_refusal_and_keep_to_half_where_no_contract_tells_the_limit() -> None:
    known, unknown = Street(10.0, 8), Street(10.0, 8)
    unknown.limit = RateLimit(unknown.clock, 500.0, 8, 10.0)
    for street, within in ((known, 10), (unknown, 5)):
        for _ in range(20):
            street.come("send")
        await street.clock.advance(0.9)
        assert len(street.turns) == within
        street.limit.answered(TOO_OFTEN)
        await street.clock.advance(0.9)
        assert len(street.turns) == within
        await street.walk([])


async def test_the_rate_is_kept_for_the_next_start_and_grows_from_there() -> None:
    bench = Bench()
    await bench.journal.open()
    where = await bench.add()
    calling = bench.console.calling
    limit = await calling.limit(where)
    begun_with = limit.rate
    await calling.keep_rate(where)
    assert await bench.journal.setting(f"rate.{where.id}") == "", "it is written only if it has changed much"
    limit.answered(TOO_OFTEN)
    await calling.keep_rate(where)
    next_start = Bench(journal_to_share=bench.journal).console.calling
    again = await next_start.limit(where)
    assert again.rate == begun_with / 2
    while again.rate < begun_with:
        async with again.poll():
            again.answered(None)


async def test_a_sale_that_was_followed_keeps_what_it_learnt(bench: Bench) -> None:
    bench.gateway.to_post = [ACCEPTED]
    bench.gateway.to_poll = [TOO_OFTEN, TOO_OFTEN, DONE]
    sale = await bench.console.sell.note(await bench.draft())
    await bench.carry(bench.console.sell.carry_out(sale))
    kept = float(await bench.journal.setting(f"rate.{sale.environment_id}"))
    assert kept == (await bench.console.calling.limit(await bench.practice_environment())).rate


@pytest.mark.parametrize("kept", ["", "many", "nan", "-3", "1e9"])
async def test_what_was_kept_and_cant_be_a_rate_does_no_harm(kept: str) -> None:
    bench = Bench()
    await bench.journal.open()
    where = await bench.add()
    await bench.journal.update_setting(f"rate.{where.id}", lambda _stored: kept)
    assert LEAST_PER_S <= (await bench.console.calling.limit(where)).rate <= PASTED_FACTS.requests_per_s


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
