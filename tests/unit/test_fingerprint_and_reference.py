"""What stands for a value, and what names a sale."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from keybench.core.sales.sale import new_reference
from keybench.core.secret import WORDS, Secret, fingerprint


def test_a_fingerprint_is_the_same_on_every_computer_and_in_every_version() -> None:
    assert fingerprint(Secret("MadeUpForTests0123456789abcdefgh")) == "pigeon-diamond-ladder-pebble"


def test_there_is_one_word_for_every_byte() -> None:
    assert len(WORDS) == len(set(WORDS)) == 256
    assert all(re.fullmatch("[a-z]{3,9}", word) for word in WORDS)


@given(st.text())
def test_a_fingerprint_is_four_words_that_never_change(value: str) -> None:
    words = fingerprint(Secret(value)).split("-")
    assert len(words) == 4
    assert set(words) <= set(WORDS)
    assert fingerprint(Secret(value)) == "-".join(words)


@given(st.text(min_size=1))
def test_one_character_more_is_another_fingerprint(value: str) -> None:
    assert fingerprint(Secret(value)) != fingerprint(Secret(value + "x"))


def test_a_reference_can_be_read_out_by_telephone() -> None:
    assert all(re.fullmatch("KB(-[0-9A-HJKMNP-TV-Z]{4}){3}", new_reference()) for _ in range(500))


def test_references_do_not_meet() -> None:
    assert len({new_reference() for _ in range(5000)}) == 5000
