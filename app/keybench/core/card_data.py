"""The card-data guard: finds a card number or track data in any text a person can enter.

A number counts as a card's when, with its separators taken out, it has 13 to 19 digits, begins as card
schemes' numbers do (ISO/IEC 7812: a first digit of 2 to 6), and passes the Luhn check. Full-width, Arabic
and other decimal digits count as their values.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from keybench.core.errors import CardDataRefused

#: Groups as people and cards write them: digits with at most one space, dash or dot between two of them.
#: Not inside a longer run of letters and digits, so that identifiers which merely look long aren't hit.
_CANDIDATE: Final = re.compile(
    r"(?<![0-9A-Za-z-])[2-6](?:[ .\-\u00a0\u2010-\u2015]?[0-9]){12,18}(?![0-9A-Za-z-])"
)
#: ISO/IEC 7813: track 1 begins %B, track 2 begins with a semicolon.
_TRACK: Final = re.compile(r"%B[0-9 ]{12,22}\^|;[0-9]{12,19}=[0-9]{4}")


def _plain_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def passes_luhn(digits: str) -> bool:
    """Tell whether `digits` (ASCII digits only) passes the Luhn check (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, character in enumerate(reversed(digits)):
        value = int(character) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value  # noqa: PLR2004 - two-digit products count by their digit sum
    return total % 10 == 0


def holds_card_data(text: str) -> bool:
    """Tell whether `text` holds what looks like a card number or magnetic-track data."""
    plain = _plain_digits(text)
    if _TRACK.search(plain):
        return True
    candidates = (re.sub(r"[^0-9]", "", match.group()) for match in _CANDIDATE.finditer(plain))
    return any(passes_luhn(digits) for digits in candidates)


def refuse_card_data(where: str, text: str) -> None:
    """Do nothing for harmless text.

    Args:
        where: The field's stable word, for the message.
        text: What was entered.

    Raises:
        CardDataRefused: `text` holds card data; the error does not carry it.
    """
    if holds_card_data(text):
        raise CardDataRefused(where, "card number")
