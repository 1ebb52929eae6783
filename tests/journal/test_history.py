"""Past sales are found as the filter's own rule has it, also without reading all of them."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from contracts.history_contract import HistoryContract, finish
from contracts.journal_samples import NOW, a_sale, note
from keybench.core.money import Money
from keybench.core.sales.history import UNDER_WAY, SaleFilter
from keybench.core.sales.sale import Outcome, Verdict, new_reference
from keybench.journal import SqlJournal, history
from sweeps import ALL


class TestHistory(HistoryContract):
    pass


async def test_what_is_found_is_what_the_filter_matches_among_any_sales(
    journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finds_what_matches(journal, monkeypatch)


async def test_a_team_finds_the_same(team_journal: SqlJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    await finds_what_matches(team_journal, monkeypatch)


async def finds_what_matches(journal: SqlJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    for number in range(150):
        sale = replace(
            a_sale(new_reference(), minutes=chance.randrange(60)),
            environment_id=f"environment-{chance.randrange(2)}",
            device=f"till-{chance.randrange(9)}",
            key_id=f"key-{chance.randrange(3)}",
            key_name=f"Key {chance.randrange(3)}",
            money=Money(Decimal(chance.choice(["10.00", "10", "4.50"])), chance.choice(["USD", "EUR"])),
        )
        await note(journal, sale)
        if number % 10:
            outcome = list(Outcome)[number % len(Outcome)]
            part = Decimal("4.50") if outcome is Outcome.PARTLY_APPROVED else None
            said = Verdict(outcome, transaction_id=str(number), authorisation="a1", approved_amount=part)
            await finish(journal, sale, said)
    every = await journal.sales(None, 150)
    for text in ("", "till", "till-4", "key 2", "4 key", "KB-A", "a", "nothing", "1", "10", "4.5 eur"):
        for state in (None, UNDER_WAY, Outcome.APPROVED, Outcome.UNKNOWN):
            since = NOW + timedelta(minutes=chance.randrange(30))
            key_ids = chance.choice([None, frozenset({"key-1"}), frozenset({"key-0", "key-2"})])
            here = chance.choice([None, "environment-1"])
            wanted = SaleFilter(text, here, state=state, since=since, key_ids=key_ids)
            matching = [sale for sale in every if wanted.matches(sale)]
            assert await journal.count_sales(wanted) == len(matching)
            for recent in (0, 5, 1000) if ALL else chance.choices((0, 5, 1000)):
                monkeypatch.setattr(history, "RECENT", recent)
                found = list(await journal.find_sales(wanted, limit=9))
                while len(found) % 9 == 0 and found:
                    more = await journal.find_sales(wanted, after=found[-1].reference, limit=9)
                    found += more
                    if not more:
                        break
                assert found == matching, recent
