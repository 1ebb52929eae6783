"""The end of an overlap: busy times are read and written back alike, and bad moments are warned of."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.overlap import (
    LEAD,
    BusyTime,
    Caution,
    default_end,
    parse_busy_time,
    parse_busy_times,
    unreadable_lines,
    warnings,
)
from keybench.words.rotation_details import overlap_warning

#: A moment by the clock on the wall.
local = datetime.fromisoformat
MOMENTS = st.datetimes(min_value=local("2020-01-01"), max_value=local("2099-12-31"))
DAYS = st.integers(0, 6) | st.dates(date(2020, 1, 1), date(2099, 12, 31))


@st.composite
def busy_times(draw: st.DrawFn) -> BusyTime:
    start = draw(st.integers(0, 1439))
    length = draw(st.integers(1, 1439))
    end = start + length
    whole = draw(st.booleans())
    return BusyTime(draw(DAYS)) if whole else BusyTime(draw(DAYS), start, end)


@pytest.mark.parametrize(
    ("line", "busy"),
    [
        ("Fri 16:00-20:00", BusyTime(4, 960, 1200)),
        ("  friday   9:30 - 24:00 ", BusyTime(4, 570, 1440)),
        ("SUN", BusyTime(6)),
        ("2026-12-24", BusyTime(date(2026, 12, 24))),
        ("2026-11-27 08:00\u201322:00", BusyTime(date(2026, 11, 27), 480, 1320)),
        ("Sat 22:00-02:00", BusyTime(5, 1320, 1560)),
        ("Sat 22:00-00:00", BusyTime(5, 1320, 1440)),
    ],
)
def test_a_line_is_read(line: str, busy: BusyTime) -> None:
    assert parse_busy_time(line) == busy
    assert parse_busy_time(str(busy)) == busy


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Fry",
        "Fri 16",
        "Fri 16:00",
        "Fri 16:60-17:00",
        "Fri 25:00-26:00",
        "Fri 24:01-03:00",
        "Fri 24:00-03:00",
        "Fri 16:00-16:00",
        "2026-02-30",
        "24.12.2026",
        "Fri 16:00-20:00 and Sat",
        "\u0662\u0660\u0662\u0666-12-24",
    ],
)
def test_what_is_no_time_is_told_apart(line: str) -> None:
    assert parse_busy_time(line) is None
    assert parse_busy_times(f"Mon\n{line}\n") == (BusyTime(0),)
    assert unreadable_lines(f"Mon\n\n{line}\n") == ((line,) if line else ())


@given(busy_times())
def test_what_is_written_is_read_back(busy: BusyTime) -> None:
    assert parse_busy_time(str(busy)) == busy


@given(st.text())
def test_any_text_is_read_or_told(text: str) -> None:
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(parse_busy_times(text)) + len(unreadable_lines(text)) == len(lines)


@given(MOMENTS, busy_times())
def test_a_busy_time_is_met_within_it_and_nowhere_else(moment: datetime, busy: BusyTime) -> None:
    begins = [datetime.combine(moment.date() - timedelta(days=back), datetime.min.time()) for back in (0, 1)]
    within = any(
        (day.date() == busy.day if isinstance(busy.day, date) else day.weekday() == busy.day)
        and busy.start_min <= (moment - day).total_seconds() / 60 < busy.end_min
        for day in begins
    )
    assert busy.meets(moment, moment) == within
    found = {warning.caution for warning in warnings(moment, [busy])}
    assert (Caution.BUSY in found) == within
    assert not {Caution.BUSY, Caution.BUSY_SOON} <= found


@given(MOMENTS, st.lists(busy_times(), max_size=5))
def test_every_warning_has_one_sentence(moment: datetime, busy: list[BusyTime]) -> None:
    found = warnings(moment.replace(tzinfo=UTC), busy)
    assert found == warnings(moment, busy)
    for warning in found:
        sentence = overlap_warning(warning)
        assert sentence.endswith((".", ")."))
        assert warning.busy is None or str(warning.busy) in sentence


@given(MOMENTS)
def test_weekends_begin_on_friday_at_noon(moment: datetime) -> None:
    expected = {
        4: {Caution.EVE} if moment.hour >= 12 else set(),
        5: {Caution.WEEKEND},
        6: {Caution.WEEKEND},
    }
    found = {warning.caution for warning in warnings(moment)}
    assert found == expected.get(moment.weekday(), set())


def test_a_busy_time_that_begins_soon_is_warned_of() -> None:
    busy = [BusyTime(3, 16 * 60, 20 * 60)]  # 2026-03-05 is a Thursday
    begins = local("2026-03-05T16:00")
    for end, expected in (
        (begins - LEAD - timedelta(minutes=1), []),
        (begins - LEAD, [Caution.BUSY_SOON]),
        (begins - timedelta(minutes=1), [Caution.BUSY_SOON]),
        (begins, [Caution.BUSY]),
        (begins + timedelta(hours=4), []),
    ):
        assert [warning.caution for warning in warnings(end, busy)] == expected


def test_the_end_of_the_calendar_can_be_asked_for() -> None:
    assert warnings(local("9999-12-31T23:59"), [BusyTime(3)])[0].caution is Caution.EVE
    assert default_end(local("9999-12-31T23:59+00:00"), 30).year == 9999


@given(st.datetimes(max_value=local("9990-01-01")), st.integers(0, 365))
def test_the_proposed_end_is_a_good_hour_and_the_first_one(now: datetime, days: int) -> None:
    end = default_end(now, days)
    assert end - now >= timedelta(days=days)
    assert end - now < timedelta(days=days + 4)
    assert end.weekday() in range(4), "not from Friday to Sunday"
    assert 9 <= end.hour <= 15
    assert (end.minute, end.second, end.microsecond) == (0, 0, 0)
    assert not warnings(end)


def test_the_proposed_end_is_not_in_a_busy_time_nor_shortly_before_one() -> None:
    now = local("2026-03-02T10:30")  # a Monday
    assert default_end(now, 0) == local("2026-03-02T11:00")
    assert default_end(now, 0, parse_busy_times("Mon 08:00-12:00")) == local("2026-03-02T12:00")
    assert default_end(now, 0, parse_busy_times("Mon 17:00-20:00")) == local("2026-03-02T11:00")
    assert default_end(now, 0, parse_busy_times("Mon 14:00-20:00")) == local("2026-03-03T09:00")
    assert default_end(now, 0, parse_busy_times("Mon\n2026-03-03")) == local("2026-03-04T09:00")
    assert default_end(local("2026-03-05T16:00"), 0) == local("2026-03-09T09:00"), "after the weekend"


def test_where_every_time_is_busy_the_end_is_on_a_working_day_all_the_same() -> None:
    busy = parse_busy_times("Mon\nTue\nWed\nThu")
    assert default_end(local("2026-03-06T10:00"), 3, busy) == local("2026-03-09T10:00")
