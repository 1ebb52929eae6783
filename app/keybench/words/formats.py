"""Dates, durations, figures, lists and money as the locale writes them; the one place that formats any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal

from keybench.core.money import Money
from keybench.runtime.sandbox import shown_path
from keybench.words.language import _, base_language, is_right_to_left, locale, ngettext, number

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
#: For so long hours are counted rather than days.
_A_WHILE: Final = 6 * _HOUR
_CAPITAL_NOUNS: Final = {"de"}


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
    return ngettext("{count} day ago", "{count} days ago", days)


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
        return _("{milliseconds} ms").format(milliseconds=decimal(max(seconds, 0) * 1000, 0))
    if seconds < _MINUTE:
        return _("{seconds} s").format(seconds=decimal(seconds, 2 if seconds < 10 else 1))
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
    """Return the local time of day with seconds, such as ``14:02:11``."""
    return _time(moment, "medium")


def clock_time_exact(moment: datetime) -> str:
    """Return the local time of day with milliseconds, in 24 hours, such as ``14:02:11.204``."""
    return moment.astimezone().strftime(f"%H:%M:%S{_point()}%f")[:-3]


def day(moment: datetime) -> str:
    """Return the local date, such as ``3 March 2026``."""
    from babel.dates import format_date  # noqa: PLC0415 - see `locale`

    return format_date(moment.astimezone(), "long", locale())


def day_and_time(moment: datetime) -> str:
    """Return the local date and time, such as ``3 Mar 2026, 14:02``."""
    from babel.dates import format_date  # noqa: PLC0415 - see `locale`

    return _together(format_date(moment.astimezone(), "medium", locale()), _time(moment, "short"))


def day_and_time_in(year: int, moment: datetime, *, seconds: bool = True) -> str:
    """Return the local date and time for a list made in a year: ``21 Nov, 21:20:09``, else with its own year."""
    local = moment.astimezone()
    if local.year != year:
        return day_and_time(moment)
    from babel.dates import format_skeleton  # noqa: PLC0415 - see `locale`

    date = format_skeleton("MMMd", local, locale=locale())
    return _together(date, _time(moment, "medium" if seconds else "short"))


def full_day(moment: datetime) -> str:
    """Return the local date with its day of the week, such as ``Tuesday, 3 March 2026``."""
    from babel.dates import format_date  # noqa: PLC0415 - see `locale`

    return format_date(moment.astimezone(), "full", locale())


def both_times(at: datetime, zone: tzinfo | None = None) -> str:
    """Return a moment, such as ``2026-03-03 14:02:11 UTC (15:02:11 +01:00)``, the local day if it differs.

    It is for tickets, which people of any language read, so its form is ISO 8601's.
    """
    utc, local = at.astimezone(UTC), at.astimezone(zone)
    full = "%Y-%m-%d %H:%M:%S"
    return _("{utc} UTC ({local} {offset})").format(
        utc=utc.strftime(full),
        local=local.strftime("%H:%M:%S" if utc.date() == local.date() else full),
        offset=local.isoformat()[-6:],
    )


def decimal(value: float | Decimal, places: int) -> str:
    """Return a figure with so many decimal places, none for 0."""
    text = f"{value:.{places}f}"
    whole, point, rest = text.partition(".")
    # The sign of a figure such as -0.4 isn't in its whole number.
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{number(abs(int(whole)))}{_point() if point else ''}{rest}"


def short(value: float) -> str:
    """Return a figure with one decimal place where it has any: ``2``, ``2.5``."""
    rounded = round(value, 1)
    return decimal(rounded, 0 if rounded == int(rounded) else 1)


def percent(share: float, places: int = 0) -> str:
    """Return a share of 1 in per cent, such as ``12%``."""
    pattern = str(locale().percent_formats[None].pattern)
    return pattern.replace("#,##0", decimal(share * 100, places))


def money(amount: Money) -> str:
    """Return an amount and its currency's code, such as ``1,000.00 USD``."""
    return f"{figure(amount.amount)} {amount.currency}"


def figure(amount: Decimal) -> str:
    """Return an amount alone, with the decimal places it has, such as ``1,000.00``."""
    return decimal(amount, max(-int(amount.as_tuple().exponent), 0))


def change(old: str, new: str) -> str:
    """Return what became what, such as ``till → till 2026``; the arrow has no mirror, so it runs from left to right."""
    return left_to_right(f"{old} → {new}")


def path_words(path: Path) -> str:
    """Return a file's path as people know it, for a sentence."""
    return left_to_right(shown_path(path))


def left_to_right(text: str) -> str:
    """Return a text that stays from left to right, whatever it stands in, such as a path, which begins with a sign."""
    return f"\u2066{text}\u2069" if is_right_to_left() else text


def _time(moment: datetime, length: Literal["short", "medium"]) -> str:
    from babel.dates import format_time  # noqa: PLC0415 - see `locale`

    return format_time(moment.astimezone(), length, locale=locale())


def _together(date: str, time: str) -> str:
    pattern = str(locale().datetime_formats["medium"]).replace("'", "")
    return pattern.replace("{1}", date).replace("{0}", time)


def _point() -> str:
    return str(locale().number_symbols["latn"]["decimal"])


def day_count(count: int) -> str:
    return ngettext("1 day", "{count} days", count)


def listed(parts: Sequence[str]) -> str:
    """Return parts as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    return (
        parts[0]
        if len(parts) == 1
        else _("{names} and {last}").format(names=", ".join(parts[:-1]), last=parts[-1])
    )


def quoted(name: str) -> str:
    """Return a name between the quotation marks of what is spoken."""
    return _("“{name}”").format(name=name)


def sentence_case(text: str) -> str:
    """Return a text as it stands at the beginning of a line."""
    return text[:1].upper() + text[1:]


def within(title: str) -> str:
    """Return a title as it stands within a sentence; German keeps the capitals of its nouns."""
    return title if base_language() in _CAPITAL_NOUNS else title[:1].lower() + title[1:]


def some(names: Sequence[str], most: int = 5) -> str:
    named, more = list(names[:most]), len(names) - most
    if more > 0:
        named.append(_("{count} more").format(count=number(more)))
    return listed(named) if named else ""
