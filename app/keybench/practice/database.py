"""The practice gateway's SQLite file: its tables, and how it is opened wherever it is."""

from __future__ import annotations

import sqlite3
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
    """Open the state, creating its tables if it is new; each statement commits by itself."""
    try:
        return _opened(path, "NORMAL")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
            raise
    # On many network file systems programs can't share memory; this one can do without others.
    return _opened(path, "EXCLUSIVE")


def _opened(path: Path | str, locking: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute(f"PRAGMA locking_mode = {locking}")
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        raise NewerStateError
    connection.execute("PRAGMA journal_mode = WAL")
    # A commit survives the process's death; only a power cut could take the last ones, and this is practice.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    if version == 0:
        connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
