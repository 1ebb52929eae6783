"""Makes connections to SQLite: durability, waiting, transactions. The one file that knows its dialect."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

#: The execution option that makes a transaction take the write lock when it begins.
WRITES: Final = "keybench_writes"

#: How long a sweep waits for other programs, in milliseconds; it is tried again at the next opening.
_SWEEP_WAIT_MS: Final = 1000

# WAL with FULL: a commit is on the disk when it returns, and readers don't wait for a writer.
# fullfsync: on macOS an ordinary sync stops at the drive's cache; elsewhere it does nothing.
# secure_delete: what is taken out leaves nothing where it stood in the file.
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
)


def engine_for(path: Path, wait_s: float, *, read_only: bool = False) -> Engine:
    """Return an engine for an existing file; nothing is opened yet.

    Args:
        path: The file; it is never created.
        wait_s: How long a statement waits for another program's lock, in seconds.
        read_only: Leave the file byte for byte as it is.
    """

    def connect() -> sqlite3.Connection:
        return _connect(path, wait_s, read_only=read_only)

    engine = create_engine(
        "sqlite+pysqlite://", creator=connect, poolclass=QueuePool, pool_size=1, hide_parameters=True
    )
    event.listen(engine, "begin", _begin)
    return engine


def _connect(path: Path, wait_s: float, *, read_only: bool) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
    # No isolation level: the driver then begins no transaction of its own accord.
    connection = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
    try:
        for pragma in () if read_only else _PRAGMAS:
            connection.execute(pragma)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def sweep(engine: Engine) -> bool:
    """Leave nothing of what was changed or taken out in a journal's files, and tell whether that was done.

    Another program that reads or writes just now keeps it from being done, and so does a full disk.

    Args:
        engine: The journal's, in no transaction.
    """
    pooled = engine.raw_connection()
    try:
        cursor = pooled.cursor()
        wait_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        try:
            cursor.execute(f"PRAGMA busy_timeout = {min(wait_ms, _SWEEP_WAIT_MS)}")
            cursor.execute("VACUUM")  # what was freed before there was secure_delete goes, too
            (is_held, *_) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            return False
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {wait_ms}")
        return not is_held
    finally:
        pooled.close()


def _begin(connection: Connection) -> None:
    # A deferred transaction that turns to writing can't wait for the lock, so a writer takes it at once.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
