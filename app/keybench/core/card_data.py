"""The card-data guard: finds a card number, track data or a card's fields in any text a person can enter.

A number counts as a card's when it begins and is as long as a card scheme's numbers (ISO/IEC 7812, the
schemes' own ranges), passes the Luhn check, and is written in one piece or in groups as cards are read.
What stands round it doesn't matter, but for identifiers made of hexadecimal digits: those hold any digits.

An expiry date or a security code looks like any other figure, so these are found by the name of the field
that they stand in, as in pasted JSON or a form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from keybench.core.input_errors import CardDataRefused

#: First digits and lengths of the schemes whose cards a payment device takes.
_SCHEME: Final = re.compile(
    r"""4(?:\d{12}|\d{15}|\d{18})                                          # Visa
      | (?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}   # Mastercard
      | 220[0-4]\d{12,15}                                                  # Mir
      | 3[47]\d{13}                                                        # American Express
      | 3(?:0[0-5]|[689]\d)\d{11,16}                                       # Diners Club
      | 35(?:2[89]|[3-8]\d)\d{12,15}                                       # JCB
      | (?:50|5[6-9]|6\d|81)\d{14,17}                                      # Maestro, Discover, UnionPay
    """,
    re.VERBOSE,
)
#: A run of groups of digits with little between them, as many as a card's number has at the least; one behind
#: a plus sign is a telephone number's.
_RUN: Final = re.compile(r"(?<![0-9+])(?=(?:[0-9][ ,._/*-]{0,3}+){12}[0-9])[0-9]+(?:[ ,._/*-]{1,3}[0-9]+)*")
_SHORTEST: Final = 13
_LONGEST: Final = 19
_GROUPINGS: Final = {(4, 6, 5), (4, 6, 4)}
_READABLE_GROUP: Final = 4
_DIGITS: Final = re.compile("[0-9]+")
#: What an ASCII digit counts in the Luhn check, as it is and doubled; a product of two digits by their sum.
_DIGIT: Final = {ord("0") + digit: digit for digit in range(10)}.__getitem__
_DOUBLED: Final = {ord("0") + digit: digit * 2 // 10 + digit * 2 % 10 for digit in range(10)}.__getitem__
#: ISO/IEC 7813: track 1 begins %B, track 2 begins with a semicolon.
_TRACK: Final = re.compile(r"%B[0-9 ]{12,22}\^|;[0-9]{12,19}=[0-9]{4}")
#: UUIDs, and long runs of hexadecimal digits with a letter among them.
_IDENTIFIER: Final = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9]*[a-f])[0-9a-f]{20,})(?![0-9a-z])",
    re.IGNORECASE,
)

#: Fields that hold nothing but card data, whatever else a text is about; without case or separators.
_CARD_FIELDS: Final = frozenset(
    {
        *("pan", "primaryaccountnumber", "cardnumber", "cardno", "ccnumber", "ccno", "ccnum"),
        *("cvv", "cvv2", "cvc", "cvc2", "csc", "cardcvv", "cardcvc", "cccvv", "cvvcode", "cvccode"),
        *("securitycode", "cardsecuritycode", "cardverificationvalue", "verificationvalue"),
        *("ccexp", "ccexpiry", "ccexpiration", "cardexp", "cardexpiry", "cardexpiration"),
        *("cardexpirydate", "cardexpirationdate", "track1", "track2", "track3", "trackdata", "pinblock"),
    }
)
#: In JSON and as a list's columns these mean a card's, too: an API key's sale has nothing else that expires.
CARD_NAMES: Final = _CARD_FIELDS | {
    *("exp", "expiry", "expirydate", "expiration", "expirationdate", "expdate"),
    *("expmonth", "expyear", "expirymonth", "expiryyear", "expirationmonth", "expirationyear"),
}
_SHOWN_EMPTY: Final = r"""(?!\s*(?:null\b|\[\s*\]|\{\s*\}|(?P<quote>["'])\s*(?P=quote)))"""
_JSON_FIELD: Final = re.compile(r"""["']([\w .-]{2,40})\\?["']\s*:""" + _SHOWN_EMPTY)
#: ``cvv=123`` in a form or an address, ``CVV: 123`` in a text; a name alone is only talked about.
_NAMED_VALUE: Final = re.compile(r"(?<![\w-])([A-Za-z][A-Za-z0-9_.-]{1,30}+)\s{0,3}[=:]\s{0,3}[\"']?[0-9;%*]")


def passes_luhn(digits: str) -> bool:
    """Tell whether `digits` (ASCII digits only) passes the Luhn check (ISO/IEC 7812-1, annex B)."""
    from_the_end = digits.encode()[::-1]
    return (sum(map(_DIGIT, from_the_end[::2])) + sum(map(_DOUBLED, from_the_end[1::2]))) % 10 == 0


def holds_card_data(text: str) -> bool:
    """Tell whether `text` holds what looks like a card number or magnetic-track data."""
    if len(text) < _SHORTEST:
        return False
    plain = _plain(text)
    return bool(_TRACK.search(plain)) or any(
        _SCHEME.fullmatch(number) and passes_luhn(number) for number in candidates(plain)
    )


def candidates(plain: str) -> Iterator[str]:
    """Yield the numbers of a card's length in a text; there are fewer of them than characters."""
    for run in _RUN.finditer(_IDENTIFIER.sub(";", plain)):
        yield from _numbers(_DIGITS.findall(run.group()))


def holds_card_fields(text: str) -> bool:
    """Tell whether `text` has a filled field that only card data has: ``"cvv": "123"``, ``ccexp=1227``."""
    plain = _plain(text)
    named = any(_field_name(match[1]) in _CARD_FIELDS for match in _NAMED_VALUE.finditer(plain))
    return named or any(_field_name(match[1]) in CARD_NAMES for match in _JSON_FIELD.finditer(plain))


def refuse_card_data(where: str, text: str) -> None:
    """Raise CardDataRefused, which doesn't carry it, where `text` holds card data."""
    if holds_card_data(text):
        raise CardDataRefused(where, CardDataRefused.NUMBER)
    if holds_card_fields(text):
        raise CardDataRefused(where, CardDataRefused.FIELD)


def _field_name(name: str) -> str:
    """Return a field's name without case, separators and what it is nested in."""
    return re.sub("[^a-z0-9]", "", name.rpartition(".")[2].lower())


def _plain(text: str) -> str:
    """Return a text as the guard reads it: any script's digit as 0-9, any blank or dash as one kind."""
    return text.translate({ord(character): _plain_character(character) for character in set(text)})


def _plain_character(character: str) -> str:
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Cf":
        return ""  # unseen characters, such as a zero-width space
    if category == "Pd":
        return "-"
    return " " if character.isspace() else character


def _numbers(groups: Sequence[str]) -> Iterator[str]:
    """Yield the numbers of a card's length that a run's groups can be read as.

    A group of less than `_READABLE_GROUP` digits begins one only where the whole run is one, so each other
    group begins at most a few.
    """
    sizes = [len(group) for group in groups]
    if sum(sizes) <= _LONGEST and _reads_as_one(tuple(sizes), is_whole=True):
        yield "".join(groups)
    for first, size in enumerate(sizes):
        if size < _READABLE_GROUP:
            continue
        length = 0
        for last in range(first, len(sizes)):
            length += sizes[last]
            if length > _LONGEST:
                break
            if length >= _SHORTEST and _reads_as_one(tuple(sizes[first : last + 1]), is_whole=False):
                yield "".join(groups[first : last + 1])


@lru_cache(maxsize=1024)
def _reads_as_one(sizes: tuple[int, ...], *, is_whole: bool) -> bool:
    """Tell whether groups of these sizes may be one number: cards' own groupings, or all of one size."""
    if len(sizes) == 1 or sizes in _GROUPINGS:
        return True
    is_even = set(sizes[:-1]) == {sizes[0]} and sizes[-1] <= sizes[0] + 3
    # Small or uneven groups are dates, times and lists more often than cards, unless nothing else is there.
    return (is_even and sizes[0] >= _READABLE_GROUP) or (is_whole and (is_even or len(sizes) == 2))  # noqa: PLR2004 - split once
