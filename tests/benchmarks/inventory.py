"""How soon 2,000 keys are listed, and found as one types; ``KEYBENCH_KEYS=10000`` sets how many."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from benchmarks.figures import TRIES, Figure, probed, size
from benchmarks.generated_keys import fill_with_keys
from keybench.runtime.data_folder import DataFolder

OPEN_MS: Final = 200.0
FILTER_MS: Final = 50.0
#: A loop that stands still for longer is felt in typing.
STILL_MS: Final = 50.0


def measure(folder: Path) -> list[Figure]:
    """Open the window on the keys a few times, since other programs share the machine, and tell the best."""
    keys = size("KEYBENCH_KEYS", 2000)
    data = DataFolder(folder / "data")
    data.journal.parent.mkdir(parents=True)
    asyncio.run(fill_with_keys(data.journal, keys))
    runs = [probed("inventory_page", str(data.root), str(keys)) for _ in range(TRIES)]
    if {run["keys"] for run in runs} != {keys}:
        raise RuntimeError(f"not all keys were listed: {runs}")
    best = {name: min(run[name] for run in runs) for name in runs[0]}
    told = f"{keys:,} keys"
    return [
        Figure(f"{told}: the inventory, from asking to painted", best["opened_ms"], "ms", OPEN_MS),
        Figure(f"{told}: a filter answers", best["filter_ms"], "ms", FILTER_MS),
        Figure(f"{told}: a column sorts", best["sort_ms"], "ms", FILTER_MS),
        Figure(f"{told}: all are chosen", best["choose_all_ms"], "ms", FILTER_MS),
        Figure(f"{told}: the longest the main loop stood still", best["worst_gap_ms"], "ms", STILL_MS),
    ]
