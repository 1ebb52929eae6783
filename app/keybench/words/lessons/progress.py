"""How far a lesson has come, in words, and its steps: for the list of lessons, the panel and the band."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from keybench.core.lessons.classes import ClassSeat
from keybench.core.lessons.lesson import Lesson, LessonStep
from keybench.core.rotations.stages import Stage
from keybench.words.formats import day_count, duration, roughly
from keybench.words.language import _, ngettext
from keybench.words.rotations.stages import STAGE_TITLES, STAGE_WORDS, stage_number
from keybench.workflows.lessons.standing import LessonStanding

_MINUTE_S: Final = 60
_DAY_S: Final = 24 * 60 * _MINUTE_S


def step_title(step: LessonStep) -> str:
    return step.title or STAGE_TITLES[Stage(step.stage)]


def step_text(step: LessonStep) -> str:
    if step.text:
        return step.text
    stage = Stage(step.stage)
    words = _("Stage {number} of the rotation: {words}.")
    return words.format(number=stage_number(stage), words=STAGE_WORDS[stage])


def missing_words(step: LessonStep, counts: Sequence[int]) -> str:
    """Return how often what a step wants several times was done, a line each."""
    pairs = [(rule, count) for rule, count in zip(step.must, counts, strict=False) if rule.count > 1]
    words = _("{what}: {count} of {needed}")
    return "\n".join(
        words.format(what=rule.text or _("So far"), count=count, needed=rule.count) for rule, count in pairs
    )


def story_words(lesson: Lesson) -> str:
    """Return what it is about, and how long it takes."""
    words = ngettext("About a minute.", "About {minutes} minutes.", lesson.minutes)
    return f"{lesson.story} {words.format(minutes=lesson.minutes)}" if lesson.minutes else lesson.story


def elapsed_words(seconds: float) -> str:
    return roughly(int(seconds)) if seconds < _MINUTE_S else duration(int(seconds))


def times_words(times: int) -> str:
    return ngettext("Once so far", "{count} times so far", times) if times else _("0 so far")


def step_done_words(number: int, following: str) -> str:
    done = _("Step {number} is done.").format(number=number)
    then = _("Next: {following}").format(following=following) if following else _("That was the last one.")
    return f"{done} {then}"


def standing_words(standing: LessonStanding) -> tuple[str, str]:
    """Return how far it is, and the tone of that."""
    if not standing.steps:
        return _("not begun"), ""
    if standing.is_over:
        return _("done"), "good"
    number, count = standing.done + 1, standing.steps
    return _("step {number} of {count}").format(number=number, count=count), "accent"


def seat_words(seat: ClassSeat) -> str:
    words = _("Class: learner {learner}. Your word, to come back on any computer: {word}.")
    return words.format(learner=seat.learner, word=seat.word)


def moved_words(moved_s: float) -> str:
    """Return by how much time was moved on, if by more than a minute."""
    if moved_s < _MINUTE_S:
        return ""
    days, rest = divmod(round(moved_s), _DAY_S)
    parts = ([day_count(days)] if days else []) + ([roughly(rest)] if rest >= _MINUTE_S else [])
    return _("Time moved on {duration}").format(duration=" ".join(parts))


def place_words(lesson: str, lessons: Sequence[str]) -> str:
    """Return which of the program's lessons it is, if it is one."""
    if lesson not in lessons:
        return ""
    number = lessons.index(lesson) + 1
    return _("Lesson {number} of {count}").format(number=number, count=len(lessons))
