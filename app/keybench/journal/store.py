"""An open journal, used from one thread: runs each call in one transaction, and keeps room for sales."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, Engine, delete, insert, select

from keybench.core.errors import JournalError, JournalGone, JournalUnwritable
from keybench.core.ports import Activity, JournalPlace
from keybench.core.secret import Secret
from keybench.journal.engine import NO_ROOM, WRITES, file_errors, sweep, transact
from keybench.journal.reserve import Reserve
from keybench.journal.sales import count_unfinished
from keybench.journal.tables import UNSWEPT, meta
from keybench.journal.upgrading import copies_of

if TYPE_CHECKING:  # imported when a text is to be erased, which hardly ever is
    from keybench.core.erasing import Erasure
    from keybench.journal.erasing import Position

T = TypeVar("T")


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
        self._reserve = Reserve(path)
        self._file: os.stat_result | None = None  # known from the first write on

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

    def write_sales(
        self, call: Callable[[Connection], T], *, is_intent: bool = False, from_reserve: bool = False
    ) -> T:
        """Make a `call` that writes about sales, and keep the reserve as large as those under way need.

        Args:
            call: As in `run`; called again where the reserve is given up.
            is_intent: Fail where the reserve can't be as large.
            from_reserve: Give it up where the disk is full.

        Raises:
            JournalError: The database didn't do it, or there is no room for the reserve.
        """

        def shrink(connection: Connection) -> int:
            under_way = count_unfinished(connection)
            with suppress(OSError):  # it may be open in another program
                self._reserve.shrink(under_way)
            return under_way

        def with_reserve(connection: Connection) -> T:
            result = call(connection)
            # Where it isn't for an intent, there will be room another time.
            with file_errors(self._path) if is_intent else suppress(OSError):
                self._reserve.grow(shrink(connection))
            return result

        def without(connection: Connection) -> T:
            result = call(connection)
            shrink(connection)
            return result

        try:
            return self.run(with_reserve, writes=True)
        except JournalUnwritable as error:
            if not from_reserve or error.reason not in NO_ROOM:
                raise
            failure = error
        with file_errors(self._path):
            for _ in self._reserve.give_up():
                try:
                    return self.run(without, writes=True)
                except JournalUnwritable as error:
                    failure = error
        raise failure

    def look_for(self, text: Secret, behind: Position | None = None) -> tuple[int, Position | None]:
        """Search some rows for a text; see `Erasing.look`."""
        from keybench.journal.erasing import Erasing  # noqa: PLC0415 - see above

        return self.run(lambda connection: Erasing(connection, text).look(behind), writes=False)

    def copies(self) -> int:
        """Return how many copies of the journal from before an upgrade there are."""
        return len(copies_of(self._path))

    def erase_text(self, text: Secret, line: Callable[[int], Activity]) -> Erasure:
        """Erase a text, in one transaction, and then what is left of it in the files.

        Raises:
            TextNotErasable: It can't be erased; nothing was.
            JournalError: The database didn't do it; nothing was erased.
        """
        from keybench.core.erasing import Erasure  # noqa: PLC0415 - see above
        from keybench.journal.erasing import Erasing  # noqa: PLC0415 - see above

        def erase(connection: Connection) -> tuple[int, int]:
            erased = Erasing(connection, text).erase(line)
            _note_swept(connection)
            connection.execute(insert(meta).values(name=UNSWEPT, value="yes"))
            return erased

        copies = self.copies()
        places, number = self.run(erase, writes=True)
        return Erasure(places, copies, number, self.sweep())

    def finish_sweep(self) -> None:
        """Sweep where another program, or a crash, kept that from being done."""
        unswept = select(meta.c.value).where(meta.c.name == UNSWEPT)
        if self.run(lambda connection: connection.execute(unswept).first(), writes=False):
            self.sweep()

    def sweep(self) -> bool:
        """Leave nothing of what was erased in the files, nor a copy of the journal.

        Returns whether it was done: what couldn't be done is tried again when the journal is opened.
        """
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


def _note_swept(connection: Connection) -> None:
    """Note that nothing of what was erased is left."""
    connection.execute(delete(meta).where(meta.c.name == UNSWEPT))
