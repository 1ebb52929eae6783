"""The card-data guard: every spelling of a card number is found, and identifiers are let through."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.card_data import holds_card_data, passes_luhn, refuse_card_data
from keybench.core.input_errors import CardDataRefused

# The schemes' published test numbers; no account is behind them.
CARDS = {
    "Visa": "4111111111111111",
    "Visa of 13 digits": "4222222222222",
    "Mastercard": "5555555555554444",
    "Mastercard of the second range": "2223003122003222",
    "American Express": "378282246310005",
    "Diners Club": "30569309025904",
    "Discover": "6011111111111117",
    "JCB": "3566002020360505",
    "UnionPay": "6200000000000005",
    "UnionPay of 19 digits": "6205500000000000004",
    "Maestro": "6759649826438453",
    "Mir": "2200770239097761",
}
VISA = CARDS["Visa"]


@pytest.mark.parametrize("number", CARDS.values(), ids=CARDS)
def test_every_schemes_number_is_found(number: str) -> None:
    assert holds_card_data(number)
    assert holds_card_data(f"for {number}, please")


@pytest.mark.parametrize(
    "text",
    [
        "4111,1111,1111,1111",
        "4111_1111_1111_1111",
        "4111/1111/1111/1111",
        "4111  1111  1111  1111",
        "4111 - 1111 - 1111 - 1111",
        "4111\u00a01111\u20091111\u202f1111",
        "4111\n1111\n1111\n1111",
        "4111\u200b1111\u200b1111\u200b1111",
        "41111111 11111111",
        "411111 1111111111",
        "4111 111111111111",
        "41 11 11 11 11 11 11 11",
        f"card{VISA}",
        f"pan:{VISA}",
        f"PAN={VISA};",
        f"x{VISA}y",
        f"{VISA}-till",
        f"order-7-{VISA}-b",
        f"Mira's card ({VISA}) 12/27",
        "till 3 4111 1111 1111 1111 12/27",
        "order 12, 4111-1111-1111-1111",
        f"%B{VISA}^DOE/JOHN^2512101",
        "4111111111111111 5555555555554444",
    ],
)
def test_every_spelling_of_a_number_is_found(text: str) -> None:
    assert holds_card_data(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Till 3",
        "10.00",
        "4111111111111112",  # fails the check digit
        "411111111111111",  # one digit short
        "41111111111111111111",  # longer than any card's
        "1234567890123452",  # no scheme begins so
        "9111111111111111",
        "KB-4111-1111",
        "D-4111111111",
        "till-411111111111",
        "+49 151 23456789012",
        "+4915123456789015",
        "030 123456 78",
        "0049 4111 111111",
        "1-800-555-0199",
        "+1 (202) 555-0147",
        "2026-03-03 14.02.11.204",
        "20260303140211204",
        "30.05.2026 12.30.15",
        "1772546531204115",
        "192.168.100.200",
        "127.0.0.1:50505",
        "00000000-0000-0000-0000-000000000000",
        "d0f31f2e7c9b4a4111111111111111aa",
        "4a:11:11:11:11:11",
    ],
)
def test_other_numbers_are_let_through(text: str) -> None:
    assert not holds_card_data(text)


def test_a_refusal_names_the_field_and_not_the_number() -> None:
    with pytest.raises(CardDataRefused) as caught:
        refuse_card_data("key name", f"card {VISA}")
    assert caught.value.where == "key name"
    assert not re.search("[0-9]{4}", str(caught.value) + repr(caught.value) + repr(vars(caught.value)))


@given(
    st.sampled_from(sorted(CARDS.values())),
    st.text(st.characters(exclude_categories=["Nd", "No", "Cf"], exclude_characters="+")),
    st.text(st.characters(exclude_categories=["Nd", "No", "Cf"])),
)
def test_a_number_is_found_between_any_words(number: str, before: str, after: str) -> None:
    around = before.rstrip(string.hexdigits) + "-" + number + " " + after
    assert holds_card_data(around)


@given(st.text("0123456789", min_size=12, max_size=18))
def test_luhn_takes_exactly_one_check_digit(digits: str) -> None:
    assert sum(passes_luhn(digits + check) for check in "0123456789") == 1
