"""A class over the network: walked by many at once, left and gone on with, and led on by the trainer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keybench.core.lessons.classes import ClassSeat
from keybench.gateway.classes import HttpClasses
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.files import found
from keybench.workflows.lessons.joining import read_seat, take_seat
from practice.class_bench import ServedClass

LESSON = "a-missing-permission"


class Walker:
    """A process of `class_walker`."""

    def __init__(self, root: Path, served: ServedClass, word: str = "", stop_at: int = -1) -> None:
        script = Path(__file__).with_name("class_walker.py")
        command = [sys.executable, str(script), str(root), served.told["join"], word, str(stop_at)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def told(self) -> dict[str, Any]:
        """Return its next line."""
        assert self.process.stdout
        return dict(json.loads(self.process.stdout.readline()))

    def end(self, *, killed: bool = False) -> int:
        """Return its exit status when it ends, which it does at once if it is `killed`."""
        with self.process as process:
            if killed:
                process.kill()
            process.communicate()
        return process.returncode


def walk_together(root: Path, count: int) -> None:
    """Have so many walk at once; one is killed in the middle and comes back in another folder."""
    with ServedClass(root / "class", "--lesson", str(found(LESSON))) as served:
        walkers = [Walker(root / str(number), served) for number in range(count - 1)]
        leaver = Walker(root / "leaver", served, stop_at=1)
        lines = [leaver.told(), leaver.told()]
        leaver.end(killed=True)
        back = Walker(root / "elsewhere", served, str(lines[-1]["word"]))
        here = back.told()
        assert (here["learner"], here["done"], lines[-1]["done"]) == (lines[0]["learner"], 1, 1)
        assert [one.end() for one in [*walkers, back]] == [0] * count
        board = served.seen()
    standings = [one["standing"] for one in board["learners"]]
    assert [one["learner"] for one in board["learners"]] == [f"{number:02}" for number in range(1, count + 1)]
    assert {(one["lesson"], one["done"], one["step"], one["broken"]) for one in standings} == {
        (LESSON, standings[0]["steps"], "", "")
    }


def test_three_learners_walk_a_lesson_and_one_comes_back_on_another_computer(tmp_path: Path) -> None:
    walk_together(tmp_path, 3)


async def test_a_class_that_is_served_again_gives_the_seat_that_was_kept(tmp_path: Path) -> None:
    async def seat() -> ClassSeat:
        with ServedClass(tmp_path / "class", "--lesson", str(found(LESSON))) as served:
            met = await HttpClasses().meet(served.told["join"])
            return read_seat(await take_seat(HttpClasses(), met, "", tmp_path / "lessons"))

    first, folder = await seat(), DataFolder(tmp_path / "lessons" / "class")
    folder.journal.touch()
    again = await seat()
    assert folder.lesson_again.exists(), "a window that is open goes by the other certificate from now on"
    assert first.certificate != again.certificate
    assert (first.learner, first.word) == (again.learner, again.word)


@pytest.mark.sweep
def test_thirty_learners_walk_a_lesson_at_once(tmp_path: Path) -> None:
    walk_together(tmp_path, 30)
