"""Times and durations in words."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago `then` was: ``just now``, ``2 min ago``, ``3 h ago``, ``yesterday``, ``41 days ago``."""
    seconds = (now - then).total_seconds()
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)} min ago"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)} h ago"
    days = int(seconds // _DAY)
    return "yesterday" if days == 1 else f"{days} days ago"


def duration(seconds: float) -> str:
    """Return a duration as people read it: ``41 ms``, ``6.42 s``, ``12.0 s``, ``5 min 3 s``."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    if seconds < _HOUR:
        minutes, rest = divmod(int(seconds), _MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(int(seconds), _HOUR)
    return f"{hours} h {rest // _MINUTE} min"


def roughly(seconds: float) -> str:
    """Return a time still to come, no more precisely than it can be known: ``3 s``, ``5 min``, ``2 h``."""
    if seconds < _MINUTE:
        return f"{max(math.ceil(seconds), 1)} s"
    if seconds < _HOUR:
        return f"{math.ceil(seconds / _MINUTE)} min"
    return f"{math.ceil(seconds / _HOUR)} h"


def clock_time(moment: datetime) -> str:
    """Return the local time of day, such as ``14:02:11``."""
    return moment.astimezone().strftime("%H:%M:%S")


def clock_time_exact(moment: datetime) -> str:
    """Return the local time of day with milliseconds, such as ``14:02:11.204``."""
    return moment.astimezone().strftime("%H:%M:%S.%f")[:-3]


def day(moment: datetime) -> str:
    """Return the local date, such as ``3 March 2026``."""
    local = moment.astimezone()
    return f"{local.day} {local:%B %Y}"


def day_and_time(moment: datetime) -> str:
    """Return the local date and time, such as ``3 Mar 2026, 14:02``."""
    local = moment.astimezone()
    return f"{local.day} {local:%b %Y, %H:%M}"
