"""How long sales have surely been unknown, by a clock that nobody sets."""

from __future__ import annotations

from keybench.core.events import SaleChanged
from keybench.core.sale import Mark, Outcome, Sale
from keybench.workflows.world import World


class UnknownSince:
    """Counts from when a sale was told to be unknown, the last sign of life of what sent it.

    The time of day may be set while a request is on its way, in this run or between two, so what is written
    of it proves nothing here. Counted is on the monotonic clock: from the telling if that was in this run,
    else from the first look in this run.
    """

    def __init__(self, world: World) -> None:
        self._clock = world.clock
        self._told: dict[str, float] = {}
        world.events.subscribe(SaleChanged, self._hear)

    def seconds(self, sale: Sale) -> float:
        """Return for how many seconds an unknown sale has been unknown at the least."""
        now = self._clock.monotonic()
        return now - self._told.setdefault(sale.reference, now)

    def _hear(self, change: SaleChanged) -> None:
        if change.sale.outcome is not Outcome.UNKNOWN:
            self._told.pop(change.sale.reference, None)
        elif change.event.mark is Mark.OUTCOME:
            self._told[change.sale.reference] = self._clock.monotonic()
