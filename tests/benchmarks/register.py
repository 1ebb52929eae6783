"""What administering keys asks of a long journal.

Usually there are 100,000 sales and lines of activity. The long form has as many as the environment variable
says: ``KEYBENCH_HISTORY_SALES=1000000``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import insert

from benchmarks.figures import Figure, best_ms, size
from benchmarks.generated_journal import BEGAN, fill
from keybench.core.environment import PRACTICE_ID
from keybench.core.history import SaleFilter
from keybench.core.ports import Activity, ActivityFilter
from keybench.core.sale import Outcome
from keybench.journal import SqlJournal
from keybench.journal.activities import row_of
from keybench.journal.engine import engine_for
from keybench.journal.tables import activities
from keybench.runtime.clock import SystemClock
from keybench.workflows.history import PAGE

#: People notice a wait from about 100 ms on; half of that leaves the window its own part.
PAGE_MS: Final = 50.0
#: A text that no line has is looked for in every line, a few at a time so that nothing else waits for it.
ALL_LINES_MS_PER_1000: Final = 1.5


@dataclass(frozen=True)
class Asked:
    """A call, and what it may take, in milliseconds."""

    call: Callable[[], Awaitable[object]]
    limit_ms: float = PAGE_MS


def measure(folder: Path) -> list[Figure]:
    """Make the journal and ask what the pages ask."""
    return asyncio.run(_measure(folder / "journal.sqlite3", size("KEYBENCH_HISTORY_SALES", 100_000)))


async def _measure(file: Path, count: int) -> list[Figure]:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    fill(file, count)
    write_lines(file, count)
    everything = _everything(journal, count)
    took = {name: await best_ms(asked.call) for name, asked in everything.items()}
    await journal.close()
    return [
        Figure(f"{count:,} sales and lines: {name}", spent, "ms", everything[name].limit_ms)
        for name, spent in sorted(took.items(), key=lambda item: -item[1])
    ]


def _everything(journal: SqlJournal, count: int) -> dict[str, Asked]:
    middle, quarter = BEGAN + timedelta(minutes=count // 2), BEGAN + timedelta(minutes=count // 4)
    all_lines_ms = ALL_LINES_MS_PER_1000 * count / 1000

    def lines(wanted: ActivityFilter, after: int = 0, limit_ms: float = PAGE_MS) -> Asked:
        return Asked(lambda: journal.find_activities(wanted, after=after, limit=PAGE), limit_ms)

    def of_key(wanted: SaleFilter) -> Asked:
        return Asked(lambda: journal.find_sales(wanted, limit=PAGE))

    return {
        "all lines": lines(ActivityFilter()),
        "lines, a page in the middle": lines(ActivityFilter(), count // 2),
        "lines of an environment": lines(ActivityFilter(environment_id="elsewhere")),
        "lines of an environment without any": lines(ActivityFilter(environment_id="nowhere")),
        "lines of days long ago": lines(ActivityFilter(environment_id="elsewhere", until=quarter)),
        "lines of one day in the middle": lines(
            ActivityFilter("reveal", since=middle, until=middle + timedelta(days=1))
        ),
        "lines with a text": lines(ActivityFilter("till 77")),
        "lines with a text that none has": lines(ActivityFilter("no such line"), 0, all_lines_ms),
        "a key's sales": of_key(SaleFilter(key_ids=frozenset({"Key 3"}))),
        "a key's sales since a moment": of_key(SaleFilter(key_ids=frozenset({"Key 3"}), since=middle)),
        "a key's refused sales": of_key(SaleFilter(key_ids=frozenset({"Key 3"}), state=Outcome.REFUSED)),
        "sales of a key that none has": of_key(SaleFilter(key_ids=frozenset({"no such key"}), since=middle)),
    }


def write_lines(path: Path, count: int) -> None:
    """Add as many lines as there are sales, a minute apart."""
    engine = engine_for(path, 5.0)
    try:
        with engine.begin() as connection:
            for start in range(0, count, 20_000):
                rows = [row_of(_line(n)) for n in range(start, min(start + 20_000, count))]
                connection.execute(insert(activities), rows)
    finally:
        engine.dispose()


def _line(number: int) -> Activity:
    action = ("key tested", "value copied", "key added", "value revealed")[number % 4]
    where = PRACTICE_ID if number % 3 else "elsewhere"
    subject = f"Till {number % 401}" if number else "the first till"
    return Activity(BEGAN + timedelta(minutes=number), action, where, subject, "200 in 83 ms")
