"""A sale's timeline as data: its events as points, and where dots and labels go, in pixels.

Time runs from left to right; for a language that is read the other way it is mirrored as it is painted.
Points that would lie on each other are moved apart, so that the three steps of the first 50 ms can be told
apart beside a poll at 4 s. Labels that find no room are left out, the lightest first.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from keybench.core.sales.forensics import Account, WaitCause
from keybench.core.sales.sale import Mark, Outcome, SaleEvent
from keybench.words.formats import duration
from keybench.words.language import _
from keybench.words.sales.forensics import gap_name
from keybench.words.sales.outcomes import event_words, outcome_shape, tone_of_outcome

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
        label: A few words below it.
        look: How it is drawn.
        weight: The labels of the heaviest points are placed first.
        tone: The colour's name; empty for the usual one.
        shape: The sign inside an outcome's dot.
        words: The whole event in words, as it came, for those who listen.
    """

    at_s: float
    label: str
    look: Look
    weight: int
    tone: str = ""
    shape: str = ""
    words: str = ""


#: Look, and weight of the label.
_STYLES: Final = {
    Mark.NOTED: (Look.STEP, 6),
    Mark.SENT: (Look.STEP, 6),
    Mark.ACCEPTED: (Look.STEP, 5),
    Mark.STATUS: (Look.POLL, 1),
    Mark.TROUBLE: (Look.TROUBLE, 3),
    Mark.LOOKED_UP: (Look.STEP, 3),
    Mark.CHECKED: (Look.STEP, 3),
    Mark.CANCEL_ASKED: (Look.STEP, 4),
    Mark.OUTCOME: (Look.OUTCOME, 7),
}


@dataclass(frozen=True, slots=True)
class Gap:
    """When nothing was known of a sale, in seconds since it was noted, and in words."""

    begin_s: float
    end_s: float
    words: str


def points_of(noted_at: datetime, events: Sequence[SaleEvent]) -> list[Point]:
    """Return a sale's events as points, in order; one that turned out not to have been sent has no *sent*.

    A wall clock that was set back between two events doesn't turn the order round: the later one then
    stands at the same second.
    """
    points: list[Point] = []
    latest_s = 0.0
    status = ""
    not_sent = any(event.mark is Mark.OUTCOME and event.detail == Outcome.NOT_SENT for event in events)
    for event in events:
        latest_s = max(latest_s, (event.at - noted_at).total_seconds())
        if not (not_sent and event.mark is Mark.SENT):  # it was about to be
            points.append(_point(event, latest_s, news=event.detail != status))
        status = event.detail
    return points


def gaps_of(account: Account) -> Sequence[Gap]:
    found = []
    for gap in (account.found(WaitCause.ANSWER_LOST), *account.gaps):
        if gap:
            begin, end, name = duration(gap.begin_s), duration(gap.end_s), gap_name(gap)
            words = _("{begin} to {end}: {name}").format(begin=begin, end=end, name=name)
            found.append(Gap(gap.begin_s, gap.end_s, words))
    return found


def describe(points: Sequence[Point], gaps: Sequence[Gap] = ()) -> str:
    """Return the timeline as text, a point or a gap a line in the order of time, for screen readers."""
    lines = [(point.at_s, point.words) for point in points]
    for gap in gaps:
        place = next((at for at, line in enumerate(lines) if line[0] > gap.begin_s), len(lines))
        lines.insert(place, (gap.begin_s, gap.words))
    return "\n".join(words for _at_s, words in lines)


def _point(event: SaleEvent, at_s: float, *, news: bool) -> Point:
    look, weight = _STYLES[event.mark]
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
    return Point(at_s, label, look, weight, tone, shape, spoken)


def _tone(event: SaleEvent) -> tuple[str, str]:
    if event.mark is Mark.OUTCOME:
        outcome = Outcome(event.detail)
        return tone_of_outcome(outcome), outcome_shape(outcome)
    return ("warning", "!") if event.mark is Mark.TROUBLE else ("", "")


#: The least distance between two dots and between two texts, in pixels, where there is room.
DOT_GAP: Final = 30.0
TEXT_GAP: Final = 6.0
#: How far a label that doesn't stand centred reaches beyond its dot.
_LEAN: Final = 3.0
#: What a running timeline ends at, in seconds: it grows in few steps, so that nothing creeps.
_SPANS: Final = (4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 210.0, 330.0)

Measure = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class TimelineLabel:
    """A point's label with the horizontal room it takes, in pixels."""

    text: str
    left: float
    right: float
    point: int

    def is_clear_of(self, other: TimelineLabel) -> bool:
        return self.right + TEXT_GAP <= other.left or other.right + TEXT_GAP <= self.left


@dataclass(frozen=True, slots=True)
class TimelineLayout:
    """A timeline laid out: each point's dot, the labels that have room, and each gap."""

    dots: tuple[float, ...]
    now: float
    labels: tuple[TimelineLabel, ...]
    gaps: tuple[tuple[float, float], ...] = ()


def span_s(elapsed_s: float, *, finished: bool) -> float:
    if finished:
        return max(elapsed_s, 0.001)
    return next((span for span in _SPANS if span >= elapsed_s * 1.1), elapsed_s * 1.25)


def lay_out(
    points: Sequence[Point],
    left: float,
    right: float,
    elapsed_s: float,
    end_s: float,
    measure: Measure,
    gaps: Sequence[Gap] = (),
) -> TimelineLayout:
    """Lay a timeline out."""
    room = max(right - left, 1.0)
    dots = _dots([point.at_s for point in points], left, room, end_s)
    axis = _Axis([point.at_s for point in points], dots, left, left + room, end_s)
    where = [(axis.x(gap.begin_s), axis.x(gap.end_s)) for gap in gaps]
    labels = _labels(points, dots, left, left + room, measure)
    now = max([axis.x(elapsed_s), *dots[-1:]])
    return TimelineLayout(tuple(dots), now, labels, tuple(where))


def _dots(seconds: Sequence[float], left: float, room: float, end_s: float) -> list[float]:
    """Place the dots in proportion to time, then push them apart to the right, then back inside."""
    count = len(seconds)
    gap = min(DOT_GAP, room / (count - 1)) if count > 1 else 0.0
    dots: list[float] = []
    for at_s in seconds:
        wanted = left + room * min(at_s / end_s, 1.0)
        dots.append(max(wanted, dots[-1] + gap) if dots else wanted)
    limit = left + room
    for index in range(count - 1, -1, -1):
        dots[index] = max(min(dots[index], limit), left)
        limit = dots[index] - gap
    return dots


class _Axis:
    """From seconds to pixels along the dots, in straight pieces."""

    def __init__(
        self, seconds: Sequence[float], dots: Sequence[float], left: float, right: float, end_s: float
    ) -> None:
        knots = [(0.0, left)]
        for at_s, x in zip(seconds, dots, strict=True):
            # Of several points at one second the last one counts, where time goes on from.
            if at_s <= knots[-1][0]:
                knots[-1] = (knots[-1][0], x)
            else:
                knots.append((at_s, x))
        if end_s > knots[-1][0]:
            knots.append((end_s, right))
        self._seconds = [at_s for at_s, _ in knots]
        self._dots = [x for _, x in knots]

    def x(self, at_s: float) -> float:
        after = bisect_right(self._seconds, at_s)
        if after == len(self._seconds):
            return self._dots[-1]
        before_s, after_s = self._seconds[after - 1], self._seconds[after]
        before_x, after_x = self._dots[after - 1], self._dots[after]
        return before_x + (after_x - before_x) * (at_s - before_s) / (after_s - before_s)


def _rooms(text: str, x: float, left: float, right: float, measure: Measure) -> list[tuple[float, float]]:
    """Return where a text may stand at `x`, kept inside: centred, else to one side of it.

    Each room has `x` in it. There is none for a text longer than all of the line.
    """
    width = measure(text)
    if width > right - left:
        return []
    lean = min(_LEAN, width / 2)
    wished = (x - width / 2, x - lean, x + lean - width)
    starts = (min(max(start, left), right - width) for start in wished)
    return [(start, start + width) for start in starts]


def _labels(
    points: Sequence[Point], dots: Sequence[float], left: float, right: float, measure: Measure
) -> tuple[TimelineLabel, ...]:
    placed: list[TimelineLabel] = []
    heaviest_first = sorted(range(len(points)), key=lambda index: (-points[index].weight, index))
    for index in heaviest_first:
        label = points[index].label
        rooms = _rooms(label, dots[index], left, right, measure) if label else []
        labels = (TimelineLabel(label, *room, index) for room in rooms)
        if found := next((one for one in labels if all(map(one.is_clear_of, placed))), None):
            placed.append(found)
    return tuple(sorted(placed, key=lambda one: one.left))
