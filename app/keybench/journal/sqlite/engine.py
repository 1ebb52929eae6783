"""Makes connections to SQLite, and turns its errors and the file system's into the journal's.

The one file that knows SQLite's dialect: durability, waiting, transactions, copies, error codes. Errors are
raised ``from None``: a database error's text can carry the row that was being written.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar, cast

from filelock import Timeout
from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from keybench.core.errors import JournalBusy, JournalDamaged, JournalError, JournalGone, JournalUnwritable
from keybench.journal.store import WRITES, UnreadableRow
from keybench.runtime.documents import UnreadableDocument

T = TypeVar("T")

# WAL with FULL: a commit is on the disk when it returns, and readers don't wait for a writer.
_WAL: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
# Where programs can't share memory, https://www.sqlite.org/useovernet.html: one at a time has the journal,
# and keeps its lock until it closes it. EXTRA syncs the folder, too, when the rollback journal goes.
_ALONE: Final = "PRAGMA locking_mode = EXCLUSIVE"
_ROLLBACK: Final = (
    _ALONE,
    "PRAGMA journal_mode = DELETE",
    "PRAGMA synchronous = EXTRA",
    "BEGIN EXCLUSIVE",
    "COMMIT",
)
# fullfsync: on macOS an ordinary sync stops at the drive's cache; elsewhere it does nothing.
# secure_delete: what is taken out leaves nothing where it stood in the file.
_PRAGMAS: Final = (
    "PRAGMA fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
)

# https://www.sqlite.org/rescode.html: an extended code carries its primary one in the low byte.
_PRIMARY: Final = 0xFF
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
#: What stands beside a file in WAL mode, https://www.sqlite.org/walformat.html.
COMPANIONS: Final = ("-wal", "-shm", "-journal")
_DISK_FULL: Final = "disk full"
_BY_ERRNO: Final = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _DISK_FULL) | {
    errno.EIO: JournalUnwritable.IO_FAILED
}
#: SQLite takes no longer path, its own endings such as ``-journal`` included; in bytes.
_LONGEST: Final = 512 - len(".new-journal")
_UNWRITABLE: Final = {
    sqlite3.SQLITE_PERM: "no permission",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_IOERR: JournalUnwritable.IO_FAILED,
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_CANTOPEN: "can't be opened",
}


def engine_for(path: Path, wait_s: float, *, read_only: bool = False, shared: bool = True) -> Engine:
    """Return an engine for an existing file; nothing is opened yet."""

    def connect() -> sqlite3.Connection:
        return _connect(path, wait_s, read_only=read_only, shared=shared)

    engine = create_engine(
        "sqlite+pysqlite://", creator=connect, poolclass=QueuePool, pool_size=1, hide_parameters=True
    )
    event.listen(engine, "begin", _begin)
    return engine


def _connect(path: Path, wait_s: float, *, read_only: bool, shared: bool) -> sqlite3.Connection:
    pragmas = (*(_WAL if shared else _ROLLBACK), *_PRAGMAS)
    mode = "rw"
    if read_only and not shared and _is_in_wal_mode(path):
        pragmas = (_ALONE, "PRAGMA query_only = ON")  # only who may write can lock others out
    elif read_only:
        mode, pragmas = "ro", ()
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # No isolation level: the driver then begins no transaction of its own accord.
    connection = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
    try:
        for pragma in pragmas:
            connection.execute(pragma).fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _is_in_wal_mode(path: Path) -> bool:
    """Tell what a database says of itself, https://www.sqlite.org/fileformat.html#file_format_version_numbers."""
    with file_errors(path), path.open("rb") as file:
        return file.read(20)[18:] == b"\x02\x02"


def _begin(connection: Connection) -> None:
    # A deferred transaction that turns to writing can't wait for the lock, so a writer takes it at once.
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def transact(engine: Engine, path: Path, call: Callable[[Connection], T]) -> T:
    """Make `call` in a transaction and return its result; whatever it raises undoes the transaction.

    SQLite calls damage, too, what the system failed to read (SQLITE_IOERR_CORRUPTFS becomes SQLITE_CORRUPT):
    so it is tried once more, on a new connection, which reads all anew. It raises as `database_errors`.
    """
    with suppress(JournalDamaged), database_errors(path), engine.begin() as connection:
        return call(connection)
    engine.dispose()
    with database_errors(path), engine.begin() as connection:
        return call(connection)


def copy_committed(connection: Connection, path: Path, target: Path) -> None:
    """Copy what is committed to an empty file, from within a transaction that writes."""
    own = cast("sqlite3.Connection", connection.connection.driver_connection)
    with closing(sqlite3.connect(target)) as copy:
        if own.execute("PRAGMA locking_mode").fetchone()[0] == "exclusive":
            # It lets no other connection in, can't be copied in a transaction, and outlives that.
            own.execute("COMMIT")
            own.backup(copy)
            own.execute("BEGIN IMMEDIATE")
        else:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True)) as source:
                source.backup(copy)


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Raise what the database raises in the block as a JournalError; let everything else through.

    Raises:
        JournalBusy: Another program held it for too long.
        JournalDamaged: The file isn't a database, is damaged, or holds a value that can't be.
        JournalUnwritable: The disk is full, read-only or failing, or the file can't be opened.
        JournalError: Any other failure; its text is the error's class or code and nothing of the row.
    """
    try:
        yield
    except (UnreadableRow, UnreadableDocument):
        raise JournalDamaged(str(path)) from None
    except DBAPIError as error:
        raise _meaning(error, path) from None
    except SQLAlchemyError as error:
        raise JournalError(type(error).__name__) from None


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Raise what the file system raises in the block as a JournalError."""
    try:
        yield
    except Timeout:
        raise JournalBusy(str(path)) from None
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(path)
        reason = _BY_ERRNO.get(error.errno or 0) or error.strerror or type(error).__name__
        raise JournalUnwritable(where, reason) from None


def _meaning(error: DBAPIError, path: Path) -> JournalError:
    native = error.orig
    extended = getattr(native, "sqlite_errorcode", 0)
    code = extended & _PRIMARY
    if extended == sqlite3.SQLITE_READONLY_DBMOVED:
        return JournalGone(str(path), is_open=True)
    if code in _BUSY:
        return JournalBusy(str(path))
    if code in _DAMAGED:
        return JournalDamaged(str(path))
    if code == sqlite3.SQLITE_CANTOPEN and len(os.fsencode(path)) > _LONGEST:
        return JournalUnwritable(str(path), JournalUnwritable.LONG_PATH)
    if code in _UNWRITABLE:
        return JournalUnwritable(str(path), _UNWRITABLE[code])
    return JournalError(str(getattr(native, "sqlite_errorname", type(native).__name__)))
