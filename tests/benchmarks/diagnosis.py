"""How well the diagnosis does in situations from seeds, with real parts.

KEYBENCH_SITUATIONS=500 and KEYBENCH_SEED=1 say how many and which. Prints the confusion matrix, and every
miss with its seed. KEYBENCH_DIALECTS=held-out has the gateways speak in ways that the table wasn't
made with.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, size
from situations.dialects import HELD_OUT, KNOWN
from situations.measuring import Shares, report, run

_SITUATIONS: Final = 500
_DIALECTS: Final = {"known": KNOWN, "held-out": HELD_OUT}


def measure(folder: Path) -> list[Figure]:
    """Diagnose the situations, and return the shares."""
    first, count = size("KEYBENCH_SEED", 1), size("KEYBENCH_SITUATIONS", _SITUATIONS)
    dialects = _DIALECTS[os.environ.get("KEYBENCH_DIALECTS", "known")]
    seeds = range(1000 * first, 1000 * first + count)
    every = asyncio.run(run(seeds, dialects, folder))
    print(report(every), flush=True)
    told = [one for one in every if one.can_be_told]
    took = [one.took_s for one in every]
    together, of_told = Shares.of(every), Shares.of(told)
    return [
        Figure("the true cause isn't first, of those that can be told", 100 - of_told.first, "%", 3),
        Figure("the true cause isn't first, of all", 100 - together.first, "%"),
        Figure("it isn't among the first three", 100 - together.among_three, "%", 0),
        Figure("a true cause is ruled out", together.ruled_out, "times", 0),
        Figure("a diagnosis: median", statistics.median(took), "s"),
        Figure("a diagnosis: the longest", max(took), "s", 20),
    ]
