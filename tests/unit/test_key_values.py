"""Pasted key values: tidied, hinted at, refused."""

from __future__ import annotations

import pytest

from keybench.core.input_errors import CardDataRefused, KeyValueInvalid
from keybench.core.keys.key import (
    HINT_BEARER,
    HINT_INNER_SPACE,
    HINT_LOOKS_PRIVATE,
    HINT_LOOKS_PUBLIC,
    HINT_PARTNER,
    HINT_UNUSUAL,
    VALUE_LIMIT,
    KeyKind,
    tidy_value,
)
from keybench.core.secret import Secret

PRIVATE = "MadeUpForTests0123456789abcdefgh"
TOKENIZATION = "MadeUp-ForTes-ts0123-456789"
CHECKOUT = f"checkout_public_{PRIVATE}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        (" ", ""),
        ("", "\n"),
        ("\t ", "\r\n"),
        ("\ufeff", ""),
        ("\u200b", "\u200b"),
        (" \u200b \ufeff", "\u00a0\u200b "),
    ],
)
def test_stray_white_space_is_left_out(before: str, after: str) -> None:
    pasted = tidy_value(before + PRIVATE + after, KeyKind.PRIVATE)
    assert pasted.value.matches(Secret(PRIVATE))
    assert not pasted.hint


@pytest.mark.parametrize(
    ("text", "kind", "hint"),
    [
        (PRIVATE, KeyKind.PRIVATE, ""),
        (TOKENIZATION, KeyKind.PUBLIC, ""),
        (CHECKOUT, KeyKind.PUBLIC, ""),
        (TOKENIZATION, KeyKind.PRIVATE, HINT_LOOKS_PUBLIC),
        (CHECKOUT, KeyKind.PRIVATE, HINT_LOOKS_PUBLIC),
        (PRIVATE, KeyKind.PUBLIC, HINT_LOOKS_PRIVATE),
        ("v4_secret_abc", KeyKind.PRIVATE, HINT_PARTNER),
        (f"Bearer {PRIVATE}", KeyKind.PRIVATE, HINT_BEARER),
        (f"basic {PRIVATE}", KeyKind.PUBLIC, HINT_BEARER),
        (f"{PRIVATE[:16]} {PRIVATE[16:]}", KeyKind.PRIVATE, HINT_INNER_SPACE),
        ("short", KeyKind.PRIVATE, HINT_UNUSUAL),
    ],
)
def test_an_odd_form_is_hinted_at_and_kept(text: str, kind: KeyKind, hint: str) -> None:
    pasted = tidy_value(text, kind)
    assert pasted.hint == hint
    assert pasted.value.matches(Secret(text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", KeyValueInvalid.EMPTY),
        (" \r\n\t", KeyValueInvalid.EMPTY),
        ("\ufeff\u200b", KeyValueInvalid.EMPTY),
        (f"{PRIVATE}\n{PRIVATE}", KeyValueInvalid.LINE_BREAKS),
        (f"{PRIVATE}\r{PRIVATE}", KeyValueInvalid.LINE_BREAKS),
        ("k" * 5000, KeyValueInvalid.TOO_LONG),
        ("k" * (VALUE_LIMIT + 1), KeyValueInvalid.TOO_LONG),
        ("clé", KeyValueInvalid.UNPRINTABLE),
        ("key\x00", KeyValueInvalid.UNPRINTABLE),
        ("a\tb", KeyValueInvalid.UNPRINTABLE),
        ("a\u200bb", KeyValueInvalid.UNPRINTABLE),
        ("a\ud800b", KeyValueInvalid.UNPRINTABLE),
    ],
)
def test_what_cannot_be_a_key_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(KeyValueInvalid) as caught:
        tidy_value(text, KeyKind.PRIVATE)
    assert caught.value.reason == reason


def test_a_value_that_is_too_long_is_told_with_both_lengths() -> None:
    with pytest.raises(KeyValueInvalid) as caught:
        tidy_value("k" * 5000, KeyKind.PRIVATE)
    assert (caught.value.length, caught.value.limit) == (5000, VALUE_LIMIT)


def test_the_longest_value_is_kept() -> None:
    assert len(tidy_value("k" * VALUE_LIMIT, KeyKind.PRIVATE).value) == VALUE_LIMIT


@pytest.mark.parametrize("text", ["4111 1111 1111 1111", "pan:4111111111111111", ";4111111111111111=2512101"])
def test_a_card_number_is_no_key(text: str) -> None:
    with pytest.raises(CardDataRefused):
        tidy_value(text, KeyKind.PRIVATE)
