"""An open journal, used from one thread: runs each call in one transaction."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from filelock import FileLock
from sqlalchemy import Connection, Engine, delete, select

from keybench.core.errors import JournalBusy, JournalError, JournalGone
from keybench.core.ports import Activity, JournalPlace
from keybench.journal.activities import record_activity
from keybench.journal.engine import WRITES, file_errors, sweep, transact
from keybench.journal.installation import programs
from keybench.journal.sales import count_unfinished
from keybench.journal.tables import ERASING, UNSWEPT, meta
from keybench.journal.upgrading import copies_of
from keybench.runtime.owners import others

T = TypeVar("T")

#: A journal of so many bytes is swept within some 100 ms.
SWEPT_AT_ONCE: Final = 6 * 2**20
#: What the activity says of a text that a program which has ended has not erased to the end.
UNFINISHED: Final = "text not erased everywhere"
ERASE_AGAIN: Final = "the program ended meanwhile: erase it again"
#: How long another program's erasing is waited for, in seconds.
ERASING_WAIT_S: Final = 5.0


class Store:
    """An open journal; every call comes from the one thread that made it.

    Attributes:
        installation: This installation's identifier.
        place: Where it is.
    """

    def __init__(self, engine: Engine, path: Path, installation: str, place: JournalPlace) -> None:
        self.installation = installation
        self.place = place
        self._engine = engine
        self._path = path
        self._file: os.stat_result | None = None  # known from the first write on
        self._erasing = FileLock(f"{path}.erasing", mode=0o600)

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction and return its result; whatever it raises undoes the transaction.

        Args:
            call: Given the connection; must not keep it.
            writes: Take the write lock first, and return only when the commit is durable.

        Raises:
            JournalError: The database didn't do it, or would in a file that nobody finds.
        """

        def found(connection: Connection) -> T:
            result = call(connection)
            self._expect_file()
            return result

        engine = self._engine.execution_options(**{WRITES: writes})
        return transact(engine, self._path, found if writes else call)

    def _expect_file(self) -> None:
        """Raise JournalGone unless the file is the one that was first written to."""
        with file_errors(self._path), suppress(FileNotFoundError, NotADirectoryError):
            file = self._path.stat()
            self._file = self._file or file
            if os.path.samestat(self._file, file):
                return
        raise JournalGone(str(self._path), is_open=True)

    def copies(self) -> int:
        """Return how many copies of the journal from before an upgrade there are."""
        return len(copies_of(self._path))

    def begin_erasing(self, now: datetime, wait_s: float = ERASING_WAIT_S) -> None:
        """Keep other programs from erasing, and say so where one that did so has ended before its end.

        Raises:
            JournalError: Another program erases just now, or it can't be written.
        """
        with file_errors(self._path):
            self._erasing.acquire(timeout=wait_s)
        try:
            self.run(lambda connection: _note_unfinished(connection, now), writes=True)
        except BaseException:
            self.end_erasing()
            raise

    def end_erasing(self) -> None:
        """Let other programs erase."""
        self._erasing.release()

    def finish_erasing(self, now: datetime) -> None:
        """Say what a program that has ended has not finished erasing, and sweep what nobody could sweep."""
        facts = select(meta.c.name).where(meta.c.name.in_((UNSWEPT, ERASING)))
        left = self.run(lambda connection: set(connection.execute(facts).scalars()), writes=False)
        if ERASING in left:
            with suppress(JournalBusy):  # it goes on
                self.begin_erasing(now, 0.0)
                self.end_erasing()
        if UNSWEPT in left:
            self.sweep(now)

    def sweep(self, now: datetime) -> bool:
        """Leave nothing of what was erased in the files, nor a copy of the journal.

        A large journal is held for seconds, so that waits until there is no sale and no other program.

        Returns whether it was done: what couldn't be done is tried again when the journal is opened.
        """
        if self._path.stat().st_size > SWEPT_AT_ONCE and not self.run(
            lambda connection: _is_quiet(connection, now), writes=False
        ):
            return False
        try:
            for copy in copies_of(self._path):
                copy.unlink(missing_ok=True)
        except OSError:
            return False
        if not sweep(self._engine):
            return False
        try:
            self.run(_note_swept, writes=True)
        except JournalError:
            return False
        return True

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()


def _is_quiet(connection: Connection, now: datetime) -> bool:
    return not count_unfinished(connection) and not others(programs(connection), now)


def _note_unfinished(connection: Connection, now: datetime) -> None:
    is_it = meta.c.name == ERASING
    if number := connection.execute(select(meta.c.value).where(is_it)).scalar():
        record_activity(connection, Activity(now, UNFINISHED, "", f"#{number}", ERASE_AGAIN))
        connection.execute(delete(meta).where(is_it))


def _note_swept(connection: Connection) -> None:
    """Note that nothing of what was erased is left."""
    connection.execute(delete(meta).where(meta.c.name == UNSWEPT))
