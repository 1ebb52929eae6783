"""Every lesson can be learnt: tried with a real console, journal and practice gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from keybench import bootstrap
from keybench.core.lessons.lesson import Lesson
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.lessons.checking import Checked, check
from keybench.workflows.lessons.files import desk_files, lesson_files, lesson_id, read_lesson
from keybench.workflows.lessons.room import Room
from practice.serving import served


class Rooms:
    """Opens rooms, each in a folder of its own."""

    def __init__(self, folder: Path, lesson: Lesson) -> None:
        self._folder, self._lesson, self._count = folder, lesson, 0

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[Room]:
        self._count += 1
        folder = self._folder / str(self._count)
        with served(folder / "practice", 1.0, is_told=True):
            async with bootstrap.open_console(DataFolder(folder)) as console:
                console.keep_in_memory()
                room = Room(console, self._lesson)
                await room.hurry()
                yield room
                await room.close()


async def checked(folder: Path, lesson: Lesson) -> list[Checked]:
    found: list[Checked] = []
    holds = await check(lesson, Rooms(folder, lesson), found.append)
    assert holds is not any(one.reason for one in found)
    return found


@pytest.mark.parametrize("path", lesson_files(), ids=lesson_id)
async def test_it_starts_unsolved_its_solution_passes_and_what_is_wrong_fails(
    tmp_path: Path, path: Path
) -> None:
    lesson = read_lesson(path)
    found = await checked(tmp_path, lesson)
    assert [one for one in found if one.reason] == []
    wrong = sum(len(step.wrong) for step in lesson.steps)
    assert len(found) == 1 + 2 * len(lesson.steps) + wrong + sum(bool(step.harmless) for step in lesson.steps)


@pytest.mark.parametrize("path", desk_files(), ids=lesson_id)
async def test_a_desk_can_be_made_ready(tmp_path: Path, path: Path) -> None:
    async with Rooms(tmp_path, read_lesson(path))() as room:
        await room.set_up()
        keys = await room.console.world.journal.all_keys()
        assert len(keys) == {"small-shop": 3, "chain": 60, "bad-monday": 5}[room.lesson.id]


async def test_a_lesson_that_does_not_hold_is_found_out(tmp_path: Path) -> None:
    lesson = read_lesson(lesson_files()[5])
    first, second, third = lesson.steps
    solved = replace(
        lesson,
        stage=(*lesson.stage, *first.solution),
        steps=(replace(first, must=second.must), *lesson.steps[1:]),
    )
    unsolved = replace(lesson, steps=(replace(first, solution=second.solution), second, third))
    lenient = replace(lesson, steps=(first, replace(second, must_not=()), replace(third, must_not=())))
    told = {
        "unsolved": (await checked(tmp_path / "a", unsolved))[-1],
        "lenient": (await checked(tmp_path / "b", lenient))[-1],
        "solved": (await checked(tmp_path / "c", solved))[-1],
    }
    assert (told["unsolved"].where, told["unsolved"].reason[:20]) == (
        "steps[0].solution",
        "0 steps are done ins",
    )
    assert (told["lenient"].where, told["lenient"].reason) == (
        "steps[1].wrong[0]",
        "breaks nothing that must not happen",
    )
    assert told["solved"].reason
