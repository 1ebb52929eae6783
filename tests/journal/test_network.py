"""A journal on a network file system: without shared memory, and for one program at a time."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from contracts.journal_samples import an_environment
from journal.files import fingerprint, make, make_newer
from journal.test_upgrading import as_of_version_1
from keybench.core.errors import JournalError, JournalInUse, JournalNewer
from keybench.core.ports import Clock, JournalPlace
from keybench.journal import SqlJournal
from keybench.runtime.file_system import FileSystem

NFS = FileSystem("nfs4", is_remote=True)
SSHFS = FileSystem("fuse.sshfs", is_remote=True)
#: What the file says of itself, https://www.sqlite.org/fileformat.html.
ROLLBACK, WAL = 1, 2


def mode_of(path: Path) -> int:
    return path.read_bytes()[18]


def on(found: FileSystem, path: Path, clock: Clock, wait_s: float = 5.0) -> SqlJournal:
    return SqlJournal(path, clock, wait_s=wait_s, file_system_of=lambda _folder: found)


async def refused(journal: SqlJournal) -> JournalError:
    with pytest.raises(JournalError) as raised:
        await journal.open()
    await journal.close()
    return raised.value


async def test_one_program_at_a_time_has_it_open_there(path: Path, clock: Clock) -> None:
    one, other = on(NFS, path, clock), on(NFS, path, clock, wait_s=0.1)
    await one.open()
    await one.add_environment(an_environment())
    error = await refused(other)
    assert isinstance(error, JournalInUse)
    assert (error.path, error.kind) == (str(path.parent), "nfs4")
    assert len(await one.environments()) == 2
    assert mode_of(path) == ROLLBACK
    assert one.place == JournalPlace(str(path.parent), "nfs4")
    await one.close()
    await other.open()
    assert an_environment() in list(await other.environments())
    await other.close()


def test_who_only_reads_keeps_another_program_off_too(path: Path, clock: Clock) -> None:
    command = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('SELECT * FROM meta')"
    words = [sys.executable, "-c", command, path]

    async def said() -> str:
        one = on(NFS, path, clock)
        await one.open()
        await one.environments()
        there = await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.PIPE)
        _, told = await there.communicate()
        await one.close()
        return told.decode()

    asyncio.run(make(path, clock))
    assert "database is locked" in asyncio.run(said())


async def test_a_commit_there_is_synced_with_its_folder(path: Path, clock: Clock) -> None:
    journal = on(NFS, path, clock)
    await journal.open()
    extra = await journal.run(
        lambda connection: connection.exec_driver_sql("PRAGMA synchronous").scalar(), writes=False
    )
    assert extra == 3
    await journal.close()


async def test_a_folder_is_moved_there_and_back(path: Path, clock: Clock) -> None:
    installation = await make(path, clock)
    assert mode_of(path) == WAL
    for found, mode in ((NFS, ROLLBACK), (FileSystem("ext4"), WAL), (SSHFS, ROLLBACK)):
        journal = on(found, path, clock)
        assert await journal.open() == installation
        assert mode_of(path) == mode
        await journal.close()


async def test_what_is_only_in_the_log_comes_along(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.add_environment(an_environment())
    moved = path.parent.with_name("moved")
    shutil.copytree(path.parent, moved, ignore=shutil.ignore_patterns("*-shm"))  # as a crash leaves it
    await journal.close()
    there = on(NFS, moved / path.name, clock)
    await there.open()
    assert an_environment() in list(await there.environments())
    assert not (moved / "journal.sqlite3-wal").exists()
    await there.close()


async def test_a_program_that_shares_memory_there_keeps_it_off(path: Path, clock: Clock) -> None:
    local = SqlJournal(path, clock)  # as an older Keybench does wherever it is
    await local.open()
    assert isinstance(await refused(on(NFS, path, clock, wait_s=0.1)), JournalInUse)
    await local.add_environment(an_environment())
    await local.close()


async def test_where_memory_is_not_shared_on_this_computer_it_is_the_same(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileSystem, "shares_memory", lambda *_: False)
    journal = on(FileSystem("fuse.gocryptfs"), path, clock)
    await journal.open()
    assert mode_of(path) == ROLLBACK
    assert journal.place == JournalPlace(str(path.parent), "fuse.gocryptfs")
    await journal.close()


async def test_an_older_journal_is_brought_up_to_date_there(path: Path, clock: Clock) -> None:
    await as_of_version_1(path, clock)
    journal = on(SSHFS, path, clock)
    await journal.open()
    assert len(await journal.sales(None, 9)) == 2
    await journal.close()


async def test_a_newer_journal_there_is_left_as_it_is(path: Path, clock: Clock) -> None:
    journal = on(NFS, path, clock)
    await journal.open()
    await journal.close()
    make_newer(path)
    before = fingerprint(path)
    assert isinstance(await refused(on(NFS, path, clock)), JournalNewer)
    assert fingerprint(path) == before
