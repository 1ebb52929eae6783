"""Figures across sales: how long outcomes took and how many sales failed, by device, hour of the day or key.

Few sales tell little, so a time is told from five on and a share from ten; below that the figure is None.
"""

from __future__ import annotations

import enum
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from keybench.core.sales.sale import APPROVALS, Outcome, Sale

#: From so many on a median, and a share, is told.
ENOUGH_TIMES: Final = 5
ENOUGH_SHARES: Final = 10
#: Nobody follows a sale for longer: a later outcome was found by a look-up, and its time tells nothing.
FOLLOWED_S: Final = 600.0
HOURS: Final = 24
_AT_THE_DEVICE: Final = frozenset({*APPROVALS, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED})
#: What came to nothing without the customer's or the issuer's will.
FAILED: Final = frozenset({Outcome.EXPIRED, Outcome.REFUSED, Outcome.NOT_SENT, Outcome.UNKNOWN})


class By(enum.StrEnum):
    """What sales are put together by."""

    DEVICE = "device"
    HOUR = "hour"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Group:
    """Which sales were put together.

    Attributes:
        environment_id: Theirs; empty for an hour.
        name: The device's identifier, the newest name of the key, or the hour, ``00`` to ``23``.
    """

    environment_id: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Figures:
    """What sales of one group tell.

    Attributes:
        sales: How many are over.
        timed: How many of them have a time to the outcome that was seen as it came.
        median_s: Half of those took at most so long; None of too few.
        middle_s: Between which times the middle half of them took; None of too few.
        failed: How many expired, were refused or not sent, or are unknown.
        outcomes: How many ended in which way.
        share: The share of failed ones; None of too few.
    """

    group: Group
    sales: int
    timed: int
    failed: int
    outcomes: Mapping[Outcome, int]
    median_s: float | None = None
    middle_s: tuple[float, float] | None = None
    share: float | None = None


def figures_by(sales: Iterable[Sale], by: By, zone: tzinfo | None = None) -> Sequence[Figures]:
    """Return the figures of sales that are over, by group: hours in their order, else most sales first.

    Args:
        sales: The newest first.
        by: What they are put together by.
        zone: Where the hours are of; the computer's own if None.
    """
    found: dict[tuple[str, str], list[Sale]] = {}
    for sale in sales:
        if sale.verdict:
            group = _group_of(sale, by, zone)
            found.setdefault((group.environment_id, group.id), []).append(sale)
    if by is By.HOUR:
        every = [Group("", f"{hour:02}", f"{hour:02}") for hour in range(HOURS)]
        return [_figures(group, found.get(("", group.id), [])) for group in every]
    figures = [_figures(_group_of(some[0], by, zone), some) for some in found.values()]
    return sorted(figures, key=lambda one: (-one.sales, one.group.name.casefold(), one.group.environment_id))


def _group_of(sale: Sale, by: By, zone: tzinfo | None) -> Group:
    if by is By.HOUR:
        hour = f"{sale.noted_at.astimezone(zone).hour:02}"
        return Group("", hour, hour)
    if by is By.KEY:
        return Group(sale.environment_id, sale.key_id, sale.key_name)
    return Group(sale.environment_id, sale.device, sale.device)


def _figures(group: Group, sales: Sequence[Sale]) -> Figures:
    outcomes = Counter(sale.outcome for sale in sales if sale.outcome)
    at_the_device = (sale.elapsed_s for sale in sales if sale.outcome in _AT_THE_DEVICE)
    times = [time_s for time_s in at_the_device if time_s is not None and time_s <= FOLLOWED_S]
    failed = sum(outcomes[outcome] for outcome in FAILED)
    quarters = statistics.quantiles(times, n=4, method="inclusive") if len(times) >= ENOUGH_TIMES else None
    return Figures(
        group,
        len(sales),
        len(times),
        failed,
        outcomes,
        quarters[1] if quarters else None,
        (quarters[0], quarters[2]) if quarters else None,
        failed / len(sales) if len(sales) >= ENOUGH_SHARES else None,
    )
