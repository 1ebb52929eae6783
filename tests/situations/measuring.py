"""Runs many situations, and tells how the diagnosis did: the confusion matrix, the shares, every miss."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.core.diagnosis.causes import Cause
from situations.dialects import Dialect
from situations.situation import Measured, measured, situation_of

#: So many situations are set up side by side: most of their time is waiting for what never answers.
AT_ONCE: Final = 12
NONE: Final = "none"


async def run(seeds: Iterable[int], dialects: Sequence[Dialect], folder: Path) -> list[Measured]:
    """Diagnose the situations of some seeds, several at once, and return them in the order of the seeds."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(seed: int) -> Measured:
        async with room:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                return await measured(situation_of(seed, dialects), Path(own))

    return await asyncio.gather(*map(one, seeds))


@dataclass(frozen=True, slots=True)
class Shares:
    """How many situations there were, and how the diagnosis did in them, in per cent."""

    count: int
    first: float
    among_three: float
    ruled_out: int

    @classmethod
    def of(cls, every: Sequence[Measured]) -> Shares:
        """Return the shares of some situations."""
        count = len(every)
        share = 100 / max(1, count)
        return cls(
            count,
            share * sum(one.is_first for one in every),
            share * sum(one.is_among_three for one in every),
            sum(bool(one.wrongly_ruled_out) for one in every),
        )

    def __str__(self) -> str:
        wrongly = "none" if not self.ruled_out else str(self.ruled_out)
        return (
            f"{self.count} situations: a true cause first in {self.first:.1f} %, all that show among the "
            f"first three in {self.among_three:.1f} %, a true cause ruled out in {wrongly}"
        )


def matrix(every: Sequence[Measured]) -> str:
    """Return the confusion matrix as a Markdown table.

    A row for each true cause (the one that shows; of two that show, the one that was found, else the first),
    with how often it came first, second and third, and what came first in its place.
    """
    rows: dict[str, list[Measured]] = {}
    for one in every:
        rows.setdefault(_true_of(one), []).append(one)
    lines = [
        "| true cause | situations | first | second or third | later | came first in its place |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for name in [NONE, *Cause]:
        found = rows.get(name)
        if found:
            places = Counter(map(_place, found))
            instead = Counter(one.first or NONE for one in found if not one.is_first)
            said = ", ".join(f"{cause} {count}" for cause, count in instead.most_common())
            numbers = len(found), places[0], places[1] + places[2], places[3]
            lines.append(
                f"| {name} | " + " | ".join(str(number or "") for number in numbers) + f" | {said} |"
            )
    return "\n".join(lines)


def _true_of(one: Measured) -> str:
    shown = [fault.cause for fault in one.situation.shown]
    if not shown:
        return NONE
    return one.first if one.first in shown else shown[0]


def _place(one: Measured) -> int:
    """Return the place of the true cause, from 0; 3 for all that is later or nowhere."""
    if one.is_first:
        return 0
    true = _true_of(one)
    return min(3, one.order.index(Cause(true))) if true in one.order else 3


def report(every: Sequence[Measured], *, matrices: bool = True) -> str:
    """Return everything that is told of a run."""
    told, open_ = [one for one in every if one.can_be_told], [one for one in every if not one.can_be_told]
    took = sorted(one.took_s for one in every)
    lines = [
        f"together:        {Shares.of(every)}",
        f"can be told:     {Shares.of(told)}",
        f"can't be told:   {Shares.of(open_)}",
        f"time: median {statistics.median(took):.2f} s, longest {took[-1]:.2f} s",
    ]
    if matrices:
        lines += ["", matrix(every)]
    for one in every:
        if one.wrongly_ruled_out or not one.is_among_three or (one.can_be_told and not one.is_first):
            lines.append(miss(one))
    return "\n".join(lines)


def miss(one: Measured) -> str:
    """Return a line about a situation in which the diagnosis missed something."""
    said = ", ".join(
        f"{judged.cause} ({judged.standing})" for judged in one.diagnosis.conclusion.suspects[:5]
    )
    kind = "ruled out" if one.wrongly_ruled_out else "not first" if one.is_among_three else "not among three"
    can = "" if one.can_be_told else " (can't be told)"
    causes = " + ".join(fault.cause for fault in one.situation.faults) or NONE
    seen = " · ".join(seen.seen for finding in one.diagnosis.findings for seen in finding.observations)
    what = f"seed {one.situation.seed}: {kind}{can}: {causes} [{one.situation.name}]"
    return f"{what} → {one.trouble}: {said}\n    {seen}"
