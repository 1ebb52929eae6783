"""Past sales are found alike by both journals, and by the real one without reading all of them."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from contracts.history_contract import HistoryContract, finish
from contracts.journal_samples import NOW, a_sale, note
from fakes.journal import MemoryJournal
from keybench.core.money import Money
from keybench.core.ports import Clock
from keybench.core.sales.history import UNDER_WAY, SaleFilter
from keybench.core.sales.sale import Outcome, Verdict, new_reference
from keybench.journal import SqlJournal, history


class TestSqlHistory(HistoryContract):
    pass


class TestSqlHistoryWithoutItsShortcut(HistoryContract):
    """The same answers come where the newest sales alone don't fill a page."""

    @pytest.fixture(autouse=True)
    def _looks_at_none_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(history, "RECENT", 0)


class TestSqlHistoryWithManyReferencesAlike(HistoryContract):
    """The same answers come where a text finds so many references that they are gone through by time."""

    @pytest.fixture(autouse=True)
    def _calls_one_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(history, "RECENT", 0)
        monkeypatch.setattr(history, "MANY", 1)


class TestMemoryHistory(HistoryContract):
    @pytest.fixture
    async def journal(self, clock: Clock) -> AsyncIterator[MemoryJournal]:
        journal = MemoryJournal(clock)
        await journal.open()
        yield journal
        await journal.close()


@pytest.mark.parametrize("recent", [0, 5, 1000])
async def test_both_find_the_same_among_any_sales(
    journal: SqlJournal, clock: Clock, monkeypatch: pytest.MonkeyPatch, recent: int
) -> None:
    monkeypatch.setattr(history, "RECENT", recent)
    chance = random.Random(7)
    memory = MemoryJournal(clock)
    await memory.open()
    for number in range(150):
        sale = replace(
            a_sale(new_reference(), minutes=chance.randrange(60)),
            device=f"till-{chance.randrange(9)}",
            key_id=f"key-{chance.randrange(3)}",
            key_name=f"Key {chance.randrange(3)}",
            money=Money(Decimal(chance.choice(["10.00", "10", "4.50"])), chance.choice(["USD", "EUR"])),
        )
        for one in (journal, memory):
            await note(one, sale)
            if number % 10:
                outcome = list(Outcome)[number % len(Outcome)]
                part = Decimal("4.50") if outcome is Outcome.PARTLY_APPROVED else None
                said = Verdict(outcome, transaction_id=str(number), authorisation="a1", approved_amount=part)
                await finish(one, sale, said)
    for text in ("", "till", "till-4", "key 2", "4 key", "KB-A", "a", "nothing", "1", "10", "4.5 eur"):
        for state in (None, UNDER_WAY, Outcome.APPROVED, Outcome.UNKNOWN):
            since = NOW + timedelta(minutes=chance.randrange(30))
            key_ids = chance.choice([None, frozenset({"key-1"}), frozenset({"key-0", "key-2"})])
            wanted = SaleFilter(text, state=state, since=since, key_ids=key_ids)
            assert await journal.count_sales(wanted) == await memory.count_sales(wanted)
            after = ""
            while page := await journal.find_sales(wanted, after=after, limit=9):
                assert page == await memory.find_sales(wanted, after=after, limit=9)
                after = page[-1].reference
