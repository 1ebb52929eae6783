"""Amounts of money: read strictly from what people type, and written the way gateways expect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import AmountInvalid, CurrencyInvalid

#: What the currency list offers first; any other of ISO 4217 can be typed.
COMMON_CURRENCIES: Final = ("USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY")

_AMOUNT: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,4})?", re.ASCII)
#: Three digits behind a comma are thousands to many people, so a decimal comma has one or two.
_DECIMAL_COMMA: Final = re.compile(r"[0-9]+,[0-9]{1,2}", re.ASCII)
_CURRENCY: Final = re.compile(r"[A-Za-z]{3}", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount greater than zero in the currency's main unit, with exactly its decimal places."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"

    @property
    def figure(self) -> str:
        """The amount alone as text, such as ``10.00``: the form a gateway is sent."""
        return str(self.amount)


@cache
def _minor_units() -> Mapping[str, int]:
    """Return the decimal places of ISO 4217's currencies, without metals, units of account and tests."""
    from iso4217 import Currency  # noqa: PLC0415 - a table of some 20 ms, needed with the first amount

    return {one.code: one.exponent for one in Currency if one.exponent is not None}


def decimal_places(currency: str) -> int:
    """Return how many digits follow the point in a currency of ISO 4217, given in capital letters."""
    return _minor_units()[currency]


def parse_currency(text: str) -> str:
    """Return `text` as a currency code of three capital letters."""
    refuse_card_data("currency", text)
    code = text.strip()
    if not _CURRENCY.fullmatch(code):
        raise CurrencyInvalid(text, CurrencyInvalid.NOT_A_CODE)
    if code.upper() not in _minor_units():
        raise CurrencyInvalid(text, CurrencyInvalid.UNKNOWN)
    return code.upper()


def parse_money(text: str, currency: str) -> Money:
    """Read an amount as a person types it: plain digits 0-9, with a point or a decimal comma.

    ``1,000`` is refused, because it is a thousand to some and one to others.
    """
    refuse_card_data("amount", text)
    code = parse_currency(currency)
    figure = text.strip()
    if _DECIMAL_COMMA.fullmatch(figure):
        figure = figure.replace(",", ".")
    if not figure:
        raise AmountInvalid(text, AmountInvalid.EMPTY)
    if not _AMOUNT.fullmatch(figure):
        raise AmountInvalid(text, AmountInvalid.NOT_A_FIGURE)
    places = decimal_places(code)
    _, _, decimals = figure.partition(".")
    if len(decimals) > places:
        raise AmountInvalid(text, AmountInvalid.TOO_PRECISE, decimals=places)
    amount = Decimal(figure).quantize(Decimal(1).scaleb(-places))
    if amount == 0:
        raise AmountInvalid(text, AmountInvalid.ZERO)
    return Money(amount, code)


def parse_limit(text: str) -> Decimal | None:
    """Return an amount limit as a figure above zero with two places at most, or None for an empty text."""
    return parse_money(text, "USD").amount if text.strip() else None
