"""Figures across past sales: read some at a time, worked out off the loop, exported as CSV."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from keybench.core.sales.figures import By, Figures, Group, figures_by
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Outcome, Sale
from keybench.runtime.saving import Record, write_records
from keybench.runtime.worker import run_in_thread
from keybench.workflows.sales.history import History

#: So many of the newest sales are looked at; more would tell of habits long gone.
MOST_SALES: Final = 20_000

_OUTCOMES: Final = tuple(Outcome)
COLUMNS: Final = (
    "by",
    "name",
    "environment",
    "sales",
    "timed",
    "median_s",
    "lower_quartile_s",
    "upper_quartile_s",
    "failed",
    "failed_share",
    *(outcome.value for outcome in _OUTCOMES),
)


@dataclass(frozen=True, slots=True)
class Charted:
    """Figures of the sales that a filter finds.

    Attributes:
        by: What they are put together by.
        is_all: Whether there are no older ones that the filter finds.
    """

    by: By
    figures: Sequence[Figures]
    sales: int
    is_all: bool


async def chart(history: History, wanted: SaleFilter, by: By, *, at_most: int = MOST_SALES) -> Charted:
    """Return the figures of the newest sales that a filter finds."""
    sales: list[Sale] = []
    async for page in history.pages(wanted, at_most):
        sales += page
    is_all = len(sales) < at_most or not await history.page(wanted, after=sales[-1].reference, limit=1)
    figures = await run_in_thread("keybench figures", partial(figures_by, sales, by))
    return Charted(by, figures, len(sales), is_all)


async def export(charted: Charted, path: Path, environment: Callable[[Group], str]) -> int:
    """Write figures to a CSV file and return how many groups there were."""

    async def pages() -> AsyncIterator[Sequence[Record]]:
        yield [_record(charted.by, one, environment(one.group)) for one in charted.figures]

    return await write_records(path, COLUMNS, pages())


def _record(by: By, one: Figures, environment: str) -> Record:
    least_s, most_s = one.middle_s or (None, None)
    return {
        "by": by.value,
        "name": one.group.name,
        "environment": environment,
        "sales": one.sales,
        "timed": one.timed,
        "median_s": _rounded(one.median_s),
        "lower_quartile_s": _rounded(least_s),
        "upper_quartile_s": _rounded(most_s),
        "failed": one.failed,
        "failed_share": _rounded(one.share),
        **{outcome.value: one.outcomes.get(outcome, 0) for outcome in _OUTCOMES},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
