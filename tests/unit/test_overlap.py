"""The end of an overlap: a good hour is proposed, and bad moments are warned of."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from keybench.core.rotations.overlap import Caution, caution_at, default_end
from keybench.words.rotations.details import overlap_warning

#: A moment by the clock on the wall.
local = datetime.fromisoformat
MOMENTS = st.datetimes(min_value=local("2020-01-01"), max_value=local("2099-12-31"))


@given(MOMENTS)
def test_weekends_begin_on_friday_at_noon(moment: datetime) -> None:
    eve = Caution.EVE if moment.hour >= 12 else None
    expected = {4: eve, 5: Caution.WEEKEND, 6: Caution.WEEKEND}.get(moment.weekday())
    assert caution_at(moment) is expected
    assert overlap_warning(moment).endswith(".") == bool(expected)


def test_the_end_of_the_calendar_can_be_asked_for() -> None:
    assert caution_at(local("9999-12-31T23:59")) is Caution.EVE
    assert default_end(local("9999-12-31T23:59+00:00"), 30).year == 9999


@given(st.datetimes(max_value=local("9990-01-01")), st.integers(0, 365))
def test_the_proposed_end_is_a_good_hour_and_the_first_one(now: datetime, days: int) -> None:
    end = default_end(now, days)
    assert end - now >= timedelta(days=days)
    assert end - now < timedelta(days=days + 4)
    assert end.weekday() in range(4), "not from Friday to Sunday"
    assert 9 <= end.hour <= 15
    assert (end.minute, end.second, end.microsecond) == (0, 0, 0)


def test_the_proposed_end_is_on_a_working_day() -> None:
    assert default_end(local("2026-03-02T10:30"), 0) == local("2026-03-02T11:00"), "a Monday"
    assert default_end(local("2026-03-05T16:00"), 0) == local("2026-03-09T09:00"), "after the weekend"
