"""What sales teach of their device, and what habits are found in it."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.journal_samples import APPROVED, NOW, a_sale
from keybench.core.devices.distribution import Distribution
from keybench.core.devices.habit import (
    ENOUGH,
    MOST_PAST_SALES,
    UNTAUGHT,
    USUAL,
    Basis,
    Habit,
    PastSale,
    SaleObservation,
    device_habit,
    environment_habit,
    observation_of,
    past_sale_of,
    since_change,
)
from keybench.core.sales.poll_plan import PollPlan, Progress, Why
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict
from sweeps import examples

DEADLINE = Verdict(Outcome.UNKNOWN, reason="deadline")
Draw = Callable[[random.Random], float]


# --- what a sale teaches ---------------------------------------------------------------------------------


def ended(verdict: Verdict = APPROVED) -> Sale:
    return replace(a_sale(), accepted_at=NOW, verdict=verdict, polls=3)


Point = tuple[float, Mark] | tuple[float, Mark, str]


def timeline(*points: Point, outcome: Outcome = Outcome.APPROVED) -> list[SaleEvent]:
    """Return a timeline of points with their seconds since the acceptance; each poll took a tenth of one."""
    found = [SaleEvent("KB-1", NOW - timedelta(seconds=0.2), Mark.NOTED)]
    for at_s, mark, *detail in [(0.0, Mark.ACCEPTED, "pending"), *points]:
        word = str(detail[0]) if detail else outcome if mark is Mark.OUTCOME else "pending"
        took_s = 0.1 if mark in {Mark.STATUS, Mark.TROUBLE, Mark.OUTCOME} else None
        found.append(SaleEvent("KB-1", NOW + timedelta(seconds=at_s), mark, word, took_s))
    return found


def taught(*points: Point, verdict: Verdict = APPROVED) -> PastSale:
    past_sale = past_sale_of(ended(verdict), timeline(*points, outcome=verdict.outcome))
    assert past_sale
    return past_sale


def between(
    after_s: float, until_s: float, *states: tuple[str, float], outcome: Outcome = Outcome.APPROVED
) -> PastSale:
    return PastSale("KB-1", "D-1", pytest.approx(after_s), pytest.approx(until_s), states, outcome)


def test_an_outcome_came_after_the_last_poll_that_found_none_began() -> None:
    past_sale = taught((1.5, Mark.STATUS), (3.0, Mark.STATUS), (4.0, Mark.OUTCOME))
    assert past_sale == between(2.9, 4.0)


@pytest.mark.parametrize("outcome", [Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED])
def test_every_outcome_of_a_device_teaches(outcome: Outcome) -> None:
    past_sale = taught((2.0, Mark.STATUS), (4.0, Mark.OUTCOME), verdict=Verdict(outcome))
    assert past_sale == between(1.9, 4.0, outcome=outcome)


def test_an_outcome_in_the_first_poll_came_any_time_before() -> None:
    assert taught((1.5, Mark.OUTCOME)) == between(0.0, 1.5)


def test_troubles_between_tell_nothing_of_the_outcome() -> None:
    past_sale = taught((1.5, Mark.STATUS), (3.5, Mark.TROUBLE), (7.5, Mark.TROUBLE), (15.0, Mark.OUTCOME))
    assert past_sale == between(1.4, 15.0)


def test_a_sale_resumed_after_a_restart_teaches_what_both_programs_saw() -> None:
    past_sale = taught(
        (1.5, Mark.STATUS),
        (60.0, Mark.LOOKED_UP, "taken up"),
        (60.5, Mark.STATUS, "inFlight"),
        (61.5, Mark.OUTCOME),
    )
    assert past_sale == between(60.4, 61.5, ("inFlight", pytest.approx((1.4 + 60.5) / 2)))


GIVEN_UP: list[Point] = [(329.9, Mark.STATUS), (330.0, Mark.OUTCOME, "unknown")]
DAY_S = 86_400.0


def test_an_unknown_sale_that_a_look_up_settles_a_day_later_never_ended_while_it_was_followed() -> None:
    found: list[Point] = [(DAY_S, Mark.ACCEPTED, "interactionComplete"), (DAY_S, Mark.OUTCOME)]
    past_sale = taught(*GIVEN_UP, *found)
    assert (past_sale.after_s, past_sale.until_s, past_sale.outcome) == (pytest.approx(329.8), math.inf, None)
    in_trouble = [(329.9, Mark.STATUS), (329.95, Mark.TROUBLE), GIVEN_UP[-1], *found]
    assert past_sale_of(ended(), timeline(*in_trouble)) is None, (
        "the gateway was out of reach, not the device"
    )


def test_one_that_is_followed_again_after_a_look_up_ends_between_two_polls_as_any_other() -> None:
    again: list[Point] = [(400.0, Mark.LOOKED_UP, "inFlight"), (401.0, Mark.STATUS), (404.0, Mark.OUTCOME)]
    assert taught(*GIVEN_UP, *again) == between(400.9, 404.0)


def test_a_sale_without_an_outcome_at_the_deadline_ends_later_or_never() -> None:
    past_sale = taught((10.0, Mark.STATUS), (330.0, Mark.STATUS), (330.0, Mark.OUTCOME), verdict=DEADLINE)
    assert past_sale == PastSale("KB-1", "D-1", pytest.approx(329.9), math.inf)


def test_a_gateway_in_trouble_at_the_deadline_tells_nothing_of_the_device() -> None:
    points = [(10.0, Mark.STATUS), (20.0, Mark.TROUBLE), (330.0, Mark.TROUBLE), (330.0, Mark.OUTCOME)]
    assert past_sale_of(ended(DEADLINE), timeline(*points)) is None


@pytest.mark.parametrize(
    "sale",
    [
        replace(ended(), verdict=Verdict(Outcome.UNKNOWN, reason="refused while following")),
        replace(ended(), verdict=Verdict(Outcome.REFUSED, status=400)),
        replace(ended(), verdict=Verdict(Outcome.NOT_SENT)),
        replace(ended(), accepted_at=None),  # a synchronous sale
        replace(ended(), verdict=None),
    ],
    ids=["unknown", "refused", "not sent", "synchronous", "under way"],
)
def test_what_ended_otherwise_teaches_nothing(sale: Sale) -> None:
    assert past_sale_of(sale, timeline((1.5, Mark.STATUS), (3.0, Mark.OUTCOME))) is None
    assert past_sale_of(sale, []) is None


def test_a_sale_that_a_person_cancelled_teaches_nothing() -> None:
    points = [(1.5, Mark.STATUS), (2.0, Mark.CANCEL_ASKED), (3.0, Mark.OUTCOME)]
    assert past_sale_of(ended(Verdict(Outcome.CANCELLED)), timeline(*points)) is None
    assert past_sale_of(ended(), timeline(*points)) is None, "it was too late, but the person hurried"


def test_a_clock_that_was_set_back_teaches_nothing() -> None:
    for back_s in (2.0, 60.0, 3600.0):
        points = [(1.5, Mark.STATUS), (9.0, Mark.STATUS), (10.0 - back_s, Mark.OUTCOME)]
        assert past_sale_of(ended(), timeline(*points)) is None
    points = [(1.5, Mark.STATUS), (9.0, Mark.STATUS), (4.0, Mark.STATUS), (12.0, Mark.OUTCOME)]
    assert past_sale_of(ended(), timeline(*points)) is None


def test_a_clock_that_was_set_forward_between_two_polls_teaches_no_wrong_moment() -> None:
    past_sale = taught((1.5, Mark.STATUS), (3600.0, Mark.OUTCOME))
    assert past_sale.after_s < 8.0 < past_sale.until_s, "it is only less precise"


def test_what_happened_at_one_time_teaches_nothing() -> None:
    assert past_sale_of(ended(), timeline((0.0, Mark.OUTCOME))) is None
    past_sale = taught((2.0, Mark.STATUS), (2.0, Mark.OUTCOME))
    assert past_sale == between(1.9, 2.0), "the poll before it began earlier"


def test_a_timeline_without_its_outcome_teaches_nothing() -> None:
    """The disk was full for a while."""
    assert past_sale_of(ended(), timeline((1.5, Mark.STATUS))) is None
    assert past_sale_of(ended(), timeline(*GIVEN_UP)) is None


def test_a_new_status_word_began_between_two_polls() -> None:
    past_sale = taught(
        (2.0, Mark.STATUS),
        (4.0, Mark.STATUS, "inFlight"),
        (5.0, Mark.STATUS, "inFlight"),
        (6.0, Mark.OUTCOME),
    )
    assert past_sale.states == (("inFlight", pytest.approx((1.9 + 4.0) / 2)),)
    since = past_sale.since("inFlight")
    assert since
    assert (since.after_s, since.until_s) == pytest.approx((4.9 - 2.95, 6.0 - 2.95))
    assert past_sale.since("pending") is past_sale.since("odd") is None


def test_the_word_of_the_acceptance_is_the_one_it_began_with() -> None:
    assert [word for word, _began in taught((2.0, Mark.STATUS, "inFlight"), (3.0, Mark.OUTCOME)).states] == [
        "inFlight"
    ]
    quiet = [replace(e, detail="") if e.mark is Mark.ACCEPTED else e for e in timeline((2.0, Mark.STATUS))]
    assert not observation_of(NOW, quiet).state, "where it had none, that of the first poll is"


def test_an_answer_that_was_held_tells_the_moment_of_the_outcome() -> None:
    began, answered = timeline((20.0, Mark.OUTCOME))[-2:]
    events = [began, replace(answered, took_s=19.0)]
    held, at_once = (past_sale_of(ended(), events, held=held) for held in (True, False))
    assert held == between(19.5, 20.0)
    assert at_once == between(0.0, 20.0), "a slow answer tells nothing of when"
    there_already = [began, replace(answered, took_s=0.1)]
    assert past_sale_of(ended(), there_already, held=True) == between(0.0, 20.0)
    waiting = replace(began, at=NOW + timedelta(seconds=15), mark=Mark.STATUS, took_s=14.0)
    assert past_sale_of(ended(), [began, waiting, *there_already[1:]], held=True) == between(14.5, 20.0)


@pytest.mark.parametrize(
    ("lasted_s", "wanted"),
    [
        (3.0, (2.98, 3.02)),
        (1.9, (1.9, 1.92)),
        (4.0, (3.98, 4.0)),
        (0.5, (1.9, 4.0)),
        (-7.0, (1.9, 4.0)),
        (9.0, (1.9, 4.0)),
    ],
)
def test_the_gateways_own_time_counts_where_it_agrees_with_what_was_seen(
    lasted_s: float, wanted: tuple[float, float]
) -> None:
    sale = replace(ended(), lasted_s=lasted_s)
    past_sale = past_sale_of(sale, timeline((2.0, Mark.STATUS), (4.0, Mark.OUTCOME)))
    assert past_sale == between(*wanted)


def test_a_word_that_comes_back_is_there_since_then_and_learnt_from_once() -> None:
    observation = SaleObservation()
    words = ["pending", "inFlight", "pending", "inFlight"]
    for at_s, word in enumerate(words, 1):
        observation.see(word, at_s, 0.1)
    assert observation.states == (
        ("inFlight", pytest.approx((0.9 + 2) / 2)),
        ("pending", pytest.approx((1.9 + 3) / 2)),
    )
    assert (observation.state, observation.state_after_s) == ("inFlight", pytest.approx((2.9 + 4) / 2))
    assert observation.open_after_s == pytest.approx(3.9)


# --- habits ----------------------------------------------------------------------------------------------


def past_sales_of(
    draw: Draw, count: int, seed: int = 1, *, gap_s: float = 0.8, device: str = "D-1"
) -> list[PastSale]:
    """Return what polls with a pause of `gap_s`, each sale's at other moments, see of outcomes."""
    chance, found = random.Random(seed), list[PastSale]()
    for number in range(count):
        ended_s = draw(chance)
        after_s = max(ended_s - chance.random() * gap_s, 0.0)
        found.append(PastSale(f"KB-{seed}-{number}", device, after_s, max(after_s + gap_s, ended_s)))
    return found


def fixed(at_s: float) -> Draw:
    return lambda chance: at_s


def log_normal(median_s: float, sigma: float = 0.6) -> Draw:
    return lambda chance: median_s * math.exp(chance.gauss(0, sigma))


def two_humped(chance: random.Random) -> float:
    """A tap takes 2 s, chip and PIN 14 s."""
    return (2.0 if chance.random() < 0.5 else 14.0) * math.exp(chance.gauss(0, 0.08))


def habit_of(past_sales: Sequence[PastSale]) -> Habit:
    return device_habit(past_sales, UNTAUGHT)


def seen_in(past_sales: Sequence[PastSale]) -> Distribution:
    seen = habit_of(past_sales).seen
    assert seen
    return seen


@pytest.mark.parametrize("at_s", [1.5, 2.5, 3.3, 4.6, 6.2, 8.7, 13.7, 24.0])
def test_a_fixed_moment_is_found_where_the_intervals_meet(at_s: float) -> None:
    seen = seen_in(past_sales_of(fixed(at_s), 20))
    assert seen.time(0.5) == pytest.approx(at_s, abs=0.06)
    assert seen.time(0.9) - seen.time(0.1) < 0.4


def test_the_more_sales_the_more_precise_a_fixed_moment_is() -> None:
    few, many = (seen_in(past_sales_of(fixed(8.7), count)) for count in (6, 48))
    assert many.time(0.9) - many.time(0.1) < few.time(0.9) - few.time(0.1)
    assert many.time(0.5) == pytest.approx(8.7, abs=0.03)


@pytest.mark.parametrize("median_s", [3.0, 12.0, 25.0])
def test_a_broad_hump_keeps_its_form(median_s: float) -> None:
    found = [seen_in(past_sales_of(log_normal(median_s), 48, seed)) for seed in range(5)]
    for share, away in ((0.1, -1.2816), (0.5, 0.0), (0.9, 1.2816)):
        wanted = median_s * math.exp(0.6 * away)
        middle = sorted(one.time(share) for one in found)[2]
        assert middle == pytest.approx(wanted, rel=0.25)


@pytest.mark.parametrize("seed", range(3))
def test_two_humps_stay_two(seed: int) -> None:
    past_sales = past_sales_of(two_humped, 40, seed)
    seen = seen_in(past_sales)
    taps = sum(past_sale.middle_s < 6 for past_sale in past_sales) / 40
    assert seen.share(3.5) == pytest.approx(taps, abs=0.15)
    assert seen.share(10.5) - seen.share(4.0) < 0.05, "hardly anything ends between them"
    assert seen.share(17.5) > 0.95


def test_the_newest_sales_count_most() -> None:
    """It grew slower bit by bit, so that no change is noticed."""
    grown = [PastSale(str(n), "D-1", 5 + 0.1 * n, 5.6 + 0.1 * n) for n in range(48)]
    forth, back = (seen_in(past_sales).time(0.5) for past_sales in (grown, grown[::-1]))
    assert forth > back + 1


@pytest.mark.parametrize("before", [20, 48])
@pytest.mark.parametrize("times", [0.25, 4.0])
@pytest.mark.parametrize(
    ("draw", "within"),
    [(fixed(8.0), 3), (log_normal(12.0), 9), (two_humped, 14)],
    ids=["fixed", "broad", "two"],
)
def test_a_habit_that_changed_four_times_is_noticed_within_a_few_sales(
    draw: Draw, within: int, times: float, before: int
) -> None:
    took = list[int]()
    for seed in range(7):
        old = past_sales_of(draw, before, seed)
        new = past_sales_of(lambda chance: draw(chance) * times, 40, seed + 100)
        noticed = (
            count
            for count in range(2, 41)
            if len(since_change([*old, *new[:count]][-MOST_PAST_SALES:])) <= count + 1
        )
        took.append(next(noticed, 99))
    assert sorted(took)[3] <= within


@pytest.mark.parametrize(
    ("draw", "most"),
    [(fixed(8.0), 0.0), (log_normal(12.0), 0.06), (two_humped, 0.06)],
    ids=["fixed", "broad", "two"],
)
def test_a_habit_that_did_not_change_is_hardly_ever_taken_for_another(draw: Draw, most: float) -> None:
    alarms = looks = 0
    for seed in range(6):
        past_sales = past_sales_of(draw, 84, seed, gap_s=0.3 + 0.1 * seed)
        for count in range(4, 85, 2):
            known = past_sales[:count][-MOST_PAST_SALES:]
            looks += 1
            alarms += len(since_change(known)) < len(known)
    assert alarms / looks <= most


def test_what_was_before_a_change_does_not_count() -> None:
    changed = [*past_sales_of(fixed(20.0), 40), *past_sales_of(fixed(5.0), 6, 2)]
    habit = habit_of(changed)
    assert habit.outcomes == 6
    assert habit.usual_s
    assert habit.usual_s[1] < 6.0
    soon = habit_of(changed[:-3])
    assert soon.expected.share(6.0) - soon.expected.share(4.5) > 0.25, (
        "three are too few to be told, not to poll by"
    )
    assert soon.seen is None


# --- whose habit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("own", [0, 1, ENOUGH - 1, ENOUGH, MOST_PAST_SALES])
def test_a_device_falls_back_to_its_environment_and_that_to_what_is_usual(own: int) -> None:
    others = environment_habit(past_sales_of(fixed(12.0), 30, device="D-2"))
    habit = device_habit(past_sales_of(fixed(4.0), own, 2), others)
    near = habit.expected.share(4.3) - habit.expected.share(3.7)
    others_near = habit.expected.share(12.3) - habit.expected.share(11.7)
    assert habit.seen
    if own < ENOUGH:
        assert (habit.basis, habit.outcomes) == (Basis.ENVIRONMENT, 30)
        assert habit.seen == others.seen
        assert others_near > 0.25
    else:
        assert (habit.basis, habit.outcomes) == (Basis.DEVICE, own)
        assert habit.seen.time(0.5) == pytest.approx(4.0, abs=0.1)
        assert near > 0.25
        assert (near > others_near) == (own == MOST_PAST_SALES)


def test_nothing_known_is_what_is_usual() -> None:
    assert environment_habit([]) is device_habit([], UNTAUGHT) is UNTAUGHT
    assert UNTAUGHT.usual_s is None
    assert not UNTAUGHT.is_unusual(1e9)
    few = environment_habit(past_sales_of(fixed(4.0), ENOUGH - 1))
    assert (few.seen, few.basis) == (None, Basis.NOTHING)
    assert few.expected != USUAL


def test_each_past_sale_of_its_own_takes_a_device_further_from_its_environment() -> None:
    others = environment_habit(past_sales_of(fixed(12.0), 30))
    own = past_sales_of(fixed(4.0), 12, 2)
    near = [
        habit.expected.share(4.4) - habit.expected.share(3.6)
        for count in range(13)
        if (habit := device_habit(own[:count], others))
    ]
    assert near[0] < near[1] < near[4] < near[8] < near[12]


def test_doubt_is_left_everywhere() -> None:
    habit = habit_of(past_sales_of(fixed(8.0), 48))
    for begin, end in itertools.pairwise([1.0, 3.0, 6.0, 10.0, 30.0, 300.0]):
        assert habit.expected.share(end) - habit.expected.share(begin) > 0.01


def test_outcomes_that_never_come_are_expected_later() -> None:
    never = [PastSale(str(number), "D-1", 329.0, math.inf) for number in range(20)]
    habit = habit_of(never)
    assert habit.seen is None
    mostly = habit_of([*past_sales_of(fixed(8.0), 6), *never[:6]])
    assert mostly.expected.share(300.0) < habit_of(past_sales_of(fixed(8.0), 6)).expected.share(300.0)


def test_an_outcome_is_unusual_when_nearly_all_came_sooner() -> None:
    habit = habit_of(past_sales_of(log_normal(12.0), 40))
    assert habit.usual_s
    assert not habit.is_unusual(habit.usual_s[1])
    assert habit.is_unusual(200.0)


# --- after a status word ---------------------------------------------------------------------------------


def with_state(pending_s: Draw, flight_s: Draw, count: int, seed: int = 3) -> list[PastSale]:
    """Return past sales that were pending, then in flight, then over, polled each 0.8 s."""
    chance, found = random.Random(seed), list[PastSale]()
    for number in range(count):
        began_s = pending_s(chance)
        over_s = began_s + flight_s(chance)
        polls = [0.8 * (chance.random() + turn) for turn in range(200)]
        observation = SaleObservation()
        for asked_s in polls:
            if asked_s >= over_s:
                break
            observation.see("inFlight" if asked_s >= began_s else "pending", asked_s, 0.0)
        found.append(PastSale(str(number), "D-1", observation.open_after_s, asked_s, observation.states))
    return found


def test_after_a_state_the_time_that_is_left_is_known_where_the_state_tells_it() -> None:
    past_sales = with_state(log_normal(15.0, 0.7), fixed(1.5), 30)
    habit = habit_of(past_sales)
    assert set(habit.after) == {"inFlight"}
    assert habit.after["inFlight"].time(0.4) == pytest.approx(1.5, abs=0.3)
    assert habit.after["inFlight"].share(2.3) > 0.75
    pause = PollPlan().pause(
        Progress(20.0, 20.0, 9, asked_after_s=20.0, open_after_s=20.0, state="inFlight", state_after_s=19.7),
        habit,
    )
    assert pause
    assert pause.why is Why.STATE
    assert 0.5 < pause.seconds < 1.6


def test_a_state_that_tells_nothing_is_not_gone_by() -> None:
    """It begins soon, and the outcome comes whenever it does."""
    assert not habit_of(with_state(fixed(0.9), log_normal(15.0), 30)).after


def test_a_state_that_was_seen_a_few_times_is_not_gone_by() -> None:
    told = with_state(log_normal(15.0, 0.7), fixed(1.5), 20)
    few = [
        replace(past_sale, states=()) if number > ENOUGH - 2 else past_sale
        for number, past_sale in enumerate(told)
    ]
    assert habit_of(told).after
    assert not habit_of(few).after


def test_a_state_is_known_from_the_environment_as_long_as_the_device_teaches_little() -> None:
    others = environment_habit(with_state(log_normal(15.0, 0.7), fixed(1.5), 30))
    assert set(device_habit(past_sales_of(fixed(8.0), 2), others).after) == {"inFlight"}


# --- extremes --------------------------------------------------------------------------------------------

ANY_PAST_SALE = st.builds(
    lambda after, width, states: PastSale(
        "KB", "D-1", after, after + width, tuple((word, min(at, after)) for word, at in states)
    ),
    st.just(0.0) | st.floats(0, 20) | st.floats(0, 90_000),
    st.sampled_from([1e-6, 0.5, math.inf, 86_400.0]) | st.floats(1e-6, 400),
    st.lists(st.tuples(st.sampled_from(["a", "b"]), st.floats(0, 10)), max_size=3),
)


def check(habit: Habit) -> None:
    """Check that a habit can be polled by and shown."""
    for one in (habit.expected, *habit.after.values(), *([habit.seen] if habit.seen else [])):
        assert all(earlier < later for earlier, later in itertools.pairwise(one.knots))
        assert all(0 <= less <= more <= 1 + 1e-9 for less, more in itertools.pairwise(one.shares))
        for last_s in (0.0, 0.7, 8.0, 400.0, 90_000.0):
            look_s = one.next_look(last_s, 0.035)
            assert look_s > last_s
            assert not math.isnan(one.share(last_s))
    if habit.usual_s:
        assert 0 <= habit.usual_s[0] <= habit.usual_s[1] < math.inf


@settings(max_examples=examples(40))
@given(st.lists(ANY_PAST_SALE, max_size=MOST_PAST_SALES), st.integers(1, 48))
def test_whatever_was_seen_a_habit_can_be_polled_by(past_sales: list[PastSale], times: int) -> None:
    others = environment_habit(past_sales)
    check(others)
    check(device_habit(past_sales[::2], others))
    if past_sales:
        check(device_habit([past_sales[0]] * times, others))


@pytest.mark.parametrize(
    "past_sales",
    [
        [PastSale(str(n), "D", 0.0, 1e-6) for n in range(48)],
        [PastSale(str(n), "D", 0.0, 3600.0) for n in range(48)],
        [PastSale(str(n), "D", 3599.0, 3600.0) for n in range(48)],
        [PastSale(str(n), "D", 86_399.0, 86_400.0) for n in range(48)],
        [PastSale(str(n), "D", 0.0, math.inf) for n in range(48)],
        [PastSale(str(n), "D", 7.5, 8.0) for n in range(48)],
        [*(PastSale(str(n), "D", 0.0, 0.02) for n in range(47)), PastSale("47", "D", 0.0, 86_400.0)],
    ],
    ids=["at once", "wide", "an hour", "a day", "never", "alike", "one much later"],
)
def test_extremes_are_habits_too(past_sales: list[PastSale]) -> None:
    check(habit_of(past_sales))


def test_words_at_random_cost_little() -> None:
    """A gateway that says anything makes no more habits than a few."""
    chance = random.Random(5)
    past_sales = [
        replace(past_sale, states=tuple((chance.choice("abcdefghijkl"), 0.3 * n) for n in range(6)))
        for past_sale in past_sales_of(log_normal(12.0), 48)
    ]
    assert len(habit_of(past_sales).after) <= 6
