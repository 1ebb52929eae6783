"""What the newest sales tell of each device: its habit, and whether it is slow, late or odd.

A device is compared with itself a while ago and with the other devices of its environment. Outcomes are only
known to lie between two polls, so two of them are compared only where their intervals don't overlap (Gehan,
1965). A difference is told where it is large, and where chance would hardly make it: among all devices of an
environment together, were all of them well, there is a false remark about once in ten times. Where too few
sales are known, nothing is told.
"""

from __future__ import annotations

import enum
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.habit import (
    ENOUGH,
    MOST_LESSONS,
    UNTAUGHT,
    Basis,
    Habit,
    Lesson,
    device_habit,
    environment_habit,
    since_change,
)
from keybench.core.sale import Outcome

#: By how many of the newest sales a device is compared with itself before.
_NEWEST: Final = (3, 4, 6, 9, 13, 19)
#: So many of the newest must still be slow, or it is well again.
_STILL: Final = 4
_STILL_FACTOR: Final = 1.25
#: What takes this many times as long is worth a look.
_SLOWER: Final = 1.5
_SLOWER_THAN_OTHERS: Final = 2.0
_SCATTERED: Final = 2.5
#: The chance of a false remark of each kind, over all devices together.
_SLOWER_LEVEL: Final = 0.05
_QUICKER_LEVEL: Final = 0.01
_OTHERS_LEVEL: Final = 0.05
_SCATTER_LEVEL: Final = 0.01
_OUTCOME_LEVEL: Final = 0.01
#: Below this z an exact chance needn't be computed: it is far from all levels.
_WORTH_A_LOOK: Final = 1.5
#: So many sales in a row without an outcome are told at once. They were seen under way after so many
#: seconds; where they weren't, the gateway rather than the device may have been out of reach.
_MISSING: Final = 2
_SEEN_LATE_S: Final = 60.0
#: So many devices with a habit are needed to call one unlike the others, and so many sales of it.
_FEW_DEVICES: Final = 3
_SCATTER_NEEDS: Final = 12
_NEXT_FEW: Final = 3
#: How much the devices of an environment usually differ, as deviation of logarithms, and for how many
#: devices that counts.
_USUALLY_DIFFER: Final = 0.2
_USUALLY_COUNTS: Final = 4
#: Times of a device that vary less than this part don't vary: polls see no better.
_LEAST_SCATTER: Final = 0.05
_QUICKEST_S: Final = 0.05
#: The outcomes of so many newest sales are counted, and a device's share may be so much above the others'.
_OUTCOMES: Final = 20
_SHARE_FACTOR: Final = 1.5
_SHARE_MARGIN: Final = 0.03
_UNWANTED: Final = (Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED)
#: So many sales from all devices in turn stand for the environment.
_SAMPLE: Final = 2 * MOST_LESSONS
#: How much wider a normal distribution's deviation is than the middle one of its distances from the median.
_OF_MIDDLE: Final = 1.4826

Span = tuple[float, float]


class Kind(enum.StrEnum):
    """What is remarkable of a device, what needs a look first coming first; `words.devices` says it."""

    MISSING = "missing"
    SLOWER = "slower"
    OUTCOMES = "outcomes"
    SLOWER_THAN_OTHERS = "slower_than_others"
    SCATTERED = "scattered"
    QUICKER = "quicker"


@dataclass(frozen=True, slots=True)
class Remark:
    """What is remarkable of a device.

    Attributes:
        sales: How many of its newest sales show it.
        now_s: Between which times eight in ten of these ended; infinity where they never did.
        beside_s: The same of its earlier sales, or of the other devices'.
        outcome: How many of them ended, for `Kind.OUTCOMES`.
        count: How many of them did so.
        usual_share: Which part of all devices' sales does.
    """

    kind: Kind
    sales: int
    now_s: Span = (0.0, 0.0)
    beside_s: Span = (0.0, 0.0)
    outcome: Outcome | None = None
    count: int = 0
    usual_share: float = 0.0


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """What is known of a device.

    Attributes:
        habit: Its own, or its environment's where it has too few sales.
        lessons: What it was learnt from, the newest last.
        remark: None where there is nothing to remark, or too little is known.
    """

    device: str
    habit: Habit
    lessons: tuple[Lesson, ...]
    remark: Remark | None = None

    @property
    def has_habit(self) -> bool:
        """Whether the habit is the device's own."""
        return self.habit.basis is Basis.DEVICE and self.habit.seen is not None


@dataclass(frozen=True, slots=True)
class _Usual:
    """What is usual among devices, as a logarithm: the middle, and how far devices are from it."""

    middle: float
    deviation: float

    def is_beyond(self, value: float, factor: float, level: float) -> bool:
        """Tell whether a value is larger by a factor at least, and further than chance has it."""
        far = statistics.NormalDist().inv_cdf(1 - level) * self.deviation
        return value - self.middle > max(math.log(factor), far)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The devices of an environment together.

    Attributes:
        devices: How many have a sale that taught.
        habit: Of all of them.
        sample: Their newest sales, from each device in turn, the newest last.
    """

    devices: int
    habit: Habit
    sample: tuple[Lesson, ...]
    _time: _Usual | None
    _scatter: _Usual | None
    _shares: Mapping[Outcome, float]

    @classmethod
    def of(cls, lessons: Mapping[str, Sequence[Lesson]]) -> Neighbours:
        """Return what lessons, given by device with the newest last, tell of all devices together."""
        turns = itertools.zip_longest(*(reversed(own[-MOST_LESSONS:]) for own in lessons.values()))
        sample = [lesson for turn in turns for lesson in turn if lesson][:_SAMPLE][::-1]
        recent = [since_change(own[-MOST_LESSONS:]) for own in lessons.values()]
        shares = {outcome: [_share(own, outcome) for own in recent if own] for outcome in _UNWANTED}
        return cls(
            sum(1 for own in recent if own),
            environment_habit(sample) if sample else UNTAUGHT,
            tuple(sample),
            _usual([_log_time(own) for own in recent if len(own) >= ENOUGH]),
            _usual([_log_scatter(own) for own in recent if len(own) >= _SCATTER_NEEDS]),
            {outcome: statistics.fmean(found) if found else 0.0 for outcome, found in shares.items()},
        )

    def report(self, device: str, lessons: Sequence[Lesson]) -> DeviceReport:
        """Return what a device's own lessons, the newest last, tell beside the others'."""
        own = tuple(lessons[-MOST_LESSONS:])
        return DeviceReport(device, device_habit(own, self.habit), own, self._remark(device, own))

    def habit_of_others(self, device: str) -> Habit:
        """Return the habit of all devices but one."""
        others = self._others(device)
        return environment_habit(others) if others else UNTAUGHT

    def _others(self, device: str) -> list[Lesson]:
        return [lesson for lesson in self.sample if lesson.device != device]

    def _remark(self, device: str, own: Sequence[Lesson]) -> Remark | None:
        missing = _missing(own)
        if missing >= _MISSING:
            return Remark(Kind.MISSING, missing)
        devices = max(self.devices, 1)
        return (
            _changed(own, Kind.SLOWER, _SLOWER_LEVEL / devices)
            or self._unlike_in_outcomes(own)
            or self._unlike_in_time(device, own)
            or _changed(own, Kind.QUICKER, _QUICKER_LEVEL / devices)
        )

    def _unlike_in_time(self, device: str, own: Sequence[Lesson]) -> Remark | None:
        """Return that it is slower, or varies more, than the other devices do."""
        recent = since_change(own)
        kind = None
        if len(recent) >= ENOUGH and self._time:
            level = _OTHERS_LEVEL / self.devices
            if self._time.is_beyond(_log_time(recent), _SLOWER_THAN_OTHERS, level):
                kind = Kind.SLOWER_THAN_OTHERS
        if kind is None and len(recent) >= _SCATTER_NEEDS and self._scatter:
            level = _SCATTER_LEVEL / self.devices
            kind = (
                Kind.SCATTERED if self._scatter.is_beyond(_log_scatter(recent), _SCATTERED, level) else None
            )
        return Remark(kind, len(recent), _span(recent), _span(self._others(device))) if kind else None

    def _unlike_in_outcomes(self, own: Sequence[Lesson]) -> Remark | None:
        """Return that it is declined, cancelled or expired far more often than on the other devices."""
        newest = [lesson.outcome for lesson in own[-_OUTCOMES:]]
        if self.devices < _FEW_DEVICES or len(newest) < ENOUGH:
            return None
        level = _OUTCOME_LEVEL / self.devices / len(_UNWANTED)
        for outcome in _UNWANTED:
            usual, count = self._shares[outcome], newest.count(outcome)
            share = min(usual * _SHARE_FACTOR + _SHARE_MARGIN, 1.0)
            if count >= ENOUGH and _at_least(count, len(newest), share) <= level:
                return Remark(Kind.OUTCOMES, len(newest), outcome=outcome, count=count, usual_share=usual)
        return None


def all_reports(lessons: Mapping[str, Sequence[Lesson]]) -> tuple[Neighbours, Mapping[str, DeviceReport]]:
    """Return what lessons, given by device with the newest last, tell of all devices and of each."""
    neighbours = Neighbours.of(lessons)
    return neighbours, {device: neighbours.report(device, own) for device, own in lessons.items()}


def later_by_chance(lessons: Sequence[Lesson], newest: int) -> float:
    """Return the chance that so many of some lessons, picked at random, are as late as the newest are.

    Each lesson's score is how many are surely earlier than it, less how many are surely later. All ways to
    pick are counted, so the chance is exact.

    Args:
        lessons: The newest last.
        newest: How many of them are compared with all others.
    """
    scores = _scores(lessons)
    count, total = len(scores), sum(scores[-newest:])
    variance = newest * (count - newest) * sum(score * score for score in scores) / count / (count - 1)
    if total <= _WORTH_A_LOOK * math.sqrt(variance):
        return 1.0
    # The ways to pick n lessons with the sum s are the bits from s * width on of ways[n].
    width, least = count, min(scores)
    ways = [1, *[0] * newest]
    for score in scores:
        for picked in range(newest, 0, -1):
            ways[picked] += ways[picked - 1] << ((score - least) * width)
    as_late, mask = ways[newest] >> ((total - newest * least) * width), (1 << width) - 1
    found = 0
    while as_late:
        found += as_late & mask
        as_late >>= width
    return found / math.comb(count, newest)


def _scores(lessons: Sequence[Lesson]) -> list[int]:
    ends = [(lesson.after_s, lesson.until_s) for lesson in lessons]
    return [sum((after >= end) - (until <= begin) for begin, end in ends) for after, until in ends]


def _changed(own: Sequence[Lesson], kind: Kind, level: float) -> Remark | None:
    """Return that a device became slower, or quicker, if its newest sales are far from those before."""
    found = None
    is_slower = kind is Kind.SLOWER
    scored = own if is_slower else [_turned(lesson) for lesson in own]
    for newest in _NEWEST:
        before, now = own[:-newest], own[-newest:]
        if len(before) < ENOUGH:
            break
        if not all(
            _factor(before, some, is_slower=is_slower) >= factor
            for some, factor in ((now, _SLOWER), (own[-min(_STILL, newest) :], _STILL_FACTOR))
        ):
            continue
        chance = later_by_chance(scored, newest)
        if chance <= level / len(_NEWEST) and (found is None or chance < found[0]):
            found = chance, Remark(kind, newest, _span(now), _span(before))
    return found[1] if found else None


def _turned(lesson: Lesson) -> Lesson:
    return Lesson(lesson.reference, lesson.device, -lesson.until_s, -lesson.after_s)


def _factor(before: Sequence[Lesson], now: Sequence[Lesson], *, is_slower: bool) -> float:
    change = math.exp(_log_median(now) - _log_median(before))
    return change if is_slower else 1 / change


def _missing(own: Sequence[Lesson]) -> int:
    """Return how many of the newest sales had no outcome though they were seen under way late."""
    never = itertools.takewhile(
        lambda one: math.isinf(one.until_s) and one.after_s >= _SEEN_LATE_S, reversed(own)
    )
    return sum(1 for _one in never)


def _usual(values: Sequence[float]) -> _Usual | None:
    """Return what is usual; None of too few devices."""
    if len(values) < _FEW_DEVICES:
        return None
    middle = statistics.median(values)
    seen = _OF_MIDDLE * statistics.median(abs(value - middle) for value in values)
    count = len(values)
    square = (_USUALLY_COUNTS * _USUALLY_DIFFER**2 + count * seen**2) / (_USUALLY_COUNTS + count)
    return _Usual(middle, math.sqrt(square))


def _log_median(lessons: Sequence[Lesson]) -> float:
    return statistics.median(_logs(lessons))


def _log_time(lessons: Sequence[Lesson]) -> float:
    """Return the mean without the tenth at either end, which of two humps is steadier than the middle one."""
    logs = sorted(_logs(lessons))
    tenth = len(logs) // 10
    return statistics.fmean(logs[tenth : len(logs) - tenth])


def _log_scatter(lessons: Sequence[Lesson]) -> float:
    """Return how far the next few times are from each, so that two humps, as of tap and chip, aren't far."""
    logs = _logs(lessons[-_SCATTER_NEEDS:])
    distances = [sorted(abs(one - other) for other in logs)[_NEXT_FEW] for one in logs]
    return math.log(max(statistics.median(distances), _LEAST_SCATTER))


def _logs(lessons: Sequence[Lesson]) -> list[float]:
    return [math.log(max(lesson.middle_s, _QUICKEST_S)) for lesson in lessons]


def _share(lessons: Sequence[Lesson], outcome: Outcome) -> float:
    return sum(1 for lesson in lessons if lesson.outcome is outcome) / len(lessons)


def _at_least(count: int, of: int, share: float) -> float:
    """Return the chance of `count` or more out of some, each with a chance."""
    return sum(math.comb(of, one) * share**one * (1 - share) ** (of - one) for one in range(count, of + 1))


def _span(lessons: Sequence[Lesson]) -> Span:
    """Return between which times eight in ten ended; all of them where they are few."""
    times = sorted(one.middle_s if math.isfinite(one.until_s) else math.inf for one in lessons)
    if not times:
        return 0.0, 0.0
    tenth = len(times) // 10
    return times[tenth], times[-1 - tenth]
