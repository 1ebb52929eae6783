"""A seat in a class: taken, kept in the lesson's folder, and what passes between lesson and class."""

from __future__ import annotations

from collections.abc import Callable
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
from keybench.runtime.documents import UnreadableDocument, read_document, write_document
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save
from keybench.workflows.lessons.room import Room
from keybench.workflows.lessons.standing import LessonStanding, keep_standing, read_standing

_LARGEST: Final = 64 * 1024
#: How often a class is told of a lesson in which nothing changes, in seconds.
_TELL_S: Final = 2.0


async def take_seat(classes: Classes, met: MetClass, word: str, lessons: Path) -> DataFolder:
    """Join a class whose words were compared, and return the folder of its lesson, ``class`` in `lessons`.

    Without a word it is the seat that the folder has in this very class, else a new one. What another class
    or learner left there is cleared by the lesson's window, which begins anew also where it is open and has
    another certificate.

    Raises:
        GatewayError: The class can't be reached or says no; also where it has no lesson yet, but is joined.
        FileNotSaved: The folder can't be written.
    """
    folder, before = DataFolder(lessons / "class"), None
    with suppress(LessonInvalid):
        before = read_seat(folder)
    mine = before if before and before.code == met.code else None  # served again, it has another certificate
    seat = await classes.join(met, word or (mine.word if mine else ""))
    try:
        folder.root.mkdir(parents=True, exist_ok=True)
        same = mine and (mine.learner, mine.certificate) == (seat.learner, seat.certificate)
        if folder.journal.exists() and not same:
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
        return read_document(ClassSeat, read_file(folder.seat, _LARGEST))
    except (OSError, UnreadableDocument):
        raise LessonInvalid(folder.seat.name, "", "join the class again") from None


async def _keep_seat(folder: DataFolder, seat: ClassSeat) -> None:
    if seat.toml:
        await save(folder.lesson, seat.toml)
    await save(folder.seat, write_document(replace(seat, toml="")))


def _line(text: str, most: int) -> str:
    """Return a text as a class takes it: printable, and no longer than that."""
    return "".join(filter(str.isprintable, text))[:most]


class Attendance:
    """A lesson that is played in a class. Each of its coroutines may raise a KeybenchError."""

    def __init__(self, room: Room, folder: DataFolder, seat: ClassSeat) -> None:
        self.seat = seat
        self._room, self._folder = room, folder
        self._known: dict[str, Any] = {}
        self._told: dict[str, Any] = {}
        self._told_s = 0.0

    async def arrive(self) -> bool:
        """Learn which account counts; False if the class has another lesson, which then is in the folder."""
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
        """Have the account made anew for a stage, and return the step to set it up at.

        That is `at_step`, or if it is None the one that the class knows, who also knows what the learner did
        on another computer; of hints only how many they were.
        """
        self._room.account = (await self._room.ask("POST", "/class/account"))["account"]
        if at_step is not None:
            return at_step
        path, lesson, known = self._folder.lesson_progress, self._room.lesson, self._known
        here, steps = read_standing(path, lesson.id), len(lesson.steps)
        if known.get("seconds", 0.0) > here.seconds:
            told = {name: known[name] for name in ("misses", "missed", "seconds")}
            here = LessonStanding(lesson.id, hints={"0": known["hints"]}, **told)  # no step is the 0th
        done: int = min(known.get("done", 0), steps)
        await keep_standing(path, replace(here, done=done, steps=steps))
        return done

    async def report(self, standing: LessonStanding, progress: LessonProgress, step: str) -> bool:
        """Tell the class how far the lesson is, at once where that changed, else every other second.

        Returns whether the account was made anew, as by the trainer, so that the stage is to be, too.
        """
        deed, rule = self._room.newest, next(iter(progress.broken), None)
        fields = deed.fields.items() if deed else ()
        told = {
            **asdict(standing),
            "hints": sum((standing.hints or {}).values()),
            "missed": dict(standing.missed or {}),
            "step": _line(step, 200),
            "event": deed.event if deed else "",
            "fields": {name: _line(text, 100) for name, text in fields},
            "broken": _line(rule.text or rule.event, 500) if rule else "",
        }
        news, now_s = {**told, "seconds": 0.0}, self._room.console.clock.monotonic()
        if news == self._told and now_s - self._told_s < _TELL_S:
            return False
        account = (await self._room.ask("PUT", "/class/standing", told))["account"]
        self._told, self._told_s = news, now_s
        return bool(account != self._room.account)


async def get_ready(
    room: Room, attendance: Attendance | None, at_step: int | None, on_deed: Callable[[int, int], None]
) -> bool:
    """Go on with a lesson where it was left, or set it up at a step, in a class at the one it knows.

    Returns False where the folder has to be cleared first: another lesson or account, or a half-built stage.
    """
    if attendance and not await attendance.arrive():
        return False
    if await room.resume():
        return True
    if await room.was_begun():
        return False
    await room.set_up((await attendance.begin(at_step) if attendance else at_step) or 0, on_deed)
    return True
