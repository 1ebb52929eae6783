"""Looks through past sales a page at a time, and exports those found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from keybench.core.history import SaleFilter
from keybench.core.sale import Sale
from keybench.runtime.worker import DaemonWorker
from keybench.workflows.sale_export import SaleFile, record_of
from keybench.workflows.world import World

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
        file = SaleFile(path)
        worker = DaemonWorker("keybench export")
        try:
            written = await self._write(wanted, file, worker, at_most, progress)
            await worker.run(file.finish)
        except BaseException:
            await worker.run(file.give_up)
            raise
        finally:
            worker.stop()
        return written

    async def _write(
        self,
        wanted: SaleFilter,
        file: SaleFile,
        worker: DaemonWorker,
        at_most: int | None,
        progress: Progress | None,
    ) -> int:
        names = {one.id: one.name for one in await self._world.journal.environments()}
        total = await self.count(wanted)
        total = total if at_most is None else min(total, at_most)
        written, after, full = 0, "", True
        while full and (at_most is None or written < at_most):
            limit = AT_A_TIME if at_most is None else min(AT_A_TIME, at_most - written)
            page = await self.page(wanted, after=after, limit=limit)
            records = [record_of(sale, names.get(sale.environment_id, REMOVED)) for sale in page]
            await worker.run(lambda records=records: file.add(records))  # type: ignore[misc]  # mypy infers no lambda with a default
            written, full = written + len(page), len(page) == limit
            after = page[-1].reference if page else after
            if progress:
                progress(written, max(total, written))
        return written
