"""Opening what is newer, damaged, not a journal or not ours to write: refused, and untouched."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from journal.files import (
    change,
    content_of,
    fingerprint,
    make,
    make_folder,
    make_newer,
    posix_only,
    put,
    refusal,
    set_mode,
)
from keybench import __version__
from keybench.core.errors import JournalDamaged, JournalNewer, JournalUnfamiliar, JournalUnwritable
from keybench.core.ports import Clock
from keybench.journal.sqlite.upgrading import copy_of
from keybench.journal.tables import SCHEMA_VERSION


async def test_a_newer_journal_is_untouched(path: Path, clock: Clock) -> None:
    await make(path, clock)
    make_newer(path)
    before = fingerprint(path)
    error = await refusal(path, clock)
    assert isinstance(error, JournalNewer)
    assert (error.found, error.known, error.path) == (99, SCHEMA_VERSION, str(path))
    assert (error.writer, error.copy) == (__version__, "")
    assert fingerprint(path) == before


async def test_a_newer_journal_names_the_latest_copy_that_can_be_read(path: Path, clock: Clock) -> None:
    await make(path, clock)
    make_newer(path)
    change(path, "DELETE FROM meta WHERE name = 'schema_writer'")
    for version in (SCHEMA_VERSION - 1, SCHEMA_VERSION, SCHEMA_VERSION + 1):
        put(copy_of(path, version), b"a copy")
    error = await refusal(path, clock)
    assert isinstance(error, JournalNewer)
    assert (error.writer, error.copy) == ("", str(copy_of(path, SCHEMA_VERSION)))


async def test_a_newer_journal_s_wal_is_untouched(path: Path, clock: Clock) -> None:
    await make(path, clock)
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("UPDATE meta SET value = '99' WHERE name != 'schema_writer'")
        wal = path.with_name("journal.sqlite3-wal")
        before = fingerprint(path), fingerprint(wal)
        assert isinstance(await refusal(path, clock), JournalNewer)
        assert (fingerprint(path), fingerprint(wal)) == before


async def test_a_newer_journal_with_other_tables_is_newer_and_not_damaged(path: Path, clock: Clock) -> None:
    await make(path, clock)
    make_newer(path)
    change(path, "DROP TABLE activities")
    assert isinstance(await refusal(path, clock), JournalNewer)


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("UPDATE meta SET value = 'one' WHERE name = 'schema_version'", "schema_version"),
        ("UPDATE meta SET value = '0' WHERE name = 'schema_version'", "schema_version"),
        ("DELETE FROM meta", "schema_version"),
        ("DROP TABLE meta", "table meta"),
        ("DROP TABLE activities", "column activities.number"),
        ("ALTER TABLE exchanges DROP COLUMN tls_s", "column exchanges.tls_s"),
        ("CREATE TABLE recipes (name TEXT)", ""),
    ],
)
async def test_a_journal_without_its_facts_or_columns_is_unfamiliar(
    path: Path, clock: Clock, statement: str, missing: str
) -> None:
    await make(path, clock)
    change(path, statement)
    before = fingerprint(path)
    if not missing:  # more than is needed does no harm
        assert await make(path, clock)
        return
    error = await refusal(path, clock)
    assert isinstance(error, JournalUnfamiliar)
    assert (error.path, error.missing) == (str(path), missing)
    assert fingerprint(path) == before


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be read as one" * 40, b"x", b"\0" * 512, b""]
)
async def test_a_file_that_is_no_database_is_untouched(path: Path, clock: Clock, content: bytes) -> None:
    put(path, content)
    error = await refusal(path, clock)
    assert isinstance(error, JournalDamaged)
    assert (error.path, error.is_empty) == (str(path), not content)
    assert content_of(path) == content
    assert [p.name for p in path.parent.iterdir()] == [path.name]


async def test_a_truncated_journal_is_damaged(path: Path, clock: Clock) -> None:
    await make(path, clock)
    put(path, content_of(path)[:9000])
    before = fingerprint(path)
    assert isinstance(await refusal(path, clock), JournalDamaged)
    assert fingerprint(path) == before


async def test_somebody_else_s_database_is_untouched(path: Path, clock: Clock) -> None:
    path.parent.mkdir()
    change(path, "CREATE TABLE recipes (name TEXT)")
    before = fingerprint(path)
    assert isinstance(await refusal(path, clock), JournalUnfamiliar)
    assert fingerprint(path) == before


async def test_a_folder_that_is_a_file_is_unwritable(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "data").write_text("in the way")
    error = await refusal(tmp_path / "data" / "journal.sqlite3", clock)
    assert isinstance(error, JournalUnwritable)
    assert error.path == str(tmp_path / "data")
    assert error.reason


async def test_a_folder_in_place_of_the_file_is_unwritable(path: Path, clock: Clock) -> None:
    make_folder(path)
    error = await refusal(path, clock)
    assert isinstance(error, JournalUnwritable)
    assert error.path == str(path)


_AS_NOBODY = """
import asyncio, os, sys
from pathlib import Path
from keybench.core.errors import JournalUnwritable
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock

async def main():
    warm = SqlJournal(Path(sys.argv[2]), SystemClock())
    await warm.open()  # imports all there is to import while it can still be read
    await warm.close()
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    journal = SqlJournal(Path(sys.argv[1]), SystemClock())
    try:
        await journal.open()
    except JournalUnwritable as error:
        print(error.path, error.reason, sep="\\n")
    finally:
        await journal.close()

asyncio.run(main())
"""


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user can look into, which pytest's own isn't."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def as_nobody(path: Path, spare: Path) -> list[str]:
    """Open `path` in a program without rights to it; return the refusal's place and reason."""
    command = [sys.executable, "-c", _AS_NOBODY, str(path), str(spare)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@posix_only
def test_a_folder_without_permission_is_unwritable(public: Path, tmp_path: Path) -> None:
    folder = public / "data"
    folder.mkdir(mode=0o555)
    place, reason = as_nobody(folder / "journal.sqlite3", tmp_path / "spare")
    assert place.startswith(str(folder))
    assert reason == "Permission denied"


@posix_only
@pytest.mark.parametrize("mode", [0o444, 0o000])
async def test_a_journal_without_permission_is_unwritable(
    public: Path, tmp_path: Path, clock: Clock, mode: int
) -> None:
    path = public / "journal.sqlite3"
    await make(path, clock)
    set_mode(path, mode)
    place, reason = as_nobody(path, tmp_path / "spare")
    assert place == str(path)
    assert reason in {"can't be opened", "read-only"}


async def test_a_path_that_is_too_long_for_the_database_is_told_as_that(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path.joinpath(*["long " * 40] * 3) / "journal.sqlite3"
    error = await refusal(path, clock)
    assert isinstance(error, JournalUnwritable)
    assert error.reason == JournalUnwritable.LONG_PATH
