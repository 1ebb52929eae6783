"""What a sale's timeline shows: each event as a point with its second, its label and its look."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.outcome import Outcome
from keybench.core.sale import Mark, SaleEvent
from keybench.words.formats import duration
from keybench.words.outcomes import event_words, outcome_shape, tone_of_outcome

_LABEL_LIMIT: Final = 26
_INNER_CAPITAL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Look(enum.Enum):
    """How a point is drawn."""

    STEP = "step"
    POLL = "poll"
    TROUBLE = "trouble"
    OUTCOME = "outcome"


@dataclass(frozen=True, slots=True)
class Point:
    """One point.

    Attributes:
        at_s: Seconds since the sale was noted; never less than the point's before it.
        label: A few words beside it.
        look: How it is drawn.
        above: Whether its label would rather stand above the line.
        weight: The labels of the heaviest points are placed first.
        tone: The colour's name; empty for the usual one.
        shape: The sign inside an outcome's dot.
        words: The whole event in words, as it came, for those who listen.
    """

    at_s: float
    label: str
    look: Look
    above: bool
    weight: int
    tone: str = ""
    shape: str = ""
    words: str = ""


#: Look, above the line, weight of the label.
_STYLES: Final = {
    Mark.NOTED: (Look.STEP, True, 6),
    Mark.SENT: (Look.STEP, False, 4),
    Mark.ACCEPTED: (Look.STEP, True, 5),
    Mark.STATUS: (Look.POLL, False, 1),
    Mark.TROUBLE: (Look.TROUBLE, True, 3),
    Mark.LOOKED_UP: (Look.STEP, True, 3),
    Mark.CHECKED: (Look.STEP, True, 3),
    Mark.CANCEL_ASKED: (Look.STEP, True, 4),
    Mark.OUTCOME: (Look.OUTCOME, False, 7),
}


def points_of(noted_at: datetime, events: Sequence[SaleEvent]) -> list[Point]:
    """Return a sale's events as points, in order.

    A wall clock that was set back between two events doesn't turn the order round: the later one then
    stands at the same second.
    """
    points: list[Point] = []
    latest_s = 0.0
    status = ""
    for event in events:
        latest_s = max(latest_s, (event.at - noted_at).total_seconds())
        points.append(_point(event, latest_s, news=event.detail != status))
        status = event.detail
    return points


def describe(points: Sequence[Point]) -> str:
    """Return the timeline as text, one point a line, for screen readers."""
    return "\n".join(point.words for point in points)


def _point(event: SaleEvent, at_s: float, *, news: bool) -> Point:
    look, above, weight = _STYLES[event.mark]
    words = event_words(event)
    label = _INNER_CAPITAL.sub(" ", words).lower() if event.mark is Mark.STATUS else words
    took = duration(event.took_s) if event.took_s is not None else ""
    if event.mark is Mark.ACCEPTED and took:
        label = words = f"{label} {took}"
    if len(label) > _LABEL_LIMIT:
        label = label[: _LABEL_LIMIT - 1].rstrip() + "…"
    tone, shape = _tone(event)
    weight += event.mark is Mark.STATUS and news
    spoken = f"{duration(at_s)}: {words}"
    return Point(at_s, label, look, above, weight, tone, shape, spoken)


def _tone(event: SaleEvent) -> tuple[str, str]:
    if event.mark is Mark.OUTCOME:
        outcome = Outcome(event.detail)
        return tone_of_outcome(outcome), outcome_shape(outcome)
    return ("warning", "!") if event.mark is Mark.TROUBLE else ("", "")
