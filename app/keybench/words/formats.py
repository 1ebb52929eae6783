"""Dates, durations, numbers, lists and money as people read them; the one place that formats any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from keybench.core.money import Money
from keybench.words.language import _, ngettext

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
#: For so long hours are counted rather than days.
_A_WHILE: Final = 6 * _HOUR


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago `then` was: ``just now``, ``2 min ago``, ``3 h ago``, ``yesterday``, ``41 days ago``."""
    seconds = (now - then).total_seconds()
    if seconds < _MINUTE:
        return _("just now")
    if seconds < _HOUR:
        return _("{minutes} min ago").format(minutes=int(seconds // _MINUTE))
    if seconds < _DAY:
        return _("{hours} h ago").format(hours=int(seconds // _HOUR))
    days = int(seconds // _DAY)
    if days == 1:
        return _("yesterday")
    return ngettext("{count:,} day ago", "{count:,} days ago", days)


def ago_short(then: datetime, now: datetime) -> str:
    """Return the same for a narrow column: ``just now``, ``2 min``, ``3 h``, ``today``, ``yesterday``, ``41 days``."""
    seconds = (now - then).total_seconds()
    if seconds < _MINUTE:
        return _("just now")
    if seconds < _HOUR:
        return _("{minutes} min").format(minutes=int(seconds // _MINUTE))
    if seconds < _A_WHILE:
        return _("{hours} h").format(hours=int(seconds // _HOUR))
    days = (now.astimezone().date() - then.astimezone().date()).days
    if days <= 1:
        return _("yesterday") if days else _("today")
    return day_count(days)


def duration(seconds: float) -> str:
    """Return a duration as people read it: ``41 ms``, ``6.42 s``, ``12.0 s``, ``5 min 3 s``."""
    if seconds < 1:
        return _("{milliseconds:.0f} ms").format(milliseconds=max(seconds, 0) * 1000)
    if seconds < 10:
        return _("{seconds:.2f} s").format(seconds=seconds)
    if seconds < _MINUTE:
        return _("{seconds:.1f} s").format(seconds=seconds)
    if seconds < _HOUR:
        minutes, rest = divmod(int(seconds), _MINUTE)
        return (
            _("{minutes} min {rest} s").format(minutes=minutes, rest=rest)
            if rest
            else _("{minutes} min").format(minutes=minutes)
        )
    hours, rest = divmod(int(seconds), _HOUR)
    return _("{hours} h {rest} min").format(hours=hours, rest=rest // _MINUTE)


def roughly(seconds: float) -> str:
    """Return a time still to come, no more precisely than it can be known: ``3 s``, ``5 min``, ``2 h``."""
    if seconds < _MINUTE:
        return _("{seconds} s").format(seconds=max(math.ceil(seconds), 1))
    if seconds < _HOUR:
        return _("{minutes} min").format(minutes=math.ceil(seconds / _MINUTE))
    return _("{hours} h").format(hours=math.ceil(seconds / _HOUR))


def clock_time(moment: datetime) -> str:
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


def day_and_time_in(year: int, moment: datetime) -> str:
    """Return the local date and time for a list made in a year: ``21 Nov, 21:20:09``, else with its own year."""
    local = moment.astimezone()
    return f"{local.day} {local:%b, %H:%M:%S}" if local.year == year else day_and_time(moment)


def both_times(at: datetime, zone: tzinfo | None = None) -> str:
    """Return a moment, such as ``2026-03-03 14:02:11 UTC (15:02:11 +01:00)``, the local day if it differs."""
    utc, local = at.astimezone(UTC), at.astimezone(zone)
    form = "%H:%M:%S" if utc.date() == local.date() else "%Y-%m-%d %H:%M:%S"
    offset = local.isoformat()[-6:]
    return _("{utc:%Y-%m-%d %H:%M:%S} UTC ({local} {offset})").format(
        utc=utc, local=local.strftime(form), offset=offset
    )


def number(value: int) -> str:
    return f"{value:,}"


def money(amount: Money) -> str:
    return f"{amount.amount} {amount.currency}"


def day_count(count: int) -> str:
    return ngettext("1 day", "{count:,} days", count)


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    return (
        parts[0]
        if len(parts) == 1
        else _("{names} and {last}").format(names=", ".join(parts[:-1]), last=parts[-1])
    )


def some(names: Sequence[str], most: int = 5) -> str:
    named, more = list(names[:most]), len(names) - most
    if more > 0:
        named.append(_("{count:,} more").format(count=more))
    return listed(named) if named else ""
