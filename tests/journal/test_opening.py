"""Opening: what is made, what is refused untouched, and two programs that begin at once."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from contracts.journal_contract import an_environment
from keybench.core.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy, JournalDamaged, JournalError, JournalNewer, JournalUnwritable
from keybench.core.ports import Clock
from keybench.journal import SqlJournal

posix_only = pytest.mark.xfail(os.name != "posix", reason="modes and owners are POSIX", run=False)


def content_of(path: Path) -> bytes:
    return path.read_bytes()


def fingerprint(path: Path) -> str:
    return hashlib.sha256(content_of(path)).hexdigest()


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def remove(path: Path) -> None:
    path.unlink()


def make_folder(path: Path) -> None:
    path.mkdir(parents=True)


def set_mode(path: Path, mode: int) -> None:
    path.chmod(mode)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


async def refusal(path: Path, clock: Clock, *, wait_s: float = 5.0) -> JournalError:
    """Return the error that opening raises, after showing that it carries no other."""
    journal = SqlJournal(path, clock, wait_s=wait_s)
    with pytest.raises(JournalError) as raised:
        await journal.open()
    await journal.close()
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__ or raised.value.__context__ is None
    return raised.value


async def make(path: Path, clock: Clock) -> str:
    journal = SqlJournal(path, clock)
    installation = await journal.open()
    await journal.close()
    return installation


@posix_only
async def test_folder_and_file_are_for_this_user_alone(path: Path, journal: SqlJournal) -> None:
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {name.stat().st_mode & 0o777 for name in path.parent.iterdir()} == {0o600}


async def test_nothing_half_made_is_left(path: Path, clock: Clock) -> None:
    await make(path, clock)

    assert sorted(p.name for p in path.parent.iterdir()) == ["journal.sqlite3", "journal.sqlite3.making"]


async def test_a_path_with_odd_characters(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "50% of ä #1? & more" / "journal.sqlite3"

    assert await make(path, clock) == await make(path, clock)
    assert path.stat().st_size > 0


async def test_each_installation_has_its_own_identifier(tmp_path: Path, clock: Clock) -> None:
    assert await make(tmp_path / "a", clock) != await make(tmp_path / "b", clock)


async def test_an_empty_file_is_taken_as_none(path: Path, clock: Clock) -> None:
    put(path, b"")

    assert await make(path, clock) == await make(path, clock)


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
    put(wal, stale)

    await journal.open()

    assert [e.id for e in await journal.environments()] == [PRACTICE_ID]
    await journal.close()


# --- refused, untouched ------------------------------------------------------------------------------


async def test_a_newer_journal_is_untouched(path: Path, clock: Clock) -> None:
    await make(path, clock)
    change(path, "UPDATE meta SET value = '99' WHERE name = 'schema_version'")
    before = fingerprint(path)

    error = await refusal(path, clock)

    assert isinstance(error, JournalNewer)
    assert (error.found, error.known, error.place) == (99, 1, str(path))
    assert fingerprint(path) == before


async def test_a_newer_journal_s_wal_is_untouched(path: Path, clock: Clock) -> None:
    await make(path, clock)
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("UPDATE meta SET value = '2' WHERE name = 'schema_version'")
        wal = path.with_name("journal.sqlite3-wal")
        before = fingerprint(path), fingerprint(wal)

        assert isinstance(await refusal(path, clock), JournalNewer)

        assert (fingerprint(path), fingerprint(wal)) == before


async def test_a_newer_journal_with_other_tables_is_newer_and_not_damaged(path: Path, clock: Clock) -> None:
    await make(path, clock)
    change(path, "UPDATE meta SET value = '2' WHERE name = 'schema_version'")
    change(path, "DROP TABLE activities")

    assert isinstance(await refusal(path, clock), JournalNewer)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = 'one' WHERE name = 'schema_version'",
        "UPDATE meta SET value = '0' WHERE name = 'schema_version'",
        "DELETE FROM meta WHERE name = 'installation'",
        "DELETE FROM meta",
        "DROP TABLE meta",
        "DROP TABLE activities",
    ],
)
async def test_a_journal_without_its_facts_is_damaged(path: Path, clock: Clock, statement: str) -> None:
    await make(path, clock)
    change(path, statement)
    before = fingerprint(path)

    assert isinstance(await refusal(path, clock), JournalDamaged)
    assert fingerprint(path) == before


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be read as one" * 40, b"x", b"\0" * 512]
)
async def test_a_file_that_is_no_database_is_untouched(path: Path, clock: Clock, content: bytes) -> None:
    put(path, content)

    error = await refusal(path, clock)

    assert isinstance(error, JournalDamaged)
    assert error.place == str(path)
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

    assert isinstance(await refusal(path, clock), JournalDamaged)
    assert fingerprint(path) == before


async def test_a_folder_that_is_a_file_is_unwritable(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "data").write_text("in the way")

    error = await refusal(tmp_path / "data" / "journal.sqlite3", clock)

    assert isinstance(error, JournalUnwritable)
    assert error.place == str(tmp_path / "data")
    assert error.reason


async def test_a_folder_in_place_of_the_file_is_unwritable(path: Path, clock: Clock) -> None:
    make_folder(path)

    error = await refusal(path, clock)

    assert isinstance(error, JournalUnwritable)
    assert error.place == str(path)


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
        print(error.place, error.reason, sep="\\n")
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


# --- several programs --------------------------------------------------------------------------------


async def test_a_journal_that_another_program_writes_is_busy(path: Path, clock: Clock) -> None:
    await make(path, clock)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        assert isinstance(await refusal(path, clock, wait_s=0.01), JournalBusy)

    await make(path, clock)


_OPEN_AND_LIST = """
import asyncio, sys
from pathlib import Path
from keybench.journal import SqlJournal, opening
from keybench.runtime.clock import SystemClock

async def main():
    journal = SqlJournal(Path(sys.argv[1]), SystemClock())
    print("ready", flush=True)
    sys.stdin.readline()
    print(await journal.open(), [e.id for e in await journal.environments()])
    await journal.close()

asyncio.run(main())
"""


async def test_programs_that_begin_at_once_share_one_journal(path: Path) -> None:
    programs = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", _OPEN_AND_LIST, str(path),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]  # fmt: skip
    for program in programs:
        assert program.stdout is not None
        assert await program.stdout.readline() == b"ready\n"

    said = await asyncio.gather(*(program.communicate(b"go\n") for program in programs))

    assert [errors for _, errors in said] == [b""] * 4
    assert len({line for line, _ in said}) == 1
    assert said[0][0].decode().endswith(f" ['{PRACTICE_ID}']\n")


def test_the_database_layer_waits_for_open() -> None:
    program = (
        "import sys, keybench.journal; sys.exit('sqlalchemy' in sys.modules or 'sqlite3' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
