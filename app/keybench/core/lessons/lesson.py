"""A lesson as its file has it, and what a learner has come to, by what happened in journal and gateway.

Only events count: what the journal noted, and what the gateway answered. So a lesson that was left goes on
where it was, and no window needs to be open for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final

#: What begins a word in a pattern that stands for everything else.
_NOT: Final = "!"


@dataclass(frozen=True, slots=True)
class LessonEvent:
    """One thing that happened.

    `event` is an action of the activity (``key added``), ``sale`` for a sale's outcome, ``stage done`` of a
    rotation, or ``call`` for what the gateway answered; *A lesson* in app/keybench/README.md has the fields.
    """

    at: datetime
    event: str
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pattern:
    """What has to happen, or must not.

    A field fits if one of its words does: ``*`` stands for any letters, and ``!`` in front for everything
    else. It is there once `count` events fit, which differ in the field `distinct` if that is named. Events
    of the whole lesson count, or with `since_step` those since the step began.
    """

    event: str
    fields: Mapping[str, tuple[str, ...]]
    count: int = 1
    distinct: str = ""
    since_step: bool = False
    text: str = ""

    def fits(self, event: LessonEvent) -> bool:
        """Tell whether an event is one of those."""
        return event.event == self.event and all(
            any(_fits(word, event.fields.get(name, "")) for word in words)
            for name, words in self.fields.items()
        )

    def among(self, events: Iterable[LessonEvent]) -> list[LessonEvent]:
        """Return the events that fit, the first of each that differs where they have to."""
        fitting = [one for one in events if self.fits(one)]
        if not self.distinct:
            return fitting
        first: dict[str, LessonEvent] = {}
        for one in fitting:
            first.setdefault(one.fields.get(self.distinct, ""), one)
        return list(first.values())

    def met_at(self, events: Iterable[LessonEvent]) -> datetime | None:
        """Return when so many of the events, which are in order, had happened; None if they haven't."""
        fitting = self.among(events)
        return fitting[self.count - 1].at if len(fitting) >= self.count else None


def _fits(word: str, value: str) -> bool:
    if word.startswith(_NOT):
        return not fnmatchcase(value.casefold(), word[1:].casefold())
    return fnmatchcase(value.casefold(), word.casefold())


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is done, by its verb in `workflows.lessons.deeds` and what that takes.

    `where` is its place in the file.
    """

    do: str
    given: Mapping[str, Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class WrongWay:
    """What a learner may do that isn't right; `breaks` if it breaks a rule, else it only doesn't help."""

    title: str
    deeds: tuple[Deed, ...]
    breaks: bool


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step. `about` is told after it; `show` is the accessible name of a control on `page`.

    `harmless` is what may be done meanwhile and doesn't matter. A step that is a `stage` of a rotation has
    that stage's title and line where it has none of its own.
    """

    title: str
    text: str
    about: str
    hints: tuple[str, ...]
    must: tuple[Pattern, ...]
    must_not: tuple[Pattern, ...] = ()
    solution: tuple[Deed, ...] = ()
    wrong: tuple[WrongWay, ...] = ()
    harmless: tuple[Deed, ...] = ()
    show: str = ""
    page: str = ""
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson; one without steps is a prepared desk. `minutes` is how long it takes, about.

    `learnt` is what a learner can tell a colleague afterwards.
    """

    id: str
    title: str
    minutes: int
    story: str
    learnt: str
    stage: tuple[Deed, ...]
    steps: tuple[LessonStep, ...] = ()
    must_not: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """How far a lesson has come.

    Attributes:
        done_at: When each step that is done was done.
        counts: How often each pattern of the present step's `must` has happened, of those needed.
        happened: What must not happen, with how often it did; the rules of the steps that are over included
            only where they were broken.
        broken: What must not happen and did; until the step is reset, nothing is done any more.
    """

    done_at: tuple[datetime, ...]
    counts: tuple[int, ...]
    happened: tuple[tuple[Pattern, int], ...]
    broken: tuple[Pattern, ...]

    @property
    def done(self) -> int:
        """How many steps are done."""
        return len(self.done_at)


def progress_of(lesson: Lesson, began_at: datetime, events: Sequence[LessonEvent]) -> LessonProgress:
    """Return how far `events`, in any order, have brought a lesson that began at `began_at`."""
    ordered = sorted((one for one in events if one.at >= began_at), key=lambda one: one.at)
    broken_at = min((at for rule in lesson.must_not if (at := rule.met_at(ordered))), default=None)
    happened = [(rule, len(rule.among(ordered))) for rule in lesson.must_not]
    since, done_at = began_at, list[datetime]()
    counts: tuple[int, ...] = ()
    for step in lesson.steps:
        in_step = [one for one in ordered if one.at >= since]
        met = [rule.met_at(in_step if rule.since_step else ordered) for rule in step.must]
        counts = tuple(
            min(len(rule.among(in_step if rule.since_step else ordered)), rule.count) for rule in step.must
        )
        end = max([since, *(at for at in met if at)]) if all(met) else None
        until = [one for one in in_step if end is None or one.at <= end]
        breaches = [(rule, len(rule.among(until))) for rule in step.must_not]
        is_broken = any(times >= rule.count for rule, times in breaches)
        if end is None or is_broken or (broken_at and broken_at <= end):
            happened += breaches
            break
        done_at.append(end)
        since, counts = end, ()
    broken = tuple(rule for rule, times in happened if times >= rule.count)
    return LessonProgress(tuple(done_at), counts, tuple(happened), broken)
