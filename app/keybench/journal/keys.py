"""What is known of security keys besides their values, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import NameTaken, NotFound
from keybench.core.security_key import SecurityKey
from keybench.journal.environments import require_environment
from keybench.journal.rows import build, fold, named_values
from keybench.journal.tables import environments, security_keys

_WHERE: Final = "environment_name"
_WHICH: Final = "which_key"
_AT: Final = "used_then"
# Made once, because every sale needs it.
_USED: Final = (
    update(security_keys)
    .where(security_keys.c.id == bindparam(_WHICH))
    .where(or_(security_keys.c.used_at.is_(None), security_keys.c.used_at < bindparam(_AT)))
    .values(used_at=bindparam(_AT))
)


class Keys:
    """What the journal does with keys; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_environment(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return an environment's keys by name."""
        chosen = select(security_keys).where(security_keys.c.environment_id == environment_id)
        found = [build(SecurityKey, row) for row in self._connection.execute(chosen).mappings()]
        return sorted(found, key=lambda key: (fold(key.name), key.name))

    def all(self) -> Sequence[SecurityKey]:
        """Return the keys of every environment, practice's first, then by environment and name."""
        chosen = select(security_keys, environments.c.name.label(_WHERE)).join(environments)
        rows = self._connection.execute(chosen).mappings()
        found = [(fold(row[_WHERE]), build(SecurityKey, row)) for row in rows]
        found.sort(key=lambda pair: (_is_elsewhere(pair[1]), pair[0], fold(pair[1].name), pair[1].name))
        return [key for _, key in found]

    def add(self, key: SecurityKey) -> None:
        """Add one; NameTaken, or NotFound for its environment."""
        self._check(key)
        self._connection.execute(insert(security_keys), named_values(key))

    def update(self, key: SecurityKey) -> None:
        """Replace one; NotFound, or NameTaken by another."""
        if not self._replace(key):
            raise NotFound("key", key.name)

    def put(self, key: SecurityKey) -> None:
        """Replace the one of the same identifier, or add it; NameTaken, or NotFound for its environment."""
        if not self._replace(key):
            self._connection.execute(insert(security_keys), named_values(key))

    def remove(self, key_id: str) -> None:
        """Remove one if it is there."""
        self._connection.execute(delete(security_keys).where(security_keys.c.id == key_id))

    def used(self, key_id: str, at: datetime) -> None:
        """Note when a key was last used; nothing if it isn't there, or was used since."""
        self._connection.execute(_USED, {_WHICH: key_id, _AT: at})

    def _replace(self, key: SecurityKey) -> bool:
        """Replace one and tell whether it was there; its last use stays, which is known here alone."""
        self._check(key)
        row = named_values(key)
        del row["used_at"]
        changed = update(security_keys).where(security_keys.c.id == key.id).values(row)
        return self._connection.execute(changed).rowcount > 0

    def _check(self, key: SecurityKey) -> None:
        require_environment(self._connection, key.environment_id)
        taken = select(security_keys.c.id).where(
            security_keys.c.environment_id == key.environment_id,
            security_keys.c.folded_name == fold(key.name),
            security_keys.c.id != key.id,
        )
        if self._connection.execute(taken).first() is not None:
            raise NameTaken("key", key.name)


def _is_elsewhere(key: SecurityKey) -> bool:
    return key.environment_id != PRACTICE_ID
