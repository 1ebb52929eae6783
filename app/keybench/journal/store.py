"""What an open database offers to the journal's calls, and what these may ask of their connection.

Every call is one transaction. It gets a `Connection`, which knows at which desk it is made and asks the
database for the time where several computers share one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import Connection, Table, insert, text, update

from keybench.core.ports import JournalPlace

T = TypeVar("T")

#: The execution option that makes a transaction take the write lock when it begins.
WRITES: Final = "keybench_writes"
#: The execution option with the `Here` of a connection.
HERE: Final = "keybench_here"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class UnreadableRow(Exception):
    """A stored value that can't be what its column says; stays inside this folder."""


@dataclass(frozen=True, slots=True)
class Here:
    """Where a call is made.

    Attributes:
        desk: The desk's identifier.
        now: Returns this computer's time, UTC.
        role: Who is logged in to the database; empty where nobody logs in.
    """

    desk: str = ""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    role: str = ""


class Store(Protocol):
    """An open database; every call comes from one thread."""

    place: JournalPlace

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction and return its result; whatever it raises undoes the transaction."""

    def close(self) -> None:
        """Close the connections."""


def this_desk(connection: Connection) -> str:
    """Return the identifier of the desk at which the call is made."""
    return _here(connection).desk


def this_role(connection: Connection) -> str:
    """Return who is logged in to the database; empty where nobody logs in."""
    return _here(connection).role


def database_now(connection: Connection) -> datetime:
    """Return the time, UTC, by the clock of all who share the database: a server's, or this computer's."""
    if connection.dialect.name == "postgresql":
        asked = text("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
        return _EPOCH + timedelta(microseconds=connection.execute(asked).scalar_one())
    return _here(connection).now()


def take_turns(connection: Connection, *names: str) -> None:
    """Hold up others that take turns by one of these names until the commit: what is looked up stays true.

    SQLite's writers take turns at everything. PostgreSQL's don't, so that a name that was free a moment ago
    may be taken, https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS.
    """
    if connection.dialect.name == "postgresql":
        locked = text("SELECT pg_advisory_xact_lock(:number)")
        for name in sorted(names):  # as a number, because a name may hold what PostgreSQL's text can't
            digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            connection.execute(locked, {"number": int.from_bytes(digest, signed=True)})


def put(connection: Connection, table: Table, row: Mapping[str, Any], *, keep: Sequence[str] = ()) -> None:
    """Write a row in place of what stands under its primary key but for what is to `keep`, or add it."""
    key = [(column, row[column.name]) for column in table.primary_key]
    known = {name: value for name, value in row.items() if name not in keep}
    changed = update(table).where(*(column == value for column, value in key)).values(known)
    if connection.execute(changed).rowcount == 0:
        take_turns(connection, "\n".join((table.name, *(value for _, value in key))))
        if connection.execute(changed).rowcount == 0:  # nobody was first
            connection.execute(insert(table).values(row))


def _here(connection: Connection) -> Here:
    here: Here = connection.get_execution_options().get(HERE, Here())
    return here
