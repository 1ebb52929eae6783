"""Looks through what was done on this computer, and exports it for auditors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from keybench.core.ports import Activity, ActivityFilter
from keybench.runtime.saving import Progress, Record, write_records
from keybench.workflows.sales.history import REMOVED
from keybench.workflows.world import World

#: A page that fills any screen and is read in a few milliseconds.
PAGE: Final = 100
#: As many as are exported at a time: few enough that a sale under way waits for the journal unnoticed.
AT_A_TIME: Final = 500

COLUMNS: Final = ("number", "at", "who", "action", "environment", "subject", "result")


class ActivityTrail:
    """The trail of what was done, which nothing changes; every method may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def page(self, wanted: ActivityFilter, *, after: int = 0, limit: int = PAGE) -> Sequence[Activity]:
        """Return the newest of the wanted lines, or those behind the one with the number `after`."""
        return await self._world.journal.activities(limit, wanted, after=after)

    async def environment_names(self, lines: Sequence[Activity]) -> dict[str, str]:
        """Return what the lines' environments are called, by id, and were if they are gone."""
        return await self._world.environment_names(line.environment_id for line in lines)

    async def pages(self, wanted: ActivityFilter, at_most: int | None) -> AsyncIterator[Sequence[Activity]]:
        """Yield the newest of the wanted lines, some at a time."""
        read = after = 0
        while at_most is None or read < at_most:
            limit = AT_A_TIME if at_most is None else min(AT_A_TIME, at_most - read)
            if not (page := await self.page(wanted, after=after, limit=limit)):
                return
            yield page
            read, after = read + len(page), page[-1].number

    async def export(
        self,
        wanted: ActivityFilter,
        path: Path,
        progress: Progress | None = None,
        *,
        at_most: int | None = None,
    ) -> int:
        """Write the wanted lines to a file, newest first, and return how many."""

        async def pages() -> AsyncIterator[Sequence[Record]]:
            written = 0
            async for page in self.pages(wanted, at_most):
                names = await self.environment_names(page)
                yield [record_of(line, names) for line in page]
                written += len(page)
                if progress:
                    progress(written, 0)

        return await write_records(path, COLUMNS, pages())


def record_of(line: Activity, names: Mapping[str, str]) -> Record:
    """Return a line as it is exported and as the command prints it."""
    return {
        "number": line.number,
        "at": line.at.isoformat(),
        "who": line.who,
        "action": line.action,
        "environment": names.get(line.environment_id, REMOVED) if line.environment_id else "",
        "subject": line.subject,
        "result": line.result,
    }
