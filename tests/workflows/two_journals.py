"""A bench on the journal in memory or on a real one, for use cases that have to be right on both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fakes.clock import MovedClock
from fakes.world import Bench
from keybench.journal import SqlJournal

JOURNALS: Final = ("memory", "sqlite")


@asynccontextmanager
async def opened_bench(journal: str, folder: Path) -> AsyncIterator[Bench]:
    """Open a bench on one of `JOURNALS`, whose file goes to `folder`, and close it."""
    clock = MovedClock()
    real: Any = SqlJournal(folder / "journal" / "journal.sqlite3", clock) if journal == "sqlite" else None
    bench = Bench(clock=clock, journal_to_share=real)
    await bench.journal.open()
    try:
        yield bench
    finally:
        await bench.journal.close()
