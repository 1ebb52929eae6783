"""Taking a sale's exchanges out of the program, marked with the environment they come from."""

from __future__ import annotations

from pathlib import Path

from keybench.core.environment import marking
from keybench.core.exchange import as_har
from keybench.runtime.saving import save
from keybench.workflows.world import World


class ExportSale:
    """The use case."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def har(self, reference: str) -> str:
        """Return a sale's exchanges as an HTTP archive, redacted as they were kept.

        Raises:
            NotFound: There is no such sale.
            JournalError: They can't be read.
        """
        sale = await self._world.journal.sale(reference)
        exchanges = await self._world.journal.exchanges(reference)
        found = {one.id: one for one in await self._world.journal.environments()}
        environment = found.get(sale.environment_id)
        place = marking(environment) if environment else "an environment that was removed since"
        return as_har(exchanges, f"{place} · sale {reference}")

    async def save_har(self, reference: str, path: Path) -> None:
        """Save a sale's exchanges as a HAR file.

        Raises:
            NotFound: There is no such sale.
            JournalError: They can't be read.
            FileNotSaved: There is no right or no room to; what stood there before is untouched.
        """
        await save(path, await self.har(reference))
