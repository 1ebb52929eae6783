"""Checks that a lesson can be learnt: it starts unsolved, its solution passes, and what is wrong doesn't."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from keybench.core.errors import LessonInvalid
from keybench.core.lessons.lesson import Deed, Lesson, LessonProgress, LessonStep, WrongWay
from keybench.workflows.lessons.room import Room

OpenRoom = Callable[[], AbstractAsyncContextManager[Room]]


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was checked; `reason` why it doesn't hold, empty if it does."""

    where: str
    what: str
    reason: str = ""


async def check(lesson: Lesson, open_room: OpenRoom, tell: Callable[[Checked], object]) -> bool:
    """Try a lesson and return whether it holds; `tell` is given what is found, in order.

    After a fault nothing more is tried.

    Args:
        open_room: Opens a room for it in a new and empty data folder.
    """
    async with open_room() as room:
        await room.set_up()
        tell(Checked("stage", "is ready"))
        for number, step in enumerate(lesson.steps):
            if not await _followed(room, number, step, tell):
                return False
    for number, step in enumerate(lesson.steps):
        for position, way in enumerate(step.wrong):
            if way.breaks:
                async with open_room() as room:
                    await room.set_up(number)
                    found = await _broken(room, number, f"steps[{number}].wrong[{position}]", way)
                tell(found)
                if found.reason:
                    return False
    return True


async def _followed(room: Room, number: int, step: LessonStep, tell: Callable[[Checked], object]) -> bool:
    """Do a step as it should be, and before that what neither helps nor matters."""
    where = f"steps[{number}]"
    ways: list[tuple[str, str, Sequence[Deed], int]] = [(where, "starts unsolved", (), number)]
    for position, way in enumerate(step.wrong):
        if not way.breaks:
            ways.append((f"{where}.wrong[{position}]", f"doesn't help: {way.title}", way.deeds, number))
    if step.harmless:
        ways.append((f"{where}.harmless", "doesn't matter", step.harmless, number))
    ways.append((f"{where}.solution", "passes", step.solution, number + 1))
    for place, what, deeds, done in ways:
        reason = await _tried(room, deeds) or _not_as(await room.progress(), done)
        tell(Checked(place, what, reason))
        if reason:
            return False
    return True


async def _broken(room: Room, number: int, where: str, way: WrongWay) -> Checked:
    reason = await _tried(room, way.deeds)
    progress = await room.progress()
    if not reason and not progress.broken:
        reason = "breaks nothing that must not happen"
    if not reason and progress.done > number:
        reason = "passes the step all the same"
    return Checked(where, f"fails: {way.title}", reason)


async def _tried(room: Room, deeds: Sequence[Deed]) -> str:
    for deed in deeds:
        try:
            await room.do(deed)
        except LessonInvalid as error:
            return f"{error.where}: {error.reason}" if error.where else error.reason
    return ""


def _not_as(progress: LessonProgress, done: int) -> str:
    """Return how it differs from so many steps done and nothing broken."""
    if progress.broken:
        rule = progress.broken[0]
        return f"what must not happen happened: {rule.text or rule.event}"
    if progress.done != done:
        counts = ", ".join(map(str, progress.counts))
        return f"{progress.done} steps are done instead of {done} (of the next: {counts})"
    return ""
