"""How soon a long journal gives the first page of a filter, whatever is looked for.

Usually there are 100,000 sales. The long form has as many as the environment variable says, and takes some
two minutes to make a million: ``KEYBENCH_HISTORY_SALES=1000000``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, best_ms, size
from benchmarks.generated_journal import BEGAN, FIRST_TRANSACTION, OLD_AMOUNT, RETIRED, USUAL_AMOUNT, fill
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.sales.history import UNDER_WAY, SaleFilter
from keybench.core.sales.sale import Outcome, Sale
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.workflows.sales.history import PAGE

# People notice a wait from about 100 ms on; half of that leaves the window its own part.
LIMIT_MS: Final = 50.0


@dataclass(frozen=True)
class Asked:
    """What is looked for, and after which sale."""

    wanted: SaleFilter
    after: str = ""


def measure(folder: Path) -> list[Figure]:
    """Make the journal and look for everything there is to look for."""
    return asyncio.run(_measure(folder / "journal.sqlite3", size("KEYBENCH_HISTORY_SALES", 100_000)))


async def _measure(file: Path, count: int) -> list[Figure]:
    journal = SqlJournal(file, SystemClock())
    await journal.open()
    fill(file, count)
    (middle,) = await journal.find_sales(SaleFilter(until=BEGAN + timedelta(minutes=count // 2)), limit=1)
    (oldest,) = await journal.find_sales(SaleFilter(until=BEGAN + timedelta(minutes=1)), limit=1)
    took = {
        name: await best_ms(lambda one=one: journal.find_sales(one.wanted, after=one.after, limit=PAGE))
        for name, one in _everything(count, middle, oldest).items()
    }
    await journal.close()
    return [
        Figure(f"{count:,} sales, first page: {name}", spent, "ms", LIMIT_MS)
        for name, spent in sorted(took.items(), key=lambda item: -item[1])
    ]


def _everything(count: int, middle: Sale, oldest: Sale) -> dict[str, Asked]:
    half = BEGAN + timedelta(minutes=count // 2)
    reference = oldest.reference
    assert middle.verdict
    transaction, authorisation = str(FIRST_TRANSACTION), middle.verdict.authorisation or "none"
    return {
        "all": Asked(SaleFilter()),
        "an environment": Asked(SaleFilter(environment_id=PRACTICE_ID)),
        "an environment without sales": Asked(SaleFilter("till", environment_id="none")),
        "text that nearly all have": Asked(SaleFilter("till")),
        "text that half have": Asked(SaleFilter("key 3")),
        "text that one till and key have": Asked(SaleFilter("till-007 key 1")),
        "text that none has": Asked(SaleFilter("no such till")),
        "text that only old sales have": Asked(SaleFilter(RETIRED)),
        "a whole reference, the oldest": Asked(SaleFilter(reference)),
        "half a reference, the oldest": Asked(SaleFilter(reference[3:7], environment_id=PRACTICE_ID)),
        "a reference's first letter": Asked(SaleFilter("KB-Q")),
        "a common outcome": Asked(SaleFilter(state=Outcome.APPROVED)),
        "a rare outcome": Asked(SaleFilter(state=Outcome.UNKNOWN)),
        "an outcome that none has": Asked(SaleFilter(state=UNDER_WAY)),
        "a rare outcome with text": Asked(SaleFilter("key 3", PRACTICE_ID, Outcome.UNKNOWN)),
        "a common outcome with text of old sales": Asked(SaleFilter(RETIRED, PRACTICE_ID, Outcome.APPROVED)),
        "an outcome with a reference": Asked(SaleFilter(reference[:6], state=Outcome.APPROVED)),
        "days long ago": Asked(SaleFilter("till-007", until=half)),
        "days without any": Asked(SaleFilter(RETIRED, since=half)),
        "a page in the middle": Asked(SaleFilter("till"), middle.reference),
        "a transaction, the oldest": Asked(SaleFilter(transaction)),
        "what all transactions begin with": Asked(SaleFilter(transaction[:3])),
        "the same, in an outcome that none has": Asked(SaleFilter(transaction[:3], state=UNDER_WAY)),
        "what a tenth begin with, all old": Asked(SaleFilter(transaction[:7])),
        "an authorisation": Asked(SaleFilter(authorisation)),
        "a payment request": Asked(SaleFilter(oldest.request_id)),
        "what all payment requests begin with, days long ago": Asked(SaleFilter("R-", until=half)),
        "an amount that most have": Asked(SaleFilter(USUAL_AMOUNT)),
        "the same, in an environment without sales": Asked(SaleFilter("10 USD", environment_id="none")),
        "the same, in an outcome that few have": Asked(SaleFilter(USUAL_AMOUNT, state=Outcome.UNKNOWN)),
        "the same, in an outcome that nobody has": Asked(SaleFilter(USUAL_AMOUNT, state=UNDER_WAY)),
        "an amount that many had long ago": Asked(SaleFilter(OLD_AMOUNT)),
        "an amount that none has": Asked(SaleFilter("0.31")),
    }
