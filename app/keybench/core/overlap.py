"""The time in which an old and a new key are both valid: when it should end, and when it had better not.

Everything here goes by the clock on the wall where the people are; time zones are the caller's.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: What breaks at an end this shortly before a busy time is still broken in it.
LEAD: Final = timedelta(hours=4)
_FRIDAY: Final = 4
_NOON: Final = 12
#: The hours at which an end is proposed: people have come, and have time left.
_FIRST_HOUR: Final = 9
_LAST_HOUR: Final = 15
#: So many hours are looked at.
_SEARCHED_H: Final = 8 * 7 * 24
_DAY_MIN: Final = 24 * 60
_LINE: Final = re.compile(
    r"(?P<day>[A-Za-z]+|\d{4}-\d\d-\d\d)"
    r"(?:\s+(?P<start>\d\d?:\d\d)\s*[-\u2013]\s*(?P<end>\d\d?:\d\d))?",  # people write both dashes
    re.ASCII,
)


class Caution(enum.StrEnum):
    """Why an end of the overlap is badly chosen."""

    WEEKEND = "weekend"
    EVE = "eve of the weekend"
    BUSY = "busy"
    BUSY_SOON = "busy soon"


@dataclass(frozen=True, slots=True)
class BusyTime:
    """A time at which nothing should change: every week on a day, or on one date.

    Attributes:
        day: The day of the week from 0 for Monday, or the date.
        start_min: When it begins, in minutes after that day's midnight.
        end_min: When it is over, likewise; over 1,440 where it goes on into the next day.
    """

    day: int | date
    start_min: int = 0
    end_min: int = _DAY_MIN

    def __str__(self) -> str:
        day = self.day.isoformat() if isinstance(self.day, date) else WEEKDAYS[self.day][:3]
        if (self.start_min, self.end_min) == (0, _DAY_MIN):
            return day
        return f"{day} {_clock(self.start_min)}-{_clock(self.end_min)}"

    def meets(self, start: datetime, end: datetime) -> bool:
        """Tell whether any of it lies in the time from `start` to `end`, both included; naive local times."""
        first = start.date() - timedelta(days=1)  # it may have begun the day before
        return any(
            self._falls_on(day) and _after(day, self.start_min) <= end and start < _after(day, self.end_min)
            for day in (first + timedelta(days=n) for n in range((end.date() - first).days + 1))
        )

    def _falls_on(self, day: date) -> bool:
        return day == self.day if isinstance(self.day, date) else day.weekday() == self.day


@dataclass(frozen=True, slots=True)
class OverlapWarning:
    """One reason against an end of the overlap.

    Attributes:
        weekday: The day of the week the end is on, from 0 for Monday.
    """

    caution: Caution
    weekday: int
    busy: BusyTime | None = None


def parse_busy_time(line: str) -> BusyTime | None:
    """Return the busy time a line stands for, or None if it can't be read.

    Args:
        line: ``Fri 16:00-20:00``, ``Friday``, ``2026-12-24`` or ``2026-11-27 08:00-22:00``; a time that ends
            before it begins goes on into the next day.
    """
    found = _LINE.fullmatch(line.strip())
    day = _day(found["day"]) if found else None
    if found is None or day is None:
        return None
    if found["start"] is None:
        return BusyTime(day)
    start, end = _minutes(found["start"]), _minutes(found["end"])
    if start is None or end is None or start in {end, _DAY_MIN}:
        return None
    return BusyTime(day, start, end if end > start else end + _DAY_MIN)


def parse_busy_times(text: str) -> tuple[BusyTime, ...]:
    """Return the busy times in a text, one a line; what can't be read is left out."""
    found = (parse_busy_time(line) for line in text.splitlines())
    return tuple(busy for busy in found if busy)


def unreadable_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text that `parse_busy_times` leaves out, without empty ones."""
    return tuple(line for line in text.splitlines() if line.strip() and parse_busy_time(line) is None)


def warnings(ends_at_local: datetime, busy: Sequence[BusyTime] = ()) -> tuple[OverlapWarning, ...]:
    """Return what speaks against ending the overlap at a moment."""
    end = ends_at_local.replace(tzinfo=None)
    weekday = end.weekday()
    found = []
    if weekday > _FRIDAY:
        found.append(OverlapWarning(Caution.WEEKEND, weekday))
    elif weekday == _FRIDAY and end.hour >= _NOON:
        found.append(OverlapWarning(Caution.EVE, weekday))
    for one in busy:
        if one.meets(end, end):
            found.append(OverlapWarning(Caution.BUSY, weekday, one))
        elif one.meets(end, _later(end, LEAD)):
            found.append(OverlapWarning(Caution.BUSY_SOON, weekday, one))
    return tuple(found)


def default_end(now_local: datetime, days: int, busy: Sequence[BusyTime] = ()) -> datetime:
    """Return the end to propose: the first good hour after so many days.

    Good is a full hour on a day from Monday to Thursday, in working hours with some of them left to help an
    application that was forgotten, and neither busy nor shortly before a busy time. Where there is no such
    hour for weeks, the busy times are left out.
    """
    end = _later(now_local.replace(tzinfo=None), timedelta(days=days))
    hour = end.replace(minute=0, second=0, microsecond=0)
    first = hour if hour == end else _later(hour, timedelta(hours=1))
    hours = [_later(first, timedelta(hours=n)) for n in range(_SEARCHED_H)]
    good = [one for one in hours if one.weekday() < _FRIDAY and _FIRST_HOUR <= one.hour <= _LAST_HOUR]
    return next((one for one in good if not warnings(one, busy)), next(iter(good), first))


def _day(text: str) -> int | date | None:
    if text[0].isdigit():
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    name = text.capitalize()
    return next((index for index, day in enumerate(WEEKDAYS) if name in {day, day[:3]}), None)


def _minutes(clock: str) -> int | None:
    hours, minutes = map(int, clock.split(":"))
    total = hours * 60 + minutes
    return total if minutes < 60 and total <= _DAY_MIN else None  # noqa: PLR2004 - an hour's minutes


def _clock(minutes: int) -> str:
    # 24:00 stays as it is; what goes on after midnight is written by the next day's clock.
    hours, rest = divmod(minutes - _DAY_MIN if minutes > _DAY_MIN else minutes, 60)
    return f"{hours:02}:{rest:02}"


def _after(day: date, minutes: int) -> datetime:
    return _later(datetime.combine(day, time()), timedelta(minutes=minutes))


def _later(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:  # the calendar ends there
        return datetime.max.replace(tzinfo=moment.tzinfo)
