"""Looks through past sales a page at a time, and exports those found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keybench.core.history import SaleFilter
from keybench.core.sale import Sale
from keybench.workflows.world import World

if TYPE_CHECKING:
    from keybench.workflows.record_file import Record

#: A page that fills any screen and is read in a few milliseconds.
PAGE: Final = 100
#: As many as are exported at a time: few enough that a sale under way waits for the journal unnoticed.
AT_A_TIME: Final = 250
#: How an environment is called that is no longer there.
REMOVED: Final = "removed"

#: Given how many sales are written and how many there are; the second is as counted at the beginning.
Progress = Callable[[int, int], None]


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
        """Write the wanted sales to a file, newest first, and return how many.

        The file appears when it is whole; cancelling this leaves none, and an older one as it was.

        Args:
            wanted: Which.
            path: Ends in ``.csv`` or ``.json``.
            at_most: How many at most; None for all.
            progress: Told after every few hundred.

        Raises:
            FileNotSaved: The file can't be written.
        """
        from keybench.workflows.record_file import write_records  # noqa: PLC0415 - a start exports nothing
        from keybench.workflows.sale_export import COLUMNS, record_of  # noqa: PLC0415 - same

        names = {one.id: one.name for one in await self._world.journal.environments()}
        counted = await self.count(wanted)
        total = counted if at_most is None else min(counted, at_most)

        async def pages() -> AsyncIterator[Sequence[Record]]:
            written = 0
            async for page in self._pages(wanted, at_most):
                yield [record_of(sale, names.get(sale.environment_id, REMOVED)) for sale in page]
                written += len(page)
                if progress:
                    progress(written, max(total, written))

        return await write_records(path, COLUMNS, pages())

    async def _pages(self, wanted: SaleFilter, at_most: int | None) -> AsyncIterator[Sequence[Sale]]:
        read, after, full = 0, "", True
        while full and (at_most is None or read < at_most):
            limit = AT_A_TIME if at_most is None else min(AT_A_TIME, at_most - read)
            page = await self.page(wanted, after=after, limit=limit)
            yield page
            read, full = read + len(page), len(page) == limit
            after = page[-1].reference if page else after
