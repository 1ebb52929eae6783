"""Opening: what is made, and from which leftovers."""

from __future__ import annotations

from pathlib import Path

from contracts.journal_samples import an_environment
from journal.files import (
    content_of,
    make,
    posix_only,
    put,
    remove,
)
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.ports import Clock
from keybench.journal import SqlJournal
from keybench.runtime.data_folder import sign_of


@posix_only
async def test_folder_and_file_are_for_this_user_alone(path: Path, journal: SqlJournal) -> None:
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {name.stat().st_mode & 0o777 for name in path.parent.iterdir()} == {0o600}


async def test_nothing_half_made_is_left(path: Path, clock: Clock) -> None:
    await make(path, clock)
    names = sorted(p.name for p in path.parent.iterdir())
    made = ["journal.sqlite3", "journal.sqlite3.made", "journal.sqlite3.making"]
    assert names == ["desk.json", "desk.json.lock", *made]


async def test_a_path_with_odd_characters(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "50% of ä #1? & more" / "journal.sqlite3"
    assert await make(path, clock) == await make(path, clock)
    assert path.stat().st_size > 0


async def test_each_installation_has_its_own_identifier(tmp_path: Path, clock: Clock) -> None:
    assert await make(tmp_path / "a" / "j", clock) != await make(tmp_path / "b" / "j", clock)


async def test_what_a_crash_left_of_making_one_is_replaced(path: Path, clock: Clock) -> None:
    put(path.with_name("journal.sqlite3.new"), b"half of it")
    put(path.with_name("journal.sqlite3.new-wal"), b"half of it")
    await make(path, clock)
    assert not path.with_name("journal.sqlite3.new-wal").exists()


async def test_a_deleted_journal_s_wal_is_not_played_into_a_new_one(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.add_environment(an_environment())
    wal = path.with_name("journal.sqlite3-wal")
    stale = content_of(wal)
    await journal.close()
    remove(path)
    remove(sign_of(path))
    put(wal, stale)
    await journal.open()
    assert [e.id for e in await journal.environments()] == [PRACTICE_ID]
    await journal.close()
