"""The manual and the lessons in what is spoken: which of their parts are translated, and those in a catalogue's words.

They have a catalogue of their own, ``texts.mo``, that is loaded when the first of them is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from keybench.core.lessons.lesson import Lesson, LessonStep, Pattern
from keybench.words.language import _, catalogue_of

DOMAIN: Final = "texts"
_FENCE: Final = "```"
_BETWEEN: Final = re.compile(r"\n\n+")
#: How a list's item and a table's row begin.
_PART: Final = re.compile(r"- |\||\d+\. ")
#: Between the names of a control and of the views it is in.
_WITHIN: Final = " > "


def text(message: str) -> str:
    """Return a part of the manual or of a lesson in what is spoken."""
    return (
        catalogue_of(DOMAIN).gettext(message) if message else ""
    )  # gettext's empty text is about the catalogue


def parts(page: str) -> list[list[str]]:
    """Return a page in Markdown as its blocks, which blank lines keep apart, and each as what is translated by itself.

    That is a list's item, a table's row, or else the block: a page changes in few of them.
    """
    return [_parts(block.strip("\n")) for block in _BETWEEN.split(page.strip("\n"))]


def has_words(part: str) -> bool:
    """Tell whether a part is something to translate: no code, which people type, and no rule of a table."""
    return not part.startswith(_FENCE) and any(letter.isalpha() for letter in part)


def page_in_language(page: str) -> str:
    """Return a page in what is spoken."""
    said = ("\n".join(text(part) if has_words(part) else part for part in block) for block in parts(page))
    return "\n\n".join(said) + "\n"


def _parts(block: str) -> list[str]:
    lines = block.split("\n")
    starts = [number for number, line in enumerate(lines) if _PART.match(line)]
    if not starts or starts[0] or block.startswith(_FENCE):
        return [block]
    return ["\n".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def texts_of(lesson: Lesson) -> Iterator[str]:
    """Give what people read of a lesson, as its file has it."""
    yield from (lesson.title, lesson.story, lesson.learnt)
    yield from (rule.text for rule in lesson.must_not)
    for step in lesson.steps:
        yield from (step.title, step.text, step.about, *step.hints)
        yield from (rule.text for rule in (*step.must, *step.must_not))


def lesson_in_language(lesson: Lesson) -> Lesson:
    """Return a lesson in what is spoken; what it shows is found by the names that stand in the window."""
    return replace(
        lesson,
        title=text(lesson.title),
        story=text(lesson.story),
        learnt=text(lesson.learnt),
        steps=tuple(map(_step, lesson.steps)),
        must_not=tuple(map(_pattern, lesson.must_not)),
    )


def _step(step: LessonStep) -> LessonStep:
    return replace(
        step,
        title=text(step.title),
        text=text(step.text),
        about=text(step.about),
        hints=tuple(map(text, step.hints)),
        must=tuple(map(_pattern, step.must)),
        must_not=tuple(map(_pattern, step.must_not)),
        show=_WITHIN.join(map(_, step.show.split(_WITHIN))) if step.show else "",
    )


def _pattern(pattern: Pattern) -> Pattern:
    return replace(pattern, text=text(pattern.text))
