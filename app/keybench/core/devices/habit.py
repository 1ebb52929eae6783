"""A device's habit: when the outcomes of its sales come, learnt from the sales that are over.

An outcome is seen by a poll, so all that is known of its moment is that it came after the poll before. Such
intervals are fitted by expectation and maximisation (Turnbull, 1976): where the intervals of several sales
meet, there the outcomes were. The result is smoothed over the distance to the next few outcomes, so that a
device with one fixed moment, a broad hump or two humps each keep their form.

A device learns from its own sales, and as long as there are few from those of its environment; that begins
with what is usual at tills. The newest sales count most, and those before a change of habit don't count.
"""

from __future__ import annotations

import enum
import itertools
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from keybench.core.devices.distribution import Distribution, evenly, log_logistic, mixed
from keybench.core.reasons import Reason
from keybench.core.sales.sale import APPROVALS, Mark, Outcome, Sale, SaleEvent

_TEACHING: Final = frozenset({*APPROVALS, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED})
#: So many sales teach; older ones are forgotten.
MOST_PAST_SALES: Final = 48
#: From so many on, what was learnt is told to people.
ENOUGH: Final = 5

#: So many status words of a sale are remembered, and so many words are learnt from; a contract has fewer. A
#: gateway that says another word each time costs no more than that.
_MOST_STATES: Final = 4
#: What is usual at tills, before anything is known: a few sales end at once, as their device is busy; half of
#: the others end within nine seconds, with a long tail up to the five minutes a device may take and longer.
USUAL: Final = mixed(
    [
        (0.05, evenly([(0.1, 0.9, 1.0)])),
        (0.95, log_logistic(8.0, 1.2, from_s=0.8, until_s=3600.0)),
    ]
)
#: As many sales as what is usual counts in an environment, and as the environment counts in a device.
_USUAL_COUNTS: Final = 1.0
_OTHERS_COUNT: Final = 6.0
#: The chance that the next sale follows no habit. What was never seen is still looked for, about four
#: tenths as often as if nothing were known.
_DOUBT: Final = 0.18
#: After so many newer sales one counts half.
_HALF_LIFE: Final = 20.0
#: So often the intervals are fitted; more changes nothing that a poll would notice.
_ROUNDS: Final = 8
#: The time since a state is gone by where it varies less than this part of the time since the acceptance.
_TELLS_MORE: Final = 0.8
#: How far one outcome tells of others, in logarithmic time, as long as there are none.
_REACH: Final = 0.4
_REACH_COUNTS: Final = 2.0
#: So much of the chance is over when an outcome that isn't there is unusual.
_HARDLY_LATER: Final = 0.97
#: So long an answer is on the way; a gateway that holds its answers kept it back for the rest.
_ON_THE_WAY_S: Final = 0.5
#: How precisely an outcome's moment can be known at all, in seconds.
_PRECISION_S: Final = 0.02
#: So many sales in a row show that a habit changed, beside so many before them at the least.
_IN_A_ROW: Final = 3
_LEAST_BEFORE: Final = 10


@dataclass(frozen=True, slots=True)
class PastSale:
    """What a sale that is over tells of its device's habit.

    Attributes:
        reference: The sale's.
        after_s: When it was last known to be under way, in seconds since it was accepted.
        until_s: When it was first known to be over; infinity if it never was.
        states: The first few status words it had behind the one it began with, each with when it began.
        outcome: How it ended; None if it never did.
    """

    reference: str
    device: str
    after_s: float
    until_s: float
    states: tuple[tuple[str, float], ...] = ()
    outcome: Outcome | None = None

    @property
    def middle_s(self) -> float:
        """The middle of the interval; twice its begin where it has no end."""
        return (self.after_s + (self.until_s if math.isfinite(self.until_s) else 3 * self.after_s + 1)) / 2

    def since(self, state: str) -> PastSale | None:
        """Return what it tells of the time since a state began; None if it wasn't seen in it."""
        for word, began_s in self.states:
            if word == state and self.until_s > began_s:
                after_s = max(self.after_s - began_s, 0.0)
                return PastSale(self.reference, self.device, after_s, self.until_s - began_s)
        return None


def past_sale_of(sale: Sale, events: Sequence[SaleEvent], *, held: bool = False) -> PastSale | None:
    """Return what a sale teaches; None where it isn't over, wasn't polled for, or its end was a person's.

    Args:
        sale: As stored.
        events: Its timeline in order, with the times of day of this computer. Where they go back, the clock
            was set meanwhile, and it teaches nothing.
        held: Whether the gateway holds polls until there is news.
    """
    over = sale.outcome in _TEACHING or (sale.verdict is not None and sale.verdict.reason == Reason.DEADLINE)
    if not over or sale.accepted_at is None:
        return None
    observation = observation_of(sale.accepted_at, events, held=held)
    if sale.outcome not in _TEACHING:
        return None if observation.troubled else observation.past_sale(sale, math.inf)
    ended, given_up = None, False
    for event in events:
        if event.mark is Mark.OUTCOME:
            # What a person looked up later never ended while it was followed.
            ended = event if event.detail == sale.outcome else None
            given_up = given_up or ended is None
        elif event.mark is Mark.STATUS:
            given_up = False
    if ended is None or (given_up and observation.troubled):
        return None  # its timeline doesn't tell when it ended
    until_s = math.inf if given_up else (ended.at - sale.accepted_at).total_seconds()
    return observation.past_sale(sale, until_s, ended.took_s or 0.0)


@dataclass(slots=True)
class SaleObservation:
    """What was seen of a sale under way, in seconds since it was accepted.

    Attributes:
        held: Whether the gateway holds polls until there is news.
        open_after_s: When it was last known to be under way.
        word: The status word it has.
        state: The same, if it isn't the one it began with.
        state_after_s: When that word began: in the middle between the two polls around that moment.
        states: The first few words behind the one it began with, each with when it was there first.
        troubled: Whether the last poll brought no status.
        teaches: Whether its outcome tells of its device: a person didn't ask to cancel it, and the clock that
            its timeline was written by wasn't set back.
    """

    held: bool = False
    open_after_s: float = 0.0
    word: str = ""
    state: str = ""
    state_after_s: float = 0.0
    states: tuple[tuple[str, float], ...] = ()
    troubled: bool = False
    teaches: bool = True

    def see(self, word: str, seen_s: float, took_s: float) -> None:
        """Take in that it was under way."""
        if word != self.word and self.word:
            self.state, self.state_after_s = word, max((self.open_after_s + seen_s) / 2, 0.0)
            if len(self.states) < _MOST_STATES and all(word != known for known, _began in self.states):
                self.states = (*self.states, (word, self.state_after_s))
        self.word = word
        on_the_way_s = min(took_s, _ON_THE_WAY_S) if self.held else took_s
        self.open_after_s = max(self.open_after_s, seen_s - on_the_way_s)
        self.troubled = False

    def past_sale(self, sale: Sale, until_s: float, took_s: float = 0.0) -> PastSale | None:
        """Return what it teaches."""
        was_held = self.held and took_s > _ON_THE_WAY_S and math.isfinite(until_s)
        after_s = max(self.open_after_s, until_s - _ON_THE_WAY_S) if was_held else self.open_after_s
        if not self.teaches or not after_s < until_s:
            return None
        # A time that contradicts what was seen is of a clock that isn't to be trusted.
        if sale.lasted_s is not None and after_s <= sale.lasted_s <= until_s:
            after_s = max(after_s, sale.lasted_s - _PRECISION_S)
            until_s = min(until_s, sale.lasted_s + _PRECISION_S)
        outcome = sale.outcome if math.isfinite(until_s) else None
        return PastSale(sale.reference, sale.device, after_s, until_s, self.states, outcome)


def observation_of(
    accepted_at: datetime, events: Sequence[SaleEvent], *, held: bool = False
) -> SaleObservation:
    """Return what was seen of a sale so far, by its timeline."""
    observation = SaleObservation(held)
    for event in events:
        seen_s = (event.at - accepted_at).total_seconds()
        if event.mark is Mark.ACCEPTED:  # again after a look-up, which may have found it over
            observation.word = observation.word or event.detail
        elif event.mark is Mark.STATUS:
            observation.see(event.detail, seen_s, event.took_s or 0.0)
        elif event.mark is Mark.TROUBLE:
            observation.troubled = True
        elif event.mark is Mark.CANCEL_ASKED:
            observation.teaches = False
    if any(later.at < earlier.at for earlier, later in itertools.pairwise(events)):
        observation.teaches = False
    return observation


class Basis(enum.StrEnum):
    """Whose sales a habit was learnt from; `words.sales.polls` says it."""

    DEVICE = "device"
    ENVIRONMENT = "environment"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Habit:
    """When an outcome is expected.

    Attributes:
        expected: In seconds since the sale was accepted, with what is doubted.
        learnt: The same without the doubt, for those who go by it as long as they know little themselves.
        seen: The same as it was seen, for people; None where too little is known.
        basis: Whose sales `seen` is from.
        outcomes: How many sales that were.
        after: What is expected after a status word, in seconds since it began, where that says more.
    """

    expected: Distribution = USUAL
    learnt: Distribution = USUAL
    seen: Distribution | None = None
    basis: Basis = Basis.NOTHING
    outcomes: int = 0
    after: Mapping[str, Distribution] = field(default_factory=dict)

    @property
    def usual_s(self) -> tuple[float, float] | None:
        """Between which times eight in ten outcomes come; None where too little is known."""
        return (self.seen.time(0.1), self.seen.time(0.9)) if self.seen else None

    def is_unusual(self, elapsed_s: float) -> bool:
        """Tell whether hardly an outcome comes as late as this."""
        return self.seen is not None and self.seen.share(elapsed_s) > _HARDLY_LATER


UNTAUGHT: Final = Habit()


def environment_habit(past_sales: Sequence[PastSale]) -> Habit:
    """Return what sales of an environment teach about a device of which nothing is known."""
    return _habit(past_sales, USUAL, _USUAL_COUNTS, Basis.ENVIRONMENT, UNTAUGHT)


def device_habit(own: Sequence[PastSale], others: Habit) -> Habit:
    """Return a device's habit."""
    return _habit(own, others.learnt, _OTHERS_COUNT, Basis.DEVICE, others)


def _habit(
    past_sales: Sequence[PastSale], base: Distribution, counts: float, basis: Basis, otherwise: Habit
) -> Habit:
    recent = since_change(past_sales[-MOST_PAST_SALES:])
    if not recent:
        return otherwise
    learnt, seen = _learnt(recent, base, counts)
    states = Counter(word for past_sale in recent for word, _began in past_sale.states).most_common(
        _MOST_STATES
    )
    after = {word: one for word, _count in states if (one := _after(word, recent, learnt))}
    expected = mixed([(1 - _DOUBT, learnt), (_DOUBT, USUAL)])
    if seen is None or len(recent) < ENOUGH:
        return replace(otherwise, expected=expected, learnt=learnt, after={**otherwise.after, **after})
    return Habit(expected, learnt, seen, basis, len(recent), after)


def _after(state: str, past_sales: Sequence[PastSale], learnt: Distribution) -> Distribution | None:
    """Return how long it takes after a state; None where the time since the acceptance says as much."""
    pairs = [(past_sale, since) for past_sale in past_sales if (since := past_sale.since(state))]
    if len(pairs) < ENOUGH:
        return None
    if _width([since for _all, since in pairs]) > _TELLS_MORE * _width(
        [past_sale for past_sale, _since in pairs]
    ):
        return None
    began = sorted(dict(past_sale.states)[state] for past_sale, _since in pairs)
    base = learnt.after(began[len(began) // 2])
    expected, _seen = _learnt([since for _all, since in pairs], base, _USUAL_COUNTS)
    return mixed([(1 - _DOUBT, expected), (_DOUBT, base)])


def _width(past_sales: Sequence[PastSale]) -> float:
    middles = sorted(past_sale.middle_s for past_sale in past_sales)
    return middles[len(middles) * 3 // 4] - middles[len(middles) // 4]


def _learnt(
    past_sales: Sequence[PastSale], base: Distribution, counts: float
) -> tuple[Distribution, Distribution | None]:
    """Return what past_sales tell with `base`, which is worth `counts` of them, and what they tell alone."""
    weights = [0.5 ** (age / _HALF_LIFE) for age in reversed(range(len(past_sales)))]
    total = sum(weights) + counts
    moments = _moments(past_sales, weights, base, counts)
    if not moments:
        return base, None
    seen = evenly(_spans(moments))
    part = sum(weight for _mean, _deviation, weight in moments) / total
    # What never ended while it was followed ended later, as what is usual after that time.
    later = [
        (weight / total, _later(base, past_sale.after_s))
        for past_sale, weight in zip(past_sales, weights, strict=True)
        if not math.isfinite(past_sale.until_s)
    ]
    return mixed([(part, seen), *later, (1 - part - sum(share for share, _one in later), base)]), seen


def _later(base: Distribution, time_s: float) -> Distribution:
    if time_s <= 0:
        return base
    left = base.after(time_s)
    return Distribution((0.0, *(knot + time_s for knot in left.knots)), (0.0, *left.shares))


def _moments(
    past_sales: Sequence[PastSale], weights: Sequence[float], base: Distribution, counts: float
) -> list[tuple[float, float, float]]:
    """Return mean, deviation and weight of each outcome's moment, as the others place it in its interval."""
    edges = sorted({0.0, *(time for one in past_sales for time in (one.after_s, one.until_s))} | {math.inf})
    cells = list(itertools.pairwise(edges))
    usual = [
        counts * max((base.share(end) if math.isfinite(end) else 1.0) - base.share(begin), 1e-9)
        for begin, end in cells
    ]
    places = [(bisect_left(edges, one.after_s), bisect_left(edges, one.until_s)) for one in past_sales]
    shares = usual
    for _ in range(_ROUNDS):
        fitted = list(usual)
        for (begin, end), weight in zip(places, weights, strict=True):
            part = shares[begin:end]
            each = weight / sum(part)
            for place, share in enumerate(part, begin):
                fitted[place] += each * share
        shares = fitted
    found = []
    for (begin, end), weight, past_sale in zip(places, weights, past_sales, strict=True):
        if not math.isfinite(past_sale.until_s):
            continue
        inside = list(zip(shares[begin:end], cells[begin:end], strict=True))
        whole = sum(share for share, _cell in inside)
        mean = sum(share * (low + high) for share, (low, high) in inside) / whole / 2
        square = sum(share * (low * low + low * high + high * high) for share, (low, high) in inside)
        found.append((mean, math.sqrt(max(square / whole / 3 - mean * mean, 0.0)), weight))
    return found


def _spans(moments: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Return each moment spread over the distance to the next few of the others, in logarithmic time."""
    ordered = sorted(moments)
    logs = [math.log(max(mean, _PRECISION_S)) for mean, _deviation, _weight in ordered]
    count = len(ordered)
    few = max(1, round(math.sqrt(count)))
    trust = count / (count + _REACH_COUNTS)
    spans = []
    for place, (mean, deviation, weight) in enumerate(ordered):
        near = logs[max(place - few, 0) : place + few + 1]
        distances = sorted(abs(one - logs[place]) for one in near)[1:]
        distance = distances[min(few, len(distances)) - 1] if distances else _REACH
        least = max(_PRECISION_S, deviation * math.sqrt(3)) / max(mean, _PRECISION_S)
        reach = max(distance, least) ** trust * _REACH ** (1 - trust)
        spans.append((mean * math.exp(-reach), mean * math.exp(reach), weight))
    return spans


def since_change(past_sales: Sequence[PastSale]) -> Sequence[PastSale]:
    """Return the past sales since the habit last changed for another, all if it didn't.

    It changed where a few sales in a row took longer, or less long, than nine in ten of all before them.
    """
    begin = 0
    for at in range(_LEAST_BEFORE, len(past_sales) - _IN_A_ROW + 1):
        if at - begin < _LEAST_BEFORE:
            continue
        before = sorted(past_sale.middle_s for past_sale in past_sales[begin:at])
        tenth = len(before) // 10
        shortest, longest = before[tenth], before[-1 - tenth]
        row = past_sales[at : at + _IN_A_ROW]
        if all(one.after_s >= longest for one in row) or all(one.until_s <= shortest for one in row):
            begin = at
    return past_sales[begin:]
