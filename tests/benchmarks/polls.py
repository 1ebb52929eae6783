"""When outcomes are seen, and after how many polls: beside asking each second, and with doubling pauses.

The many sales run on a moved clock, through the same use cases as the program's, on a journal in memory; the
few over HTTP, with a real journal. Lags are in seconds, from an outcome being there to its being seen.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import httpx

from benchmarks.figures import Figure, probed
from benchmarks.in_flight import quick_gateway
from fakes.scripted_gateway import DONE, PENDING, ScriptedGateway
from fakes.world import Bench
from keybench.core.ports import Accepted, Caller, ContractFacts, SaleOrder, StatusReading
from keybench.core.sales.sale import SaleDraft

#: The moments of the fixed outcomes, in seconds after the acceptance.
MOMENTS: Final = (1.5, 2.5, 3.3, 4.6, 6.2, 8.7, 13.7, 24.0)
#: How many sales are under way at once, and how many teach.
SALES: Final = 20
#: What an answer takes, in seconds.
ANSWER_S: Final = 0.012
_WORLDS: Final = 5
#: Those that are measured over HTTP, too.
_OVER_HTTP: Final = (1.5, 4.6, 13.7)
_MEASURED: Final = 40

IN_FLIGHT: Final = StatusReading("inFlight")

Moment = Callable[[random.Random], float]


def _fixed(moment_s: float) -> Moment:
    return lambda _random: moment_s


def _log_normal(median_s: float, sigma: float = 0.6) -> Moment:
    return lambda chance: median_s * math.exp(sigma * chance.gauss(0, 1))


def _two_humped(sigma: float) -> Moment:
    """A tap in about 2 s as often as chip and PIN in about 14 s."""
    return lambda chance: chance.choice((2.0, 14.0)) * math.exp(sigma * chance.gauss(0, 1))


SPREAD: Final[dict[str, Moment]] = {
    "log-normal, median 3 s": _log_normal(3.0),
    "log-normal, median 12 s": _log_normal(12.0),
    "log-normal, median 25 s": _log_normal(25.0),
    "two humps, tap 2 s and PIN 14 s, sigma 0.2": _two_humped(0.2),
    "two humps, tap 2 s and PIN 14 s, sigma 0.35": _two_humped(0.35),
}


class TimedGateway(ScriptedGateway):
    """Ends each sale at a moment of its own, and keeps count.

    Attributes:
        moments: In how many seconds the next sales end, from the first on.
        last_part_s: For how long before its end a sale is in flight; 0 where its status doesn't change.
        ended: The monotonic time at which each sale ends, by request id.
        asked: How often each was asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.moments: list[float] = []
        self.last_part_s = 0.0
        self.ended: dict[str, float] = {}
        self.asked: dict[str, int] = {}
        self.bench: Bench | None = None

    def facts(self, contract: str) -> ContractFacts:
        """Return the usual contract's limits."""
        return replace(super().facts(contract), requests_per_s=500.0, start_per_s=10.0, at_once=16)

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted:
        assert self.bench
        request_id = f"PR-{len(self.ended)}"
        self.ended[request_id] = self.bench.clock.monotonic() + self.moments.pop(0)
        return Accepted(request_id, PENDING.gateway_status)

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        assert self.bench
        self.asked[request_id] = self.asked.get(request_id, 0) + 1
        await self.bench.clock.sleep(ANSWER_S / 2)
        left_s = self.ended[request_id] - self.bench.clock.monotonic()
        await self.bench.clock.sleep(ANSWER_S / 2)
        return DONE if left_s <= 0 else IN_FLIGHT if left_s <= self.last_part_s else PENDING


@dataclass(frozen=True, slots=True)
class Sign:
    """One sale: how long it took, how late that was seen, after how many polls."""

    lasted_s: float
    lag_s: float
    polls: int


@dataclass
class Till:
    """A program with a journal of its own, and the devices it sells on."""

    chance: random.Random
    gateway: TimedGateway = field(default_factory=TimedGateway)
    bench: Bench = field(init=False)

    def __post_init__(self) -> None:
        self.bench = self.gateway.bench = Bench(gateway=self.gateway)

    async def sell(self, moments: Sequence[float], devices: Sequence[str]) -> list[Sign]:
        """Sell on some devices at once, each ending at its moment; return what was seen."""
        await self.bench.journal.open()
        draft = await self.bench.draft()
        self.gateway.moments = list(moments)
        sell, found = self.bench.console.sell, list[Sign]()

        async def one(device: str) -> None:
            noted = await sell.note(
                SaleDraft(draft.environment_id, draft.key_id, device, draft.amount, draft.currency)
            )
            ended = await sell.carry_out(noted)
            at = self.gateway.ended[ended.request_id]
            polls = self.gateway.asked[ended.request_id]
            assert ended.accepted_at
            lasted_s = at - (ended.accepted_at - self.bench.clock._start).total_seconds()
            found.append(Sign(lasted_s, self.bench.clock.monotonic() - at, polls))

        async def together() -> None:
            async with asyncio.TaskGroup() as group:
                for device in devices:
                    group.create_task(one(device))

        await self.bench.carry(together())
        return found

    def skip(self, count: int) -> None:
        """Begin with another phase, as after so many sales."""
        for _ in range(count):
            next(self.bench.console.follow.phases)

    async def sell_one_by_one(self, moment: Moment, count: int, device: str = "D-1") -> list[Sign]:
        """Sell on one device, a sale after the other."""
        return [one for _ in range(count) for one in await self.sell([moment(self.chance)], [device])]


# --- what others do ------------------------------------------------------------------------------------


def asked_at(pauses: Iterable[float], lasts_s: float) -> Sign:
    """Return how a script sees a sale that pauses as given before each question."""
    now, polls = 0.0, 0
    for pause in pauses:
        now, polls = now + pause + ANSWER_S, polls + 1
        if now - ANSWER_S / 2 >= lasts_s:
            return Sign(lasts_s, now - lasts_s, polls)
    raise AssertionError("the pauses end before the sale")


def each_second() -> Iterable[float]:
    """Return the pauses of a script that asks each second."""
    return itertools.repeat(1.0)


def doubling() -> Iterable[float]:
    """Return pauses that double from one second on."""
    return (2.0**number for number in itertools.count())


# --- what is measured ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """What was seen of many sales.

    Attributes:
        least: The least mean lag times the mean number of polls that any plan can have, in seconds; 0 where
            it isn't known.
    """

    name: str
    seen: Sequence[Sign]
    least: float = 0.0

    @property
    def mean_s(self) -> float:
        return statistics.mean(one.lag_s for one in self.seen)

    @property
    def median_s(self) -> float:
        return statistics.median(one.lag_s for one in self.seen)

    @property
    def polls(self) -> float:
        return statistics.mean(one.polls for one in self.seen)

    @property
    def beside_least(self) -> float:
        """The mean lag beside the least one possible with as many polls."""
        return self.mean_s * self.polls / self.least

    def __str__(self) -> str:
        late_s = statistics.quantiles([one.lag_s for one in self.seen], n=20)[-1]
        beside = f"{self.beside_least:9.2f}" if self.least else ""
        return f"{self.name:<64}{self.mean_s:8.3f}{self.median_s:8.3f}{late_s:8.3f}{self.polls:8.2f}{beside}"


def scripts(name: str, moments: Sequence[float], least: float = 0.0) -> list[Row]:
    """Return what both scripts see of sales that last so long."""
    return [
        Row(f"{name}: each second", [asked_at(each_second(), one) for one in moments], least),
        Row(f"{name}: doubling from 1 s", [asked_at(doubling(), one) for one in moments], least),
    ]


def least_product(moment: Moment) -> float:
    """Return half the square of the integral of the root of f S: what no plan's lag times polls is below."""
    chance, parts, count = random.Random(1), 400, 200_000
    ends = sorted(moment(chance) for _ in range(count))
    edges = [ends[min(part * count // parts, count - 1)] for part in range(parts + 1)]
    total = sum(
        math.sqrt((1 - (part + 0.5) / parts) / parts * (end - begin))
        for part, (begin, end) in enumerate(itertools.pairwise(edges))
    )
    return total**2 / 2


async def fixed(moment_s: float) -> dict[str, Row]:
    """Return what is seen of sales that all end after the same time."""
    moments, devices = [moment_s] * SALES, [f"D-{number}" for number in range(SALES)]
    name = f"at {moment_s:g} s"
    together, alone, taught, again = list[Sign](), list[Sign](), list[Sign](), list[Sign]()
    for world in range(_WORLDS):
        till = Till(random.Random(world))
        till.skip(world)
        together += await till.sell(moments, devices)
        again += await till.sell(moments, devices)
        one = Till(random.Random(world))
        one.skip(world)
        await one.sell_one_by_one(_fixed(moment_s), SALES)
        taught += await one.sell_one_by_one(_fixed(moment_s), SALES)
    for number in range(SALES * _WORLDS):
        one = Till(random.Random(number))
        one.skip(number)
        alone += await one.sell([moment_s], ["D-1"])
    each, twice = scripts(name, moments)
    return {
        "each": each,
        "doubling": twice,
        "together": Row(f"{name}: untaught, {SALES} at once", together),
        "alone": Row(f"{name}: untaught, one alone", alone),
        "taught": Row(f"{name}: the device has taught {SALES}", taught),
        "again": Row(f"{name}: {SALES} other devices have taught 1 each, {SALES} at once", again),
    }


async def spread(name: str, moment: Moment) -> dict[str, Row]:
    """Return what is seen of sales that end after varying times."""
    least = least_product(moment)
    untaught, taught = list[Sign](), list[Sign]()
    for world in range(4 * _WORLDS):
        till = Till(random.Random(world))
        till.skip(world)
        untaught += (await till.sell_one_by_one(moment, SALES))[:2]
        taught += await till.sell_one_by_one(moment, _MEASURED)
    each, twice = scripts(name, [one.lasted_s for one in taught], least)
    return {
        "each": each,
        "doubling": twice,
        "untaught": Row(f"{name}: untaught", untaught, least),
        "taught": Row(f"{name}: the device has taught {SALES}", taught, least),
    }


async def changed(before_s: float, after_s: float) -> dict[str, Row]:
    """Return what is seen after a device that taught one moment changes to another."""
    name = f"after {SALES} at {before_s:g} s, now at {after_s:g} s"
    first, next_ones, later, untaught = list[Sign](), list[Sign](), list[Sign](), list[Sign]()
    for world in range(4 * _WORLDS):
        till = Till(random.Random(world))
        till.skip(world)
        await till.sell_one_by_one(_fixed(before_s), SALES)
        new = await till.sell_one_by_one(_fixed(after_s), SALES)
        first += new[:1]
        next_ones += new
        later += await till.sell_one_by_one(_fixed(after_s), SALES)
        one = Till(random.Random(world))
        one.skip(world)
        untaught += await one.sell([after_s], ["D-1"])
    return {
        "untaught": Row(f"at {after_s:g} s: untaught", untaught),
        "first": Row(f"{name}: the first sale", first),
        "next": Row(f"{name}: the next {SALES}", next_ones),
        "later": Row(f"{name}: the {SALES} after those", later),
    }


def over_http(folder: Path) -> list[Row]:
    """Return what is seen of sales at several gateways over HTTP, each ending its sales at one moment."""
    with ExitStack() as running:
        urls = {
            f"{moment_s:g}": running.enter_context(quick_gateway(moment_s, "each")) for moment_s in _OVER_HTTP
        }
        asked = [word for pair in urls.items() for word in pair]
        found = probed("polled_sales", str(folder), str(SALES), *asked)
        counted = {at: httpx.get(f"{url}/count", trust_env=False).json() for at, url in urls.items()}
    rows = []
    for at, by in found.items():
        for who, seen in by.items():
            told = [(counted[at][reference], when) for reference, when in seen.items()]
            sales = [Sign(lasts_s, when - ended, polls) for (ended, lasts_s, polls), when in told]
            rows.append(Row(f"over HTTP, at {at} s, {SALES} at once: {who}", sales))
    return rows


async def states() -> dict[str, Row]:
    """Return what is seen where a customer takes long to present a card and authorisation takes 1.5 s."""
    name = f"log-normal, median 12 s, in flight for 1.5 s, taught {SALES}"
    found: dict[float, list[Sign]] = {0.0: [], 1.5: []}
    for last_part_s, seen in found.items():
        for world in range(4 * _WORLDS):
            till = Till(random.Random(world))
            till.skip(world)
            till.gateway.last_part_s = last_part_s
            await till.sell_one_by_one(_log_normal(12.0), SALES)
            seen.extend(await till.sell_one_by_one(_log_normal(12.0), _MEASURED))
    return {
        "without": Row(f"{name}: not told", found[0.0]),
        "with": Row(f"{name}: told", found[1.5]),
    }


def measure(folder: Path) -> list[Figure]:
    """Measure all of it, print a row each and return what is wanted of them."""
    print(f"{'':<64}{'mean':>8}{'median':>8}{'95 %':>8}{'polls':>8}{'to least':>9}")
    for row in over_http(folder):
        print(row, flush=True)
    return asyncio.run(_measure())


async def _measure() -> list[Figure]:
    at = [_printed(await fixed(moment_s)) for moment_s in MOMENTS]
    over = {name: _printed(await spread(name, moment)) for name, moment in SPREAD.items()}
    turned = [_printed(await changed(*pair)) for pair in ((24.0, 6.0), (12.0, 3.0), (6.0, 24.0), (3.0, 12.0))]

    in_flight = _printed(await states())

    def mean_of_medians(kind: str) -> float:
        return statistics.mean(rows[kind].median_s for rows in at)

    def longest(kind: str) -> float:
        return max(rows[kind].median_s for rows in at)

    def polls(kind: str) -> float:
        return sum(rows[kind].polls for rows in at) / sum(rows["each"].polls for rows in at)

    names = {"together": f"untaught, {SALES} at once", "alone": "untaught, one alone"}
    figures = [
        figure
        for kind, words in names.items()
        for figure in (
            Figure(f"eight moments, {words}: mean of the median lags", mean_of_medians(kind), "s", 0.4),
            Figure(f"eight moments, {words}: polls beside each second's", polls(kind), "times", 1.0),
        )
    ]
    names = {"taught": f"taught by {SALES}", "again": f"taught by {SALES} other devices"}
    figures += [
        figure
        for kind, words in names.items()
        for figure in (
            Figure(f"eight moments, {words}: the longest median lag", longest(kind), "s", 0.15),
            Figure(f"eight moments, {words}: polls beside each second's", polls(kind), "times", 0.5),
        )
    ]
    figures += [
        Figure(f"{name}, taught: mean lag beside the least", rows["taught"].beside_least, "times", 1.3)
        for name, rows in over.items()
    ]
    beside = in_flight["with"].mean_s / in_flight["without"].mean_s
    figures.append(
        Figure("a status that says the end is near, taught: mean lag beside without it", beside, "times", 1.0)
    )
    for rows in turned:
        usual = rows["untaught"].mean_s
        beside = {rows[kind].name: rows[kind].mean_s / usual for kind in ("first", "next")}
        figures += [
            *(
                Figure(f"{name}: mean lag beside untaught", times, "times", 2.0)
                for name, times in beside.items()
            ),
            Figure(f"{rows['later'].name}: median lag", rows["later"].median_s, "s", 0.15),
        ]
    return figures


def _printed(rows: dict[str, Row]) -> dict[str, Row]:
    for row in rows.values():
        print(row, flush=True)
    return rows
