"""The guard that keeps card data out: by a field's name and by a value that is a card number."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

_FIELD_NAMES: Final = frozenset(
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
_CANDIDATE: Final = re.compile(
    r"(?<!\d)(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})(?!\d)",
    re.ASCII,
)


def luhn_valid(digits: str) -> bool:
    """Return whether a string of digits passes the Luhn check that card numbers carry."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number  # noqa: PLR2004 - Luhn's own constant
    return total % 10 == 0


def holds_card_number(text: str) -> bool:
    """Return whether a text holds a card number: 13 to 19 digits, printed groups allowed, Luhn-valid."""
    return any(luhn_valid(re.sub(r"[ -]", "", match.group())) for match in _CANDIDATE.finditer(text))


def found_in(value: Any) -> str | None:
    """Return where a JSON value holds card data, as a dotted field path, or None. Never returns the data."""
    for path, name, leaf in _walk(value):
        if name is not None and holds_card_number(name):
            return "a field's name"
        named = name is not None and re.sub(r"[^a-z0-9]", "", name.lower()) in _FIELD_NAMES
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
