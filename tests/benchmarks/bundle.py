"""How long a support bundle takes: 50 keys, 10,000 sales, an honest gateway and one that says keys back."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure
from fakes.echoing import Echoing, echoing
from keybench.core.support.bundle import MANIFEST
from keybench.core.support.masking import Names
from keybench.words.support.page import bundle_page
from keybench.workflows.support.bundles import NEVER, OLDER_SALES, VALUES, Bundles, Prepared

_LONGEST_S: Final = 20.0
_OURS: Final = frozenset({VALUES, NEVER, OLDER_SALES})


async def _prepared(made: Echoing) -> Prepared:
    await made.bench.journal.open()
    bundles = Bundles(made.bench.console, bundle_page, lambda: Names(["workbench-7"], ["astrid"]))
    return await bundles.prepare()


def measure(folder: Path) -> list[Figure]:
    """Return how long each takes, and what it comes to."""
    figures = []
    for name, says in (("honest gateway", False), ("gateway that says keys back", True)):
        made = echoing(1, keys=50, sales=10_000, told=200, says=says)
        began = time.perf_counter()
        prepared = asyncio.run(_prepared(made))
        took_s = time.perf_counter() - began
        taken = sum(
            one["count"] for one in prepared.documents[MANIFEST]["taken_out"] if one["what"] not in _OURS
        )
        figures += [
            Figure(f"a support bundle of 10,000 sales, {name}", took_s, "s", _LONGEST_S),
            Figure(f"its size, {name}", len(prepared.data) / 1e6, "MB"),
            # An honest gateway says no value, so whatever was taken out there was a false alarm.
            Figure(f"places that were taken out, {name}", taken, "places", None if says else 0),
        ]
    return figures
