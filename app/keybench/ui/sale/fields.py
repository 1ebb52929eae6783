"""The fields of a sale that are typed: amount and currency, checked by each other."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.errors import InputInvalid
from keybench.core.money import parse_currency, parse_money
from keybench.ui.widgets.form import Field

#: Whose decimal places count while the currency itself isn't one.
_USUAL_CURRENCY = "USD"


def is_empty(text: str) -> bool:
    """Tell whether nothing is entered, which isn't wrong while somebody may still be typing."""
    return not text.strip()


def currency_field(editor: QWidget, *, lines: int | None = 1) -> Field:
    """Return the field of a currency."""
    return Field("Currency", editor, id="currency", check=parse_currency, unfinished=is_empty, lines=lines)


def amount_field(editor: QLineEdit, currency: Field, *, lines: int | None = 1) -> Field:
    """Return the field of an amount, which is judged by the currency that another field holds."""

    def check(text: str) -> None:
        try:
            known = parse_currency(currency.text)
        except InputInvalid:
            known = _USUAL_CURRENCY
        parse_money(text, known)

    field = Field("Amount", editor, id="amount", check=check, unfinished=_is_begun, lines=lines)
    currency.edited.connect(field.refresh)
    return field


def _is_begun(text: str) -> bool:
    """Tell whether an amount is empty, or only its decimal places are missing."""
    entered = text.strip()
    return not entered or (entered[:-1].isdigit() and entered[-1] in ".,")
