"""The guard on long texts: its work grows with their length."""

from __future__ import annotations

import random
from functools import cache

import pytest

from keybench.core.card_data import candidates, holds_card_data, holds_card_fields
from unit.test_card_data import CARDS


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
