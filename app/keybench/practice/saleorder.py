"""Reading the body of a sale: what each field must look like, and the guard that keeps card data out."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from keybench.practice.body import Refusal, invalid, refuse_extras, text_field, whole

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

_CARD_FIELDS: Final = frozenset(
    {
        *("card", "cardnumber", "cardno", "ccnumber", "cc", "ccnum", "pan"),
        *("primaryaccountnumber", "accountnumber"),
        *("ccexp", "cardexp", "exp", "expiry", "expirydate", "expiration", "expirationdate", "expdate"),
        *("cardexpiry", "cardexpiration", "cardexpirationdate", "ccexpiry", "ccexpiration"),
        *("expmonth", "expyear", "expirymonth", "expiryyear", "expirationmonth", "expirationyear"),
        *("cvv", "cvv2", "cvc", "cvc2", "csc", "cid", "cardcvv", "cardcvc", "cccvv", "securitycode"),
        *("cardsecuritycode", "verificationvalue", "cardverificationvalue"),
        *("track", "track1", "track2", "track3", "trackdata", "magnesafe", "pin", "pinblock", "emvdata"),
    }
)
# A run of 13 to 19 digits, or digits in the groups printed on a card. Looser groupings would catch references
# made of a date and a time.
_CARD_NUMBER: Final = re.compile(
    r"(?<!\d)(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?!\d)",
    re.ASCII,
)


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
    where = found_in(fields)
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
        dup_seconds=whole(fields.get("dup_seconds", 0), "dup_seconds", 0, MAX_DUP_SECONDS),
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


def luhn_valid(digits: str) -> bool:
    """Return whether a string of digits passes the Luhn check that card numbers carry."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number  # noqa: PLR2004 - Luhn's own constant
    return total % 10 == 0


def holds_card_number(text: str) -> bool:
    """Return whether a text holds a card number: 13 to 19 digits, printed groups allowed, Luhn-valid."""
    return any(luhn_valid(re.sub(r"[ -]", "", match.group())) for match in _CARD_NUMBER.finditer(text))


def found_in(value: Any) -> str | None:
    """Return where a JSON value holds card data, as a dotted field path, or None. Never returns the data."""
    for path, name, leaf in _walk(value):
        if name is not None and holds_card_number(name):
            return "a field's name"
        named = name is not None and re.sub(r"[^a-z0-9]", "", name.lower()) in _CARD_FIELDS
        if named or (isinstance(leaf, str | int | Decimal) and holds_card_number(str(leaf))):
            return ascii(path[:60])[1:-1]
    return None


def _walk(value: Any) -> Iterator[tuple[str, str | None, Any]]:
    """Yield every (path, field name if any, value) of a JSON value, without recursion so depth can't hurt."""
    pending: list[tuple[str, str | None, Any]] = [("", None, value)]
    while pending:
        path, name, item = pending.pop()
        yield path, name, item
        if isinstance(item, dict):
            pending.extend((f"{path}.{key}".lstrip("."), key, inner) for key, inner in item.items())
        elif isinstance(item, list):
            pending.extend((f"{path}[{index}]", None, inner) for index, inner in enumerate(item))
