"""The guard against card data."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.practice.saleorder import found_in, holds_card_number, luhn_valid

CARD = "4111111111111111"


@pytest.mark.parametrize(
    "text", [CARD, f"paid with {CARD}.", "4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005"]
)
def test_a_card_number_is_found_in_a_text(text: str) -> None:
    assert holds_card_number(text)


@pytest.mark.parametrize(
    "text", ["4111111111111112", "411111111111", "20261120-101530-1234", "KB-7F3A-0001", "", chr(0x0661) * 16]
)
def test_other_numbers_are_let_through(text: str) -> None:
    assert not holds_card_number(text)


@pytest.mark.parametrize(
    "name",
    ["card_number", "cardNumber", "CVV", "cc-exp", "expiration_date", "track2", "security_code", "pan"],
)
def test_a_field_for_card_data_is_found_by_its_name_at_any_depth(name: str) -> None:
    assert found_in({"order_details": {"list": [{name: "x"}]}}) == f"order_details.list[0].{name}"


@pytest.mark.parametrize("value", [int(CARD), Decimal(CARD), [CARD]])
def test_a_value_is_found_in_any_type(value: object) -> None:
    assert found_in({"note": value}) is not None


@given(st.text("0123456789", min_size=12, max_size=18))
def test_luhn_accepts_exactly_one_check_digit(digits: str) -> None:
    assert sum(luhn_valid(digits + check) for check in "0123456789") == 1
