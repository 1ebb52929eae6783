"""The end of an overlap: a good hour is proposed."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from keybench.core.rotations.plans import default_end

#: A moment by the clock on the wall.
local = datetime.fromisoformat


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
