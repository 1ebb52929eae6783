"""What is written stays written, and what can't be written says so: crashes, full disks, locks, settings."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from contracts.journal_samples import a_point, a_sale, an_exchange, note
from keybench.core.errors import JournalBusy, JournalDamaged, JournalError, JournalUnwritable
from keybench.core.ports import Clock
from keybench.core.sales.sale import Sale
from keybench.journal import SqlJournal


async def run_sql(journal: SqlJournal, statement: str) -> object:
    """Run a statement on the journal's own connection and return its first value."""

    def run(connection: Connection) -> object:
        result = connection.exec_driver_sql(statement)
        return result.scalar() if result.returns_rows else None

    return await journal.run(run, writes=False)


_NOTE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from contracts.journal_samples import a_sale, a_point
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock

async def main():
    journal = SqlJournal(Path(sys.argv[1]), SystemClock())
    await journal.open()
    await journal.note_sale(a_sale(), a_point(a_sale()))
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

asyncio.run(main())
"""


def note_and_die(path: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", _NOTE_AND_DIE, str(path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=60,
        check=False,
    )


async def test_a_noted_sale_survives_a_killed_program(path: Path, clock: Clock) -> None:
    died = note_and_die(path)
    assert died.returncode not in {0, 1}, died.stderr
    journal = SqlJournal(path, clock)
    await journal.open()
    assert list(await journal.unfinished_sales()) == [a_sale()]
    assert list(await journal.sale_events("KB-1")) == [a_point(a_sale())]
    await journal.close()


async def test_a_sale_is_seen_by_another_program_as_soon_as_it_is_noted(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    await note(journal, a_sale())
    await other.advance_sale("KB-1", Sale.polled)
    await journal.advance_sale("KB-1", Sale.polled)
    assert (await other.sale("KB-1")).polls == 2
    await other.close()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # FULL
        ("fullfsync", 1),
        ("foreign_keys", 1),
        ("busy_timeout", 5000),
    ],
)
async def test_settings_are_in_force(journal: SqlJournal, pragma: str, value: object) -> None:
    assert await run_sql(journal, f"PRAGMA {pragma}") == value


async def test_the_database_has_a_thread_of_its_own(journal: SqlJournal) -> None:
    await note(journal, a_sale())
    where: list[str] = []

    def move(sale: Sale) -> Sale:
        where.append(threading.current_thread().name)
        return sale

    await journal.advance_sale("KB-1", move)

    assert where == ["keybench journal"]


@pytest.mark.parametrize("index", ["noted_at", "environment_id_noted_at", "stage_noted_at"])
async def test_sales_are_found_by_index(journal: SqlJournal, index: str) -> None:
    found = await run_sql(journal, f"SELECT name FROM sqlite_master WHERE name = 'ix_sales_{index}'")  # noqa: S608 - our own words
    assert found is not None


# --- what can't be written ---------------------------------------------------------------------------


@pytest.fixture
async def full(journal: SqlJournal) -> SqlJournal:
    """A journal whose disk takes no further page."""
    await note(journal, a_sale())
    pages = await run_sql(journal, "PRAGMA page_count")
    await run_sql(journal, f"PRAGMA max_page_count = {pages}")
    return journal


async def test_a_full_disk_is_unwritable_and_loses_nothing(path: Path, full: SqlJournal) -> None:
    large = replace(an_exchange(), response_body=random.Random(1).randbytes(60_000).hex())
    with pytest.raises(JournalUnwritable) as raised:
        await full.advance_sale("KB-1", lambda sale: sale, exchanges=[large])
    assert (raised.value.path, raised.value.reason) == (str(path), "disk full")
    assert list(await full.exchanges("KB-1")) == []
    assert await full.sale("KB-1") == a_sale()
    await run_sql(full, "PRAGMA max_page_count = 1000000")
    await full.advance_sale("KB-1", lambda sale: sale, exchanges=[large])


async def test_a_read_only_database_is_unwritable(journal: SqlJournal) -> None:
    await run_sql(journal, "PRAGMA query_only = ON")
    with pytest.raises(JournalUnwritable) as raised:
        await note(journal, a_sale())
    assert raised.value.reason == "read-only"


async def test_another_program_s_write_is_waited_for_and_then_busy(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock, wait_s=0.01)
    await journal.open()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusy):
            await note(journal, a_sale())
        assert list(await journal.sales(None, 10)) == []  # readers don't wait
        other.execute("ROLLBACK")
    assert await note(journal, a_sale()) == a_sale()
    await journal.close()


async def test_a_value_that_can_t_be_is_damage(path: Path, journal: SqlJournal) -> None:
    await note(journal, a_sale())
    for column, value in (("stage", "'dreamt'"), ("amount", "'ten'"), ("noted_at", "'noon'"), ("mode", "''")):
        with closing(sqlite3.connect(path)) as other, other:
            kept = other.execute(f"SELECT {column} FROM sales").fetchone()  # noqa: S608 - our own words
            other.execute(f"UPDATE sales SET {column} = {value}")  # noqa: S608 - our own words
        with pytest.raises(JournalDamaged):
            await journal.sale("KB-1")
        with closing(sqlite3.connect(path)) as other, other:
            other.execute(f"UPDATE sales SET {column} = ?", kept)  # noqa: S608 - our own words
    assert await journal.sale("KB-1") == a_sale()


async def test_a_damaged_page_is_damage(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await note(journal, a_sale())
    root = await run_sql(journal, "SELECT rootpage FROM sqlite_master WHERE name = 'sales'")
    await journal.close()
    assert isinstance(root, int)
    with path.open("r+b") as file:
        file.seek((root - 1) * 4096)
        file.write(b"\xff" * 4096)
    await journal.open()
    with pytest.raises(JournalDamaged):
        await journal.sales(None, 10)
    await journal.close()


async def test_no_foreign_error_and_no_row_is_in_what_is_raised(journal: SqlJournal) -> None:
    await note(journal, replace(a_sale(), device="a-telling-device"))
    with pytest.raises(JournalError) as raised:
        await note(journal, replace(a_sale(), device="a-telling-device"))
    assert type(raised.value) is JournalError
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert str(raised.value) == "SQLITE_CONSTRAINT_UNIQUE"
