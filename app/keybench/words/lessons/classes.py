"""A class in words: what each learner does now and for how long, and what the board says of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from keybench.core.lessons.lesson import Lesson
from keybench.core.rotations.stages import Stage
from keybench.core.sales.sale import Outcome
from keybench.words.activity import ACTION_WORDS
from keybench.words.formats import day, roughly
from keybench.words.language import _, ngettext
from keybench.words.lessons.practice import why_words
from keybench.words.lessons.progress import step_title
from keybench.words.rotations.stages import STAGE_TITLES
from keybench.words.sales.outcomes import outcome_word
from keybench.workflows.lessons.hosting import SLOW_S, EarlierClass, HostedClass, LearnerLine

#: After so many seconds without a word of a console, the board says so.
_QUIET_S: Final = 15
_ERRORS: Final = ("4", "5")
_SALES: Final = {"sale sent": _("Sale sent"), "sale cancelled from here": _("Sale cancelled from here")}
_OUTCOMES: Final[Mapping[str, str]] = {one.value: outcome_word(one) for one in Outcome}
_STAGES: Final[Mapping[str, str]] = {one.value: STAGE_TITLES[one] for one in Stage}


def now_words(event: str, fields: Mapping[str, str]) -> str:
    """Return what a learner did last, by a lesson's event and its fields."""

    def told(name: str) -> str:
        return fields.get(name, "")

    match event:
        case "sale" | "sale sent" | "sale cancelled from here":
            what = _SALES.get(event) or _("Sale: {outcome}").format(
                outcome=_OUTCOMES.get(told("outcome"), told("outcome"))
            )
            return _("{what}, {amount} on {device}").format(
                what=what, amount=told("amount"), device=told("device")
            )
        case "call":
            refused = _("Call refused: {why}") if told("status").startswith(_ERRORS) else _("Call: {why}")
            return refused.format(why=why_words(told("why")))
        case "stage done":
            return _("Stage done: {stage}").format(stage=_STAGES.get(told("stage"), told("stage")))
        case "taken as compromised":
            return _("{key} taken as compromised").format(key=told("key"))
        case _:
            action = ACTION_WORDS.get(event, event)
            subject = told("subject")
            return f"{action}: {subject}" if subject else action


def line_words(line: LearnerLine) -> str:
    """Return what is to be said of a learner now: the broken rule, if there is one."""
    if line.is_done:
        return _("between lessons")
    if line.heard_s is None:
        return _("not heard yet")
    if line.heard_s > _QUIET_S:
        return _("not heard for {time}").format(time=roughly(line.heard_s))
    if broken := line.standing.get("broken"):
        return str(broken)
    return now_words(line.standing.get("event", ""), line.standing.get("fields", {}))


def step_words(line: LearnerLine) -> str:
    steps = line.standing.get("steps", 0)
    if not steps:
        return _("not begun")
    done = line.standing["done"]
    return _("done") if line.is_done else _("{number} of {count}").format(number=done + 1, count=steps)


def time_words(line: LearnerLine) -> tuple[str, str]:
    """Return how long a learner has been on the step, with a sign where that is long, and its tone.

    Of one who is done, it is how long the lesson took.
    """
    if line.is_done:
        return f"✓ {_minutes(line.standing.get('seconds', 0))}", "good"
    words = _minutes(line.on_step_s) if line.standing else ""
    if line.is_stuck:
        return f"▲ {words}", "bad"
    return words, "warning" if line.on_step_s >= SLOW_S else ""


def spoken_time(line: LearnerLine) -> str:
    """Return the same for screen readers, which read no signs and no colours."""
    words, tone = time_words(line)
    time = words.lstrip("✓▲ ")
    said = {
        "good": _("done in {time}"),
        "bad": _("stuck, {time} on this step"),
        "warning": _("slow, {time} on this step"),
    }
    return said.get(tone, "{time}").format(time=time)


def _minutes(seconds: float) -> str:
    return _("{minutes} min").format(minutes=int(seconds // 60))


def step_name(lesson: Lesson | None, number: int) -> str:
    """Return the title of a step by its number, which alone is known of a lesson that isn't here."""
    if lesson and 0 < number <= len(lesson.steps):
        return step_title(lesson.steps[number - 1])
    return _("Step {number}").format(number=number)


def class_words(board: HostedClass) -> str:
    """Return how many joined, and how quickly they are answered."""
    count = len(board.learners)
    parts = [_("{count} of {seats} joined").format(count=count, seats=board.seats)]
    if not board.join:
        parts = [ngettext("1 learner", "{count} learners", count).format(count=count)]
    if board.answers_ms is not None:
        parts.append(_("99 % of answers in {ms:.0f} ms").format(ms=board.answers_ms))
    return " · ".join([*parts, _("nobody sees another's account")])


def earlier_words(earlier: EarlierClass) -> str:
    words = _("the class of {day}").format(day=day(earlier.at))
    learners = ngettext("1 learner", "{count} learners", earlier.learners).format(count=earlier.learners)
    return f"{words}, {learners}" if earlier.learners else words
