"""Reads the dates of a list as spreadsheets write them, in the form that is usual where they run."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from keybench.core.input_errors import KeyListInvalid

_DATE_LETTERS: Final = re.compile(r"[\d./: -]{1,20}")
_TIMES: Final = ("", " %H:%M", " %H:%M:%S")


class DateForm(enum.StrEnum):
    """How a column of dates is written; those that begin with the year are read in either."""

    DAY_FIRST = "day-first"
    MONTH_FIRST = "month-first"


_DATES: Final = {DateForm.DAY_FIRST: "%d-%m-%Y", DateForm.MONTH_FIRST: "%m-%d-%Y"}


def form_of(texts: Sequence[str]) -> DateForm:
    """Return the form that reads more of a column's dates; KeyListInvalid if they can be read in two ways."""
    by_day = [_read(text, DateForm.DAY_FIRST) for text in texts]
    by_month = [_read(text, DateForm.MONTH_FIRST) for text in texts]
    if by_day.count(None) < by_month.count(None):
        return DateForm.DAY_FIRST
    if by_month.count(None) < by_day.count(None):
        return DateForm.MONTH_FIRST
    for text, one, other in zip(texts, by_day, by_month, strict=True):
        if one and other and one != other:
            raise KeyListInvalid(KeyListInvalid.DATES, text=text)
    return DateForm.DAY_FIRST


def moment(text: str, form: DateForm) -> datetime | None:
    """Return a date's local beginning, or our exports' moment, in UTC, or None; else KeyListInvalid."""
    at = _read(text, form)
    if text and at is None:
        told = text if _DATE_LETTERS.fullmatch(text) else ""
        raise KeyListInvalid(KeyListInvalid.CREATED, text=told)
    return at


def _read(text: str, form: DateForm) -> datetime | None:
    plain = re.sub("[./]", "-", text).replace("T", " ")
    for written in (f"{date}{time}" for date in ("%Y-%m-%d", _DATES[form]) for time in _TIMES):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.strptime(plain, written).astimezone(UTC)
    with suppress(ValueError, OverflowError, OSError):
        return datetime.fromisoformat(text).astimezone(UTC)
    return None
