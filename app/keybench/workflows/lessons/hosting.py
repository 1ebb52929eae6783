"""Holding a class: its gateway, who learns in it and how far each is, and what is kept of that."""

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
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from keybench.core.errors import FileNotSaved, LessonInvalid, PracticeUnavailable, Refused
from keybench.core.lessons.lesson import Lesson
from keybench.core.ports import Practice
from keybench.core.reasons import Reason
from keybench.runtime.data_folder import DataFolder
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import Record, save, write_records
from keybench.runtime.worker import run_in_thread
from keybench.workflows.lessons.files import lesson_files, lesson_id, read_lesson
from keybench.workflows.lessons.standing import LessonStanding, read_standing
from keybench.workflows.world import World

COLUMNS: Final = (
    *("learner", "lesson", "title", "steps", "done", "hints", "misses", "minutes"),
    *("most_missed_step", "signed_by"),
)
#: On one step for so long, in seconds, a learner is slow, or stuck.
SLOW_S: Final = 5 * 60
STUCK_S: Final = 8 * 60
_MINUTE_S: Final = 60
_LARGEST: Final = 256 * 1024
_WORKER: Final = "class"


@dataclass(frozen=True, slots=True)
class LearnerLine:
    """A learner on the board.

    `heard_s` is how long ago their console was heard, None if it never was; `on_step_s` how long they have
    been on their step, and `standing` what their console told last.
    """

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
        """What the board is sorted by: who is stuck comes first, who is done last."""
        return self.is_done, not self.is_stuck, -self.on_step_s


@dataclass(frozen=True, slots=True)
class HostedClass:
    """A class as its gateway tells of it. `join` is empty for one on this computer alone."""

    join: str
    words: str
    seats: int
    lesson: str
    preset: str
    seed: int | None
    answers_ms: float | None
    learners: tuple[LearnerLine, ...]
    results: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> HostedClass:
        """Return it of the gateway's answer."""
        learners = (
            LearnerLine(one["learner"], one["heard_s"], one["on_step_s"], one["standing"] or {})
            for one in plain["learners"]
        )
        weather = plain["weather"]
        return cls(
            join=plain["join"],
            words=plain["words"],
            seats=plain["seats"],
            lesson=(plain["lesson"] or {}).get("id", ""),
            preset=weather["preset"],
            seed=weather.get("seed"),
            answers_ms=plain["answers_ms"],
            learners=tuple(sorted(learners, key=lambda one: one.urgency)),
            results=tuple(plain["results"]),
        )

    @property
    def most_missed(self) -> tuple[int, int, int]:
        """Which step of the lesson most learners missed, by how many of how many; step 0 for none."""
        these = [one for one in self.results if one["lesson"] == self.lesson]
        missed = Counter(step for one in these for step, times in _missed(one).items() if times)
        step, count = min(missed.items(), key=lambda one: (-one[1], one[0]), default=(0, 0))
        return step, count, len(these)


def _missed(result: Mapping[str, Any]) -> Mapping[int, int]:
    """Return how often each step was missed; another gateway's may have signed more than numbers."""
    return {int(step): times for step, times in result["missed"].items() if step.isdecimal()}


@dataclass(frozen=True, slots=True)
class EarlierClass:
    """A class that was held before: when, and how many learned in it, 0 if that isn't known."""

    at: datetime
    learners: int


def addresses() -> Sequence[str]:
    """Return the addresses of this computer, those that others most likely reach first; it blocks."""
    import psutil  # noqa: PLC0415 - few hold a class

    all_of_them = [one.address for those in psutil.net_if_addrs().values() for one in those]
    found = set()
    for text in all_of_them:
        with suppress(ValueError):  # of a network card, or with the card's name in it
            found.add(ipaddress.ip_address(text))
    ranked = sorted(found, key=lambda one: (one.is_loopback, one.is_link_local, one.version, int(one)))
    return [str(one) for one in ranked if "%" not in str(one)]


class Hosting:
    """The class of this console. Every coroutine may raise a KeybenchError.

    Attributes:
        practice: The gateway that serves it; None while none does.
        lessons: The lessons there are with their files, by id, once `look` was called.
        board: What was told of it last.
        present: Who learns at this computer, in a class without a network; empty for nobody yet.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._data = DataFolder(Path(world.installation.place.folder))
        self._noted = self._data.classroom / "learners"
        self.practice: Practice | None = None
        self.lessons: dict[str, tuple[Path, Lesson]] = {}
        self.board: HostedClass | None = None
        self.present = ""

    async def look(self) -> EarlierClass | None:
        """Read the lessons, and return the class that was held before."""
        return await run_in_thread(_WORKER, self._look)

    async def begin(self, host: str, lesson: str) -> None:
        """Serve a class at an address, or on this computer alone for an empty one.

        Without a lesson the earlier class goes on, else what is there of it is removed.
        """
        if lesson:
            await run_in_thread(
                _WORKER, partial(shutil.rmtree, self._data.classroom / "practice", ignore_errors=True)
            )
        practice = self._world.class_gateway(host)
        try:
            await practice.ask("PUT", "/class", await self._told(lesson) if lesson else {})
        except BaseException:
            await practice.stop()
            raise
        self.practice, self.board, self.present = practice, None, ""

    async def end(self) -> None:
        """Serve it no longer; its results stay."""
        practice, self.practice = self.practice, None
        if practice:
            await practice.stop()

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Make one of the trainer's calls."""
        if self.practice is None:
            raise PracticeUnavailable(Reason.PRACTICE_STOPPING)
        return await self.practice.ask(method, path, body)

    async def read(self) -> HostedClass:
        """Return what there is to tell of it now."""
        await self._tell_present()
        before = self.board
        self.board = HostedClass.of(await self.ask("GET", "/class"))
        count = len(self.board.learners)
        if before is None or count != len(before.learners):
            with suppress(FileNotSaved):  # then it is only not known next time
                await save(self._noted, str(count))
        return self.board

    def following(self) -> Lesson | None:
        """Return the program's lesson after the present one, if there is one."""
        ids = map(lesson_id, lesson_files())
        after = dict(pairwise(ids)).get(self.board.lesson if self.board else "")
        return self.lessons[after][1] if after in self.lessons else None

    async def go_on(self, lesson: str) -> Path:
        """Have all learn another lesson, and return its file."""
        await self._tell_present()
        await self.ask("PUT", "/class", await self._told(lesson))
        return await self._anew(lesson)

    async def next_learner(self) -> Path:
        """Have the next one learn at this computer, and return the lesson's file."""
        await self._tell_present()
        self.present = (await self.ask("POST", "/class/learners"))["learner"]
        return await self._anew(self.board.lesson if self.board else "")

    async def export(self, folder: Path, step_name: Callable[[str, int], str]) -> int:
        """Write what each came to, as a list and as a signed file a learner; return how long the list is."""
        board = await self.read()

        async def rows() -> AsyncIterator[Sequence[Record]]:
            yield [self._record(one, step_name) for one in board.results]

        count = await write_records(folder / "results.csv", COLUMNS, rows())
        for learner in sorted({one["learner"] for one in board.results if not one["signed_by"]}):
            signed = await self.ask("GET", f"/class/learners/{learner}/result")
            await save(folder / f"learner-{learner}.json", json.dumps(signed, ensure_ascii=False, indent=1))
        return count

    async def merge(self, files: Sequence[Path]) -> Sequence[str]:
        """Take in signed results of another gateway; return the names of files that were refused."""
        refused = []
        for file in files:
            try:
                signed = json.loads(await run_in_thread(_WORKER, partial(read_file, file, _LARGEST)))
                await self.ask("POST", "/class/results", {**signed})
            except (OSError, ValueError, TypeError, RecursionError):
                refused.append(file.name)
            except Refused as error:
                if error.status != HTTPStatus.BAD_REQUEST:
                    raise
                refused.append(file.name)
        return refused

    # --- inside ------------------------------------------------------------------------------------------

    def _look(self) -> EarlierClass | None:
        for path in (*lesson_files(), *lesson_files(self._data.lessons / "own")):
            with suppress(LessonInvalid):  # the list of lessons says why
                self.lessons[lesson_id(path)] = path, read_lesson(path)
        try:
            held_at = (self._data.classroom / "practice").stat().st_mtime
        except OSError:
            return None
        learners = 0
        with suppress(OSError, ValueError):
            learners = int(read_file(self._noted, _LARGEST))
        return EarlierClass(datetime.fromtimestamp(held_at, UTC), learners)

    async def _told(self, lesson: str) -> Mapping[str, Any]:
        path, known = self.lessons[lesson]
        toml = await run_in_thread(_WORKER, partial(path.read_text, "utf-8"))
        return {"lesson": {"id": lesson, "title": known.title, "toml": toml}}

    def _standing_at(self, lesson: str) -> Path:
        return DataFolder(self._data.lessons / lesson).lesson_progress

    async def _tell_present(self) -> None:
        """Tell the gateway how far the learner at this computer is: their window knows nothing of a class."""
        lesson = self.board.lesson if self.board else ""
        if not self.present or lesson not in self.lessons:
            return
        read = partial(read_standing, self._standing_at(lesson), lesson)
        standing: LessonStanding = await run_in_thread(_WORKER, read)
        if standing.steps:
            steps = self.lessons[lesson][1].steps
            hints, missed = sum((standing.hints or {}).values()), standing.missed or {}
            step = steps[standing.done].title if standing.done < len(steps) else ""
            told = {**asdict(standing), "step": step, "hints": hints, "missed": missed}
            await self.ask("PUT", f"/class/learners/{self.present}", told)

    async def _anew(self, lesson: str) -> Path:
        """Forget how far somebody else was in a lesson, and return its file."""
        if lesson not in self.lessons:
            raise LessonInvalid(lesson, "", "is no lesson of this computer")
        await run_in_thread(_WORKER, partial(self._standing_at(lesson).unlink, missing_ok=True))
        return self.lessons[lesson][0]

    def _record(self, one: Mapping[str, Any], step_name: Callable[[str, int], str]) -> Record:
        lesson = self.lessons.get(one["lesson"])
        times, step = max(((times, -step) for step, times in _missed(one).items()), default=(0, 0))
        told = {name: one[name] for name in COLUMNS if name in one}
        return {
            **told,
            "title": lesson[1].title if lesson else "",
            "minutes": round(one["seconds"] / _MINUTE_S, 1),
            "most_missed_step": step_name(one["lesson"], -step) if times else "",
        }
