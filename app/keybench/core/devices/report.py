"""What the newest sales tell of each device: its habit, and whether it is slow or its sales end badly.

A device is compared with itself a while ago and with the other devices of its environment, by plain rules.
Where too few sales are known, nothing is told.
"""

from __future__ import annotations

import enum
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.devices.habit import (
    ENOUGH,
    MOST_PAST_SALES,
    UNTAUGHT,
    Basis,
    Habit,
    PastSale,
    device_habit,
    environment_habit,
)
from keybench.core.sales.sale import Outcome

#: So many of the newest sales are compared with those before: the first few, or all but the newest twenty, so
#: that a change is told for as long as that.
_NEWEST: Final = 5
_BEFORE: Final = 10
#: What takes this many times as long is worth a look.
_SLOWER: Final = 1.5
_SLOWER_THAN_OTHERS: Final = 2.0
#: So many sales in a row without an outcome are told at once. They were seen under way after so many
#: seconds; where they weren't, the gateway rather than the device may have been out of reach.
_MISSING: Final = 2
_SEEN_LATE_S: Final = 60.0
#: So many other devices with so many sales are needed to call one unlike them.
_FEW_OTHERS: Final = 2
_COMPARED: Final = 10
#: So many of the newest sales count beside other devices. What ends badly is told where it is so large a
#: part of them, and so many times what is usual there.
_LATELY: Final = 20
_OFTEN: Final = 0.5
_MORE_OFTEN: Final = 3.0
_UNWANTED: Final = (Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED)
#: So many sales from all devices in turn stand for the environment.
_SAMPLE: Final = 2 * MOST_PAST_SALES

Span = tuple[float, float]


class Kind(enum.StrEnum):
    """What is remarkable of a device, the most urgent first; `words.devices.report` says it."""

    MISSING = "missing"
    SLOWER = "slower"
    OUTCOMES = "outcomes"
    SLOWER_THAN_OTHERS = "slower_than_others"


@dataclass(frozen=True, slots=True)
class Remark:
    """What is remarkable of a device.

    Attributes:
        sales: How many of its newest sales show it.
        now_s: Between which times eight in ten of these ended; infinity where they never did.
        beside_s: The same of its earlier sales, or of the other devices'.
        outcome: How many of them ended, for `Kind.OUTCOMES`.
        count: How many of them did so.
        usual_share: Which part of the other devices' sales does.
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
        past_sales: What it was learnt from, the newest last.
        remark: None where there is nothing to remark, or too little is known.
    """

    device: str
    habit: Habit
    past_sales: tuple[PastSale, ...]
    remark: Remark | None = None

    @property
    def has_habit(self) -> bool:
        """Whether the habit is the device's own."""
        return self.habit.basis is Basis.DEVICE and self.habit.seen is not None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The devices of an environment together.

    Attributes:
        habit: Of all of them.
        sample: Their newest sales, from each device in turn, the newest last.
        times: How long sales take on each device that has enough of them, in seconds.
        shares: Which part of each device's sales ended in an unwanted way.
    """

    habit: Habit
    sample: tuple[PastSale, ...]
    times: Mapping[str, float]
    shares: Mapping[Outcome, Mapping[str, float]]

    @classmethod
    def of(cls, past_sales: Mapping[str, Sequence[PastSale]]) -> Neighbours:
        """Return what past sales, given by device with the newest last, tell of all devices together."""
        turns = itertools.zip_longest(*(reversed(own[-MOST_PAST_SALES:]) for own in past_sales.values()))
        sample = [past_sale for turn in turns for past_sale in turn if past_sale][:_SAMPLE][::-1]
        lately = {device: own[-_LATELY:] for device, own in past_sales.items() if own}
        return cls(
            environment_habit(sample) if sample else UNTAUGHT,
            tuple(sample),
            {device: _time(own) for device, own in lately.items() if len(own) >= _COMPARED},
            {one: {device: _share(own, one) for device, own in lately.items()} for one in _UNWANTED},
        )

    def reports(self, past_sales: Mapping[str, Sequence[PastSale]]) -> Mapping[str, DeviceReport]:
        """Return the reports of some devices."""
        return {device: self.report(device, own) for device, own in past_sales.items()}

    def report(self, device: str, past_sales: Sequence[PastSale]) -> DeviceReport:
        """Return what a device's own past sales, the newest last, tell beside the others'."""
        own = tuple(past_sales[-MOST_PAST_SALES:])
        remarks = (
            _missing(own),
            _slower(own),
            self._unlike_in_outcomes(device, own[-_LATELY:]),
            self._slower_than_others(device, own[-_LATELY:]),
        )
        first = min(filter(None, remarks), key=lambda one: list(Kind).index(one.kind), default=None)
        return DeviceReport(device, device_habit(own, self.habit), own, first)

    def habit_of_others(self, device: str) -> Habit:
        """Return the habit of all devices but one."""
        others = self._others(device)
        return environment_habit(others) if others else UNTAUGHT

    def _others(self, device: str) -> list[PastSale]:
        return [past_sale for past_sale in self.sample if past_sale.device != device]

    def _slower_than_others(self, device: str, own: Sequence[PastSale]) -> Remark | None:
        """Return that it is slower by far than nine in ten of the other devices."""
        others = sorted(time_s for other, time_s in self.times.items() if other != device)
        if len(own) < _COMPARED or len(others) < _FEW_OTHERS:
            return None
        if _time(own) < _SLOWER_THAN_OTHERS * others[-1 - len(others) // 10]:
            return None
        return Remark(Kind.SLOWER_THAN_OTHERS, len(own), _span(own), _span(self._others(device)))

    def _unlike_in_outcomes(self, device: str, own: Sequence[PastSale]) -> Remark | None:
        """Return that half of its sales are declined, cancelled or expired, and far fewer of the others'."""
        for outcome, shares in self.shares.items():
            others = [share for other, share in shares.items() if other != device]
            count = sum(1 for past_sale in own if past_sale.outcome is outcome)
            if len(others) < _FEW_OTHERS or count < ENOUGH:
                continue
            usual = statistics.fmean(others)
            if count / len(own) >= max(_OFTEN, usual * _MORE_OFTEN):
                return Remark(Kind.OUTCOMES, len(own), outcome=outcome, count=count, usual_share=usual)
        return None


def all_reports(
    past_sales: Mapping[str, Sequence[PastSale]],
) -> tuple[Neighbours, Mapping[str, DeviceReport]]:
    """Return what past sales, given by device with the newest last, tell of all devices and of each."""
    neighbours = Neighbours.of(past_sales)
    return neighbours, neighbours.reports(past_sales)


def _slower(own: Sequence[PastSale]) -> Remark | None:
    """Return that a device became slower.

    Its last five sales take half as long again as before, and each of them longer than nine in ten before.
    """
    if len(own) < _BEFORE + _NEWEST:
        return None
    before, now = own[: max(_BEFORE, len(own) - _LATELY)], own[-_NEWEST:]
    times = _times(before)
    longest_s = times[-1 - len(times) // 10]
    usual_s, now_s = statistics.median(times), statistics.median(_times(now))
    if now_s >= usual_s * _SLOWER and all(one.after_s >= longest_s for one in now):
        return Remark(Kind.SLOWER, _NEWEST, _span(now), _span(before))
    return None


def _missing(own: Sequence[PastSale]) -> Remark | None:
    """Return that the newest sales had no outcome though they were seen under way late."""
    never = itertools.takewhile(
        lambda one: math.isinf(one.until_s) and one.after_s >= _SEEN_LATE_S, reversed(own)
    )
    count = sum(1 for _one in never)
    return Remark(Kind.MISSING, count) if count >= _MISSING else None


def _times(past_sales: Sequence[PastSale]) -> list[float]:
    return sorted(past_sale.middle_s for past_sale in past_sales)


def _time(past_sales: Sequence[PastSale]) -> float:
    """Return the mean without the tenth at either end, which of two humps is steadier than the middle one."""
    tenth = len(past_sales) // 10
    return statistics.fmean(_times(past_sales)[tenth : len(past_sales) - tenth])


def _share(past_sales: Sequence[PastSale], outcome: Outcome) -> float:
    return sum(1 for past_sale in past_sales if past_sale.outcome is outcome) / len(past_sales)


def _span(past_sales: Sequence[PastSale]) -> Span:
    """Return between which times eight in ten ended; all of them where they are few."""
    times = sorted(one.middle_s if math.isfinite(one.until_s) else math.inf for one in past_sales)
    if not times:
        return 0.0, 0.0
    tenth = len(times) // 10
    return times[tenth], times[-1 - tenth]
