"""Amounts: what people type, and what a gateway is sent."""

from __future__ import annotations

import itertools
import string
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keybench.core.input_errors import AmountInvalid, CardDataRefused, CurrencyInvalid
from keybench.core.money import Money, decimal_places, parse_currency, parse_limit, parse_money
from keybench.words.fields import field_sentence

CURRENCIES = st.sampled_from(["USD", "EUR", "JPY", "KWD", "RWF", "CLF"])


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("10", "10.00"),
        ("10.5", "10.50"),
        ("10.00", "10.00"),
        ("1,5", "1.50"),
        (" 7 ", "7.00"),
        ("0.01", "0.01"),
    ],
)
def test_a_plain_figure_is_read(text: str, figure: str) -> None:
    assert parse_money(text, "USD").figure == figure


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", AmountInvalid.EMPTY),
        ("  ", AmountInvalid.EMPTY),
        ("abc", AmountInvalid.NOT_A_FIGURE),
        ("-1", AmountInvalid.NOT_A_FIGURE),
        ("+1", AmountInvalid.NOT_A_FIGURE),
        ("1e3", AmountInvalid.NOT_A_FIGURE),
        ("1_000", AmountInvalid.NOT_A_FIGURE),
        ("٣", AmountInvalid.NOT_A_FIGURE),
        ("\uff13", AmountInvalid.NOT_A_FIGURE),
        ("NaN", AmountInvalid.NOT_A_FIGURE),
        ("Infinity", AmountInvalid.NOT_A_FIGURE),
        ("0x10", AmountInvalid.NOT_A_FIGURE),
        ("1 000", AmountInvalid.NOT_A_FIGURE),
        ("1,000", AmountInvalid.NOT_A_FIGURE),
        ("1,000.00", AmountInvalid.NOT_A_FIGURE),
        ("1.000,00", AmountInvalid.NOT_A_FIGURE),
        ("1,5,0", AmountInvalid.NOT_A_FIGURE),
        (".5", AmountInvalid.NOT_A_FIGURE),
        ("5.", AmountInvalid.NOT_A_FIGURE),
        ("$5", AmountInvalid.NOT_A_FIGURE),
        ("1000000000", AmountInvalid.NOT_A_FIGURE),
        ("1.005", AmountInvalid.TOO_PRECISE),
        ("0", AmountInvalid.ZERO),
        ("0.00", AmountInvalid.ZERO),
        ("0,0", AmountInvalid.ZERO),
    ],
)
def test_anything_else_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(AmountInvalid) as caught:
        parse_money(text, "USD")
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "currency", "figure"),
    [
        ("500", "JPY", "500"),
        ("1.5", "KWD", "1.500"),
        ("1.005", "kwd", "1.005"),
        ("1000", "RWF", "1000"),
        ("1.5", "CLF", "1.5000"),
        ("0.0001", "UYW", "0.0001"),
    ],
)
def test_a_currency_has_its_own_decimal_places(text: str, currency: str, figure: str) -> None:
    assert parse_money(text, currency).figure == figure


@pytest.mark.parametrize(
    ("text", "currency", "places"),
    [
        ("1.5", "JPY", 0),
        ("1,5", "JPY", 0),
        ("1.001", "EUR", 2),
        ("1000.50", "RWF", 0),
        ("1000.0", "RWF", 0),
        ("1.0005", "KWD", 3),
    ],
)
def test_more_places_than_the_currency_has_are_refused(text: str, currency: str, places: int) -> None:
    with pytest.raises(AmountInvalid) as caught:
        parse_money(text, currency)
    assert (caught.value.reason, caught.value.decimals) == (AmountInvalid.TOO_PRECISE, places)


@pytest.mark.parametrize("text", ["1,000", "12,345"])
@pytest.mark.parametrize("currency", ["KWD", "USD", "JPY"])
def test_a_grouped_thousand_is_never_read_as_one(text: str, currency: str) -> None:
    with pytest.raises(AmountInvalid):
        parse_money(text, currency)


@pytest.mark.parametrize("text", ["usd", " Usd ", "USD"])
def test_a_currency_is_three_letters_in_any_case(text: str) -> None:
    assert parse_currency(text) == "USD"


@pytest.mark.parametrize(
    "text", ["", "US", "USDT", "U$D", "US1", "ÄÖÜ", "u\u017fd", "US D", "\uff35\uff33\uff24"]
)
def test_another_currency_is_refused(text: str) -> None:
    with pytest.raises(CurrencyInvalid):
        parse_currency(text)


#: The currencies of ISO 4217 that have other than two decimal places, by its List One of 1 January 2026.
PLACES = {
    **dict.fromkeys(["BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF"], 0),
    **dict.fromkeys(["UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"], 0),
    **dict.fromkeys(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"], 3),
    **dict.fromkeys(["CLF", "UYW"], 4),
}
#: Of these people, gateways or other lists believe something else.
TWO = ["AFN", "ALL", "HUF", "IDR", "IRR", "LAK", "LBP", "MGA", "MMK", "MRU", "RSD", "TWD", "XCG", "YER"]


def test_the_decimal_places_are_those_of_the_standard() -> None:
    assert {code: decimal_places(code) for code in [*PLACES, *TWO]} == PLACES | dict.fromkeys(TWO, 2)
    letters = string.ascii_uppercase
    known = {code for code in map("".join, itertools.product(letters, repeat=3)) if is_currency(code)}
    assert {code for code in known if decimal_places(code) != 2} == set(PLACES)
    assert 150 < len(known) < 200


def is_currency(code: str) -> bool:
    try:
        return parse_currency(code) == code
    except CurrencyInvalid:
        return False


@pytest.mark.parametrize("code", ["ZZZ", "DEM", "HRK", "BTC", "XTS", "XXX", "XAU", "XDR", "usq"])
def test_letters_that_are_no_money_are_refused_with_a_sentence(code: str) -> None:
    with pytest.raises(CurrencyInvalid) as caught:
        parse_money("10", code)
    assert caught.value.reason == CurrencyInvalid.UNKNOWN
    assert f"no currency with the code {code.upper()} (ISO 4217)" in field_sentence(caught.value)


def test_a_limit_has_two_places_at_the_most() -> None:
    assert parse_limit("") is None
    assert parse_limit("50") == Decimal("50.00")
    with pytest.raises(AmountInvalid):
        parse_limit("50.001")


def test_a_card_number_in_the_amount_is_named_as_one_and_not_kept() -> None:
    with pytest.raises(CardDataRefused) as caught:
        parse_money("4111 1111 1111 1111", "USD")
    assert "4111" not in repr(vars(caught.value)) + str(caught.value)


@given(st.integers(1, 999_999_999_99), CURRENCIES)
def test_what_is_sent_reads_back_as_the_same_money(minor: int, currency: str) -> None:
    places = decimal_places(currency)
    amount = Decimal(minor).scaleb(-places)
    if amount >= 10**9:
        return
    money = Money(amount.quantize(Decimal(1).scaleb(-places)), currency)
    assert parse_money(money.figure, currency) == money


@given(st.text(max_size=14), CURRENCIES)
def test_any_text_is_either_money_above_zero_or_refused(text: str, currency: str) -> None:
    try:
        money = parse_money(text, currency)
    except (AmountInvalid, CardDataRefused):
        return
    assert money.amount > 0
    assert -money.amount.as_tuple().exponent == decimal_places(currency)
    assert money.figure.isascii()


@given(st.text(max_size=5))
def test_any_text_is_either_three_capital_letters_or_no_currency(text: str) -> None:
    try:
        code = parse_currency(text)
    except CurrencyInvalid:
        return
    assert len(code) == 3
    assert code.isascii()
    assert code == text.strip().upper()
