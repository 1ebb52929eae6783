"""The practice gateway's SQLite file: opening it, its tables, and the facts of this installation."""

import secrets
import sqlite3
import uuid
from pathlib import Path
from typing import Final

SCHEMA_VERSION: Final = 1

_SCHEMA: Final = """
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


class NewerStateError(Exception):
    """The state was written by a newer version of the practice gateway."""


def open_database(path: Path | str) -> sqlite3.Connection:
    """Open the state, making its tables if it is new; each statement commits by itself.

    Args:
        path: the file, or `:memory:`.

    Raises:
        NewerStateError: the file's schema is newer than this program.
        sqlite3.Error: the file can't be opened, or is no database.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # A commit survives the process's death; only a power cut could take the last ones, and this is practice.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerStateError
    if version == 0:
        connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


class Facts:
    """What is remembered about this installation: who it is, its salt, its last port."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.instance = self._settle("instance", str(uuid.uuid4()))
        self.salt = bytes.fromhex(self._settle("salt", secrets.token_hex(32)))
        self.gateway_id = self._settle("gateway_id", str(100_000 + secrets.randbelow(900_000)))

    def _settle(self, name: str, value: str) -> str:
        """Return a fact, keeping `value` as the fact if there is none yet."""
        self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, ?)", (name, value))
        return self._read(name) or value

    def _read(self, name: str) -> str | None:
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row["value"])

    @property
    def last_port(self) -> int:
        """Return the port that was last served on; 0 if there was none."""
        return int(self._read("last_port") or 0)

    @last_port.setter
    def last_port(self, port: int) -> None:
        self._connection.execute("INSERT OR REPLACE INTO fact VALUES ('last_port', ?)", (str(port),))

    def once(self, name: str) -> bool:
        """Say whether this is the first time that `name` is asked for on this installation."""
        added = self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, 'done')", (name,))
        return added.rowcount == 1
