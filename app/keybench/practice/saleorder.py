"""Reading the body of a sale: what may stand in it, and what each field must look like."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from keybench.practice import carddata
from keybench.practice.body import Refusal, invalid, refuse_extras, text_field

MAX_CENTS: Final = 999_999_99
MAX_DUP_SECONDS: Final = 7_862_400
DEFAULT_CURRENCY: Final = "USD"

_FIELDS: Final = frozenset(
    {
        *("amount", "currency", "processor_id", "dup_seconds"),
        *("billing_address", "order_details", "merchant_defined_fields"),
    }
)
ADDRESS: Final = frozenset(
    {
        *("first_name", "last_name", "company", "address1", "address2", "address_1", "address_2", "city"),
        *("state", "zip", "postal_code", "country", "phone", "fax", "email"),
    }
)
_ORDER: Final = frozenset({"id", "order_description"})
_MOST_MERCHANT_FIELDS: Final = 20
_TWO_DECIMALS: Final = re.compile(r"\d{1,6}\.\d{2}", re.ASCII)
_CURRENCY: Final = re.compile(r"[A-Za-z]{3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Order:
    """A sale as it was asked for; `cents` are hundredths of the currency's unit."""

    cents: int
    currency: str
    processor_id: str | None
    order_id: str | None
    dup_seconds: int
    order_description: str | None = None


def refuse_card_data(fields: dict[str, Any]) -> None:
    """Refuse a body that holds card data anywhere: the device collects it."""
    where = carddata.found_in(fields)
    if where is not None:
        message = f"Card data must not be in the body ({where}): the device collects it"
        raise Refusal(400, "E_CARD_DATA", message)


def read_order(fields: dict[str, Any], also: Collection[str] = ()) -> Order:
    """Return the sale that a body asks for; `also` names fields that the caller has read itself."""
    refuse_card_data(fields)
    refuse_extras(fields, _FIELDS | set(also))
    order = _texts(fields, "order_details", _ORDER, {"id": 50})
    _texts(fields, "billing_address", ADDRESS, {})
    merchant_fields = _texts(fields, "merchant_defined_fields", None, {})
    if len(merchant_fields) > _MOST_MERCHANT_FIELDS:
        raise invalid(f"merchant_defined_fields must have at most {_MOST_MERCHANT_FIELDS} fields")
    return Order(
        cents=_cents(fields),
        currency=_currency(fields),
        processor_id=text_field(fields, "processor_id", 50),
        order_id=order.get("id"),
        dup_seconds=_dup_seconds(fields),
        order_description=order.get("order_description"),
    )


def _texts(
    fields: dict[str, Any], name: str, allowed: Collection[str] | None, longest: dict[str, int]
) -> dict[str, str]:
    """Return an object of texts, empty if left out; 255 characters each unless `longest` says otherwise."""
    inner = fields.get(name, {})
    if not isinstance(inner, dict):
        raise invalid(f"{name} must be an object")
    if allowed is not None:
        refuse_extras(inner, allowed, f"{name}.")
    texts = {}
    for key in inner:
        shown = f"{name}.{ascii(key[:40])[1:-1]}"
        texts[key] = text_field(inner, key, longest.get(key, 255), shown) or ""
    return texts


def _cents(fields: dict[str, Any]) -> int:
    if "amount" not in fields:
        raise invalid("amount is required")
    value = fields["amount"]
    if isinstance(value, str) and _TWO_DECIMALS.fullmatch(value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise invalid("amount must be a number or a string with two decimals, such as 10.00")
    if not 0 < value <= Decimal(MAX_CENTS) / 100:
        raise invalid(f"amount must be above 0 and at most {MAX_CENTS // 100}.99")
    cents = Decimal(value) * 100
    if cents != int(cents):
        raise invalid("amount must have at most two decimals")
    return int(cents)


def _currency(fields: dict[str, Any]) -> str:
    value = fields.get("currency", DEFAULT_CURRENCY)
    if not isinstance(value, str) or not _CURRENCY.fullmatch(value):
        raise invalid("currency must be three letters, such as USD")
    return value.upper()


def _dup_seconds(fields: dict[str, Any]) -> int:
    value = fields.get("dup_seconds", 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_DUP_SECONDS:
        raise invalid(f"dup_seconds must be a whole number from 0 to {MAX_DUP_SECONDS}")
    return value
