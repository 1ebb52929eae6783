"""Reads the dates of a list as spreadsheets write them, in the form that is usual where they run."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from keybench.core.input_errors import KeyListInvalid
from keybench.core.sales.history import start_of

_DATE: Final = re.compile(
    r"(\d{1,2}|\d{4})([./-])(\d{1,2})\2(\d{1,2}|\d{4})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?)?"
)
_DATE_LETTERS: Final = re.compile(r"[\d./: -]{1,20}")
#: Days since 1899, as spreadsheets count them, of this century and most of the last.
_SERIAL: Final = re.compile(r"[2-6]\d{4}(?:[.,]\d+)?")
_FIRST_SERIAL_DAY: Final = date(1899, 12, 30)
#: No month has a higher number.
_LATE: Final = 12
_YEAR: Final = len("2026")


class DateForm(enum.StrEnum):
    """How a column of dates is written; those that begin with the year are read in any."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"
    SERIAL = "serial"


def form_of(texts: Iterable[str]) -> DateForm:
    """Return how a column's dates are written; KeyListInvalid if they can be read in two ways."""
    filled = [text for text in texts if text]
    if filled and all(map(_SERIAL.fullmatch, filled)):
        return DateForm.SERIAL
    found = [match for match in map(_DATE.fullmatch, filled) if match and len(match[4]) == _YEAR]
    first_is_late = any(int(match[1]) > _LATE for match in found)
    if first_is_late != any(int(match[3]) > _LATE for match in found):
        return DateForm.DAY_FIRST if first_is_late else DateForm.MONTH_FIRST
    for match in found:
        if int(match[1]) != int(match[3]) and max(int(match[1]), int(match[3])) <= _LATE:
            raise KeyListInvalid(KeyListInvalid.DATES, text="".join(match.group(1, 2, 3, 2, 4)))
    return DateForm.DAY_FIRST


def moment(text: str, form: DateForm) -> datetime | None:
    """Return a date's local beginning, or our exports' moment, in UTC, or None; else KeyListInvalid."""
    if not text:
        return None
    try:
        if form is DateForm.SERIAL:
            return start_of(_FIRST_SERIAL_DAY + timedelta(days=int(text[:5])))
        match = _DATE.fullmatch(text)
        if match is None:
            return datetime.fromisoformat(text).astimezone(UTC)
        first, middle, last = match.group(1, 3, 4)
        orders = {DateForm.DAY_FIRST: (last, middle, first), DateForm.MONTH_FIRST: (last, first, middle)}
        year, month, day = (first, middle, last) if len(first) > len(last) else orders[form]
        on = date(int(year) if len(year) == _YEAR else 0, int(month), int(day))  # 0 is no year
        hour, minute, second = match.group(5, 6, 7)
        if not hour:
            return start_of(on)
        return datetime.combine(on, time(int(hour), int(minute), int(second or 0))).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        told = text if _DATE_LETTERS.fullmatch(text) else ""
        raise KeyListInvalid(KeyListInvalid.CREATED, text=told) from None
