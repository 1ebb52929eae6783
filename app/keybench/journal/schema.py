"""The tables of a journal, in any database: made, looked at, and given what a newer Keybench adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Column, Connection, delete, insert, inspect, select

from keybench import __version__
from keybench.core.environments.environment import PRACTICE_ID, SYSTEM_PROXY, Environment, EnvironmentKind
from keybench.journal.columns import metadata
from keybench.journal.rows import named_values
from keybench.journal.tables import (
    COMPATIBLE,
    COMPATIBLE_SINCE,
    SCHEMA_VERSION,
    VERSION,
    WRITER,
    environments,
    meta,
)


def facts_of(connection: Connection) -> Mapping[str, str]:
    """Return what stands in `meta`."""
    return {row["name"]: row["value"] for row in connection.execute(select(meta)).mappings()}


def is_known(facts: Mapping[str, str]) -> bool:
    """Tell whether this Keybench may work on a journal with these facts in `meta`, a newer one included."""
    oldest = facts.get(COMPATIBLE, facts[VERSION])
    return int(facts[VERSION]) <= SCHEMA_VERSION or (oldest.isdecimal() and int(oldest) <= SCHEMA_VERSION)


def missing_column(connection: Connection) -> str:
    """Return the first column that this Keybench needs and the journal hasn't; empty if it has all."""
    found = inspect(connection).get_multi_columns()
    columns = {(name, column["name"]) for (_, name), table in found.items() for column in table}
    needed = ((table.name, column.name) for table in metadata.sorted_tables for column in table.columns)
    return next((f"{table}.{name}" for table, name in needed if (table, name) not in columns), "")


def make_tables(connection: Connection, now: datetime) -> None:
    """Make a journal's tables where there are none, with the practice environment."""
    practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", now)
    metadata.create_all(connection)
    note_version(connection)
    connection.execute(insert(environments), named_values(practice))


def note_version(connection: Connection) -> None:
    """Note that the tables are this Keybench's."""
    facts = {VERSION: str(SCHEMA_VERSION), COMPATIBLE: str(COMPATIBLE_SINCE), WRITER: __version__}
    connection.execute(delete(meta).where(meta.c.name.in_(facts)))
    connection.execute(insert(meta), [{"name": name, "value": value} for name, value in facts.items()])


def add_what_is_missing(connection: Connection) -> None:
    """Add tables, columns and indexes that this Keybench knows and the journal hasn't.

    A program of an older version that still runs writes rows without the new columns, so these have defaults.
    """
    from alembic.migration import MigrationContext  # noqa: PLC0415 - slow, and needed once in a journal's life
    from alembic.operations import Operations  # noqa: PLC0415 - see above

    operations = Operations(MigrationContext.configure(connection))
    metadata.create_all(connection)
    journal = inspect(connection)
    for table in metadata.sorted_tables:
        known = {column["name"] for column in journal.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                usual = SYSTEM_PROXY if column is environments.c.proxy else ""
                default = None if column.nullable else column.server_default or usual
                new = Column(column.name, column.type, nullable=column.nullable, server_default=default)
                operations.add_column(table.name, new)
        for index in table.indexes:
            index.create(connection, checkfirst=True)
