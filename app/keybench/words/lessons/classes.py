"""A class in words: what each learner does now and for how long, and what the board says of all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from keybench.core.rotations.stages import Stage
from keybench.core.sales.sale import Outcome
from keybench.words.activity import ACTION_WORDS
from keybench.words.formats import day, decimal, roughly
from keybench.words.language import _
from keybench.words.lessons.practice import why_words
from keybench.words.lessons.progress import step_title
from keybench.words.rotations.stages import STAGE_TITLES
from keybench.words.sales.outcomes import outcome_word
from keybench.workflows.lessons.hosting import SLOW_S, LearnerLine, Lessons

#: After so many seconds without a word of a console, the board says so.
_QUIET_S: Final = 15
#: What a lesson's event says, with its fields; of an action of the activity, see `ACTION_WORDS`.
_EVENTS: Final[Mapping[str, str]] = {
    "sale": _("Sale: {outcome}, {amount} on {device}"),
    "sale sent": _("Sale sent: {amount} on {device}"),
    "sale cancelled from here": _("Sale cancelled from here: {amount} on {device}"),
    "call": _("Call: {why}"),
    "stage done": _("Stage done: {stage}"),
    "taken as compromised": _("Taken as compromised: {key}"),
}
#: The tones of a time, as a screen reader says them.
_SPOKEN: Final[Mapping[str, str]] = {
    "": "{time}",
    "good": _("done in {time}"),
    "warning": _("slow, {time} on this step"),
    "bad": _("stuck, {time} on this step"),
}


def now_words(event: str, fields: Mapping[str, str]) -> str:
    """Return what a learner did last, by a lesson's event and its fields."""
    if event not in _EVENTS:
        return ": ".join(filter(None, (ACTION_WORDS.get(event, event), fields.get("subject", ""))))
    outcomes = {one.value: outcome_word(one) for one in Outcome}
    stages = {one.value: STAGE_TITLES[one] for one in Stage}
    told = dict.fromkeys(("outcome", "amount", "device", "why", "stage", "key"), "") | dict(fields)
    told["outcome"] = outcomes.get(told["outcome"], told["outcome"])
    told["stage"] = stages.get(told["stage"], told["stage"])
    told["why"] = why_words(told["why"])
    refused = event == "call" and told.get("status", "") >= "4"
    return (_("Call refused: {why}") if refused else _EVENTS[event]).format_map(told)


def line_words(line: LearnerLine) -> str:
    """Return what is to be said of a learner now."""
    if line.is_done:
        return _("between lessons")
    if line.heard_s is None:
        return _("not heard yet")
    if line.heard_s > _QUIET_S:
        return _("not heard for {time}").format(time=roughly(line.heard_s))
    told = line.standing
    if not told.get("broken") and not told.get("event"):
        return _("nothing done yet") if told else ""
    return told["broken"] or now_words(told["event"], told["fields"])


def step_words(line: LearnerLine) -> str:
    if line.is_done or not line.standing:
        return _("done") if line.is_done else _("not begun")
    number, count = line.standing["done"] + 1, line.standing["steps"]
    return _("{number} of {count}").format(number=number, count=count)


def time_words(line: LearnerLine, *, spoken: bool = False) -> tuple[str, str]:
    """Return how long a learner has been on the step, or took for the lesson, and its tone; with a sign unless spoken."""
    tone = (
        "good" if line.is_done else "bad" if line.is_stuck else "warning" if line.on_step_s >= SLOW_S else ""
    )
    seconds = line.standing.get("seconds", 0) if line.is_done else line.on_step_s
    time = _("{minutes} min").format(minutes=int(seconds // 60)) if line.standing else ""
    sign = {"good": "✓ ", "bad": "▲ "}.get(tone, "")
    return _SPOKEN[tone].format(time=time) if spoken else f"{sign}{time}", tone


def step_name(lessons: Lessons, lesson: str, number: int) -> str:
    """Return the title of a step, or its number if the lesson isn't known here."""
    steps = lessons[lesson][1].steps if lesson in lessons else ()
    if 0 < number <= len(steps):
        return step_title(steps[number - 1])
    return _("Step {number}").format(number=number)


def learner_words(number: str) -> str:
    return _("learner {number}").format(number=number)


def class_words(board: Mapping[str, Any], present: str) -> str:
    """Return how many joined, how quickly they are answered, and who learns at this computer."""
    count, of, ms = len(board["learners"]), board["seats"], board["answers_ms"]
    quick = "" if ms is None else _("99 % of answers in {ms} ms").format(ms=decimal(ms, 0))
    joined = _("{count} of {of} joined").format(count=count, of=of)
    here = _("{learner} is at this computer").format(learner=learner_words(present)) if present else ""
    return " · ".join(filter(None, (joined, quick, here, _("nobody sees another's account"))))


def earlier_words(held_at: datetime) -> str:
    return _("the class of {day}").format(day=day(held_at))
