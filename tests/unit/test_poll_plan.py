"""The poll plan's laws."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.poll_plan import Pause, PollPlan, Progress, Why

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
)


def at(elapsed_s: float, asked: int = 3) -> Progress:
    """Return the progress of a sale that this program has followed from its acceptance on."""
    return Progress(elapsed_s, elapsed_s, asked)


def asked_again(now: Progress) -> Pause:
    pause = PLAN.pause(now)
    assert pause
    return pause


def pauses(
    *, age_s: float = 0.0, answer_s: float = 0.0, phase: float = 0.0, held: bool = False
) -> list[Pause]:
    """Return the pauses of a sale that never ends, each answer taking `answer_s`."""
    now, found = Progress(age_s, 0.0, 0, held=held, phase=phase), list[Pause]()
    while pause := PLAN.pause(now):
        found.append(pause)
        assert len(found) < 2000
        asked_after_s = now.elapsed_s + pause.seconds
        now = replace(
            now,
            elapsed_s=asked_after_s + answer_s,
            followed_s=now.followed_s + pause.seconds + answer_s,
            asked=len(found),
            asked_after_s=asked_after_s,
        )
    return found


def moments(phase: float = 0.0) -> list[float]:
    """Return when a sale that never ends is asked for, in seconds since its acceptance."""
    return list(itertools.accumulate(pause.seconds for pause in pauses(phase=phase)))


def test_every_pause_says_why() -> None:
    found = pauses()
    assert [why for why, _group in itertools.groupby(found, lambda pause: pause.why)] == [
        Why.FIRST,
        Why.EARLY,
        Why.LIKELY,
        Why.LATE,
        Why.LAST,
    ]
    assert all(why.value for why in Why)


def test_it_asks_quickest_when_most_sales_end_and_then_ever_more_seldom() -> None:
    found = pauses()
    likely = [pause.seconds for pause in found if pause.why is Why.LIKELY]
    late = [pause.seconds for pause in found if pause.why is Why.LATE]
    assert min(likely) == PLAN.likely_s
    assert sorted(likely, reverse=True) == likely
    assert sorted(late) == late
    assert max(late) == PLAN.longest_s


def test_half_the_outcomes_within_ten_seconds_are_seen_within_a_quarter_of_a_second() -> None:
    """Outcomes at any moment of the first ten seconds, for sales in all phases."""
    lags, polls, naive = [], 0, 0
    for number in range(200):
        plan = moments(phase=number / 200)
        for moment in (step / 20 for step in range(200)):
            index = next(place for place, asked_at in enumerate(plan) if asked_at >= moment)
            lags.append(plan[index] - moment)
            polls += index + 1
            naive += 1 + int(-(-moment // 1))
    assert sorted(lags)[len(lags) // 2] <= 0.26
    assert max(lags) < 1.5
    assert polls / naive <= 1.2


def test_sales_that_begin_together_are_asked_for_at_moments_of_their_own() -> None:
    assert len({pauses(phase=number / 50)[0].seconds for number in range(50)}) == 50
    assert {pauses(phase=number / 50)[0].why for number in range(50)} == {Why.FIRST}


def test_it_ends_at_the_deadline_and_asks_there_once_more() -> None:
    assert moments()[-1] == pytest.approx(PLAN.deadline_s)
    assert PLAN.deadline_s > 300, "a device may take five minutes, and the gateway tells so a little later"


def test_a_whole_sale_takes_a_bounded_number_of_requests() -> None:
    assert len(pauses()) < 110


def test_a_held_poll_is_asked_for_again_at_once_and_not_in_a_flurry() -> None:
    found = pauses(answer_s=25.0, held=True)
    assert {pause.why for pause in found[1:-1]} <= {Why.HELD}
    assert len(found) < 20
    assert all(pause.seconds >= PLAN.held_s for pause in found[1:-1])


@given(st.floats(0, 250), st.floats(0, 60))
def test_a_hint_is_followed_but_not_to_the_point_of_a_flurry(elapsed_s: float, hint_s: float) -> None:
    pause = asked_again(replace(at(elapsed_s), hint_s=hint_s))
    assert pause == Pause(max(hint_s, PLAN.least_hint_s), Why.HINT)


@given(st.floats(0, 100_000), st.floats(0, 20), st.floats(0, 1, exclude_max=True))
def test_a_sale_taken_up_late_is_asked_for_at_once_and_for_a_while(
    age_s: float, answer_s: float, phase: float
) -> None:
    found = pauses(age_s=age_s, answer_s=answer_s, phase=phase)
    assert found
    assert found[0].seconds <= PLAN.first_s + PLAN.spread_s
    assert sum(pause.seconds for pause in found) <= max(PLAN.deadline_s - age_s, PLAN.grace_s) + 1e-6


@given(PROGRESS, st.none() | st.floats(0, 10_000))
def test_no_pause_goes_beyond_what_is_left_and_the_last_question_comes_after_it(
    now: Progress, asked_after_s: float | None
) -> None:
    now = replace(now, asked_after_s=asked_after_s)
    left_s = max(PLAN.deadline_s - now.elapsed_s, PLAN.grace_s - now.followed_s)
    pause = PLAN.pause(now)
    if left_s > 0:
        assert pause
        assert 0 <= pause.seconds <= left_s
    elif asked_after_s is not None and asked_after_s >= now.elapsed_s + left_s:
        assert pause is None
    else:  # the answer was held, or the computer slept, past the deadline
        assert pause == Pause(0.0, Why.LAST)


@given(PROGRESS)
def test_what_the_gateway_asks_for_is_given_unless_the_deadline_comes_first(now: Progress) -> None:
    pause = PLAN.pause(now)
    if pause and pause.why is not Why.LAST:
        assert pause.seconds >= (now.retry_after_s or 0.0)


@given(st.floats(0, 250), st.integers(1, 100))
def test_trouble_makes_pauses_longer_up_to_a_bound(elapsed_s: float, troubles: int) -> None:
    calm, troubled, more = (
        asked_again(replace(at(elapsed_s), troubles=count)) for count in (0, troubles, troubles + 1)
    )
    assert calm.seconds <= troubled.seconds <= more.seconds <= PLAN.longest_s * 4
    assert troubled.why is Why.TROUBLE or troubled == calm


@given(st.floats(0, 329), st.integers(1, 500))
def test_polls_are_never_closer_than_the_shortest_pause_but_at_the_end(elapsed_s: float, asked: int) -> None:
    pause = asked_again(at(elapsed_s, asked))
    assert pause.seconds >= min(PLAN.likely_s, PLAN.deadline_s - elapsed_s)
