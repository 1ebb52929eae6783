"""What is remarkable of a device: told soon where something is, and hardly ever where nothing is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from keybench.core.devices.habit import Basis, PastSale
from keybench.core.devices.report import (
    DeviceReport,
    Kind,
    Neighbours,
    Remark,
    all_reports,
)
from keybench.core.sales.sale import Outcome
from keybench.words.devices.report import (
    NO_CHART,
    NONE,
    habit_cell,
    habit_rank,
    habit_sentence,
    habit_sentences,
    habit_tone,
    needs_a_look,
    remark_sentence,
)
from sweeps import every

Till = Callable[[], float]


def past_sale(
    device: str, number: int, took_s: float, chance: random.Random, outcome: Outcome = Outcome.APPROVED
) -> PastSale:
    """Return what a sale teaches that was polled each second, from some moment of the first one on."""
    phase = chance.random()
    begin = math.floor(took_s - phase) + phase
    return PastSale(f"{device}-{number}", device, max(begin, 0.0), begin + 1.0, (), outcome)


def never(device: str, number: int, seen_s: float = 329.0) -> PastSale:
    return PastSale(f"{device}-{number}", device, seen_s, math.inf)


def sales(device: str, times: Iterable[float], chance: random.Random) -> list[PastSale]:
    return [past_sale(device, number, took_s, chance) for number, took_s in enumerate(times)]


def log_normal(chance: random.Random, median_s: float = 6.0, sigma: float = 0.6) -> Till:
    return lambda: median_s * math.exp(chance.gauss(0, sigma))


def two_humped(chance: random.Random, taps: float = 0.5) -> Till:
    return lambda: (2.0 if chance.random() < taps else 14.0) * math.exp(chance.gauss(0, 0.2))


def differing(chance: random.Random) -> Till:
    return log_normal(chance, 3.0 * 4.0 ** chance.random())


def mixed_kinds(chance: random.Random) -> Till:
    if chance.random() < 0.5:
        return two_humped(chance, chance.uniform(0.3, 0.7))
    return log_normal(chance, 6.0 * math.exp(chance.gauss(0, 0.2)), chance.choice((0.2, 0.6)))


def fleet(
    chance: random.Random, count: int, most: int, kind: Callable[[random.Random], Till]
) -> dict[str, list[PastSale]]:
    """Return the past sales of some healthy tills, each with its own habit and number of sales."""
    found = {}
    for number in range(count):
        till, many = kind(chance), chance.randint(3, most)
        found[f"T-{number}"] = sales(f"T-{number}", (till() for _sale in range(many)), chance)
    return found


def remark_of(device: str, past_sales: dict[str, list[PastSale]]) -> Remark | None:
    return Neighbours.of(past_sales).report(device, past_sales[device]).remark


# --- healthy devices ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [log_normal, two_humped, differing, mixed_kinds])
def test_of_two_hundred_healthy_tills_hardly_one_is_remarked(kind: Callable[[random.Random], Till]) -> None:
    told = []
    for seed in every(3, range(4)):
        past_sales = fleet(random.Random(seed), 200, 16 if seed % 2 else 48, kind)
        neighbours = Neighbours.of(past_sales)
        told += [one for device, own in past_sales.items() if (one := neighbours.report(device, own).remark)]
    assert len(told) <= 2, told


def test_a_healthy_till_isnt_remarked_though_it_is_looked_at_after_each_sale() -> None:
    chance = random.Random(3)
    past_sales = fleet(chance, 20, 30, log_normal)
    till, neighbours = log_normal(chance), Neighbours.of(past_sales)
    own = sales("T-0", (till() for _sale in range(150)), chance)
    told = [neighbours.report("T-0", own[:count]).remark for count in range(1, 150)]
    assert sum(1 for one in told if one) <= 4


def test_taps_among_tills_with_one_hump_are_nothing_odd() -> None:
    chance = random.Random(5)
    past_sales = fleet(chance, 20, 30, log_normal)
    till = two_humped(chance)
    past_sales["T-0"] = sales("T-0", (till() for _sale in range(30)), chance)
    assert remark_of("T-0", past_sales) is None


def test_too_few_sales_tell_nothing() -> None:
    chance = random.Random(1)
    assert Neighbours.of({}).report("T-0", []) == DeviceReport("T-0", Neighbours.of({}).habit, ())
    few = {"T-0": sales("T-0", (2.0, 60.0, 61.0), chance)}
    assert remark_of("T-0", few) is None
    two_devices = {"T-0": sales("T-0", [5.0] * 10, chance), "T-1": sales("T-1", [50.0] * 10, chance)}
    assert remark_of("T-1", two_devices) is None, "which of two is the odd one?"


# --- slower than it was ---------------------------------------------------------------


def first_told(seed: int, factor: float, *, sigma: float = 0.3, before: int = 30) -> int | None:
    """Return after how many sales a change of a till's times is told, if after some 30."""
    chance = random.Random(seed)
    past_sales = fleet(chance, 20, 30, lambda chance: log_normal(chance, sigma=sigma))
    own, neighbours = (
        [log_normal(chance, sigma=sigma)() for _sale in range(before)],
        Neighbours.of(past_sales),
    )
    changed = log_normal(chance, 6.0 * factor, sigma)
    for count in range(1, 31):
        own.append(changed())
        remark = neighbours.report("T-0", sales("T-0", own, chance)).remark
        if remark and remark.kind is Kind.SLOWER:
            return count
    return None


def test_a_till_that_takes_twice_as_long_is_told_within_some_ten_sales() -> None:
    told = [first_told(seed, 2.0) or 99 for seed in range(20)]
    assert sorted(told)[10] <= 10
    assert sorted(told)[15] <= 13


def test_a_till_that_takes_three_times_as_long_is_told_after_a_few() -> None:
    told = [first_told(seed, 3.0) or 99 for seed in range(10)]
    assert sorted(told)[7] <= 6
    broad = [first_told(seed, 3.0, sigma=0.6) or 99 for seed in range(10)]
    assert sorted(broad)[5] <= 20


def test_what_is_sure_but_small_isnt_told() -> None:
    chance = random.Random(2)
    times = [
        *(10.0 + chance.random() for _sale in range(30)),
        *(13.0 + chance.random() for _sale in range(15)),
    ]
    own = [
        replace(one, after_s=time - 0.05, until_s=time)
        for one, time in zip(sales("T-0", times, chance), times, strict=True)
    ]
    assert remark_of("T-0", {"T-0": own}) is None


def test_the_remark_tells_the_figures_and_goes_when_the_till_is_well_again() -> None:
    chance = random.Random(4)
    times = [
        *(5.0 + chance.random() for _sale in range(25)),
        *(15.0 + 6 * chance.random() for _sale in range(9)),
    ]
    own = sales("T-0", times, chance)
    remark = remark_of("T-0", {"T-0": own})
    assert remark
    assert (remark.kind, remark.sales) == (Kind.SLOWER, 5)
    assert 14 < remark.now_s[0] < remark.now_s[1] < 23
    assert 4 < remark.beside_s[0] < remark.beside_s[1] < 7
    well = sales("T-0", [*times, *(5.0 + chance.random() for _sale in range(4))], chance)
    assert remark_of("T-0", {"T-0": well}) is None


def test_intervals_that_overlap_tell_nothing() -> None:
    """A computer that was asleep saw the outcome late; it may have come as ever."""
    chance = random.Random(8)
    own = sales("T-0", (5.0 + chance.random() for _sale in range(20)), chance)
    asleep = [PastSale(f"T-0-{number}", "T-0", 3.0, 4000.0) for number in range(20, 28)]
    assert remark_of("T-0", {"T-0": [*own, *asleep]}) is None


# --- outcomes that don't come ---------------------------------------------------------------------


def test_two_outcomes_in_a_row_that_never_come_are_told_at_once_and_one_that_comes_ends_it() -> None:
    chance = random.Random(7)
    own = sales("T-0", (5.0 + chance.random() for _sale in range(12)), chance)
    one, two = never("T-0", 20), never("T-0", 21)
    assert remark_of("T-0", {"T-0": [*own, one]}) is None
    remark = remark_of("T-0", {"T-0": [*own, one, two]})
    assert remark == Remark(Kind.MISSING, 2)
    assert remark_of("T-0", {"T-0": [one, two]}) == remark
    assert remark_of("T-0", {"T-0": [*own, one, two, past_sale("T-0", 22, 5.0, chance)]}) is None


def test_a_gateway_that_was_out_of_reach_isnt_the_devices_fault() -> None:
    chance = random.Random(7)
    own = sales("T-0", (5.0 + chance.random() for _sale in range(12)), chance)
    unseen = [never("T-0", 20, seen_s=2.0), never("T-0", 21, seen_s=3.0)]
    assert remark_of("T-0", {"T-0": [*own, *unseen]}) is None


# --- beside its neighbours ------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "sigma"), [(4, 0.3), (20, 0.3), (20, 0.6), (200, 0.3)])
def test_a_till_three_times_slower_than_its_neighbours_is_told(count: int, sigma: float) -> None:
    told = 0
    for seed in range(10):
        chance = random.Random(seed)
        past_sales = fleet(
            chance, count, 30, lambda chance: log_normal(chance, 6.0 * math.exp(chance.gauss(0, 0.1)), sigma)
        )
        till = log_normal(chance, 18.0, sigma)
        past_sales["T-0"] = sales("T-0", (till() for _sale in range(20)), chance)
        remark = remark_of("T-0", past_sales)
        told += remark is not None and remark.kind is Kind.SLOWER_THAN_OTHERS
    assert told >= 8


def declining(past_sales: list[PastSale], every: int) -> list[PastSale]:
    return [
        replace(one, outcome=Outcome.DECLINED) if number % every == 0 else one
        for number, one in enumerate(past_sales)
    ]


def test_a_device_whose_sales_are_declined_far_more_often_is_told() -> None:
    chance = random.Random(11)
    healthy = fleet(chance, 20, 30, log_normal)
    past_sales = {device: declining(own, 10) for device, own in healthy.items()}
    till = log_normal(chance)
    own = sales("T-0", (till() for _sale in range(20)), chance)
    assert remark_of("T-0", {**past_sales, "T-0": declining(own, 5)}) is None
    remark = remark_of(
        "T-0", {**past_sales, "T-0": [replace(one, outcome=Outcome.DECLINED) for one in own[:14]]}
    )
    assert remark
    assert (remark.kind, remark.outcome, remark.count, remark.sales) == (
        Kind.OUTCOMES,
        Outcome.DECLINED,
        14,
        14,
    )


# --- in words -------------------------------------------------------------------------------------


def reports_of(**times: Sequence[float]) -> dict[str, DeviceReport]:
    chance = random.Random(0)
    past_sales = {device: sales(device, own, chance) for device, own in times.items()}
    return dict(all_reports(past_sales)[1])


def test_what_is_remarkable_is_said_with_figures_and_what_to_do() -> None:
    report = reports_of(till=[*[5.3, 6.1, 5.8] * 8, *[15.4, 21.2, 18.3] * 3])["till"]
    assert habit_cell(report) == "▲ Slower than it was"
    assert habit_tone(report) == "warning"
    said = remark_sentence(report)
    assert said.startswith("Its last 5 sales took 15 to 21 s; before, 5.3 to 6.3 s.")
    assert said.endswith("Check its network and its power, and restart it.")


@pytest.mark.parametrize(
    ("remark", "cell", "says"),
    [
        (Remark(Kind.MISSING, 3), "◷ No outcome comes", "Its last 3 sales had no outcome when"),
        (
            Remark(Kind.SLOWER, 1, (40.0, math.inf), (4.0, 7.0)),
            "▲ Slower than it was",
            "Its last sale took 40 s or longer; before, 4.0 to 7.0 s.",
        ),
        (
            Remark(Kind.SLOWER_THAN_OTHERS, 8, (300.0, 600.0), (4.0, 7.0)),
            "▲ Slower than others",
            "Its sales take 5 to 10 min; on the other devices, 4.0 to 7.0 s.",
        ),
        (
            Remark(Kind.OUTCOMES, 20, outcome=Outcome.EXPIRED, count=14, usual_share=0.049),
            "◷ Often expired",
            "14 of its last 20 sales expired; on the other devices, 5 in 100 do.",
        ),
    ],
)
def test_every_remark_has_its_words(remark: Remark, cell: str, says: str) -> None:
    report = replace(reports_of(till=[5.0] * 8)["till"], remark=remark)
    assert habit_cell(report) == cell
    assert remark_sentence(report).startswith(says)
    assert len(remark_sentence(report)) > len(says) + 20, "and what to do"


def test_a_device_of_which_little_is_known_says_how_much_is_missing() -> None:
    reports = reports_of(well=[5.0, 6.0, 5.5, 5.2, 6.1], new=[5.0, 6.0, 5.0, 6.0])
    assert habit_cell(reports["well"]) == "✓ As usual"
    assert habit_sentence(reports["well"]).endswith("Learnt from the last 5 sales on this device.")
    assert (habit_cell(reports["new"]), habit_tone(reports["new"])) == (NONE, "")
    assert habit_sentence(reports["new"]) == "Its usual time isn't known yet. One more sale will tell."
    assert remark_sentence(reports["new"]) == ""
    ranks = [habit_rank(one) for one in (reports["well"], reports["new"], None)]
    assert ranks == sorted(ranks)


def test_devices_that_need_a_look_are_named() -> None:
    assert needs_a_look([]) == ""
    assert needs_a_look(["Bar"]) == "One device needs a look: Bar."
    assert needs_a_look(["Bar", "Till"]) == "2 devices need a look: Bar and Till."


def test_the_curve_is_told_in_words() -> None:
    chance = random.Random(0)
    past_sales = {name: sales(name, [5.0, 6.0, 5.5, 5.2, 6.1], chance) for name in ("one", "two")}
    neighbours, reports = all_reports(past_sales)
    others = neighbours.habit_of_others("one")
    assert others.basis is Basis.ENVIRONMENT
    said = habit_sentences(reports["one"], others)
    assert said.startswith("Eight in ten outcomes take ")
    assert "On the other devices, they take " in said
    assert "The newest took " in said
    ended = replace(reports["one"], past_sales=(*reports["one"].past_sales, never("one", 9)))
    assert habit_sentences(ended, others).endswith("The newest never came.")
    assert habit_sentences(None, others) == NO_CHART
