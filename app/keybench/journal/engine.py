"""Makes connections to SQLite: durability, waiting, transactions. The one file that knows its dialect."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

#: The execution option that makes a transaction take the write lock when it begins.
WRITES: Final = "keybench_writes"

# WAL with FULL: a commit is on the disk when it returns, and readers don't wait for a writer.
# fullfsync: on macOS an ordinary sync stops at the drive's cache; elsewhere it does nothing.
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA foreign_keys = ON",
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


def _begin(connection: Connection) -> None:
    # A deferred transaction that turns to writing can't wait for the lock, so a writer takes it at once.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
