"""A journal of many sales answers truly; the benchmarks, whose journals are made alike, tell how soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.generated_journal import RETIRED, fill
from keybench.core.sales.history import SaleFilter
from keybench.journal import SqlJournal
from keybench.workflows.sales.history import PAGE

COUNT = 10_000


@pytest.fixture
async def long(journal: SqlJournal, path: Path) -> SqlJournal:
    fill(path, COUNT)
    return journal


async def test_what_is_found_is_what_is_there(long: SqlJournal) -> None:
    retired = await long.find_sales(SaleFilter(RETIRED), limit=PAGE)
    assert len(retired) == min(PAGE, await long.count_sales(SaleFilter(RETIRED))) > 0
    assert {sale.device for sale in retired} == {RETIRED}
    assert list(retired) == sorted(retired, key=lambda sale: sale.noted_at, reverse=True)
    oldest = retired[-1]
    assert list(await long.find_sales(SaleFilter(oldest.reference), limit=PAGE)) == [oldest]
