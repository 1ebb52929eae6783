"""The laws of distributions: each time has its chance, and each look its moment."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keybench.core.devices.distribution import Distribution, evenly, log_logistic, mixed

USUAL = log_logistic(7.0, 1.2, from_s=0.6, until_s=3600.0)
NEVER = Distribution((0.0,), (0.0,))
TIMES = st.floats(0, 5000)
PRICES = st.floats(1e-4, 10)


@st.composite
def spans(draw: st.DrawFn) -> list[tuple[float, float, float]]:
    """Spans that overlap, touch, are very short or very long."""
    found = list[tuple[float, float, float]]()
    for _ in range(draw(st.integers(1, 8))):
        begin = draw(st.sampled_from([0.0, 1.0, 2.5]) | st.floats(0, 400))
        width = draw(st.sampled_from([1e-6, 1.5, 3600.0]) | st.floats(1e-6, 50))
        found.append((begin, begin + width, draw(st.floats(1e-3, 100))))
    return found


@st.composite
def distributions(draw: st.DrawFn) -> Distribution:
    """Distributions of every kind, some of them never over with a chance."""
    one = draw(st.sampled_from([USUAL, NEVER]) | st.builds(evenly, spans()))
    part = draw(st.floats(0, 1))
    other = draw(st.sampled_from([USUAL, NEVER]) | st.builds(evenly, spans()))
    return draw(st.sampled_from([one, mixed([(part, one), (1 - part, other)])]))


@settings(max_examples=30)
@given(distributions(), TIMES, TIMES)
def test_the_chance_to_be_over_never_falls(one: Distribution, time_s: float, other_s: float) -> None:
    assert 0 <= one.share(min(time_s, other_s)) <= one.share(max(time_s, other_s)) <= 1 + 1e-12
    assert all(earlier < later for earlier, later in itertools.pairwise(one.knots))
    assert all(less <= more for less, more in itertools.pairwise(one.shares))
    assert one.share(-1.0) == 0
    assert one.share(math.inf) == one.shares[-1] <= 1


@settings(max_examples=30)
@given(distributions(), st.floats(0, 1))
def test_by_the_time_of_a_share_so_much_is_over(one: Distribution, share: float) -> None:
    time_s = one.time(share)
    if math.isinf(time_s):
        assert share > one.shares[-1]
    else:
        assert one.share(time_s) == pytest.approx(share, abs=1e-6)
        assert one.share(time_s - 1e-3) <= share + 1e-9, "it isn't over any sooner"


@settings(max_examples=30)
@given(distributions(), TIMES, TIMES)
def test_what_is_left_after_a_time_is_the_chance_of_what_was_not_over(
    one: Distribution, time_s: float, more_s: float
) -> None:
    left, over = one.after(time_s), one.share(time_s)
    assert left.share(0) == 0
    if over < 1 - 1e-9:
        wanted = (one.share(time_s + more_s) - over) / (1 - over)
        assert left.share(more_s) == pytest.approx(wanted, abs=1e-5)
    assert all(0 <= less <= more <= 1 for less, more in itertools.pairwise(left.shares))


@settings(max_examples=30)
@given(distributions(), distributions(), st.floats(0, 1), TIMES)
def test_a_mixture_has_the_mean_of_the_chances(
    one: Distribution, other: Distribution, part: float, time_s: float
) -> None:
    both = mixed([(part, one), (1 - part, other)])
    wanted = part * one.share(time_s) + (1 - part) * other.share(time_s)
    assert both.share(time_s) == pytest.approx(wanted, abs=1e-7)


@settings(max_examples=30)
@given(spans(), TIMES)
def test_evenly_has_of_each_span_what_lies_before_a_time(
    some: list[tuple[float, float, float]], time_s: float
) -> None:
    total = sum(weight for _begin, _end, weight in some)
    wanted = sum(weight * min(max((time_s - begin) / (end - begin), 0), 1) for begin, end, weight in some)
    one = evenly(some)
    assert one.share(time_s) == pytest.approx(wanted / total, abs=1e-4)
    assert (one.shares[0], one.shares[-1]) == (0, 1)


def test_spans_that_touch_are_one() -> None:
    one = evenly([(1.0, 2.0, 1.0), (2.0, 3.0, 1.0)])
    assert [one.share(time) for time in (1, 1.5, 2, 2.5, 3)] == pytest.approx([0, 0.25, 0.5, 0.75, 1])


@settings(max_examples=30)
@given(st.floats(0.5, 60), st.floats(0.5, 8), st.floats(0, 5), st.floats(600, 100_000))
def test_a_log_logistic_hump_has_its_median_and_begins_late(
    median_s: float, shape: float, from_s: float, until_s: float
) -> None:
    one = log_logistic(median_s, shape, from_s=from_s, until_s=until_s)
    assert one.share(from_s) == 0
    assert one.time(0.5) == pytest.approx(from_s + median_s, rel=0.05)
    assert one.share(until_s * 2) == one.shares[-1] <= 1, "the rest never is over"


@settings(max_examples=30)
@given(distributions(), TIMES, TIMES, PRICES, PRICES)
def test_looks_come_later_the_later_the_last_one_and_the_dearer_they_are(
    one: Distribution, last_s: float, other_s: float, price_s: float, other_price_s: float
) -> None:
    first, last = sorted((last_s, other_s))
    look = one.next_look(first, price_s)
    assert look > first
    if one.share(last) < 1 - 1e-6:  # beyond, it is all rounding
        assert look <= one.next_look(last, price_s) + 1e-3
    if one.share(first) < 1 - 1e-6:
        cheap, dear = sorted((price_s, other_price_s))
        assert one.next_look(first, cheap) <= one.next_look(first, dear) + 1e-6


@settings(max_examples=30)
@given(distributions(), st.floats(0, 100), PRICES, st.floats(0.25, 4))
def test_looks_at_what_takes_longer_come_as_much_later(
    one: Distribution, last_s: float, price_s: float, times: float
) -> None:
    slower = Distribution(tuple(knot * times for knot in one.knots), one.shares)
    look, later = one.next_look(last_s, price_s), slower.next_look(last_s * times, price_s * times)
    if one.share(last_s) < 1 - 1e-6:
        assert later == pytest.approx(look * times, rel=1e-4) or min(later, look * times) > 1e6


@settings(max_examples=30)
@given(distributions(), TIMES, PRICES)
def test_looks_go_on_and_reach_every_outcome(one: Distribution, begin_s: float, price_s: float) -> None:
    """The looks never stand still, and go on until it is over or never will be."""
    look = begin_s
    for _ in range(400):
        last, look = look, one.next_look(look, price_s)
        assert look > last
        if math.isinf(look) or look > one.knots[-1]:
            break
    left = one.shares[-1] - one.share(last)
    if math.isinf(look):
        assert left < 1e-6


@pytest.mark.parametrize(
    ("one", "last_s"),
    [
        (NEVER, 0.0),
        (NEVER, 10.0),
        (evenly([(1.0, 2.0, 1.0)]), 2.0),
        (evenly([(1.0, 2.0, 1.0)]), 1e9),
        (Distribution((1.0, 2.0), (0.0, 0.4)), 2.0),
        (USUAL, 3600.6),
    ],
)
def test_what_will_never_be_over_is_not_looked_for(one: Distribution, last_s: float) -> None:
    assert one.next_look(last_s, 0.05) == math.inf
    assert one.after(last_s).share(1e9) == 0


def test_noise_of_rounding_is_no_chance() -> None:
    noisy = Distribution((0.0, 1.0, 2.0), (0.0, 1.0 - 1e-16, 1.0))
    assert noisy.next_look(1.0, 0.05) > 1.0
    assert noisy.after(1.0).shares == (0.0,)
    third = mixed([(1 / 3, evenly([(0.0, 1.0, 0.1)]))] * 3)
    assert third.shares[-1] <= 1
