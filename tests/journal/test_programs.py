"""Several programs on one journal."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from filelock import FileLock

from contracts.journal_samples import NOW, a_sale, note
from journal.files import (
    make,
    make_folder,
    refusal,
)
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.errors import JournalBusy
from keybench.core.ports import Clock
from keybench.core.sales.sale import RequestIdTaken, Sale
from keybench.journal import SqlJournal


async def test_a_journal_that_another_program_writes_is_busy(path: Path, clock: Clock) -> None:
    await make(path, clock)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert isinstance(await refusal(path, clock, wait_s=0.01), JournalBusy)
    await make(path, clock)


async def test_a_journal_that_another_program_is_making_is_busy(path: Path, clock: Clock) -> None:
    make_folder(path.parent)
    with FileLock(path.with_name("journal.sqlite3.making")):
        assert isinstance(await refusal(path, clock, wait_s=0.01), JournalBusy)
    await make(path, clock)


async def test_moves_made_at_once_by_two_programs_all_count(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    await note(journal, a_sale())
    await asyncio.gather(*(j.advance_sale("KB-1", Sale.polled) for j in (journal, other) for _ in range(50)))
    assert (await journal.sale("KB-1")).polls == 100
    await other.close()


async def test_a_request_id_that_two_programs_are_given_is_one_sale_s(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    for reference in ("KB-1", "KB-2"):
        await note(journal, a_sale(reference))
    moves = [(journal, "KB-1"), (other, "KB-2")]
    told = await asyncio.gather(
        *(at.advance_sale(name, lambda s: s.accept("r-1", NOW)) for at, name in moves), return_exceptions=True
    )
    assert {type(one) for one in told} == {RequestIdTaken, Sale}
    assert sorted([(await journal.sale(name)).request_id for _, name in moves]) == ["", "r-1"]
    await other.close()


_OPEN_AND_LIST = """
import asyncio, sys
from pathlib import Path
from keybench.journal import SqlJournal
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


_WHERE_IT_IS_IMPORTED = """
import asyncio, sys, threading
from pathlib import Path
from keybench.bootstrap import open_console
from keybench.runtime.data_folder import DataFolder

threads = []

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "sqlalchemy":
            threads.append(threading.current_thread())

async def main():
    async with open_console(DataFolder(Path(sys.argv[1]))):
        pass

sys.meta_path.insert(0, Watch())
asyncio.run(main())
print(len(threads), threading.main_thread() in threads, "sqlalchemy.dialects.postgresql" in sys.modules)
"""


def test_the_database_layer_is_imported_off_the_window_s_thread_and_for_one_database(tmp_path: Path) -> None:
    words = [sys.executable, "-c", _WHERE_IT_IS_IMPORTED, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "1 False False\n"), done.stderr
