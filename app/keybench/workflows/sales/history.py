"""Past sales: found a page at a time, exported to a file, or one with its exchanges."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from keybench.core.environments.environment import marking
from keybench.core.exchange import Exchange, as_har
from keybench.core.sales.forensics import Account, account_of
from keybench.core.sales.history import SaleFilter, state_of
from keybench.core.sales.sale import Sale, SaleEvent
from keybench.runtime.saving import Progress, Record, save, write_records
from keybench.workflows.world import World

COLUMNS: Final = (
    *("noted", "environment", "device", "amount", "currency", "key", "state", "reason", "message"),
    *("elapsed_s", "reference", "request_id", "transaction", "authorisation", "mode", "polls", "status"),
    "approved_amount",
)

#: A page that fills any screen and is read in a few milliseconds.
PAGE: Final = 100
#: As many as are exported at a time: few enough that a sale under way waits for the journal unnoticed.
AT_A_TIME: Final = 250
#: How an environment is called that is no longer there, and of whose name nothing is left.
REMOVED: Final = "removed"


class History:
    """Past sales; every method may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def page(self, wanted: SaleFilter, *, after: str = "", limit: int = PAGE) -> Sequence[Sale]:
        """Return the newest of the wanted sales, or those behind the sale with the reference `after`."""
        return await self._world.journal.find_sales(wanted, after=after, limit=limit)

    async def count(self, wanted: SaleFilter) -> int:
        """Return how many sales are wanted."""
        return await self._world.journal.count_sales(wanted)

    async def export(
        self, wanted: SaleFilter, path: Path, *, at_most: int | None = None, progress: Progress | None = None
    ) -> int:
        """Write the wanted sales to a ``.csv`` or ``.json`` file, there once it is whole; return how many."""
        counted = await self.count(wanted)
        total = counted if at_most is None else min(counted, at_most)

        async def pages() -> AsyncIterator[Sequence[Record]]:
            written = 0
            async for page in self.pages(wanted, at_most):
                names = await self._world.environment_names(sale.environment_id for sale in page)
                yield [record_of(sale, names.get(sale.environment_id, REMOVED)) for sale in page]
                written += len(page)
                if progress:
                    progress(written, max(total, written))

        return await write_records(path, COLUMNS, pages())

    async def account(
        self, sale: Sale, events: Sequence[SaleEvent], exchanges: Sequence[Exchange] = ()
    ) -> Account:
        """Return what went on while a sale was under way; less where its environment was removed."""
        here = await self._world.find_environment(sale.environment_id)
        facts = self._world.facts(here.contract) if here else None
        return account_of(sale, events, exchanges, facts, self._world.clock.now())

    async def har(self, reference: str) -> str:
        """Return a sale's exchanges as an HTTP archive, redacted as they were kept."""
        sale = await self._world.journal.sale(reference)
        exchanges = await self._world.journal.exchanges(reference)
        exchanges = await self._world.as_recorded(exchanges, sale.environment_id)
        environment = await self._world.find_environment(sale.environment_id)
        place = marking(environment) if environment else "an environment that was removed since"
        return as_har(exchanges, f"{place} · sale {reference}")

    async def save_har(self, reference: str, path: Path) -> None:
        """Save a sale's exchanges as a HAR file."""
        await save(path, await self.har(reference))

    async def pages(self, wanted: SaleFilter, at_most: int | None) -> AsyncIterator[Sequence[Sale]]:
        """Yield the newest of the wanted sales, some at a time."""
        read, after, full = 0, "", True
        while full and (at_most is None or read < at_most):
            limit = AT_A_TIME if at_most is None else min(AT_A_TIME, at_most - read)
            page = await self.page(wanted, after=after, limit=limit)
            yield page
            read, full = read + len(page), len(page) == limit
            after = page[-1].reference if page else after


def record_of(sale: Sale, environment: str) -> Record:
    """Return a sale as it is exported."""
    verdict = sale.verdict
    return {
        "noted": sale.noted_at.isoformat(),
        "environment": environment,
        "device": sale.device,
        "amount": sale.money.figure,
        "currency": sale.money.currency,
        "key": sale.key_name,
        "state": str(state_of(sale)),
        "reason": verdict.reason if verdict else "",
        "message": verdict.message if verdict else "",
        "elapsed_s": None if sale.elapsed_s is None else round(sale.elapsed_s, 3),
        "reference": sale.reference,
        "request_id": sale.request_id,
        "transaction": verdict.transaction_id if verdict else "",
        "authorisation": verdict.authorisation if verdict else "",
        "mode": sale.mode.value,
        "polls": sale.polls,
        "status": verdict.status if verdict else None,
        "approved_amount": sale.approved.figure if sale.approved else None,
    }
