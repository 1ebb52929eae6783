"""What is known of security keys besides their values, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, or_, select, true, update

from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import NameTaken, NotFound
from keybench.core.security_key import KeyMove, SecurityKey
from keybench.journal.environments import require_environment
from keybench.journal.rows import Values, build, fold, named_values
from keybench.journal.tables import WAS_SENT, environments, rotations, sale_groups, sales, security_keys

_WHERE: Final = "environment_name"
_WHICH: Final = "which_key"
_AT: Final = "used_then"
#: What no move changes.
_FIXED: Final = ("id", "environment_id", "used_at", "compromised")
# Made once, because every sale needs it.
_USED: Final = (
    update(security_keys)
    .where(security_keys.c.id == bindparam(_WHICH))
    .where(or_(security_keys.c.used_at.is_(None), security_keys.c.used_at < bindparam(_AT)))
    .values(used_at=bindparam(_AT))
)
# A key goes from here when it was seen to be refused and its value is erased: one that is still here and was
# once taken for compromised hasn't been dealt with, also where its rotation was given up.
_COMPROMISED: Final = security_keys.c.id.in_(
    select(rotations.c.old_key_id).where(rotations.c.compromised.is_(true()))
).label("compromised")
_KEYS: Final = select(security_keys, _COMPROMISED)
_ITS_SALES: Final = (
    select(sale_groups.c.id).where(sale_groups.c.key_id == security_keys.c.id).correlate(security_keys)
)
#: When a sale was last sent with each key, from the sales that are kept.
LAST_SENT: Final = (
    select(func.max(sales.c.noted_at))
    .where(sales.c.group_id.in_(_ITS_SALES), WAS_SENT)
    .correlate(security_keys)
    .scalar_subquery()
)


class Keys:
    """What the journal does with keys; see `core.ports.Journal`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_environment(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return an environment's keys by name."""
        chosen = _KEYS.where(security_keys.c.environment_id == environment_id)
        found = [build(SecurityKey, row) for row in self._connection.execute(chosen).mappings()]
        return sorted(found, key=lambda key: (fold(key.name), key.name))

    def all(self) -> Sequence[SecurityKey]:
        """Return the keys of every environment, practice's first, then by environment and name."""
        chosen = _KEYS.add_columns(environments.c.name.label(_WHERE)).join(environments)
        rows = self._connection.execute(chosen).mappings()
        found = [(fold(row[_WHERE]), build(SecurityKey, row)) for row in rows]
        found.sort(key=lambda pair: (_is_elsewhere(pair[1]), pair[0], fold(pair[1].name), pair[1].name))
        return [key for _, key in found]

    def add(self, key: SecurityKey) -> None:
        """Add one; NameTaken, or NotFound for its environment."""
        self._check(key)
        self._connection.execute(insert(security_keys), _row(key))

    def update(self, key_id: str, move: KeyMove) -> SecurityKey:
        """Apply `move` to one; NotFound, or NameTaken by another."""
        moved = self.update_if_there(key_id, move)
        if moved is None:
            raise NotFound("key", key_id)
        return moved

    def update_if_there(self, key_id: str, move: KeyMove) -> SecurityKey | None:
        """Apply `move` to one and return it; None if it is gone. NameTaken by another."""
        chosen = _KEYS.where(security_keys.c.id == key_id).with_for_update(of=security_keys)
        row = self._connection.execute(chosen).mappings().first()
        if row is None:
            return None
        before = build(SecurityKey, row)
        # When it was last used and whether it is compromised are known here alone.
        fixed = {name: getattr(before, name) for name in _FIXED}
        moved = replace(move(before), **fixed)
        if moved != before:
            self._check(moved)
            changed = update(security_keys).where(security_keys.c.id == key_id).values(_row(moved))
            self._connection.execute(changed)
        return moved

    def remove(self, key_id: str) -> None:
        """Remove one if it is there."""
        self._connection.execute(delete(security_keys).where(security_keys.c.id == key_id))

    def used(self, key_id: str, at: datetime) -> None:
        """Note when a key was last used; nothing if it isn't there, or was used since."""
        self._connection.execute(_USED, {_WHICH: key_id, _AT: at})

    def not_used(self, key_id: str, at: datetime) -> None:
        """Note that a use turned out to be none: the last one before it counts again."""
        is_it = security_keys.c.id == key_id, security_keys.c.used_at == at
        self._connection.execute(update(security_keys).where(*is_it).values(used_at=LAST_SENT))

    def _check(self, key: SecurityKey) -> None:
        require_environment(self._connection, key.environment_id)
        taken = select(security_keys.c.id).where(
            security_keys.c.environment_id == key.environment_id,
            security_keys.c.folded_name == fold(key.name),
            security_keys.c.id != key.id,
        )
        if self._connection.execute(taken).first() is not None:
            raise NameTaken("key", key.name)


def _row(key: SecurityKey) -> Values:
    row = named_values(key)
    del row["compromised"]  # what its rotations say
    return row


def _is_elsewhere(key: SecurityKey) -> bool:
    return key.environment_id != PRACTICE_ID
