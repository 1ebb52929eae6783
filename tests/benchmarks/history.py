"""A long journal filters to its first page in 50 ms, whatever is looked for.

The short form has 100,000 sales. The long form has as many as the environment variable says, and takes some
two minutes to make a million:

    KEYBENCH_HISTORY_SALES=1000000 python -m pytest tests/benchmarks/test_history.py -s
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.generated_journal import BEGAN, RETIRED, fill
from keybench.core.environment import PRACTICE_ID
from keybench.core.history import UNDER_WAY, SaleFilter
from keybench.core.outcome import Outcome
from keybench.core.sale import Sale
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.workflows.history import PAGE

COUNT = int(os.environ.get("KEYBENCH_HISTORY_SALES", "100000"))
# People notice a wait from about 100 ms on; half of that leaves the window its own part.
LIMIT_MS = 50.0
#: The best of so many counts, because other programs share the machine.
TRIES = 5


@dataclass
class Long:
    """A long journal, with sales of different ages in it."""

    journal: SqlJournal
    middle: Sale
    oldest: Sale

    async def best_ms(self, wanted: SaleFilter, after: str = "") -> tuple[float, Sequence[Sale]]:
        """Return the time the journal's thread and ours spend on a page, and the page."""
        best, page = float("inf"), ()
        for _ in range(TRIES):
            began = time.process_time()
            page = await self.journal.find_sales(wanted, after=after, limit=PAGE)
            best = min(best, 1000 * (time.process_time() - began))
        return best, page


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("history") / "journal.sqlite3"


@pytest.fixture
async def long(file: Path) -> AsyncIterator[Long]:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    if not await journal.sales(None, 1):
        fill(file, COUNT)
    middle = SaleFilter(until=BEGAN + timedelta(minutes=COUNT // 2))
    oldest = SaleFilter(until=BEGAN + timedelta(minutes=1))
    (middle_sale,) = await journal.find_sales(middle, limit=1)
    (oldest_sale,) = await journal.find_sales(oldest, limit=1)
    yield Long(journal, middle_sale, oldest_sale)
    await journal.close()


@pytest.mark.benchmark
@pytest.mark.timeout(900)  # the long form makes its journal first
async def test_whatever_is_looked_for_the_first_page_is_there_in_50_ms(long: Long) -> None:
    half = BEGAN + timedelta(minutes=COUNT // 2)
    everything = {
        "all": SaleFilter(),
        "an environment": SaleFilter(environment_id=PRACTICE_ID),
        "an environment without sales": SaleFilter("till", environment_id="none"),
        "text that nearly all have": SaleFilter("till"),
        "text that half have": SaleFilter("key 3"),
        "text that one till and key have": SaleFilter("till-007 key 1"),
        "text that none has": SaleFilter("no such till"),
        "text that only old sales have": SaleFilter(RETIRED),
        "a whole reference, the oldest": SaleFilter(long.oldest.reference),
        "half a reference, the oldest": SaleFilter(long.oldest.reference[3:7], environment_id=PRACTICE_ID),
        "a reference's first letter": SaleFilter("KB-Q"),
        "a common outcome": SaleFilter(state=Outcome.APPROVED),
        "a rare outcome": SaleFilter(state=Outcome.UNKNOWN),
        "an outcome that none has": SaleFilter(state=UNDER_WAY),
        "a rare outcome with text": SaleFilter("key 3", PRACTICE_ID, Outcome.UNKNOWN),
        "a common outcome with text of old sales": SaleFilter(RETIRED, PRACTICE_ID, Outcome.APPROVED),
        "an outcome with a reference": SaleFilter(long.oldest.reference[:6], state=Outcome.APPROVED),
        "days long ago": SaleFilter("till-007", until=half),
        "days without any": SaleFilter(RETIRED, since=half),
    }
    took = {name: (await long.best_ms(wanted))[0] for name, wanted in everything.items()}
    took["a page in the middle"] = (await long.best_ms(SaleFilter("till"), long.middle.reference))[0]
    print(f"\n{COUNT:,} sales, processor time of the first page:")
    for name, spent in sorted(took.items(), key=lambda item: -item[1]):
        print(f"{spent:7.1f} ms  {name}")
    assert max(took.values()) < LIMIT_MS


@pytest.mark.benchmark
async def test_what_is_found_is_what_is_there(long: Long) -> None:
    """The figures above mean nothing if the answers are wrong: counting goes another way."""
    _, retired = await long.best_ms(SaleFilter(RETIRED))
    assert len(retired) == min(PAGE, await long.journal.count_sales(SaleFilter(RETIRED)))
    assert {sale.device for sale in retired} == {RETIRED}
    assert list(retired) == sorted(retired, key=lambda sale: sale.noted_at, reverse=True)
    _, oldest = await long.best_ms(SaleFilter(long.oldest.reference))
    assert list(oldest) == [long.oldest]
