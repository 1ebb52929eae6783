"""Opens the journal's file: looks at it before touching it, makes it where there is none, runs calls.

A new journal is made under another name and moved into place when it is whole, so that a file of the
journal's name is always complete, however the program that made it ended.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from filelock import FileLock
from sqlalchemy import Connection, Engine, insert, inspect, select

from keybench import __version__
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import (
    JournalBusy,
    JournalDamaged,
    JournalGone,
    JournalInUse,
    JournalNewer,
    JournalUnfamiliar,
)
from keybench.core.ports import JournalPlace
from keybench.journal.columns import metadata
from keybench.journal.engine import COMPANIONS, WRITES, database_errors, engine_for, file_errors, transact
from keybench.journal.rows import named_values
from keybench.journal.tables import INSTALLATION, SCHEMA_VERSION, VERSION, WRITER, environments, meta
from keybench.journal.upgrading import bring_up_to_date, clear_away, readable_copy_of
from keybench.runtime.data_folder import sign_of
from keybench.runtime.file_system import FileSystem, expect_file, file_system_of

T = TypeVar("T")


class Store:
    """An open journal; every call comes from the one thread that made it."""

    def __init__(self, engine: Engine, path: Path, installation: str, place: JournalPlace) -> None:
        self.installation = installation
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

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()


#: The oldest version that can be brought up to date.
OLDEST: Final = 1


def open_store(
    path: Path,
    now: datetime,
    wait_s: float,
    file_system_of: Callable[[Path], FileSystem] = file_system_of,
) -> Store:
    """Open the journal in `path`, made first if it isn't there."""
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
                _make(path, now, wait_s, shared=shared)
            # A journal gets its name when it is whole, so an empty file of that name was one once.
            expect_file(path)
            if path.stat().st_size == 0:
                raise JournalDamaged(str(path), is_empty=True)
        store = Store(
            engine_for(path, wait_s, shared=shared), path, _examine(path, wait_s, shared=shared), place
        )
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
        clear_away(path, now)
        if not sign_of(path).exists():
            sign_of(path).touch(0o600)
    return store


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
    practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", now)
    facts = {VERSION: str(SCHEMA_VERSION), INSTALLATION: uuid.uuid4().hex, WRITER: __version__}
    engine = engine_for(path, wait_s, shared=shared)
    try:
        with database_errors(path), engine.begin() as connection:
            metadata.create_all(connection)
            connection.execute(insert(meta), [{"name": n, "value": v} for n, v in facts.items()])
            connection.execute(insert(environments), named_values(practice))
    finally:
        engine.dispose()


def _examine(path: Path, wait_s: float, *, shared: bool) -> str:
    """Return the installation's identifier from a journal this program can read, without touching it."""
    engine = engine_for(path, wait_s, read_only=True, shared=shared)
    try:
        return transact(engine, path, lambda connection: _installation(connection, path))
    finally:
        engine.dispose()


def _installation(connection: Connection, path: Path) -> str:
    names = inspect(connection).get_table_names()
    if not names:  # SQLite takes a file that broke off within its head for a new one
        raise JournalDamaged(str(path))
    if meta.name not in names:
        raise JournalUnfamiliar(str(path), f"table {meta.name}")
    facts: dict[str, str] = {row["name"]: row["value"] for row in connection.execute(select(meta)).mappings()}
    version, installation = facts.get(VERSION, ""), facts.get(INSTALLATION, "")
    if version.isdecimal() and int(version) > SCHEMA_VERSION:
        copy = readable_copy_of(path)
        writer = facts.get(WRITER, "")
        raise JournalNewer(str(path), int(version), SCHEMA_VERSION, writer, str(copy or ""))
    if not version.isdecimal() or int(version) < OLDEST:
        raise JournalUnfamiliar(str(path), VERSION)
    if not installation:
        raise JournalUnfamiliar(str(path), INSTALLATION)
    if int(version) == SCHEMA_VERSION:
        _check_columns(connection, path)
    return installation


def _check_columns(connection: Connection, path: Path) -> None:
    """Raise JournalUnfamiliar unless every table and column is there."""
    found = inspect(connection).get_multi_columns()
    columns = {(name, column["name"]) for (_, name), table in found.items() for column in table}
    for table in metadata.sorted_tables:
        for column in table.columns:
            if (table.name, column.name) not in columns:
                raise JournalUnfamiliar(str(path), f"column {table.name}.{column.name}")
