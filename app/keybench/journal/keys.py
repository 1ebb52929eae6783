"""What is known of security keys besides their values, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, insert, select, update

from keybench.core.errors import NameTaken, NotFound
from keybench.core.security_key import SecurityKey
from keybench.journal.environments import require_environment
from keybench.journal.rows import build, fold, named_values
from keybench.journal.tables import security_keys


class Keys:
    """What the journal does with keys; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_environment(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return an environment's keys by name."""
        chosen = select(security_keys).where(security_keys.c.environment_id == environment_id)
        found = [build(SecurityKey, row) for row in self._connection.execute(chosen).mappings()]
        return sorted(found, key=lambda key: (fold(key.name), key.name))

    def add(self, key: SecurityKey) -> None:
        """Add one; NameTaken, or NotFound for its environment."""
        self._check(key)
        self._connection.execute(insert(security_keys), named_values(key))

    def update(self, key: SecurityKey) -> None:
        """Replace one; NotFound, or NameTaken by another."""
        self._check(key)
        changed = update(security_keys).where(security_keys.c.id == key.id).values(named_values(key))
        if self._connection.execute(changed).rowcount == 0:
            raise NotFound("key", key.name)

    def remove(self, key_id: str) -> None:
        """Remove one if it is there."""
        self._connection.execute(delete(security_keys).where(security_keys.c.id == key_id))

    def _check(self, key: SecurityKey) -> None:
        require_environment(self._connection, key.environment_id)
        taken = select(security_keys.c.id).where(
            security_keys.c.environment_id == key.environment_id,
            security_keys.c.folded_name == fold(key.name),
            security_keys.c.id != key.id,
        )
        if self._connection.execute(taken).first() is not None:
            raise NameTaken("key", key.name)
