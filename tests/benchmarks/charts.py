"""How soon the charts of 10,000 sales are there; ``KEYBENCH_CHARTED_SALES=20000`` sets how many."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, probed, size
from benchmarks.generated_journal import fill
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder

TRIES: Final = 3
OPEN_MS: Final = 2000.0
AGAIN_MS: Final = 1000.0
#: People notice a wait from about so long on; most of it is drawing.
STILL_MS: Final = 100.0


def measure(folder: Path) -> list[Figure]:
    """Open the window on the sales a few times, since other programs share the machine, and tell the best."""
    count = size("KEYBENCH_CHARTED_SALES", 10_000)
    data = DataFolder(folder / "data")
    data.journal.parent.mkdir(parents=True)
    asyncio.run(_opened(data.journal))
    fill(data.journal, count)
    runs = [probed("charts_page", str(data.root)) for _ in range(TRIES)]
    if {run["sales"] for run in runs} != {count}:
        raise RuntimeError(f"not all sales were charted: {runs}")
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    told = f"{count:,} sales"
    return [
        Figure(
            f"{told}: the charts, from asking to painted, with what draws them",
            best["opened_ms"],
            "ms",
            OPEN_MS,
        ),
        Figure(
            f"{told}: the longest the main loop stood still meanwhile", best["opening_gap_ms"], "ms", STILL_MS
        ),
        Figure(f"{told}: the charts by hour, from asking to painted", best["again_ms"], "ms", AGAIN_MS),
        Figure(
            f"{told}: the longest the main loop stood still meanwhile", best["again_gap_ms"], "ms", STILL_MS
        ),
    ]


async def _opened(file: Path) -> None:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    await journal.close()
