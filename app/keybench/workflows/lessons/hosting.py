"""Holding a class: who learns in it and how far each is, and what is kept of that."""

from __future__ import annotations

import ipaddress
import json
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from keybench.core.errors import LessonInvalid, PracticeUnavailable, Refused
from keybench.core.events import ClassServed
from keybench.core.lessons.lesson import Lesson
from keybench.core.ports import Practice
from keybench.core.reasons import Reason
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import Record, save, write_records
from keybench.runtime.worker import run_in_thread
from keybench.workflows.lessons.files import lesson_files, lesson_id, read_lesson
from keybench.workflows.lessons.standing import read_standing
from keybench.workflows.world import World

COLUMNS: Final = (
    *("learner", "lesson", "title", "steps", "done", "hints", "misses", "minutes"),
    *("most_missed_step", "signed_by"),
)
#: On one step for so long, in seconds, a learner is slow, or stuck.
SLOW_S, STUCK_S = 5 * 60, 8 * 60
_LARGEST: Final = 256 * 1024

#: Lessons with their files, by id.
Lessons = Mapping[str, tuple[Path, Lesson]]


@dataclass(frozen=True, slots=True)
class LearnerLine:
    """A learner as the board's `GET /class` tells, times in seconds; `heard_s` is None if never heard."""

    learner: str
    heard_s: float | None
    on_step_s: float
    standing: Mapping[str, Any]

    @property
    def is_done(self) -> bool:
        """Whether every step of the lesson is done."""
        return bool(0 < self.standing.get("steps", 0) <= self.standing["done"])

    @property
    def is_stuck(self) -> bool:
        """Whether somebody should go and help."""
        return not self.is_done and (self.on_step_s >= STUCK_S or bool(self.standing.get("broken")))

    @property
    def urgency(self) -> tuple[bool, bool, float]:
        """What lines are sorted by: who is stuck comes first, who is done last."""
        return self.is_done, not self.is_stuck, -self.on_step_s


def lines_of(board: Mapping[str, Any]) -> Sequence[LearnerLine]:
    """Return the learners, the most urgent first."""
    here = {} if board["join"] else {"heard_s": 0.0}  # whose turn is over is missed by nobody
    lines = (LearnerLine(**{**one, "standing": one["standing"] or {}, **here}) for one in board["learners"])
    return sorted(lines, key=lambda line: line.urgency)


def most_missed(results: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return the step that is missed in most results, and in how many; 0 for none."""
    # Another gateway may have signed more than numbers.
    counts = Counter(
        int(step) for one in results for step, times in one["missed"].items() if times and step.isdecimal()
    )
    return min(counts.items(), key=lambda one: (-one[1], one[0]), default=(0, 0))


def addresses() -> Sequence[str]:
    """Return this computer's addresses, those first that others most likely reach; it blocks."""
    import psutil  # noqa: PLC0415 - few hold a class

    found = set()
    for one in (one for card in psutil.net_if_addrs().values() for one in card):
        with suppress(ValueError):  # a network card's own number
            found.add(ipaddress.ip_address(one.address))
    ranked = sorted(found, key=lambda one: (one.is_loopback, one.is_link_local, one.version, int(one)))
    return [str(one) for one in ranked if "%" not in str(one)]  # that is good on one card alone


def lessons_in(data: DataFolder) -> Lessons:
    """Return the lessons there are, the program's first; it blocks."""
    lessons = {}
    for path in (*lesson_files(), *lesson_files(data.lessons / "own")):
        with suppress(LessonInvalid):  # the list of lessons says why
            lessons[lesson_id(path)] = path, read_lesson(path)
    return lessons


def earlier_class(data: DataFolder) -> datetime | None:
    """Return when a class was held before."""
    with suppress(OSError):
        return datetime.fromtimestamp((data.classroom / "practice").stat().st_mtime, UTC)
    return None


async def begin(world: World, data: DataFolder, lessons: Lessons, host: str, lesson: str) -> Hosting:
    """Serve a class at an address, or on this computer alone for an empty one.

    Without a lesson the earlier class goes on, else nothing is left of it. Raises a KeybenchError.
    """
    if lesson:
        await run_in_thread("class", partial(_clear, data.classroom / "practice"))
    hosting = Hosting(world.class_gateway(host), data, lessons)
    try:
        if lesson:
            await hosting.go_on(lesson)
        world.events.publish(ClassServed((await hosting.read())["address"]))
    except BaseException:
        await hosting.end()
        raise
    return hosting


def _clear(folder: Path) -> None:
    """Remove a class, unless a gateway that another program started serves it."""
    try:
        if folder.exists():
            with FileLock(folder / "gateway.lock", timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
    except Timeout:
        raise PracticeUnavailable(Reason.PRACTICE_ENDED, message="another program serves it") from None


class Hosting:
    """A class that this console serves. Every coroutine may raise a KeybenchError.

    Attributes:
        lesson: The id of the class's lesson, as it was told last.
        present: Who learns at this computer, in a class without a network; empty for nobody.
    """

    def __init__(self, practice: Practice, data: DataFolder, lessons: Lessons) -> None:
        self.practice = practice
        self._is_over = False
        self._data, self.lessons = data, lessons
        self.lesson = self.present = ""

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make one of the trainer's calls; once it is over, none would start the gateway again."""
        if self._is_over:
            raise PracticeUnavailable(Reason.PRACTICE_STOPPING)
        return await self.practice.ask(method, path, body)

    async def end(self) -> None:
        """Serve it no longer; its results stay."""
        self._is_over = True
        await self.practice.stop()

    async def read(self) -> Mapping[str, Any]:
        """Return what `GET /class` tells; the learner at this computer is told of before."""
        await self._tell_present()
        board: Mapping[str, Any] = await self.ask("GET", "/class")
        self.lesson = (board["lesson"] or {}).get("id", "")
        return board

    @property
    def following(self) -> str:
        """The id of the lesson after the present one in the same list; empty if there is none."""
        following = dict(pairwise(self.lessons)).get(self.lesson, "")
        same = following and self.lessons[following][0].parent == self.lessons[self.lesson][0].parent
        return following if same else ""

    async def go_on(self, lesson: str = "") -> Path:
        """Have all learn a lesson, the following one unless it is named, and return its file."""
        await self._tell_present()
        lesson = lesson or self.following
        path, known = self.lessons[lesson]
        toml = await run_in_thread("class", partial(path.read_text, "utf-8"))
        await self.ask("PUT", "/class", {"lesson": {"id": lesson, "title": known.title, "toml": toml}})
        self.lesson = lesson
        return await self._forget()

    async def next_learner(self) -> Path:
        """Have the next one learn at this computer, and return the lesson's file."""
        await self._tell_present()
        self.present = (await self.ask("POST", "/class/learners"))["learner"]
        return await self._forget()

    async def export(self, folder: Path, step_name: Callable[[str, int], str]) -> int:
        """Write what each came to, as a list and as a signed file a learner; return how long the list is."""
        results = (await self.read())["results"]

        async def rows() -> AsyncIterator[Sequence[Record]]:
            yield [self._record(one, step_name) for one in results]

        count = await write_records(folder / "results.csv", COLUMNS, rows())
        for learner in sorted({one["learner"] for one in results if not one["signed_by"]}):
            signed = await self.ask("GET", f"/class/learners/{learner}/result")
            await save(folder / f"learner-{learner}.json", json.dumps(signed, ensure_ascii=False, indent=1))
        return count

    async def merge(self, files: Sequence[Path]) -> Sequence[str]:
        """Take in signed results; return the names of files that were altered or are none."""
        refused = []
        for file in files:
            try:
                signed = json.loads(await run_in_thread("class", partial(read_file, file, _LARGEST)))
                await self.ask("POST", "/class/results", {**signed})
            except (OSError, ValueError, TypeError, RecursionError, Refused):
                refused.append(file.name)
        return refused

    async def _tell_present(self) -> None:
        """Tell how far the learner at this computer is: the lesson's window knows nothing of a class."""
        if self.present and self.lesson in self.lessons:
            here = await run_in_thread("class", partial(read_standing, self._progress, self.lesson))
            if here.steps:
                hints, missed = sum((here.hints or {}).values()), here.missed or {}
                told = {**asdict(here), "hints": hints, "missed": missed}
                await self.ask("PUT", f"/class/learners/{self.present}", told)

    @property
    def _progress(self) -> Path:
        return DataFolder(self._data.lessons / self.lesson).lesson_progress

    async def _forget(self) -> Path:
        """Forget how far somebody else was in the lesson, and return its file."""
        await run_in_thread("class", partial(self._progress.unlink, missing_ok=True))
        if self.lesson not in self.lessons:
            raise LessonInvalid(self.lesson, "", "isn't among the lessons of this computer")
        return self.lessons[self.lesson][0]

    def _record(self, one: Mapping[str, Any], step_name: Callable[[str, int], str]) -> Record:
        lesson, step = one["lesson"], max(one["missed"], key=one["missed"].get, default="")
        return {
            **{name: one[name] for name in COLUMNS if name in one},
            "title": self.lessons[lesson][1].title if lesson in self.lessons else "",
            "minutes": round(one["seconds"] / 60, 1),
            "most_missed_step": step_name(lesson, int(step)) if step.isdecimal() else "",
        }
