"""Which programs work on a journal, told apart with real processes and by their leases."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fakes.clock import MovedClock
from fakes.waiting import until
from journal.files import posix_only
from keybench.core.ports import RunningProgram
from keybench.journal import SqlJournal
from keybench.runtime import owners as owners_module
from keybench.runtime.owners import LEASE, RENEW_S, ProgramOwners, this_computer

PROGRAM = """
import asyncio, sys
from pathlib import Path
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.runtime.owners import ProgramOwners

async def main():
    clock = SystemClock()
    journal = SqlJournal(Path(sys.argv[1]), clock)
    await journal.open()
    owners = ProgramOwners(journal, clock)
    await owners.begin()
    print(owners.me, flush=True)
    sys.stdin.read()
    await owners.end()
    await journal.close()

asyncio.run(main())
"""


@contextmanager
def a_program(path: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start another program on the journal; yield its name and its process."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def wait_until_dead(process: subprocess.Popen[str]) -> None:
    """Wait for a process's end and leave it in the system's table, as its parent may."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


@pytest.fixture
def moved() -> MovedClock:
    """Begin now: real processes have begun at real times."""
    return MovedClock(datetime.now(UTC))


@pytest.fixture
async def journal(path: Path, moved: MovedClock) -> AsyncIterator[SqlJournal]:
    """A journal whose database's clock is moved."""
    journal = SqlJournal(path, moved)
    await journal.open()
    yield journal
    await journal.close()


@pytest.fixture
async def owners(journal: SqlJournal, moved: MovedClock) -> AsyncIterator[ProgramOwners]:
    owners = ProgramOwners(journal, moved)
    await owners.begin()
    yield owners
    await owners.end()


async def test_a_program_knows_that_it_runs_itself(
    journal: SqlJournal, owners: ProgramOwners, moved: MovedClock
) -> None:
    assert await owners.ended({owners.me}) == set()
    now = moved.now()
    (mark,) = await journal.programs()
    assert mark == RunningProgram(owners.me, this_computer(), os.getpid(), now, now)


@pytest.mark.parametrize("name", ["", "never", "../x"])
async def test_who_never_was_does_not_run(owners: ProgramOwners, name: str) -> None:
    assert await owners.ended({owners.me, name}) == {name}


async def test_programs_see_each_other_and_who_ended(path: Path, owners: ProgramOwners) -> None:
    with a_program(path) as (other, process):
        assert await owners.ended({other}) == set()
        process.communicate("")
        assert process.returncode == 0
        assert await owners.ended({other}) == {other}


@posix_only
async def test_a_program_that_was_killed_has_ended_and_is_swept_away(
    path: Path, journal: SqlJournal, owners: ProgramOwners, moved: MovedClock
) -> None:
    with a_program(path) as (other, process):
        process.kill()
        wait_until_dead(process)
        assert await owners.ended({other}) == {other}
    assert len(await journal.programs()) == 2
    third = ProgramOwners(journal, moved)
    await third.begin()
    assert {one.id for one in await journal.programs()} == {owners.me, third.me}


@posix_only
async def test_a_frozen_program_runs_whatever_its_lease_says(
    path: Path, owners: ProgramOwners, moved: MovedClock
) -> None:
    with a_program(path) as (other, process):
        process.send_signal(signal.SIGSTOP)
        moved.move(timedelta(days=365 * 40).total_seconds())
        assert await owners.ended({other}) == set()


async def test_a_process_that_got_a_dead_program_s_number_is_not_it(
    journal: SqlJournal, owners: ProgramOwners, moved: MovedClock
) -> None:
    """This test's own process stands for the one that came later."""
    moved.moved_s = -timedelta(days=36500).total_seconds()
    long_ago = moved.now()
    await journal.keep_program(RunningProgram("dead", this_computer(), os.getpid(), long_ago, long_ago))
    moved.moved_s = 0.0
    assert await owners.ended({"dead"}) == {"dead"}


async def test_a_program_on_another_computer_runs_as_long_as_its_lease(
    journal: SqlJournal, owners: ProgramOwners, moved: MovedClock
) -> None:
    now = moved.now()
    elsewhere = RunningProgram("elsewhere", "another computer", 1, now, now)
    await journal.keep_program(elsewhere)
    assert await owners.ended({"elsewhere"}) == set()
    moved.move(LEASE.total_seconds())
    assert await owners.ended({"elsewhere"}) == set()
    moved.move(1)
    assert await owners.ended({"elsewhere"}) == {"elsewhere"}
    await journal.keep_program(elsewhere)
    assert await owners.ended({"elsewhere"}) == set()


@pytest.mark.parametrize("ahead_s", [100, -100])
async def test_programs_whose_clocks_differ_leave_each_other_their_work(
    journal: SqlJournal,
    owners: ProgramOwners,
    moved: MovedClock,
    monkeypatch: pytest.MonkeyPatch,
    ahead_s: int,
) -> None:
    """One clock is `ahead_s` before the other's, and the database's; each runs on a computer of its own."""
    clock = MovedClock(moved.now() + timedelta(seconds=ahead_s))

    async def elsewhere(work: Callable[[], Awaitable[object]]) -> object:
        with monkeypatch.context() as there:
            there.setattr(owners_module, "this_computer", lambda: "another computer")
            return await work()

    with monkeypatch.context() as there:
        there.setattr(owners_module, "this_computer", lambda: "another computer")
        other = ProgramOwners(journal, clock)
    await elsewhere(other.begin)
    for _ in range(10):
        assert await owners.ended({other.me}) == set()
        assert await elsewhere(lambda: other.ended({owners.me})) == set()
        for one in (moved, clock):
            one.move(RENEW_S)
        await owners._renew()
        await other._renew()
    assert await owners.ended({other.me}) == set()
    moved.move(LEASE.total_seconds())
    assert await owners.ended({other.me}) == set()
    moved.move(1)
    assert await owners.ended({other.me}) == {other.me}, "it has ended, whatever its clock said"


@pytest.mark.skipif(sys.platform != "linux", reason="processes have namespaces on Linux")
def test_computers_of_one_name_and_sandboxes_of_one_computer_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = set[str]()
    for machine, space in (("aa", "pid:[1]"), ("aa", "pid:[2]"), ("bb", "pid:[1]")):
        (tmp_path / "machine-id").write_text(f"{machine}\n")
        (tmp_path / "pid").unlink(missing_ok=True)
        (tmp_path / "pid").symlink_to(space)
        monkeypatch.setattr(owners_module, "_MACHINE", tmp_path / "machine-id")
        monkeypatch.setattr(owners_module, "_PROCESSES", tmp_path / "pid")
        assert machine not in this_computer().split()[1:2]
        names.add(this_computer())
    assert len(names) == 3
    assert len({tuple(name.split()[:2]) for name in names}) == 2


async def test_the_lease_is_renewed_for_as_long_as_the_program_runs(
    journal: SqlJournal, owners: ProgramOwners, moved: MovedClock
) -> None:
    began = moved.now()
    renewing = asyncio.get_running_loop().create_task(owners.keep_renewed())
    for turn in range(1, 4):
        await until(lambda: moved.sleepers == 1)
        moved.move(RENEW_S)
        await until(lambda: moved.sleepers == 1)
        (mark,) = await journal.programs()
        assert mark.renewed_at == began + timedelta(seconds=turn * RENEW_S)
    renewing.cancel()


async def test_a_lease_that_could_not_be_renewed_is_renewed_the_next_time(
    path: Path, journal: SqlJournal, moved: MovedClock
) -> None:
    impatient = SqlJournal(path, moved, wait_s=0.01)
    await impatient.open()
    owners = ProgramOwners(impatient, moved)
    await owners.begin()
    began = moved.now()
    renewing = asyncio.get_running_loop().create_task(owners.keep_renewed())
    await until(lambda: moved.sleepers == 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        moved.move(RENEW_S)
        await until(lambda: moved.sleepers == 1)
        other.execute("ROLLBACK")
    assert (await journal.programs())[0].renewed_at == began
    moved.move(RENEW_S)
    await until(lambda: moved.sleepers == 1)
    assert (await journal.programs())[0].renewed_at == began + timedelta(seconds=2 * RENEW_S)
    renewing.cancel()
    await owners.end()
    await impatient.close()
