"""How far a lesson has come, as its folder tells it to windows on other folders."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from keybench.core.errors import FileNotSaved
from keybench.runtime.documents import UnreadableDocument, read_document, write_document
from keybench.runtime.file_system import read_file
from keybench.runtime.saving import save

_LARGEST = 64 * 1024


@dataclass(frozen=True, slots=True)
class LessonStanding:
    """How far a lesson has come.

    Attributes:
        lesson: The lesson's id.
        done: How many steps are done, of `steps`.
        hints: How many hints were taken in each step, by its number as a text.
        misses: How often something happened that must not; a reset doesn't take that back.
        seconds: How long its window was open.
        missed: How many of the misses were in each step, as `hints`.
    """

    lesson: str
    done: int = 0
    steps: int = 0
    hints: Mapping[str, int] | None = None
    misses: int = 0
    seconds: float = 0.0
    missed: Mapping[str, int] | None = None

    @property
    def is_over(self) -> bool:
        """Whether every step is done."""
        return bool(self.steps) and self.done >= self.steps

    def hints_at(self, step: int) -> int:
        """Return how many hints were taken in a step."""
        return (self.hints or {}).get(str(step), 0)

    def with_hint(self, step: int) -> LessonStanding:
        """Return it with one hint more."""
        return replace(self, hints={**(self.hints or {}), str(step): self.hints_at(step) + 1})

    def with_misses(self, step: int, more: int) -> LessonStanding:
        """Return it with so many misses more, in a step."""
        if not more:
            return self
        missed = {**(self.missed or {}), str(step): (self.missed or {}).get(str(step), 0) + more}
        return replace(self, misses=self.misses + more, missed=missed)


def read_standing(path: Path, lesson: str) -> LessonStanding:
    """Return what a lesson's folder tells, or that nothing is done yet."""
    with suppress(OSError, UnreadableDocument):
        standing = read_document(LessonStanding, read_file(path, _LARGEST))
        if standing.lesson == lesson:
            return standing
    return LessonStanding(lesson)


async def keep_standing(path: Path, standing: LessonStanding) -> None:
    """Keep it for other windows; where that can't be written, only they don't know it."""
    with suppress(FileNotSaved):
        await save(path, write_document(standing))
