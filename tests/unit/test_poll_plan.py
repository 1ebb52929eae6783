"""The poll plan's laws."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keybench.core.poll_plan import PollPlan

PLAN = PollPlan()
AGES = st.floats(0, 10_000)
ASKED = st.integers(0, 500)


def pauses(plan: PollPlan, *, age_s: float = 0.0, answer_s: float = 0.0) -> list[float]:
    """Return the pauses of a sale that never ends, each answer taking `answer_s`."""
    followed, found = 0.0, []
    while (pause := plan.pause(age_s + followed, followed, asked=len(found))) is not None:
        found.append(pause)
        followed += pause + answer_s
        assert len(found) < 1000
    return found


def test_a_new_sale_is_asked_for_at_once_and_ever_more_seldom() -> None:
    found = pauses(PLAN)
    assert found[0] == PLAN.first_s
    assert found[1] == PLAN.shortest_s
    assert sorted(found[:-1]) == found[:-1]
    assert max(found) == PLAN.longest_s


def test_it_ends_at_the_deadline_and_asks_there_once_more() -> None:
    found = pauses(PLAN)
    assert abs(sum(found) - PLAN.deadline_s) < 1e-6
    assert found[-1] > 0


def test_a_whole_sale_takes_a_bounded_number_of_requests() -> None:
    assert len(pauses(PLAN)) < 110


@given(st.floats(0, 100_000), st.floats(0, 20))
def test_a_sale_taken_up_late_is_asked_for_at_once_and_for_a_while(age_s: float, answer_s: float) -> None:
    found = pauses(PLAN, age_s=age_s, answer_s=answer_s)
    assert found
    assert found[0] <= PLAN.first_s
    assert sum(found) <= max(PLAN.deadline_s - age_s, PLAN.grace_s) + 1e-6


@given(AGES, AGES, ASKED, st.integers(0, 100), st.none() | st.floats(0, 5000))
def test_no_pause_goes_beyond_what_is_left(
    elapsed: float, followed: float, asked: int, troubles: int, retry_after: float | None
) -> None:
    left = max(PLAN.deadline_s - elapsed, PLAN.grace_s - followed)
    pause = PLAN.pause(elapsed, followed, asked=asked, troubles=troubles, retry_after_s=retry_after)
    assert (pause is None) == (left <= 0)
    assert pause is None or 0 <= pause <= left


@given(st.floats(0, 300), st.integers(1, 500), st.integers(0, 100), st.floats(0, 25))
def test_what_the_gateway_asks_for_is_given(
    elapsed: float, asked: int, troubles: int, retry_after: float
) -> None:
    pause = PLAN.pause(elapsed, elapsed, asked=asked, troubles=troubles, retry_after_s=retry_after)
    assert pause is not None
    assert pause >= retry_after


@given(st.floats(0, 250), st.integers(1, 100))
def test_trouble_makes_pauses_longer_up_to_a_bound(elapsed: float, troubles: int) -> None:
    calm, troubled, more = (
        PLAN.pause(elapsed, elapsed, asked=3, troubles=count) or 0.0 for count in (0, troubles, troubles + 1)
    )
    assert calm <= troubled <= more <= PLAN.longest_s * 4


@given(st.floats(0, 329), st.integers(1, 500))
def test_polls_are_never_closer_than_the_shortest_pause_but_at_the_end(elapsed: float, asked: int) -> None:
    pause = PLAN.pause(elapsed, elapsed, asked=asked)
    assert pause is not None
    assert pause >= min(PLAN.shortest_s, PLAN.deadline_s - elapsed)
