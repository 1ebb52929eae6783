"""Who may do what: users with permissions, their security keys, and the forms of keys' values."""

import hashlib
import hmac
import re
import secrets
import sqlite3
import string
import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from keybench.practice.database import Facts

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
_CHECKOUT_PREFIX: Final = "checkout_public_"
_FORM: Final = (
    r"(?:v4_secret_\w{8,64}|checkout_public_[A-Za-z0-9]{32}"
    r"|[A-Za-z0-9]{6}(?:-[A-Za-z0-9]{6}){3}|[A-Za-z0-9]{32})"
)
_WHOLE: Final = re.compile(_FORM, re.ASCII)
_ANYWHERE: Final = re.compile(rf"(?<![A-Za-z0-9]){_FORM}(?![A-Za-z0-9])", re.ASCII)


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def new_value(permission: str) -> str:
    """Return a new random key value in the form that belongs to a permission type."""
    if permission == TOKENIZATION:
        return "-".join(_random(6) for _ in range(4))
    if permission == COLLECT_CHECKOUT:
        return _CHECKOUT_PREFIX + _random(32)
    return _random(32)


def kind_of(permission: str) -> str | None:
    """Return the kind of key a permission type belongs to, or None for an unknown type."""
    return next((kind for kind, types in PERMISSIONS.items() if permission in types), None)


def well_formed(value: str) -> bool:
    """Say whether a text has the form of a key value of any kind."""
    return _WHOLE.fullmatch(value) is not None


def mentions_value(text: str) -> bool:
    """Say whether a text holds something in the form of a key value, so that it must not be kept."""
    return _ANYWHERE.search(text) is not None


def digest(salt: bytes, value: str) -> bytes:
    """Return the hash by which a value is kept and looked up.

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


@dataclass(frozen=True, slots=True)
class SecurityKey:
    """A key without its value; `created` is in seconds since 1970."""

    id: str
    name: str
    username: str
    permission: str
    kind: str
    created: float


class RepeatedRequestError(Exception):
    """A key was already made for this request id; `key_id` says which."""

    def __init__(self, key_id: str) -> None:
        super().__init__(key_id)
        self.key_id = key_id


class Users:
    """The account's users."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, user: User) -> None:
        """Add a user; one that is there already stays as it is."""
        self._connection.execute(
            "INSERT OR IGNORE INTO user VALUES (?, ?, ?, ?)",
            (user.username, user.full_name, ";".join(sorted(user.permissions)), user.enabled),
        )

    def every(self) -> list[User]:
        """Return all users in the order they were added."""
        return [_user(row) for row in self._connection.execute("SELECT * FROM user ORDER BY rowid")]

    def find(self, username: str) -> User | None:
        """Return a user by name, or None."""
        row = self._connection.execute("SELECT * FROM user WHERE username = ?", (username,)).fetchone()
        return None if row is None else _user(row)

    def set_enabled(self, username: str, *, enabled: bool) -> None:
        """Let a user's keys in, or shut them out."""
        self._connection.execute("UPDATE user SET enabled = ? WHERE username = ?", (enabled, username))


class Keys:
    """The account's security keys; of a value only a keyed hash is kept."""

    def __init__(self, connection: sqlite3.Connection, facts: Facts) -> None:
        self._connection = connection
        self._facts = facts

    def create(
        self, name: str, username: str, permission: str, kind: str, now: float, request_id: str | None = None
    ) -> tuple[SecurityKey, str]:
        """Make a key; the value in the answer exists nowhere else.

        Args:
            name: a label; as in the portals known, it need not be unique.
            username: an existing user.
            permission: one of the permission types of `kind`.
            kind: `private` or `public`.
            now: seconds since 1970.
            request_id: the caller's own mark, so that asking again makes no second key.

        Raises:
            RepeatedRequestError: the request id was used before.
        """
        self._refuse_repetition(request_id)
        key = SecurityKey(str(uuid.uuid4()), name, username, permission, kind, now)
        value = new_value(permission)
        kept = digest(self._facts.salt, value)
        self._connection.execute(
            "INSERT INTO security_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (key.id, name, username, permission, kind, self._facts.instance, kept, request_id, now),
        )
        return key, value

    def _refuse_repetition(self, request_id: str | None) -> None:
        query = "SELECT id FROM security_key WHERE request_id = ?"
        repeated = self._connection.execute(query, (request_id,)).fetchone()
        if repeated is not None:
            raise RepeatedRequestError(repeated["id"])

    def active(self) -> list[SecurityKey]:
        """Return the keys that are in force, oldest first."""
        query = "SELECT * FROM security_key WHERE deleted IS NULL ORDER BY rowid"
        return [_key(row) for row in self._connection.execute(query)]

    def delete(self, key_id: str, now: float) -> bool:
        """Delete an active key; say whether there was one."""
        query = "UPDATE security_key SET deleted = ? WHERE id = ? AND deleted IS NULL"
        return self._connection.execute(query, (now, key_id)).rowcount == 1

    def by_value(self, value: str) -> SecurityKey | None:
        """Return the active key of this environment that has a value, or None."""
        row = self._connection.execute(
            "SELECT * FROM security_key WHERE digest = ? AND environment = ? AND deleted IS NULL",
            (digest(self._facts.salt, value), self._facts.instance),
        ).fetchone()
        return None if row is None else _key(row)


def _user(row: sqlite3.Row) -> User:
    permissions = frozenset(Permission(word) for word in row["permissions"].split(";") if word)
    return User(row["username"], row["full_name"], permissions, bool(row["enabled"]))


def _key(row: sqlite3.Row) -> SecurityKey:
    return SecurityKey(
        row["id"], row["name"], row["username"], row["permission"], row["kind"], row["created"]
    )
