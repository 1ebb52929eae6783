"""The poll plan's laws."""

from __future__ import annotations

import itertools
import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.devices.distribution import Distribution, evenly, mixed
from keybench.core.devices.habit import ENOUGH, UNTAUGHT, USUAL, Habit, PastSale, device_habit
from keybench.core.sales.poll_plan import Pause, PollPlan, Progress, Why

PLAN = PollPlan()
PROGRESS = st.builds(
    Progress,
    elapsed_s=st.floats(0, 10_000),
    followed_s=st.floats(0, 10_000),
    asked=st.integers(0, 500),
    troubles=st.integers(0, 100),
    retry_after_s=st.none() | st.floats(0, 5000),
    hint_s=st.none() | st.floats(0, 5000),
    held=st.booleans(),
    phase=st.floats(0, 1, exclude_max=True),
    open_after_s=st.floats(0, 10_000),
    state=st.sampled_from(["", "inFlight", "odd"]),
    state_after_s=st.floats(0, 10_000),
)
#: The outcomes of a till come at 8 s, give or take a quarter of a second.
AT_8_S = Habit(
    expected=mixed([(0.85, evenly([(7.75, 8.25, 1.0)])), (0.15, USUAL)]),
    seen=evenly([(7.75, 8.25, 1.0)]),
    after={"inFlight": evenly([(1.0, 1.2, 1.0)])},
)
HABITS = st.sampled_from([UNTAUGHT, AT_8_S])


def at(elapsed_s: float, asked: int = 3) -> Progress:
    """Return the progress of a sale that this program has followed from its acceptance on."""
    last_s = max(elapsed_s - 0.01, 0.0) if asked else None
    return Progress(elapsed_s, elapsed_s, asked, asked_after_s=last_s, open_after_s=last_s or 0.0)


def asked_again(now: Progress, habit: Habit = UNTAUGHT) -> Pause:
    pause = PLAN.pause(now, habit)
    assert pause
    return pause


def pauses(
    habit: Habit = UNTAUGHT,
    *,
    age_s: float = 0.0,
    answer_s: float = 0.0,
    phase: float = 0.0,
    held: bool = False,
    sparing: bool = False,
) -> list[Pause]:
    """Return the pauses of a sale that never ends, each answer taking `answer_s`."""
    now, found = Progress(age_s, 0.0, 0, held=held, phase=phase, sparing=sparing), list[Pause]()
    while pause := PLAN.pause(now, habit):
        found.append(pause)
        assert len(found) < 2000
        asked_after_s = now.elapsed_s + pause.seconds
        now = replace(
            now,
            elapsed_s=asked_after_s + answer_s,
            followed_s=now.followed_s + pause.seconds + answer_s,
            asked=len(found),
            asked_after_s=asked_after_s,
            open_after_s=asked_after_s,
        )
    return found


def moments(habit: Habit = UNTAUGHT, phase: float = 0.0) -> list[float]:
    """Return when a sale that never ends is asked for, in seconds since its acceptance."""
    return list(itertools.accumulate(pause.seconds for pause in pauses(habit, phase=phase)))


def test_every_pause_says_why() -> None:
    found = pauses()
    assert [why for why, _group in itertools.groupby(found, lambda pause: pause.why)] == [
        Why.FIRST,
        Why.LIKELY,
        Why.LATE,
        Why.LAST,
    ]


def test_a_till_with_a_habit_is_asked_often_when_its_outcomes_come_and_seldom_before_and_after() -> None:
    found = moments(AT_8_S)
    before = [moment for moment in found if moment < 7.75]
    around = [moment for moment in found if 7.75 <= moment < 9.0]
    untaught = [moment for moment in moments() if moment < 7.75]
    assert 0 < len(before) <= len(untaught) / 2, "it may have changed its habit"
    assert min(around) < 8.1
    assert [pause.why for pause in pauses(AT_8_S)[: len(before) + 1]] == [
        *[Why.EARLY] * len(before),
        Why.LIKELY,
    ]


def test_a_poll_comes_just_after_a_moment_that_is_known() -> None:
    sharp = replace(AT_8_S, expected=mixed([(0.999, evenly([(7.99, 8.0, 1.0)])), (0.001, USUAL)]))
    first = moments(sharp)[0]
    assert 8.0 <= first <= 8.0 + 2 * PLAN.price_s


@given(st.floats(0.5, 60), st.floats(0.05, 30), st.floats(0, 0.9))
def test_a_look_comes_when_the_outcome_has_waited_for_the_price(
    begin: float, width: float, share: float
) -> None:
    expected = mixed([(1 - share, evenly([(begin, begin + width, 1.0)])), (share, USUAL)])
    look = expected.next_look(0.0, 0.05)
    steps = 5_000
    waited = sum(expected.share(look * (step + 0.5) / steps) for step in range(steps)) * look / steps
    assert waited == pytest.approx(0.05, rel=0.01)


@given(st.floats(0.01, 0.2), st.floats(0.001, 0.02))
def test_looks_come_at_the_square_root_of_the_hazard(hazard: float, price_s: float) -> None:
    """Of a hazard that stays, as an exponential distribution has it."""
    knots = [0.02 * step for step in range(5000)]
    steady = Distribution(tuple(knots), tuple(1 - math.exp(-hazard * knot) for knot in knots))
    pause_s = steady.next_look(20.0, price_s) - 20.0
    assert 1 / pause_s == pytest.approx(math.sqrt(hazard / 2 / price_s), rel=0.05)


def test_an_outcome_that_will_never_come_is_looked_for_at_the_longest_pause() -> None:
    over = Habit(expected=evenly([(1.0, 2.0, 1.0)]))
    assert asked_again(at(100.0), over).seconds == pytest.approx(PLAN.longest_s - 0.01)


def test_after_a_status_word_it_goes_by_what_comes_after_it() -> None:
    now = replace(at(3.0), state="inFlight", state_after_s=2.9)
    pause = asked_again(now, AT_8_S)
    assert pause.why is Why.STATE
    assert 2.9 + 1.0 < 3.0 + pause.seconds < 2.9 + 1.2
    assert asked_again(replace(now, state="odd"), AT_8_S).why is Why.EARLY


def test_untaught_it_asks_less_often_than_each_second_and_is_hardly_later() -> None:
    """Of outcomes as they usually are; who asks each second is half a second late on average."""
    wanted = [USUAL.time((number + 0.5) / 200) for number in range(190)]
    plans = [moments(phase=number / 20) for number in range(20)]
    lags, polls = [], 0
    for moment in wanted:
        for plan in plans:
            place = next(place for place, asked_at in enumerate(plan) if asked_at >= moment)
            lags.append(plan[place] - moment)
            polls += place + 1
    each_second = sum(math.ceil(moment) for moment in wanted) * len(plans)
    assert polls < 0.95 * each_second
    assert statistics.mean(lags) < 0.6


@pytest.mark.parametrize("sparing", [True, False])
def test_one_of_many_untaught_sales_is_asked_for_at_most_once_a_second_on_the_whole(*, sparing: bool) -> None:
    soon = Habit(expected=evenly([(0.0, 10.0, 0.99), (10.0, 400.0, 0.01)]))
    found = itertools.accumulate(pause.seconds for pause in pauses(soon, phase=0.5, sparing=sparing))
    assert all(moment >= number for number, moment in enumerate(found)) is sparing


@given(st.floats(0, 0.9), st.floats(0, 1), st.floats(0, 1, exclude_max=True), st.floats(0, 300))
def test_what_is_learnt_while_the_first_poll_waits_does_not_put_it_off_for_ever(
    followed_s: float, part: float, phase: float, age_s: float
) -> None:
    """Each outcome of another sale has the pause reckoned again."""
    soon = Habit(expected=evenly([(0.0, 0.01, 1.0)]))
    now = Progress(age_s + followed_s, followed_s, 0, phase=phase)
    waited_s = part * asked_again(now, soon).seconds
    later = replace(now, elapsed_s=now.elapsed_s + waited_s, followed_s=followed_s + waited_s)
    assert waited_s + asked_again(later, soon).seconds == pytest.approx(asked_again(now, soon).seconds)


def test_sales_that_begin_together_are_asked_for_at_moments_of_their_own() -> None:
    firsts = sorted(pauses(phase=number / 50)[0].seconds for number in range(50))
    assert {pauses(phase=number / 50)[0].why for number in range(50)} == {Why.FIRST}
    gaps = [later - earlier for earlier, later in itertools.pairwise(firsts)]
    assert min(gaps) > 0
    assert max(gaps) < 0.03


def test_it_ends_at_the_deadline_and_asks_there_once_more() -> None:
    assert moments()[-1] == pytest.approx(PLAN.deadline_s)
    assert PLAN.deadline_s > 300, "a device may take five minutes, and the gateway tells so a little later"


def test_a_whole_sale_takes_a_bounded_number_of_requests() -> None:
    assert len(pauses()) < 150
    assert len(pauses(AT_8_S)) < 150


def test_a_held_poll_is_asked_for_again_at_once_and_not_in_a_flurry() -> None:
    found = pauses(answer_s=25.0, held=True)
    assert {pause.why for pause in found[:-1]} == {Why.HELD}
    assert len(found) < 20
    assert all(pause.seconds >= PLAN.held_s for pause in found[1:-1])


@given(st.floats(0, 250), st.floats(0, 60), HABITS)
def test_a_hint_is_followed_but_not_to_the_point_of_a_flurry(
    elapsed_s: float, hint_s: float, habit: Habit
) -> None:
    pause = asked_again(replace(at(elapsed_s), hint_s=hint_s), habit)
    assert pause == Pause(max(hint_s, PLAN.least_hint_s), Why.HINT)


@given(st.floats(0, 100_000), st.floats(0, 20), st.floats(0, 1, exclude_max=True), HABITS)
def test_a_sale_taken_up_late_is_asked_for_at_once_and_for_a_while(
    age_s: float, answer_s: float, phase: float, habit: Habit
) -> None:
    found = pauses(habit, age_s=age_s, answer_s=answer_s, phase=phase)
    assert found
    first_s = moments(habit, phase)[0]
    assert found[0].seconds <= max(first_s - age_s, PLAN.spread_s) + 1e-9
    assert sum(pause.seconds for pause in found) <= max(PLAN.deadline_s - age_s, PLAN.grace_s) + 1e-6


@given(PROGRESS, st.none() | st.floats(0, 10_000), HABITS)
def test_no_pause_goes_beyond_what_is_left_and_the_last_question_comes_after_it(
    now: Progress, asked_after_s: float | None, habit: Habit
) -> None:
    now = replace(now, asked_after_s=asked_after_s)
    left_s = max(PLAN.deadline_s - now.elapsed_s, PLAN.grace_s - now.followed_s)
    pause = PLAN.pause(now, habit)
    if left_s > 0:
        assert pause
        assert 0 <= pause.seconds <= left_s
    elif asked_after_s is not None and asked_after_s >= now.elapsed_s + left_s:
        assert pause is None
    else:  # the answer was held, or the computer slept, past the deadline
        assert pause == Pause(0.0, Why.LAST)


@given(PROGRESS, HABITS)
def test_what_the_gateway_asks_for_is_given_unless_the_deadline_comes_first(
    now: Progress, habit: Habit
) -> None:
    pause = PLAN.pause(now, habit)
    if pause and pause.why is not Why.LAST:
        assert pause.seconds >= (now.retry_after_s or 0.0)


@given(st.floats(0, 250), st.integers(1, 100), HABITS)
def test_trouble_makes_pauses_longer_up_to_a_bound(elapsed_s: float, troubles: int, habit: Habit) -> None:
    calm, troubled, more = (
        asked_again(replace(at(elapsed_s), troubles=count), habit) for count in (0, troubles, troubles + 1)
    )
    assert calm.seconds <= troubled.seconds <= more.seconds <= PLAN.longest_backoff_s
    assert troubled.why is Why.TROUBLE or troubled == calm


@given(st.floats(0, 329), st.integers(1, 500), HABITS)
def test_polls_are_never_closer_than_the_shortest_pause_but_at_the_end(
    elapsed_s: float, asked: int, habit: Habit
) -> None:
    now = at(elapsed_s, asked)
    assert now.asked_after_s is not None
    polled_s = elapsed_s + asked_again(now, habit).seconds
    assert polled_s - now.asked_after_s >= min(PLAN.shortest_s, PLAN.deadline_s - elapsed_s) - 1e-9


@given(st.lists(st.floats(0.3, 200), min_size=ENOUGH, max_size=48), st.floats(0, 300))
def test_what_was_learnt_never_keeps_it_from_asking(ended: list[float], elapsed_s: float) -> None:
    """A wrong habit costs little: where nothing was ever seen, it asks about four tenths as often."""
    past_sales = [PastSale(str(n), "D-1", max(end - 0.8, 0.0), end) for n, end in enumerate(ended)]
    habit = device_habit(past_sales, UNTAUGHT)
    taught, untaught = (
        habit.expected.next_look(elapsed_s, PLAN.price_s) - elapsed_s for habit in (habit, UNTAUGHT)
    )
    assert taught <= 3.5 * untaught
