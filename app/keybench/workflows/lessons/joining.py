"""A seat in a class: taken, kept in the lesson's folder, and what passes between lesson and class."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from keybench.core.errors import FileNotSaved, LessonInvalid, Refused
from keybench.core.lessons.classes import ClassSeat, MetClass
from keybench.core.lessons.lesson import LessonProgress
from keybench.core.ports import Classes
from keybench.core.reasons import Reason
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.documents import UnreadableDocument, from_plain
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import LessonStanding, keep_standing, read_standing

_LARGEST: Final = 64 * 1024
#: How often a class is told of a lesson in which nothing changes, in seconds.
_TELL_S: Final = 2.0
#: No step has this number: of hints that were taken on another computer only the sum is known.
_ELSEWHERE: Final = "0"


def class_folder(lessons: Path) -> DataFolder:
    """Return the folder of the class that was joined last, beside those of lessons."""
    return DataFolder(lessons / "class")


async def take_seat(classes: Classes, met: MetClass, word: str, lessons: Path) -> DataFolder:
    """Join a class whose words were compared, and return the folder that its lesson is played in.

    Without a word it is the seat that the folder has in this very class, else a new one. What another class
    or learner left there is cleared when the lesson's window opens, or at once where it is open.

    Raises:
        GatewayError: The class can't be reached or says no; Refused by `CLASS_NO_LESSON` if it has no lesson
            yet, where the seat is kept for the next time.
        FileNotSaved: The folder can't be written.
    """
    folder, before = class_folder(lessons), None
    with suppress(LessonInvalid):
        before = read_seat(folder)
    if before and before.certificate != met.certificate:
        before = None
    seat = await classes.join(met, word or (before.word if before else ""))
    try:
        folder.root.mkdir(parents=True, exist_ok=True)
        if folder.journal.exists() and (before is None or before.learner != seat.learner):
            folder.lesson_again.touch()
    except OSError as error:
        raise FileNotSaved(str(folder.root), error.strerror or "") from None
    await _keep_seat(folder, seat)
    if not seat.lesson:
        raise Refused(Reason.CLASS_NO_LESSON)
    return folder


def read_seat(folder: DataFolder) -> ClassSeat:
    """Return the seat that a folder has; LessonInvalid if there is none that can be read."""
    try:
        return from_plain(ClassSeat, json.loads(read_file(folder.seat, _LARGEST)))
    except (OSError, ValueError, UnreadableDocument):
        raise LessonInvalid(folder.seat.name, "", "join the class again") from None


async def _keep_seat(folder: DataFolder, seat: ClassSeat) -> None:
    if seat.toml:
        await save(folder.lesson, seat.toml)
    await save(folder.seat, json.dumps(asdict(replace(seat, toml=""))))


class Attendance:
    """A lesson that is played in a class. Each of its coroutines may raise a KeybenchError."""

    def __init__(self, room: Room, folder: DataFolder, seat: ClassSeat) -> None:
        self.seat = seat
        self._room, self._folder = room, folder
        self._known: dict[str, Any] = {}
        self._told: dict[str, Any] = {}
        self._told_s = 0.0

    async def arrive(self) -> bool:
        """Learn which account counts, and how far the class knows the learner to be.

        Returns False if the class has another lesson by now: its file is kept, and all is to begin anew.
        """
        told = await self._room.ask("GET", "/class/seat")
        if not (lesson := told["lesson"]):
            raise Refused(Reason.CLASS_NO_LESSON)
        self._room.account, self._known = told["account"], told["standing"] or {}
        here = self._folder.lesson.read_bytes().decode("utf-8", "replace")
        if (lesson["id"], lesson["toml"]) == (self.seat.lesson, here):
            return True
        await _keep_seat(self._folder, replace(self.seat, lesson=lesson["id"], toml=lesson["toml"]))
        return False

    async def begin(self, at_step: int | None) -> int:
        """Have the account made anew for a stage, and return the step that it is to be set up at.

        That is `at_step` where a person wants it so, else the one that the class knows, which then also
        tells what the learner did elsewhere.
        """
        self._room.account = (await self._room.ask("POST", "/class/account"))["account"]
        if at_step is not None:
            return at_step
        lesson, known = self._room.lesson, self._known
        here = read_standing(self._folder.lesson_progress, lesson.id)
        if known.get("seconds", 0.0) > here.seconds:
            told = {name: known[name] for name in ("misses", "missed", "seconds")}
            here = LessonStanding(lesson.id, hints={_ELSEWHERE: known["hints"]}, **told)
        done: int = min(known.get("done", 0), len(lesson.steps))
        await keep_standing(self._folder.lesson_progress, replace(here, done=done, steps=len(lesson.steps)))
        return done

    async def report(self, standing: LessonStanding, progress: LessonProgress, step: str) -> bool:
        """Tell the class how far the lesson is, at once where that changed, else every other second.

        Returns:
            Whether the account was made anew, as by the trainer, so that the stage is to be, too.
        """
        deed, rule = self._room.newest, next(iter(progress.broken), None)
        told = {
            **asdict(standing),
            "hints": sum((standing.hints or {}).values()),
            "missed": dict(standing.missed or {}),
            "step": step,
            "event": deed.event if deed else "",
            "fields": dict(deed.fields) if deed else {},
            "broken": (rule.text or rule.event) if rule else "",
        }
        unchanged, now_s = {**told, "seconds": 0.0} == self._told, self._room.console.clock.monotonic()
        if unchanged and now_s - self._told_s < _TELL_S:
            return False
        account = (await self._room.ask("PUT", "/class/standing", told))["account"]
        self._told, self._told_s = {**told, "seconds": 0.0}, now_s
        return bool(account != self._room.account)

    async def join_again(self) -> None:
        """Take the seat back from another computer: the next call joins anew."""
        await self._room.console.world.practice.stop()
