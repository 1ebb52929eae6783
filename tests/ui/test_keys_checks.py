"""What Add a New Key says of each bad input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from keybench.core.input_errors import CardDataRefused, InputInvalid
from keybench.core.keys.key import KeyKind
from keybench.ui.shared.keys.form import (
    check_name,
    check_permission,
    check_purpose,
    check_username,
    check_value,
)
from keybench.words.fields import field_sentence

CARD = "4111 1111 1111 1111"
USUAL = "a1" * 16


def fault(check: Callable[[], object]) -> str:
    """Return what is wrong, in words; empty if nothing is."""
    try:
        check()
    except InputInvalid as error:
        return field_sentence(error)
    return ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "can't be empty"),
        ("   ", "can't be empty"),
        ("n" * 300, "100 characters"),
        ("front\ndesk", "line breaks"),
        ("Front-Desk TILL", "already a key named"),
        (CARD, "card number"),
    ],
)
def test_a_bad_name_is_told_with_what_to_do(text: str, said: str) -> None:
    assert said in fault(lambda: check_name(text, {"front-desk till"}))
    assert not fault(lambda: check_name("front-desk till 2", {"front-desk till"}))


@pytest.mark.parametrize("check", [check_username, check_permission])
def test_username_and_permission_are_needed(check: Callable[[str], object]) -> None:
    assert fault(lambda: check(""))
    assert not fault(lambda: check("counter1"))


def test_a_purpose_may_be_empty_but_not_endless() -> None:
    assert not fault(lambda: check_purpose(""))
    assert "200 characters" in fault(lambda: check_purpose("p" * 201))


@pytest.mark.parametrize("check", [check_username, check_permission, check_purpose])
def test_card_data_is_to_be_taken_out(check: Callable[[str], object]) -> None:
    with pytest.raises(CardDataRefused):
        check(CARD)
    with pytest.raises(CardDataRefused):
        check_value(CARD, KeyKind.PRIVATE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Paste the key's value"),
        ("ab\ncd", "line breaks"),
        ("k" * 5000, "5,000 characters"),
        ("ключ", "no key has"),
    ],
)
def test_a_bad_value_is_told_with_what_to_do(text: str, said: str) -> None:
    assert said in fault(lambda: check_value(text, KeyKind.PRIVATE))


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (USUAL, KeyKind.PUBLIC, "looks like a private key"),
        ("abc123-abc123-abc123-abc123", KeyKind.PRIVATE, "looks like a public key"),
        ("v4_secret_abc", KeyKind.PRIVATE, "partner key"),
        ("Bearer abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("basic: abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("Authorization: abc", KeyKind.PRIVATE, "such as “Bearer”"),
        ("short", KeyKind.PRIVATE, "32 letters and digits"),
    ],
)
def test_an_odd_form_is_a_warning_and_no_fault(text: str, kind: KeyKind, said: str) -> None:
    finding = check_value(text, kind)

    assert finding.tone == "warning"
    assert said in finding.text


def test_the_usual_form_needs_no_word() -> None:
    assert not check_value(USUAL, KeyKind.PRIVATE).text
