"""When the time ends in which an old and a new key are both valid, by the clock on people's wall."""

from __future__ import annotations

import enum
from datetime import datetime, timedelta
from typing import Final

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FRIDAY: Final = 4
_NOON: Final = 12
#: The hours at which an end is proposed: people have come, and have time left to help what was forgotten.
_WORKING_HOURS: Final = range(9, 16)
#: From Thursday evening to Monday morning, at the most.
_SEARCHED_H: Final = 5 * 24


class Caution(enum.StrEnum):
    """Why an end of the overlap is badly chosen."""

    WEEKEND = "weekend"
    EVE = "eve of the weekend"


def caution_at(ends_at_local: datetime) -> Caution | None:
    """Return what speaks against ending the overlap at a moment; None if nothing does."""
    if ends_at_local.weekday() > _FRIDAY:
        return Caution.WEEKEND
    is_eve = ends_at_local.weekday() == _FRIDAY and ends_at_local.hour >= _NOON
    return Caution.EVE if is_eve else None


def default_end(now_local: datetime, days: int) -> datetime:
    """Return the end to propose: the first full working hour from Monday to Thursday after so many days."""
    end = _later(now_local.replace(tzinfo=None), timedelta(days=days))
    hour = end.replace(minute=0, second=0, microsecond=0)
    first = hour if hour == end else _later(hour, timedelta(hours=1))
    hours = (_later(first, timedelta(hours=n)) for n in range(_SEARCHED_H))
    return next((one for one in hours if one.weekday() < _FRIDAY and one.hour in _WORKING_HOURS), first)


def _later(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:  # the calendar ends there
        return datetime.max.replace(tzinfo=moment.tzinfo)
