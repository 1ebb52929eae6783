"""What the database itself holds of administering keys: lines that stay, one open rotation, whole steps."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.journal_samples import a_key
from contracts.register_samples import (
    STARTED,
    a_rotation,
    an_application,
    documented,
    start,
)
from keybench.core.errors import JournalDamaged
from keybench.core.input_errors import RotationUnderWay
from keybench.core.ports import Clock
from keybench.core.rotations.rotation import Rotation
from keybench.journal import SqlJournal

# --- lines of activity ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE activities SET result = 'forged'",
        "UPDATE OR REPLACE activities SET number = 1 WHERE number = 2",
        "UPDATE OR IGNORE activities SET result = 'forged'",
        "DELETE FROM activities",
        "DELETE FROM activities WHERE number = 2",
        "INSERT OR REPLACE INTO activities SELECT number, 0, '', '', '', '', '', '', '' FROM activities",
        "REPLACE INTO activities SELECT number, 0, '', '', '', '', '', '', '' FROM activities",
        "INSERT INTO activities SELECT * FROM activities WHERE 1 ON CONFLICT DO UPDATE SET result = ''",
    ],
)
async def test_nobody_changes_a_line_not_even_by_sql(path: Path, journal: SqlJournal, statement: str) -> None:
    for name in ("Till 3", "Till 4"):
        await journal.record_activity(replace(STARTED, subject=name))
    lines = await journal.activities(10)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        with pytest.raises(sqlite3.IntegrityError, match="activities are only added"):
            other.execute(statement)
        other.execute(
            "INSERT INTO activities SELECT NULL, at, '', '', 'added', '', '', '', '' FROM activities LIMIT 1"
        )
    assert [line.subject for line in await journal.activities(1)] == ["added"]
    assert list(await journal.activities(10))[1:] == list(lines)


# --- one open rotation ---------------------------------------------------------------------------


async def test_the_database_holds_one_open_rotation_for_a_key(path: Path, journal: SqlJournal) -> None:
    await start(journal)
    again = (
        "INSERT INTO rotations (id, environment_id, old_key_id, is_open, compromised, started_at, document)"
        " SELECT 'R-2', environment_id, old_key_id, is_open, compromised, started_at, document FROM rotations"
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            other.execute(again)
        await journal.advance_rotation("R-1", documented)
        other.execute(again)


async def test_two_programs_that_rotate_one_key_at_once_start_one(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    told = await asyncio.gather(
        start(journal, a_rotation("R-1")), start(other, a_rotation("R-2")), return_exceptions=True
    )
    assert {type(one) for one in told} == {Rotation, RotationUnderWay}
    assert len(await journal.rotations()) == len(await other.activities(10)) == 1
    await other.close()


# --- whole steps ---------------------------------------------------------------------------------

_ADVANCE_AND_DIE = """
import asyncio, os, signal, sys
from pathlib import Path
from contracts.journal_samples import a_key
from contracts.register_samples import STARTED, an_application, start, with_evidence
from keybench.journal import SqlJournal, activities
from keybench.runtime.clock import SystemClock

def die(rotation):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

async def main():
    journal = SqlJournal(Path(sys.argv[1]), SystemClock())
    await journal.open()
    await journal.add_application(an_application())
    await start(journal)
    moves = dict.fromkeys(("gone", an_application().id), lambda stored: stored)
    belongs = {"add_key": a_key(), "applications": moves, "activity": STARTED}
    move = die if sys.argv[2] == "within" else with_evidence
    await journal.advance_rotation("R-1", move, **belongs)
    die(None)

asyncio.run(main())
"""


def advance_and_die(path: Path, when: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", _ADVANCE_AND_DIE, str(path), when],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("when", "steps"), [("within", 0), ("after", 1)])
async def test_a_step_of_a_killed_program_is_kept_whole_or_not_at_all(
    path: Path, clock: Clock, when: str, steps: int
) -> None:
    died = advance_and_die(path, when)
    assert died.returncode not in {0, 1}, died.stderr
    journal = SqlJournal(path, clock)
    await journal.open()
    assert len((await journal.rotation("R-1")).evidence) == steps
    assert list(await journal.all_keys()) == [a_key()] * steps
    assert list(await journal.applications()) == [an_application()]
    assert len(await journal.activities(10)) == 1 + steps
    await journal.close()


@pytest.mark.parametrize("document", ["", "{}", '{"id": "R-1"}', "\N{SNOWMAN}"])
async def test_a_rotation_that_can_t_be_read_is_damage(
    path: Path, journal: SqlJournal, document: str
) -> None:
    await start(journal)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE rotations SET document = ?", (document,))
    for call in (journal.rotation("R-1"), journal.rotations(), journal.advance_rotation("R-1", documented)):
        with pytest.raises(JournalDamaged):
            await call
