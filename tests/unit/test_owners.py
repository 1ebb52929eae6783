"""Which programs run on a data folder, told apart with real processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from keybench.runtime.owners import FileOwners

APP = Path(__file__).resolve().parents[2] / "app"
PROGRAM = """
import sys
from pathlib import Path
from keybench.runtime.owners import FileOwners
owners = FileOwners(Path(sys.argv[1]))
print(owners.me, flush=True)
sys.stdin.read()
owners.close()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "running"


@pytest.fixture
def owners(folder: Path) -> Iterator[FileOwners]:
    owners = FileOwners(folder)
    yield owners
    owners.close()


@contextmanager
def a_program(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a second program on `folder`; yield its name and its process."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(APP)},
    )
    with process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def test_a_program_knows_that_it_runs_itself(owners: FileOwners) -> None:
    assert owners.is_running(owners.me)


@pytest.mark.parametrize("name", ["", "0123456789abcdef", "nobody"])
def test_who_never_was_does_not_run(owners: FileOwners, name: str) -> None:
    assert not owners.is_running(name)


def test_two_programs_see_each_other(owners: FileOwners, folder: Path) -> None:
    with a_program(folder) as (other, _process):
        assert other != owners.me
        assert owners.is_running(other)
        assert FileOwners(folder).is_running(owners.me)


def test_a_program_that_ended_does_not_run(owners: FileOwners, folder: Path) -> None:
    with a_program(folder) as (other, process):
        process.communicate("")
        assert process.returncode == 0
        assert not owners.is_running(other)
    assert not (folder / f"{other}.lock").exists()


def test_a_program_that_was_killed_does_not_run_and_is_swept_away(owners: FileOwners, folder: Path) -> None:
    with a_program(folder) as (other, process):
        process.kill()  # SIGKILL: it can't tidy up
        process.wait()
        assert (folder / f"{other}.lock").exists()
        assert not owners.is_running(other)
    third = FileOwners(folder)
    assert not (folder / f"{other}.lock").exists()
    assert third.is_running(owners.me)
    third.close()


def test_giving_the_mark_up_twice_is_no_error(folder: Path) -> None:
    owners = FileOwners(folder)
    owners.close()
    owners.close()
    assert not list(folder.iterdir())


def test_many_programs_that_start_at_once_all_get_a_mark_that_stays(folder: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(APP)},
        )
        for _ in range(8)
    ]
    names = [process.stdout.readline().strip() for process in started if process.stdout]
    owners = FileOwners(folder)
    seen = [owners.is_running(name) for name in names]
    said = [process.communicate("")[1] for process in started]
    owners.close()
    assert said == [""] * 8
    assert seen == [True] * 8
