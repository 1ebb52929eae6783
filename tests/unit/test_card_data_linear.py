"""The guard on long texts: its work grows with their length, and it finds what a slow and plain one finds."""

from __future__ import annotations

import random
import re
import string
import unicodedata
from functools import cache
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keybench.core.card_data import candidates, holds_card_data, holds_card_fields
from unit.test_card_data import CARDS

#: The beginnings and lengths that schemes give out, as in the guard.
SCHEMES: Final = re.compile(
    r"4(\d{12}|\d{15}|\d{18})|(5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|220[0-4]\d{12,15}"
    r"|3[47]\d{13}|3(0[0-5]|[689]\d)\d{11,16}|35(2[89]|[3-8]\d)\d{12,15}|(50|5[6-9]|6\d|81)\d{14,17}"
)
IDENTIFIERS: Final = re.compile(
    r"(?<![0-9a-z])([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[0-9]*[a-f])[0-9a-f]{20,})(?![0-9a-z])",
    re.IGNORECASE,
)


def slowly(text: str) -> bool:
    """Tell the same as the guard, by trying every group of digits with every group behind it."""
    plain = ""
    for character in text:
        digit, kind = unicodedata.digit(character, None), unicodedata.category(character)
        blank = " " if character.isspace() else character
        plain += str(digit) if digit is not None else "" if kind == "Cf" else "-" if kind == "Pd" else blank
    if len(text) < 13:
        return False
    if re.search(r"%B[0-9 ]{12,22}\^|;[0-9]{12,19}=[0-9]{4}", plain):
        return True
    for run in re.findall(r"(?<![0-9+])[0-9]+(?:[ ,._/*-]{1,3}[0-9]+)*", IDENTIFIERS.sub(";", plain)):
        groups = re.findall("[0-9]+", run)
        for first in range(len(groups)):
            for last in range(first, len(groups)):
                part = groups[first : last + 1]
                if is_readable([len(group) for group in part], whole=part == groups) and is_card(
                    "".join(part)
                ):
                    return True
    return False


def is_readable(sizes: list[int], *, whole: bool) -> bool:
    if len(sizes) == 1 or sizes in ([4, 6, 5], [4, 6, 4]):
        return True
    even = all(size == sizes[0] for size in sizes[:-1]) and sizes[-1] <= sizes[0] + 3
    return (even and sizes[0] >= 4) or (whole and (even or len(sizes) == 2))


def is_card(number: str) -> bool:
    total = 0
    for place, character in enumerate(reversed(number)):
        value = int(character) * (1 + place % 2)
        total += value if value < 10 else value - 9
    return total % 10 == 0 and bool(SCHEMES.fullmatch(number))


def spelt(number: str, sizes: list[int], between: list[str]) -> str:
    """Return a number in groups of these sizes, whatever is left in the last one."""
    groups, rest = [], number
    for size in sizes:
        groups.append(rest[:size])
        rest = rest[size:]
    parts = [group for group in [*groups, rest] if group]
    return "".join(part + gap for part, gap in zip(parts, between * len(parts), strict=False))


BETWEEN: Final = st.sampled_from([" ", "-", " - ", "", ".", "    ", "\u2013", "\u200b", ":", "+", "a", ", "])
SIZES: Final = st.lists(st.integers(1, 8), max_size=6)
SPELT: Final = st.builds(
    spelt, st.sampled_from(sorted(CARDS.values())), SIZES, st.lists(BETWEEN, min_size=1, max_size=3)
)
PIECE: Final = st.one_of(
    SPELT,
    st.text("0123456789", min_size=1, max_size=20),
    st.text("0123456789abcdef-", max_size=40),
    st.text(string.digits + " -./,_*+;=%B^\u0664\uff11\u200b\u2013x", max_size=24),
)


@given(st.lists(st.tuples(PIECE, BETWEEN), max_size=5))
@settings(max_examples=500, deadline=None)
def test_the_guard_finds_what_a_slow_and_plain_one_finds(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + gap for piece, gap in pieces)
    assert holds_card_data(text) == slowly(text)


@cache
def of_length(length: int) -> dict[str, str]:
    """Return texts that make much work, each of about so many characters."""
    chance = random.Random(7)
    groups = ["7" * chance.choice([1, 2, 3, 4, 4, 4, 5, 6, 8]) for _ in range(length // 2)]
    return {
        "sevens": "7" * length,
        "sevens apart": "7 " * (length // 2),
        "sevens by commas": "7," * (length // 2),
        "sevens by threes": "7 - " * (length // 4),
        "4111": "4111 " * (length // 5),
        "groups of four and any": "4111 1111 11 " * (length // 13),
        "mixed groups": " ".join(groups)[:length],
        "long groups": ("7" * 18 + " ") * (length // 19),
        "groups of thirteen": "4222222222223 " * (length // 14),
        "separators": " ,-" * (length // 3),
        "quotes": '"' * length,
        "named quotes": '"aa" ' * (length // 5),
        "names": "a." * (length // 2),
        "assignments": "a=" * (length // 2),
        "fields left open": '"cvw":[ ' * (length // 8),
        "combining characters": "e\u0301" * (length // 2),
        "zero-width spaces": "\u200b" * length,
        "sevens with zero-width spaces": "7\u200b" * (length // 2),
        "other scripts": "\u0667\uff17" * (length // 2),
        "hexadecimal": "7a" * (length // 2),
        "half identifiers": "77777777-7777-" * (length // 14),
        "tracks begun": "%B7" * (length // 3),
        "tracks left open": ";777777777777" * (length // 13),
    }


@pytest.mark.parametrize("name", of_length(0))
def test_fewer_numbers_are_looked_at_than_there_are_characters(name: str) -> None:
    once, twice = (len(list(candidates(of_length(length)[name]))) for length in (40_000, 80_000))
    assert once <= 40_000
    assert twice <= 2.2 * once + 20


@pytest.mark.thin(4)
@pytest.mark.parametrize("name", of_length(0))
def test_a_long_text_is_looked_through(name: str) -> None:
    """If the work grew with the square of the length, this would take longer than a test may.

    Squared, it is 160 thousand million characters, of which a regular expression takes some hundred million a
    second at best.
    """
    text = of_length(400_000)[name]
    assert not holds_card_data(text)
    holds_card_fields(text)
    assert holds_card_data(f"{text} x {CARDS['Visa']}")
