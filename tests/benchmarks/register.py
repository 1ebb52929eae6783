"""What administering keys asks of a long journal costs little, and noting a sale costs no more for it.

The short form has 100,000 sales and lines. The long form has as many as the environment variable says:

    KEYBENCH_HISTORY_SALES=1000000 python -m pytest tests/benchmarks/test_register.py -s
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from benchmarks.generated_journal import BEGAN, fill
from keybench.core.environment import PRACTICE_ID
from keybench.core.history import SaleFilter
from keybench.core.outcome import Outcome
from keybench.core.ports import Activity, ActivityFilter
from keybench.journal import SqlJournal
from keybench.journal.engine import engine_for
from keybench.journal.tables import activities
from keybench.journal.trail import row_of
from keybench.runtime.clock import SystemClock
from keybench.workflows.history import PAGE

COUNT = int(os.environ.get("KEYBENCH_HISTORY_SALES", "100000"))
#: People notice a wait from about 100 ms on; half of that leaves the window its own part.
PAGE_MS = 50.0
#: A text that no line has is looked for in every line, a few at a time so that nothing else waits for it.
ALL_LINES_MS = 1.5 * COUNT / 1000
#: The review asks once when its page opens.
USES_MS = 0.8 * COUNT / 1000
#: The best of so many counts, because other programs share the machine.
TRIES = 5


def write_lines(path: Path) -> None:
    """Add as many lines as there are sales, a minute apart."""
    engine = engine_for(path, 5.0)
    try:
        with engine.begin() as connection:
            for start in range(0, COUNT, 20_000):
                rows = [row_of(_line(n)) for n in range(start, min(start + 20_000, COUNT))]
                connection.execute(insert(activities), rows)
    finally:
        engine.dispose()


def _line(number: int) -> Activity:
    action = ("key tested", "value copied", "key added", "value revealed")[number % 4]
    where = PRACTICE_ID if number % 3 else "elsewhere"
    subject = f"Till {number % 401}" if number else "the first till"
    return Activity(BEGAN + timedelta(minutes=number), action, where, subject, "200 in 83 ms")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("register") / "journal.sqlite3"


@pytest.fixture
async def long(file: Path) -> AsyncIterator[SqlJournal]:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    if not await journal.sales(None, 1):
        fill(file, COUNT)
        write_lines(file)
    yield journal
    await journal.close()


async def best_ms(call: Callable[[], Awaitable[object]]) -> float:
    """Return the time the journal's thread and ours spend on a call."""
    best = float("inf")
    for _ in range(TRIES):
        began = time.process_time()
        await call()
        best = min(best, 1000 * (time.process_time() - began))
    return best


@dataclass(frozen=True)
class Asked:
    """A call, and what it may take, in milliseconds."""

    call: Callable[[], Awaitable[object]]
    limit_ms: float = PAGE_MS


@pytest.mark.benchmark
@pytest.mark.timeout(900)  # the long form makes its journal first
async def test_a_long_journal_is_asked_quickly(long: SqlJournal) -> None:
    middle, quarter = BEGAN + timedelta(minutes=COUNT // 2), BEGAN + timedelta(minutes=COUNT // 4)

    def lines(wanted: ActivityFilter, after: int = 0, limit_ms: float = PAGE_MS) -> Asked:
        return Asked(lambda: long.find_activities(wanted, after=after, limit=PAGE), limit_ms)

    def of_key(wanted: SaleFilter) -> Asked:
        return Asked(lambda: long.find_sales(wanted, limit=PAGE))

    everything = {
        "all lines": lines(ActivityFilter()),
        "lines, a page in the middle": lines(ActivityFilter(), COUNT // 2),
        "lines of an environment": lines(ActivityFilter(environment_id="elsewhere")),
        "lines of an environment without any": lines(ActivityFilter(environment_id="nowhere")),
        "lines of days long ago": lines(ActivityFilter(environment_id="elsewhere", until=quarter)),
        "lines of one day in the middle": lines(
            ActivityFilter("reveal", since=middle, until=middle + timedelta(days=1))
        ),
        "lines with a text": lines(ActivityFilter("till 77")),
        "lines with a text that none has": lines(ActivityFilter("no such line"), 0, ALL_LINES_MS),
        "a key's sales": of_key(SaleFilter(key_id="Key 3")),
        "a key's sales since a moment": of_key(SaleFilter(key_id="Key 3", since=middle)),
        "a key's refused sales": of_key(SaleFilter(key_id="Key 3", state=Outcome.REFUSED)),
        "sales of a key that none has": of_key(SaleFilter(key_id="no such key", since=middle)),
        "what every key sold, all years": Asked(lambda: long.key_uses(BEGAN), USES_MS),
        "what every key sold, 90 days": Asked(
            lambda: long.key_uses(BEGAN + timedelta(minutes=COUNT) - timedelta(days=90)), USES_MS
        ),
    }
    took = {name: await best_ms(asked.call) for name, asked in everything.items()}
    print(f"\n{COUNT:,} sales and {COUNT:,} lines, processor time:")
    for name, spent in sorted(took.items(), key=lambda item: -item[1]):
        print(f"{spent:7.1f} ms  {name}")
    slow = [name for name, spent in took.items() if spent >= everything[name].limit_ms]
    assert slow == []


@pytest.mark.benchmark
async def test_what_keys_sold_is_what_is_there(long: SqlJournal) -> None:
    """The figures above mean nothing if the answers are wrong: counting goes another way."""
    uses = {use.key_id: use for use in await long.key_uses(BEGAN)}
    assert sum(use.sales for use in uses.values()) == COUNT == await long.count_sales(SaleFilter())
    assert uses["Key 3"].sales == await long.count_sales(SaleFilter(key_id="Key 3"))
    refused = SaleFilter(key_id="Key 3", state=Outcome.REFUSED)
    assert uses["Key 3"].refused == await long.count_sales(refused)
    (newest,) = await long.find_sales(SaleFilter(key_id="Key 3"), limit=1)
    assert uses["Key 3"].last_at == newest.noted_at
