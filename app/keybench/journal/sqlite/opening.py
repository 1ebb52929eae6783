"""Opens the journal's file: looks at it before touching it, makes it where there is none, runs calls.

A new journal is made under another name and moved into place when it is whole, so that a file of the
journal's name is always complete, however the program that made it ended.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from filelock import FileLock
from sqlalchemy import Connection, Engine, event, inspect, select, text

from keybench.core.errors import (
    JournalBusy,
    JournalDamaged,
    JournalGone,
    JournalInUse,
    JournalNewer,
    JournalUnfamiliar,
)
from keybench.core.ports import JournalPlace
from keybench.core.team.desk import Desk
from keybench.journal.schema import facts_of, is_known, make_tables, missing_column
from keybench.journal.sqlite.engine import COMPANIONS, database_errors, engine_for, file_errors, transact
from keybench.journal.sqlite.upgrading import KEYSTORES_USED, bring_up_to_date, clear_away, readable_copy_of
from keybench.journal.store import HERE, WRITES, Here
from keybench.journal.tables import INSTALLATION, SCHEMA_VERSION, VERSION, WRITER, meta, settings
from keybench.runtime.data_folder import sign_of
from keybench.runtime.desk_file import settle_desk
from keybench.runtime.file_system import FileSystem, expect_file, file_system_of

T = TypeVar("T")

#: What a copy of another journal does without, see `keybench.journal.tables`.
NO_FOREIGN_KEYS: Final = "PRAGMA foreign_keys = OFF"
NO_RULES: Final = tuple(
    f"DROP TRIGGER IF EXISTS activities_{one}" for one in ("never_change", "never_go", "are_never_replaced")
)


class FileStore:
    """An open journal in a file; implements `journal.store.Store`."""

    def __init__(self, engine: Engine, path: Path, place: JournalPlace) -> None:
        self.place = place
        self._engine = engine
        self._path = path
        self._file: os.stat_result | None = None  # known from the first write on

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction and return its result; whatever it raises undoes the transaction."""

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

    def hold_no_rule(self) -> None:
        """Take rows as another database has them: no foreign keys from now on, and lines that go again."""
        event.listen(self._engine, "connect", lambda made, _record: made.execute(NO_FOREIGN_KEYS))
        self._engine.dispose()
        self.run(lambda connection: [connection.execute(text(one)) for one in NO_RULES], writes=True)

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()


#: The oldest version that can be brought up to date.
OLDEST: Final = 1


def open_store(
    path: Path,
    now: Callable[[], datetime],
    wait_s: float,
    file_system_of: Callable[[Path], FileSystem] = file_system_of,
) -> tuple[FileStore, Desk]:
    """Open the journal in `path`, made first if it isn't there, at the desk of its folder."""
    place = JournalPlace(str(path.parent))
    try:
        with file_errors(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = file_system_of(path.parent)
            shared = found.shares_memory(path.parent)
            if not shared:
                place = JournalPlace(str(path.parent), found.kind)
            had_one = sign_of(path).exists()  # asked first: another program may just be making one
            if not path.exists():
                if had_one:
                    raise JournalGone(str(path))
                _make(path, now(), wait_s, shared=shared)
            # A journal gets its name when it is whole, so an empty file of that name was one once.
            expect_file(path)
            if path.stat().st_size == 0:
                raise JournalDamaged(str(path), is_empty=True)
        with database_errors(path), file_errors(path):
            desk = settle_desk(path.parent, *_examine(path, wait_s, shared=shared))
        engine = engine_for(path, wait_s, shared=shared).execution_options(**{HERE: Here(desk.id, now)})
        store = FileStore(engine, path, place)
        try:
            # Shows now, not at the first sale, what can't be written.
            with file_errors(path):
                store.run(lambda connection: bring_up_to_date(connection, path), writes=True)
        except BaseException:
            store.close()
            raise
    except JournalBusy:
        if not place.alone_on:
            raise
        raise JournalInUse(place.folder, place.alone_on) from None
    with suppress(OSError):  # there is room another time
        clear_away(path, now())
        if not sign_of(path).exists():
            sign_of(path).touch(0o600)
    return store, desk


def _make(path: Path, now: datetime, wait_s: float, *, shared: bool) -> None:
    with FileLock(path.with_name(f"{path.name}.making"), timeout=wait_s, mode=0o600):
        if path.exists():
            return  # another program was first
        draft = path.with_name(f"{path.name}.new")
        _clear(draft)
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            _fill(draft, now, wait_s, shared=shared)
            _clear(path)  # a deleted journal's WAL would be played into the new one
            draft.replace(path)
        except BaseException:
            _clear(draft)
            raise
        _sync_folder(path.parent)


def _clear(path: Path) -> None:
    for name in (path.name, *(path.name + companion for companion in COMPANIONS)):
        path.with_name(name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    # POSIX keeps a new name through a power cut only when its folder is synced; Windows needs no such call.
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _fill(path: Path, now: datetime, wait_s: float, *, shared: bool) -> None:
    engine = engine_for(path, wait_s, shared=shared)
    try:
        with database_errors(path), engine.begin() as connection:
            make_tables(connection, now)
    finally:
        engine.dispose()


def _examine(path: Path, wait_s: float, *, shared: bool) -> tuple[str, Sequence[str]]:
    """Return what an older journal knows of its desk, without touching a journal that can't be read."""
    engine = engine_for(path, wait_s, read_only=True, shared=shared)
    try:
        return transact(engine, path, lambda connection: _desk_facts(connection, path))
    finally:
        engine.dispose()


def _desk_facts(connection: Connection, path: Path) -> tuple[str, Sequence[str]]:
    """Return the installation's identifier and its keystores as they stood in a journal before version 14."""
    names = inspect(connection).get_table_names()
    if not names:  # SQLite takes a file that broke off within its head for a new one
        raise JournalDamaged(str(path))
    if meta.name not in names:
        raise JournalUnfamiliar(str(path), f"table {meta.name}")
    facts = facts_of(connection)
    version, installation = facts.get(VERSION, ""), facts.get(INSTALLATION, "")
    if version.isdecimal() and not is_known(facts):
        copy = readable_copy_of(path)
        writer = facts.get(WRITER, "")
        raise JournalNewer(str(path), int(version), SCHEMA_VERSION, writer, str(copy or ""))
    if not version.isdecimal() or int(version) < OLDEST:
        raise JournalUnfamiliar(str(path), VERSION)
    if int(version) >= SCHEMA_VERSION:
        if missing := missing_column(connection):
            raise JournalUnfamiliar(str(path), f"column {missing}")
        return "", ()
    if not installation:
        raise JournalUnfamiliar(str(path), INSTALLATION)
    used = ""
    if settings.name in names:
        stored = select(settings.c.value).where(settings.c.name == KEYSTORES_USED)
        used = connection.execute(stored).scalar() or ""
    return installation, used.splitlines()
