"""Brings a journal that an older Keybench made up to this one's tables, at one stroke."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, Table, select, text, update
from sqlalchemy.schema import CreateColumn

from keybench.journal.keys import LAST_SENT
from keybench.journal.tables import SCHEMA_VERSION, meta, security_keys

#: The name of the fact in `meta` that tells which tables a journal has.
VERSION: Final = "schema_version"
#: The oldest version that is known here.
OLDEST: Final = 1


def bring_up_to_date(connection: Connection) -> None:
    """Make an older journal's tables like a new one's; nothing is changed in one that is up to date.

    Args:
        connection: In a transaction that holds the write lock; another program may have been faster.
    """
    is_version = meta.c.name == VERSION
    version = int(connection.execute(select(meta.c.value).where(is_version)).scalar_one())
    if version >= SCHEMA_VERSION:
        return
    _from_1(connection)
    connection.execute(update(meta).where(is_version).values(value=str(SCHEMA_VERSION)))


def _from_1(connection: Connection) -> None:
    """Add what tells of tests that told nothing; a sale that wasn't sent was no use of its key."""
    for name in ("tried_at", "trial"):
        _add_column(connection, security_keys, name)
    connection.execute(update(security_keys).values(used_at=LAST_SENT))


def _add_column(connection: Connection, table: Table, name: str) -> None:
    described = CreateColumn(table.c[name]).compile(dialect=connection.dialect)
    connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {described}"))
