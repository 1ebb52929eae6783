"""The sale form's checks, without widgets: what is wrong with each field, in one sentence."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final

from keybench.core.card_data import refuse_card_data
from keybench.core.input_errors import CardDataRefused, InputInvalid, ValueMisplaced
from keybench.core.money import parse_currency, parse_money
from keybench.core.text import clean_text
from keybench.words.fields import field_sentence

#: Whose decimal places count while the currency itself isn't one.
_USUAL_CURRENCY: Final = "USD"


class FormField(enum.Enum):
    """The fields a person types into, in the order they are looked at."""

    DEVICE = "device"
    AMOUNT = "amount"
    CURRENCY = "currency"


def card_data_sentence(field: FormField, text: str) -> str:
    """Return why `text` may not stay in a field, or nothing if it may."""
    return _sentence(lambda: refuse_card_data(field.value, text))


def fault_of(field: FormField, text: str, currency: str, *, complete: bool) -> str:
    """Return what is wrong with a field, or nothing.

    Args:
        field: Which one.
        text: What it holds; for the device, the identifier meant.
        currency: What the currency's field holds.
        complete: Whether it is meant to be used as it is; else somebody may still be typing, and what is
            merely not there yet isn't wrong.
    """
    if not complete and not text.strip():
        return ""
    match field:
        case FormField.DEVICE:
            return _sentence(lambda: clean_text("device", text))
        case FormField.AMOUNT:
            typing = not complete and text.strip()[:-1].isdigit() and text.strip()[-1] in ".,"
            return "" if typing else _amount_fault(text, currency)
        case FormField.CURRENCY:
            return _sentence(lambda: parse_currency(text))


def _amount_fault(text: str, currency: str) -> str:
    known = currency if not _sentence(lambda: parse_currency(currency)) else _USUAL_CURRENCY
    return _sentence(lambda: parse_money(text, known))


def field_of(error: InputInvalid) -> FormField | None:
    """Return which field an error of the use case concerns, or None for none of them."""
    word: str = getattr(error, "what", error.field)
    if isinstance(error, CardDataRefused | ValueMisplaced):
        word = error.where
    return next((field for field in FormField if field.value == word), None)


def _sentence(check: Callable[[], object]) -> str:
    try:
        check()
    except InputInvalid as error:
        return field_sentence(error)
    return ""
