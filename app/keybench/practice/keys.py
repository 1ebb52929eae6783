"""Security keys: the forms of their values, their permission types, and the users whose rights they have."""

import hashlib
import hmac
import re
import secrets
import string
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

TEST: Final = "test"
LIVE: Final = "live"
PRIVATE: Final = "private"
PUBLIC: Final = "public"
TOKENIZATION: Final = "Tokenization"
COLLECT_CHECKOUT: Final = "Collect Checkout"
PERMISSIONS: Final[dict[str, tuple[str, ...]]] = {
    PRIVATE: ("API", "API and Cart", "Cart"),
    PUBLIC: (TOKENIZATION, COLLECT_CHECKOUT),
}
PARTNER_PREFIX: Final = "v4_secret_"

_ALPHABET: Final = string.ascii_letters + string.digits
_FORM: Final = re.compile(
    r"v4_secret_\w{8,64}|checkout_public_[A-Za-z0-9]{32}"
    r"|[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}|[A-Za-z0-9]{32}",
    re.ASCII,
)


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def new_value(permission: str) -> str:
    """Return a new random key value in the form that belongs to a permission type."""
    if permission == TOKENIZATION:
        return "-".join(_random(6) for _ in range(4))
    if permission == COLLECT_CHECKOUT:
        return "checkout_public_" + _random(32)
    return _random(32)


def well_formed(value: str) -> bool:
    """Return whether a text has the form of a key value of any kind."""
    return _FORM.fullmatch(value) is not None


def mentions_value(text: str) -> bool:
    """Return whether a text contains something in the form of a key value, so that it must not be stored."""
    return _FORM.search(text) is not None


def digest(salt: bytes, value: str) -> bytes:
    """Return the hash by which a value is stored and looked up.

    One keyed round is enough: values are random with over 140 bits, so there is nothing to guess from a list.
    """
    return hmac.new(salt, value.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()


class Permission(StrEnum):
    """What a user may do; a key may do what its user may."""

    SELL = "sell on devices"
    READ = "read devices and payments"
    MANAGE_DEVICES = "manage devices"
    MANAGE_KEYS = "manage security keys"
    CHECKOUT = "browser checkout"


@dataclass(frozen=True, slots=True)
class User:
    """A user of the merchant's account."""

    username: str
    full_name: str
    permissions: frozenset[Permission]
    enabled: bool

    @property
    def may(self) -> str:
        """What the user may do, in words."""
        return ", ".join(sorted(self.permissions))


@dataclass(frozen=True, slots=True)
class PracticeKey:
    """A key without its value; times are in seconds since 1970, `environment` is the side it belongs to."""

    id: str
    name: str
    username: str
    permission: str
    kind: str
    created: float
    environment: str = TEST
    deleted: float | None = None
