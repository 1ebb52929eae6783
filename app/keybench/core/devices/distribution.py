"""How long something takes, as a distribution: the times that are known, and the moment to ask next."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

#: Less than this is no chance at all.
_NOTHING: Final = 1e-12


@dataclass(frozen=True)
class Distribution:
    """The chance that something is over by a time; between two knots it grows evenly.

    Knots are seconds, ascending; the share at each begins at 0 and never falls. What is missing to 1 at the
    last one is never over.
    """

    knots: tuple[float, ...]
    shares: tuple[float, ...]
    _areas: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = zip(itertools.pairwise(self.knots), itertools.pairwise(self.shares), strict=True)
        grown = ((end - begin) * (low + high) / 2 for (begin, end), (low, high) in steps)
        object.__setattr__(self, "_areas", tuple(itertools.accumulate(grown, initial=0.0)))

    def share(self, time_s: float) -> float:
        """Return the chance to be over by a time."""
        place = bisect_left(self.knots, time_s)
        if place == len(self.knots):
            return self.shares[-1]
        if place == 0:
            return self.shares[0] if time_s == self.knots[0] else 0.0
        return self.shares[place - 1] + self._slope(place) * (time_s - self.knots[place - 1])

    def time(self, share: float) -> float:
        """Return by when so much of the chance is over; infinity if it never is."""
        place = bisect_left(self.shares, share)
        if place == len(self.shares):
            return math.inf
        if place == 0:
            return self.knots[0]
        return self.knots[place - 1] + (share - self.shares[place - 1]) / self._slope(place)

    def next_look(self, last_s: float, price_s: float) -> float:
        """Return when to look again at what wasn't over at `last_s`; infinity if it never will be over.

        That is the moment at which, on average, it has been over for `price_s` without anybody knowing. Where
        the chance changes little from one look to the next, the looks come at a rate of √(h / 2 price): in
        proportion to the square root of the hazard h, which has the least mean lag for a mean number of looks
        (as the economic order quantity has the least cost). Where it changes much, as it does where the
        outcome comes at one moment, the look comes just after that moment.
        """
        over_then = self.share(last_s)
        before = self._area(last_s) - over_then * last_s

        def waited(place: int) -> float:
            return self._areas[place] - over_then * self.knots[place] - before

        wanted = price_s * (1.0 - over_then)
        low, high = bisect_right(self.knots, last_s), len(self.knots)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if waited(middle) >= wanted else (middle + 1, high)
        begin = max(last_s, self.knots[low - 1] if low else last_s)
        begun = self.share(begin) - over_then
        missing = wanted - (self._area(begin) - over_then * begin - before)
        slope = self._slope(low) if 0 < low < len(self.knots) else 0.0
        root = math.sqrt(begun**2 + 2 * slope * max(missing, 0.0))
        return begin + 2 * max(missing, 0.0) / (begun + root) if begun + root > _NOTHING else math.inf

    def after(self, time_s: float) -> Distribution:
        """Return how much longer it takes where it isn't over at a time."""
        over = self.share(time_s)
        left = 1.0 - over
        if left <= _NOTHING:
            return Distribution((0.0,), (0.0,))
        place = bisect_right(self.knots, time_s)
        shares = (max(share - over, 0.0) / left for share in self.shares[place:])
        return Distribution((0.0, *(knot - time_s for knot in self.knots[place:])), (0.0, *shares))

    def _slope(self, place: int) -> float:
        return (self.shares[place] - self.shares[place - 1]) / (self.knots[place] - self.knots[place - 1])

    def _area(self, time_s: float) -> float:
        """Return ∫ share dt up to a time."""
        place = bisect_left(self.knots, time_s)
        if place == 0:
            return 0.0
        passed = time_s - self.knots[place - 1]
        slope = self._slope(place) if place < len(self.knots) else 0.0
        return self._areas[place - 1] + passed * (self.shares[place - 1] + slope * passed / 2)


def mixed(parts: Sequence[tuple[float, Distribution]]) -> Distribution:
    """Return the distribution that is each of some with a chance; the chances add up to 1."""
    knots = sorted({knot for _chance, one in parts for knot in one.knots})
    shares = [min(sum(chance * one.share(knot) for chance, one in parts), 1.0) for knot in knots]
    return Distribution(tuple(knots), tuple(itertools.accumulate(shares, max)))


def evenly(spans: Sequence[tuple[float, float, float]]) -> Distribution:
    """Return what is spread evenly over spans of begin, end and weight; weights may add up to anything."""
    total = sum(weight for _begin, _end, weight in spans)
    change: dict[float, float] = {}
    for begin, end, weight in spans:
        density = weight / total / (end - begin)
        change[begin] = change.get(begin, 0.0) + density
        change[end] = change.get(end, 0.0) - density
    knots = sorted(change)
    shares, density = [0.0], 0.0
    for begin, end in itertools.pairwise(knots):
        density = max(density + change[begin], 0.0)
        shares.append(min(shares[-1] + density * (end - begin), 1.0))
    shares[-1] = 1.0
    return Distribution(tuple(knots), tuple(shares))


def log_logistic(median_s: float, shape: float, *, from_s: float, until_s: float) -> Distribution:
    """Return a log-logistic distribution that begins at `from_s`: a hump with a long tail.

    `median_s` counts from there; the tail falls with the power `shape` of the time, and what isn't over by
    `until_s` never is.
    """
    steps = 60
    least, most = 0.02, until_s - from_s
    times = [least * (most / least) ** (step / steps) for step in range(steps + 1)]
    shares = [1.0 / (1.0 + (median_s / time) ** shape) for time in times]
    return Distribution((from_s, *(from_s + time for time in times)), (0.0, *shares))
