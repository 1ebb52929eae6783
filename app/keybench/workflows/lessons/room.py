"""A lesson's room: a console and a practice gateway in a data folder of their own, set up and watched."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError, LessonInvalid
from keybench.core.events import KeysChanged, RotationChanged, TimeMoved
from keybench.core.input_errors import NotFound, SalesUnderWay
from keybench.core.keys.key import SecurityKey
from keybench.core.lessons.lesson import Deed, Lesson, LessonEvent, LessonProgress, Pattern, progress_of
from keybench.core.lessons.practice import LogLine, SimulatedApplication
from keybench.core.ports import Activity, ActivityFilter
from keybench.core.rotations.rotation import COMPROMISED, Rotation
from keybench.core.rotations.stages import Stage, is_done
from keybench.core.sales.sale import Mark, Sale
from keybench.runtime.documents import UnreadableDocument, read_document, write_document
from keybench.runtime.supervisor import Supervisor
from keybench.workflows.administration import Administration
from keybench.workflows.console import Console
from keybench.workflows.lessons.deeds import DEEDS, LOOK_S
from keybench.workflows.rotations.managing import Rotations

#: The setting that tells when the lesson began, and after which line of the gateway's log.
_BEGAN: Final = "lesson.began"
#: Lessons are over long before there are so many.
_MOST: Final = 2000
#: How many times as fast devices act where nobody watches.
_HURRY: Final = 20.0
#: For how long something that has to happen is waited for, in seconds.
_PATIENCE_S: Final = 60.0
_SALE_EVENTS: Final = {
    Mark.OUTCOME: "sale",
    Mark.SENT: "sale sent",
    Mark.CANCEL_ASKED: "sale cancelled from here",
}
#: What an event of a call has of the log's line.
_OF_CALL: Final = ("method", "path", "status", "why", "key", "caller", "device", "amount")


@dataclass(frozen=True, slots=True)
class Began:
    """When a lesson's stage was ready, and which was the last line of the gateway's log then.

    `lesson` stands for what it said, `account` is the learner's.
    """

    at: datetime
    number: int
    lesson: str
    account: str = ""


class Room:
    """What a lesson is played in. Every method may raise a KeybenchError.

    Args:
        console: Opened on the lesson's own data folder.
        lesson: What is set up and watched.

    Attributes:
        newest: The last that a person did here, as far as `progress` has seen.
        account: The learner's, in a class; a stage goes on only in the one it was set up in.
    """

    def __init__(self, console: Console, lesson: Lesson) -> None:
        self.console = console
        self.lesson = lesson
        self.log: list[LogLine] = []
        self.began: Began | None = None
        self.newest: LessonEvent | None = None
        self.account = ""
        self._digest = hashlib.sha256(repr(lesson).encode()).hexdigest()
        self._supervisor = Supervisor(lambda _name, _error: None)

    @cached_property
    def administration(self) -> Administration:
        """What administering keys needs."""
        return Administration(self.console)

    @property
    def rotations(self) -> Rotations:
        """The use cases of rotations."""
        return self.administration.rotations

    @property
    def person(self) -> str:
        """Who works here."""
        return self.console.world.who() or "Learner"

    async def hurry(self, times: float = _HURRY) -> None:
        """Have devices act, and this console wait, so many times as fast, for what nobody watches."""
        await self.ask("PUT", "/portal/clock", {"moved_s": self.console.clock.moved_s, "speed": times})
        self.console.clock.haste = times

    async def close(self) -> None:
        """End what goes on in the background."""
        await self._supervisor.close()

    # --- setting up ----------------------------------------------------------------------------------------

    async def resume(self) -> bool:
        """Go on where the lesson was left; False if no stage of it was ready, or that of another account."""
        self._take_time((await self.ask("GET", "/portal/clock"))["moved_s"])
        stored = await self.console.world.journal.setting(_BEGAN)
        try:
            began = read_document(Began, stored)
        except UnreadableDocument:  # empty, or a newer Keybench's
            return False
        if (began.lesson, began.account) != (self._digest, self.account):
            return False
        self.began = began
        return True

    async def was_begun(self) -> bool:
        """Tell whether something was set up in the folder, if only in part."""
        return bool(await self.console.world.journal.activities(1))

    async def set_up(
        self, at_step: int = 0, on_deed: Callable[[int, int], None] = lambda _done, _of: None
    ) -> None:
        """Prepare the stage in an empty folder, and do the steps before `at_step`."""
        deeds = [
            *self.lesson.stage,
            *(deed for step in self.lesson.steps[:at_step] for deed in step.solution),
        ]
        pace = self.console.clock.haste
        await self.hurry()
        for number, deed in enumerate(deeds):
            on_deed(number, len(deeds))
            if number == len(self.lesson.stage):
                await self._begin()
            await self.do(deed)
        if self.began is None:
            await self._begin()
        await self.hurry(pace)

    async def _begin(self) -> None:
        await self.set_clock(0.0)
        newest = (await self.ask("GET", "/portal/log?limit=1"))["entries"]
        number = newest[0]["sequence"] if newest else 0
        began = Began(self.console.clock.now(), number, self._digest, self.account)
        await self.console.world.journal.update_setting(_BEGAN, lambda _stored: write_document(began))
        self.began = began

    async def do(self, deed: Deed) -> None:
        """Do one of a lesson's deeds; LessonInvalid with its place if it can't be done."""
        try:
            await DEEDS[deed.do](self, **deed.given)
        except LessonInvalid:
            raise
        except KeybenchError as error:
            raise LessonInvalid(
                self.lesson.id, deed.where, f"{deed.do}: {type(error).__name__} {error}"
            ) from error

    # --- watching ------------------------------------------------------------------------------------------

    async def progress(self) -> LessonProgress:
        """Return how far the lesson has come by now."""
        assert self.began  # noqa: S101 - it was set up or resumed
        events, since = await self.events(), self.began.at
        deeds = (one for one in events if one.event != "call" and one.at >= since)
        self.newest = max(deeds, key=lambda one: one.at, default=None)
        return progress_of(self.lesson, since, events)

    async def events(self) -> list[LessonEvent]:
        """Return all that happened in journal and gateway since the lesson began."""
        await self.mirror_register()
        await self.read_log()
        number = self.began.number if self.began else 0
        rotations = await self.rotations.listed()
        which = {one.old.name: "old" for one in rotations}
        which |= {one.replacement.name: "new" for one in rotations if one.replacement}
        called = [_call(line, which.get(line.key, "")) for line in self.log if line.number > number]
        return [*await self._noted(), *await self._sold(), *_rotated(rotations), *called]

    async def read_log(self) -> Sequence[LogLine]:
        """Read what is new in the gateway's log, and return all of it, polls left out."""
        while True:
            after = self.log[-1].number if self.log else self.began.number if self.began else 0
            told = await self.ask("GET", f"/portal/log?after={after}&limit=500&polls=false")
            self.log += map(LogLine.of, told["entries"])
            if len(told["entries"]) < 500:  # noqa: PLR2004 - the limit above
                return self.log

    async def _noted(self) -> list[LessonEvent]:
        since = self.began.at if self.began else None
        lines = await self.console.world.journal.activities(_MOST, ActivityFilter(since=since))
        where = await self._where(lines)
        return [
            LessonEvent(
                line.at,
                line.action,
                {
                    "subject": line.subject,
                    "result": line.result,
                    "who": line.who,
                    **where(line.environment_id, line.subject),
                },
            )
            for line in lines
        ]

    async def _sold(self) -> list[LessonEvent]:
        sales = {one.reference: one for one in await self.console.recent_sales(None, _MOST)}
        where = await self._where(tuple(sales.values()))
        await self.console.log.write_polls()
        timelines = await self.console.world.journal.timelines(tuple(sales))
        told = {
            reference: {
                "amount": sale.money.figure,
                "device": sale.device,
                "key": sale.key_name,
                "mode": sale.mode.value,
                **where(sale.environment_id, sale.key_name),
            }
            for reference, sale in sales.items()
        }
        return [
            LessonEvent(
                event.at,
                _SALE_EVENTS[event.mark],
                {**told[reference], "reference": reference, "outcome": event.detail},
            )
            for reference, events in timelines.items()
            for event in events
            if event.mark in _SALE_EVENTS
        ]

    async def _where(
        self, records: Sequence[Activity] | Sequence[Sale]
    ) -> Callable[[str, str], dict[str, str]]:
        """Return what tells of an environment of the records, by its id, and of a key there, by its name."""
        world = self.console.world
        names = await world.environment_names(one.environment_id for one in records)
        keys = {
            (key.environment_id, key.name): {
                "username": key.username,
                "permission": key.permission,
                "kind": key.kind.value,
            }
            for key in await world.journal.all_keys()
        }
        return lambda where, key: {"environment": names.get(where, ""), **keys.get((where, key), {})}

    # --- what deeds and watchers need ----------------------------------------------------------------------

    async def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Make one of the trainer's calls; see `core.ports.Practice.ask`."""
        return await self.console.world.practice.ask(method, path, body)

    async def mirror_register(self) -> None:
        """Set in each simulated application the key that the register says it uses.

        As in a real one, it isn't used before the application is restarted, unless it takes it at once.
        """
        listed = (await self.ask("GET", "/portal/applications"))["applications"]
        simulated = {one.name: one for one in map(SimulatedApplication.of, listed)}
        if not simulated:
            return
        register = await self.administration.applications.listed()
        keys = {key.id: key for key in await self.console.world.journal.all_keys()}
        for entry in register:
            application, key = simulated.get(entry.name), keys.get(entry.key_id)
            if application and key and key.gateway_id and key.gateway_id != application.key_id:
                with suppress(NotFound):
                    await self.ask("PUT", f"/portal/applications/{entry.name}", {"key_id": key.gateway_id})

    async def move_time(self, seconds: float) -> None:
        """Move the time of gateway and console on; SalesUnderWay while a sale would be left behind."""
        if unfinished := await self.console.world.journal.unfinished_sales():
            raise SalesUnderWay("", len(unfinished))
        await self.set_clock(self.console.clock.moved_s + seconds)
        # Ages, ends and what is overdue are told anew.
        for rotation in await self.administration.rotations.listed():
            self.console.events.publish(RotationChanged(rotation.id, rotation.environment_id))
        for environment in await self.console.environments.all():
            self.console.events.publish(KeysChanged(environment.id))

    async def set_clock(self, moved_s: float) -> None:
        """Have gateway and console go by the system's time and so many seconds."""
        await self.ask("PUT", "/portal/clock", {"moved_s": moved_s})
        self._take_time(moved_s)

    def _take_time(self, moved_s: float) -> None:
        self.console.clock.moved_s = moved_s
        self.console.events.publish(TimeMoved())

    async def until(self, wanted: Pattern) -> None:
        """Wait until something has happened since this was called; TimeoutError as a LessonInvalid."""
        began_at, clock = self.console.clock.now(), self.console.clock
        end = clock.monotonic() + _PATIENCE_S
        while clock.monotonic() < end:
            new = [one for one in await self.events() if one.at >= began_at]
            if len(wanted.among(new)) >= wanted.count:
                return
            await clock.sleep(LOOK_S)
        raise LessonInvalid(self.lesson.id, "", f"{wanted.event} didn't happen within {_PATIENCE_S:.0f} s")

    async def key(self, name: str, environment: str = "practice") -> tuple[Environment, SecurityKey]:
        """Return a key by name with its environment."""
        where = await self.console.environments.named(environment)
        return where, await self.console.keys.named(where, name)

    async def newest_sale(self) -> Sale:
        """Return the newest sale."""
        for sale in await self.console.recent_sales(None, 1):
            return sale
        raise NotFound("sale", "newest")

    async def rotation(self) -> Rotation:
        """Return the newest rotation that is open."""
        for rotation in await self.rotations.listed():
            if rotation.is_open:
                return rotation
        raise NotFound("rotation", "open")

    async def application_step(self, name: str) -> tuple[str, str]:
        """Return the ids of the open rotation and of its application of that name."""
        rotation = await self.rotation()
        for step in rotation.applications:
            if step.name == name:
                return rotation.id, step.application_id
        raise NotFound("application", name)

    def in_background(self, name: str, work: Coroutine[Any, Any, Any]) -> None:
        """Start work that goes on meanwhile."""
        self._supervisor.start(name, work)


def _rotated(rotations: Sequence[Rotation]) -> list[LessonEvent]:
    done = [
        LessonEvent(_done_at(one, stage), "stage done", {"stage": stage.value, "key": one.old.name})
        for one in rotations
        for stage in Stage
        if is_done(one, stage)
    ]
    compromised = [
        LessonEvent(seen.at, "taken as compromised", {"key": one.old.name})
        for one in rotations
        for seen in one.evidence
        if seen.what == COMPROMISED
    ]
    return [*done, *compromised]


def _call(line: LogLine, which: str) -> LessonEvent:
    """Return a call as an event; `which` of a rotation's keys it was made with, ``old`` or ``new``."""
    fields = {name: str(getattr(line, name)) for name in _OF_CALL}
    return LessonEvent(line.at, "call", {**fields, "with": which})


def _done_at(rotation: Rotation, stage: Stage) -> datetime:
    """Return when a stage that is done was done, as far as the rotation tells."""
    moments: dict[Stage, list[datetime | None]] = {
        Stage.CREATE: [rotation.proof.at if rotation.proof else None],
        Stage.REPLACE: [step.changed_at for step in rotation.applications],
        Stage.TEST: [step.seen_at for step in rotation.applications],
        Stage.DELETE: [rotation.deletion.erased_at if rotation.deletion else None],
        Stage.DOCUMENT: [rotation.documentation.at if rotation.documentation else None],
    }
    return max((one for one in moments[stage] if one), default=rotation.started_at)
