"""Turns the database's and the file system's own errors into the journal's.

Everything is raised ``from None``: a database error's text can carry the row that was being written.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import Timeout
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from keybench.core.errors import JournalBusy, JournalDamaged, JournalError, JournalUnwritable
from keybench.runtime.documents import UnreadableDocument

# https://www.sqlite.org/rescode.html: an extended code carries its primary one in the low byte.
_PRIMARY: Final = 0xFF
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_DISK_FULL: Final = "disk full"
_IO_FAILED: Final = "input or output failed"
#: The reasons that may go away with more room: SQLite calls a quota that is used up a failure.
NO_ROOM: Final = frozenset({_DISK_FULL, _IO_FAILED})
_OF_A_FULL_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_UNWRITABLE: Final = {
    sqlite3.SQLITE_PERM: "no permission",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_IOERR: _IO_FAILED,
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_CANTOPEN: "can't be opened",
}


class UnreadableRow(Exception):
    """A stored value that can't be what its column says; stays inside this folder."""


@contextmanager
def database_errors(place: Path) -> Iterator[None]:
    """Raise what the database raises in the block as a JournalError; let everything else through.

    Args:
        place: The journal's file, for the message.

    Raises:
        JournalBusy: Another program held it for too long.
        JournalDamaged: The file isn't a database, is damaged, or holds a value that can't be.
        JournalUnwritable: The disk is full, read-only or failing, or the file can't be opened.
        JournalError: Any other failure; its text is the error's class or code and nothing of the row.
    """
    try:
        yield
    except (UnreadableRow, UnreadableDocument):
        raise JournalDamaged(str(place)) from None
    except DBAPIError as error:
        raise _meaning(error, place) from None
    except SQLAlchemyError as error:
        raise JournalError(type(error).__name__) from None


@contextmanager
def file_errors(place: Path) -> Iterator[None]:
    """Raise what the file system raises in the block as a JournalError.

    Args:
        place: The folder or file, for the message where the error names none.

    Raises:
        JournalBusy: A lock file was held for too long.
        JournalUnwritable: Anything else.
    """
    try:
        yield
    except Timeout:
        raise JournalBusy(str(place)) from None
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else str(place)
        is_full = error.errno in _OF_A_FULL_DISK
        reason = _DISK_FULL if is_full else error.strerror or type(error).__name__
        raise JournalUnwritable(where, reason) from None


def _meaning(error: DBAPIError, place: Path) -> JournalError:
    native = error.orig
    code = getattr(native, "sqlite_errorcode", 0) & _PRIMARY
    if code in _BUSY:
        return JournalBusy(str(place))
    if code in _DAMAGED:
        return JournalDamaged(str(place))
    if code in _UNWRITABLE:
        return JournalUnwritable(str(place), _UNWRITABLE[code])
    return JournalError(str(getattr(native, "sqlite_errorname", type(native).__name__)))
