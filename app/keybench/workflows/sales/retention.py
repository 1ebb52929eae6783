"""For how long exchanges and sales are kept, and deleting what is older."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from keybench.core.errors import JournalForbidden
from keybench.core.events import OlderDeleted
from keybench.workflows.world import World

SETTING: Final = "retention"
CHANGED: Final = "retention changed"
DELETED: Final = "older sales deleted"
EXCHANGES_DELETED: Final = "older exchanges deleted"
#: Between two steps, in seconds: whoever waits for the journal looks every tenth of a second at the least.
PAUSE_S: Final = 0.15
_AGAIN_S: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Keeping:
    """For how many days exchanges and sales are kept; 0 is for ever."""

    exchanges_days: int = 90
    sales_days: int = 0


class Retention:
    """The use cases; every method may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def keeping(self) -> Keeping:
        """Return for how long what is kept; for ever where a later version wrote it in another way."""
        stored = (await self._world.journal.setting(SETTING)).split()
        if not stored:
            return Keeping()
        match stored:
            case [exchanges, sales] if exchanges.isdecimal() and sales.isdecimal():
                return Keeping(int(exchanges), int(sales))
            case _:
                return Keeping(0, 0)

    async def keep(self, keeping: Keeping) -> None:
        """Keep exchanges and sales for so long from now on; what is older goes with the next start."""
        stored = f"{keeping.exchanges_days} {keeping.sales_days}"
        await self._world.journal.update_setting(SETTING, lambda _: stored)
        await self._world.journal.record_activity(self._world.line(CHANGED, "", "", stored))

    async def delete(self, before: datetime, *, with_sales: bool) -> None:
        """Delete exchanges from before a moment, UTC, and the sales too if asked; the activity says so."""
        if count := await self._delete(before, with_sales=with_sales):
            action = DELETED if with_sales else EXCHANGES_DELETED
            line = self._world.line(action, "", f"{before.astimezone():%Y-%m-%d}", f"{count}")
            await self._world.journal.record_activity(line)

    async def go_by_age(self) -> None:
        """Delete what is past its age, now and once a day, until cancelled."""
        while True:
            keeping, now = await self.keeping(), self._world.clock.now()
            for days, with_sales in ((keeping.exchanges_days, False), (keeping.sales_days, True)):
                if days:
                    with suppress(JournalForbidden):  # in a team an administrator's desk does it
                        await self._delete(now - timedelta(days=days), with_sales=with_sales)
            await self._world.clock.sleep(_AGAIN_S)

    async def _delete(self, before: datetime, *, with_sales: bool) -> int:
        """Delete step by step and return of how many sales; others use the journal meanwhile."""
        found = await self._world.journal.count_older(before)
        count = found.sales if with_sales else found.with_exchanges
        if not count:
            return 0
        while await self._world.journal.delete_older(before, with_sales=with_sales):
            await self._world.clock.sleep(PAUSE_S)
        self._world.events.publish(OlderDeleted())
        return count
