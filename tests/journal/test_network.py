"""A journal on a network file system: without shared memory, and for as many computers as it keeps apart."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.journal_samples import NOW, an_environment
from journal.files import fingerprint, make
from journal.test_upgrading import as_of_version_1
from keybench.core.errors import JournalBusy, JournalElsewhere, JournalError, JournalNewer, JournalNotLockable
from keybench.core.ports import Clock, JournalPlace, RunningProgram
from keybench.journal import SqlJournal, opening
from keybench.journal.tables import SCHEMA_VERSION
from keybench.runtime.file_system import FileSystem
from keybench.runtime.owners import LEASE, this_computer

NFS = FileSystem("nfs4", is_remote=True)
SSHFS = FileSystem("fuse.sshfs", is_remote=True, one_computer=True)
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


async def test_programs_there_take_turns_without_shared_memory(path: Path, clock: Clock) -> None:
    one, other = on(NFS, path, clock), on(NFS, path, clock)
    await one.open()
    await other.open()
    await one.add_environment(an_environment())
    assert an_environment() in list(await other.environments())
    await other.remove_environment(an_environment().id)
    assert len(await one.environments()) == 1
    assert mode_of(path) == ROLLBACK
    names = sorted(p.name for p in path.parent.iterdir())
    assert names == ["journal.sqlite3", "journal.sqlite3.made", "journal.sqlite3.making"]
    assert one.place == JournalPlace(str(path.parent), "nfs4")
    for journal in (one, other):
        await journal.close()


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


async def test_a_program_that_shares_memory_there_is_waited_for(path: Path, clock: Clock) -> None:
    local = SqlJournal(path, clock)  # as an older Keybench does wherever it is
    await local.open()
    assert isinstance(await refused(on(NFS, path, clock, wait_s=0.1)), JournalBusy)
    await local.add_environment(an_environment())
    await local.close()


async def test_one_that_shares_no_memory_on_this_computer_is_kept_without_it(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "shares_memory", lambda _folder: False)
    journal = on(FileSystem("fuse.gocryptfs"), path, clock)
    await journal.open()
    assert mode_of(path) == ROLLBACK
    assert journal.place == JournalPlace(str(path.parent))
    await journal.close()


async def test_where_locks_keep_nobody_off_nothing_is_opened(
    path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make(path, clock)
    before = fingerprint(path)
    monkeypatch.setattr(opening, "keeps_locks", lambda _folder: False)
    error = await refused(on(NFS, path, clock))
    assert isinstance(error, JournalNotLockable)
    assert (error.path, error.kind) == (str(path.parent), "nfs4")
    assert fingerprint(path) == before


# --- two computers ----------------------------------------------------------------------------------------

ELSEWHERE = RunningProgram("P-1", "office-2 pid:[4026531836]", 4711, NOW, NOW)


async def with_program(path: Path, clock: Clock, program: RunningProgram) -> None:
    journal = on(SSHFS, path, clock)
    await journal.open()
    await journal.keep_program(program)
    await journal.close()


async def test_another_computer_is_kept_off_where_locks_do_not_do_that(path: Path, clock: Clock) -> None:
    await with_program(path, clock, ELSEWHERE)
    before = fingerprint(path)
    error = await refused(on(SSHFS, path, clock))
    assert isinstance(error, JournalElsewhere)
    assert (error.computer, error.kind) == ("office-2", "fuse.sshfs")
    assert fingerprint(path) == before


async def test_another_computer_is_welcome_where_they_do(path: Path, clock: Clock) -> None:
    await with_program(path, clock, ELSEWHERE)
    journal = on(NFS, path, clock)
    await journal.open()
    await journal.close()


@pytest.mark.parametrize(
    "program",
    [
        replace(ELSEWHERE, renewed_at=NOW - LEASE - timedelta(seconds=1)),
        replace(ELSEWHERE, computer=this_computer()),
        replace(ELSEWHERE, computer=" ".join([*this_computer().split()[:2], "pid:[1]"])),
    ],
    ids=["crashed", "here", "in another sandbox here"],
)
async def test_a_crashed_program_elsewhere_and_others_here_keep_nobody_off(
    path: Path, clock: Clock, program: RunningProgram
) -> None:
    await with_program(path, clock, program)
    journal = on(SSHFS, path, clock)
    await journal.open()
    await journal.close()


async def test_an_older_journal_is_brought_up_to_date_there(path: Path, clock: Clock) -> None:
    await as_of_version_1(path, clock)
    journal = on(SSHFS, path, clock)
    await journal.open()
    assert len(await journal.sales(None, 9)) == 2
    await journal.close()


async def test_a_newer_journal_there_is_told_before_all_else(path: Path, clock: Clock) -> None:
    await with_program(path, clock, ELSEWHERE)
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", (str(SCHEMA_VERSION + 1),))
    before = fingerprint(path)
    assert isinstance(await refused(on(SSHFS, path, clock)), JournalNewer)
    assert fingerprint(path) == before
