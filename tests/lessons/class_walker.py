"""A learner without a window: joins a class and walks its lesson by the solutions, telling as the panel does.

Run as a process: FOLDER JOIN_TEXT [WORD] [STOP_AT]. It prints a line of JSON after joining and after each
step, and with STOP_AT it waits at that step until it is ended.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path

from keybench import bootstrap
from keybench.gateway.classes import HttpClasses
from keybench.runtime.data_folder import DataFolder
from keybench.words.lessons.progress import step_title
from keybench.workflows.lessons.files import read_lesson
from keybench.workflows.lessons.joining import Attendance, get_ready, read_seat, take_seat
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import read_standing


async def walk(root: Path, join_text: str, word: str, stop_at: int) -> None:
    classes = HttpClasses()
    folder = await take_seat(classes, await classes.meet(join_text), word, root / "lessons")
    while not await visit(folder, stop_at):
        for path in set(folder.root.iterdir()) - {folder.lesson, folder.seat}:  # as the window does
            shutil.rmtree(path) if path.is_dir() else path.unlink()


async def visit(folder: DataFolder, stop_at: int) -> bool:
    """Walk from where the class knows the learner; False where the folder has to be cleared first."""
    seat = read_seat(folder)
    async with bootstrap.open_console(folder, lambda: f"Learner {seat.learner}") as console:
        console.keep_in_memory()
        room = Room(console, read_lesson(folder.lesson, name=seat.lesson))
        attendance = Attendance(room, folder, seat)
        try:
            if not await get_ready(room, attendance, None, lambda _done, _of: None):
                return False
            return await _walked(room, attendance, folder, stop_at)
        finally:
            await room.close()


async def _walked(room: Room, attendance: Attendance, folder: DataFolder, stop_at: int) -> bool:
    steps, learner = room.lesson.steps, attendance.seat.learner
    while True:
        progress = await room.progress()
        standing = read_standing(folder.lesson_progress, room.lesson.id)
        told = type(standing)(room.lesson.id, progress.done, len(steps), standing.hints, seconds=1.0)
        present = step_title(steps[progress.done]) if progress.done < len(steps) else ""
        if await attendance.report(told, progress, present):
            return False
        line = {"learner": learner, "word": attendance.seat.word, "done": progress.done}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        if not present:
            return True
        if progress.done == stop_at:
            await asyncio.Event().wait()
        await room.hurry()
        for deed in steps[progress.done].solution:
            await room.do(deed)


if __name__ == "__main__":
    given = [*sys.argv[1:], "", ""]
    asyncio.run(walk(Path(given[0]), given[1], given[2], int(given[3] or -1)))
