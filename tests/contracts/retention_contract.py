"""What every journal must do of what is older than people want to keep it; see `JournalContract`."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from contracts.journal_samples import APPROVED, NOW, a_point, a_sale, an_exchange, note
from keybench.core.ports import Journal, Older
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, Verdict


async def sold(journal: Journal, reference: str, minutes: float, outcome: Outcome | None) -> None:
    """Keep a sale with a point and an exchange of some minutes after `NOW`."""
    at = NOW + timedelta(minutes=minutes)
    sale = await note(journal, a_sale(reference, minutes=minutes))
    await journal.advance_sale(reference, lambda sale: sale, exchanges=[replace(an_exchange(), at=at)])
    if outcome:
        verdict = replace(APPROVED, outcome=outcome) if outcome is Outcome.APPROVED else Verdict(outcome)
        point = a_point(sale, Mark.OUTCOME)
        await journal.advance_sale(reference, lambda stored: stored.finish(verdict, at), [point])


class RetentionContract:
    """The suite; sales of every kind, an hour apart."""

    async def _filled(self, journal: Journal) -> None:
        await sold(journal, "KB-OLD", 0, Outcome.APPROVED)
        await sold(journal, "KB-LOST", 1, Outcome.UNKNOWN)
        await sold(journal, "KB-OPEN", 2, None)
        await sold(journal, "KB-NEW", 60, Outcome.DECLINED)

    async def test_what_is_older_is_counted(self, journal: Journal) -> None:
        await self._filled(journal)
        assert await journal.count_older(NOW) == Older(0, 0, 0)
        assert await journal.count_older(NOW + timedelta(minutes=30)) == Older(1, 1, 2)
        assert await journal.count_older(NOW + timedelta(minutes=90)) == Older(2, 2, 2)

    async def test_exchanges_go_and_the_sales_stay(self, journal: Journal) -> None:
        await self._filled(journal)
        # A later exchange of the sale goes with its oldest one.
        await journal.advance_sale(
            "KB-OLD", lambda sale: sale, exchanges=[replace(an_exchange(), at=NOW + timedelta(days=1))]
        )
        while await journal.delete_older(NOW + timedelta(minutes=30), with_sales=False):
            pass
        left = {
            sale.reference: len(await journal.exchanges(sale.reference))
            for sale in await journal.sales(None, 9)
        }
        assert left == {"KB-OLD": 0, "KB-LOST": 1, "KB-OPEN": 1, "KB-NEW": 1}
        assert len(await journal.sale_events("KB-OLD")) == 2

    async def test_sales_go_with_all_of_theirs_but_those_whose_outcome_is_not_known(
        self, journal: Journal
    ) -> None:
        await self._filled(journal)
        while await journal.delete_older(NOW + timedelta(minutes=30), with_sales=True):
            pass
        assert [sale.reference for sale in await journal.sales(None, 9)] == ["KB-NEW", "KB-OPEN", "KB-LOST"]
        assert list(await journal.sale_events("KB-OLD")) == []
        assert list(await journal.exchanges("KB-OLD")) == []
        assert await journal.count_sales(SaleFilter("d-1")) == 3
        await sold(journal, "KB-NEXT", 0, Outcome.APPROVED)
        assert await journal.count_sales(SaleFilter("d-1")) == 4
