"""The practice gateway's SQLite file: its tables, and how it is opened wherever it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FIRST: Final = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE user (
  username TEXT PRIMARY KEY, full_name TEXT NOT NULL, permissions TEXT NOT NULL, enabled INTEGER NOT NULL
);
CREATE TABLE security_key (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, username TEXT NOT NULL REFERENCES user, permission TEXT NOT NULL,
  kind TEXT NOT NULL, environment TEXT NOT NULL, digest BLOB NOT NULL UNIQUE, request_id TEXT UNIQUE,
  created REAL NOT NULL, deleted REAL
);
CREATE TABLE device (
  id TEXT PRIMARY KEY, nickname TEXT NOT NULL, make TEXT NOT NULL, model TEXT NOT NULL,
  serial_number TEXT NOT NULL, connected INTEGER NOT NULL, last_connected REAL NOT NULL,
  registered REAL NOT NULL
);
CREATE TABLE payment_request (
  sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, device_id TEXT NOT NULL, order_id TEXT,
  cents INTEGER NOT NULL, currency TEXT NOT NULL, processor_id TEXT, script TEXT NOT NULL,
  speed REAL NOT NULL, created REAL NOT NULL, ends REAL NOT NULL, cancelled REAL, key_id TEXT NOT NULL
);
CREATE INDEX request_of_device ON payment_request (device_id, ends);
CREATE INDEX request_of_order ON payment_request (device_id, order_id);
CREATE TABLE request_log (
  sequence INTEGER PRIMARY KEY, time REAL NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
  status INTEGER NOT NULL, key_id TEXT, order_id TEXT
);
"""
_TRAINERS: Final = """
ALTER TABLE request_log ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN key_name TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN device_id TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN amount TEXT NOT NULL DEFAULT '';
ALTER TABLE request_log ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE device ADD COLUMN battery INTEGER DEFAULT 87;
ALTER TABLE device ADD COLUMN signal INTEGER DEFAULT -52;
ALTER TABLE device ADD COLUMN by_hand INTEGER NOT NULL DEFAULT 0;
ALTER TABLE device ADD COLUMN slow REAL NOT NULL DEFAULT 1;
ALTER TABLE payment_request ADD COLUMN order_description TEXT;
ALTER TABLE payment_request ADD COLUMN caller TEXT NOT NULL DEFAULT '';
ALTER TABLE payment_request ADD COLUMN stop TEXT;
ALTER TABLE payment_request ADD COLUMN stopped REAL;
CREATE TABLE application (
  name TEXT PRIMARY KEY, device_id TEXT NOT NULL, cents INTEGER NOT NULL, every_s REAL NOT NULL,
  takes_key TEXT NOT NULL, key_id TEXT NOT NULL, running_key_id TEXT NOT NULL,
  orders INTEGER NOT NULL, sold INTEGER NOT NULL, failed INTEGER NOT NULL,
  last_time REAL, last_status INTEGER NOT NULL, last_why TEXT NOT NULL
);
UPDATE security_key SET environment = 'test';
"""
#: What brings a file from each version to the next; a new file goes through all of them.
_STEPS: Final = (_FIRST, _TRAINERS)


class NewerStateError(Exception):
    """The state was written by a newer version of the practice gateway."""


def open_database(path: Path | str, steps: Sequence[str] = _STEPS) -> sqlite3.Connection:
    """Open a file, creating its tables if it is new; each statement commits by itself.

    Of `steps` each brings a file to the next version.
    """
    try:
        return _opened(path, "NORMAL", steps)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
            raise
    # On many network file systems programs can't share memory; this one can do without others.
    return _opened(path, "EXCLUSIVE", steps)


def _opened(path: Path | str, locking: str, steps: Sequence[str]) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute(f"PRAGMA locking_mode = {locking}")
        _prepare(connection, steps)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, steps: Sequence[str]) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(steps):
        raise NewerStateError
    connection.execute("PRAGMA journal_mode = WAL")
    # A commit survives the process's death; only a power cut could take the last ones, and this is practice.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    if version < len(steps):
        missing = "".join(steps[version:])
        connection.executescript(f"BEGIN; {missing} PRAGMA user_version = {len(steps)}; COMMIT;")


Record = TypeVar("Record", bound="DataclassInstance")


class StateTable(Generic[Record]):
    """A table whose rows are read as records.

    `key` is the column that tells records apart, and `reads` has what makes a field of a column's value.
    """

    name: str
    record: type[Record]
    key = "id"
    reads: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def every(self) -> list[Record]:
        """Return all records, in the order they were added."""
        return self._select("ORDER BY rowid")

    def find(self, key: str) -> Record | None:
        """Return a record by its key, or None."""
        return self._first(f"WHERE {self.key} = ?", key)

    def add(self, record: Record) -> None:
        """Add a record under a key that is not in use."""
        self._insert(**asdict(record))

    def change(self, key: str, **columns: object) -> None:
        """Change what is told of a record."""
        self._update(f"WHERE {self.key} = ?", key, **columns)

    def remove(self, key: str) -> None:
        """Take a record away; what refers to it stays."""
        self._run(f"DELETE FROM {self.name} WHERE {self.key} = ?", key)  # noqa: S608 - our names

    def _select(self, which: str, *values: object) -> list[Record]:
        """Return the rows that `which` selects, with `values` in its places."""
        names = [one.name for one in fields(self.record)]
        rows = self._run(f"SELECT {', '.join(names)} FROM {self.name} {which}", *values)  # noqa: S608 - our names
        return [
            self.record(**{name: self.reads.get(name, lambda it: it)(row[name]) for name in names})
            for row in rows
        ]

    def _first(self, which: str, *values: object) -> Record | None:
        return next(iter(self._select(which, *values)), None)

    def _insert(self, **columns: object) -> sqlite3.Cursor:
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        return self._run(f"INSERT INTO {self.name} ({names}) VALUES ({marks})", *columns.values())  # noqa: S608 - same

    def _update(self, which: str, *values: object, **columns: object) -> bool:
        """Change some columns of the rows that `which` selects; return whether there was one."""
        names = ", ".join(f"{name} = ?" for name in columns)
        statement = f"UPDATE {self.name} SET {names} {which}"  # noqa: S608 - same
        return self._run(statement, *columns.values(), *values).rowcount > 0

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)
