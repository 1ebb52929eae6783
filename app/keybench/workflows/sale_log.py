"""Keeps what happens to a sale: each move and timeline point goes to the journal, then to listeners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keybench.core.events import SaleChanged
from keybench.core.outcome import Verdict
from keybench.core.ports import Accepted
from keybench.core.sale import Mark, Sale, SaleEvent
from keybench.workflows.world import World


class SaleLog:
    """Writes moves and points; every method returns the sale as stored and may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def add(self, sale: Sale, mark: Mark, detail: str = "", took_s: float | None = None) -> Sale:
        """Add a point that moves nothing."""
        return await self._advance(sale, lambda stored: stored, mark, detail, took_s)

    async def sent(self, sale: Sale) -> Sale:
        """Write that an intent goes out now.

        Raises:
            IllegalTransition: It went out before.
        """
        return await self._advance(sale, Sale.send, Mark.SENT, sale.mode, None)

    async def accepted(self, sale: Sale, answer: Accepted, took_s: float | None = None) -> Sale:
        """Write that the gateway took the sale, and that this program follows it; a settled one stays."""
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return replace(stored.accept(answer.request_id, now), owner=self._world.owners.me)

        return await self._advance(sale, move, Mark.ACCEPTED, answer.gateway_status, took_s)

    async def polled(self, sale: Sale, detail: str, took_s: float, mark: Mark = Mark.STATUS) -> Sale:
        """Write that a poll found the sale still under way, or (`Mark.TROUBLE`) found nothing out."""
        return await self._advance(sale, lambda stored: stored.polled(), mark, detail, took_s)

    async def finished(
        self, sale: Sale, verdict: Verdict, took_s: float | None = None, *, polled: bool = False
    ) -> Sale:
        """Write the outcome, brought by a poll if `polled`; a settled sale keeps the outcome it has."""
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return (stored.polled() if polled else stored).finish(verdict, now)

        return await self._advance(sale, move, Mark.OUTCOME, verdict.outcome, took_s)

    async def owned(self, sale: Sale, move: Callable[[Sale], Sale], mark: Mark, detail: str = "") -> Sale:
        """Apply a move of the caller's own."""
        return await self._advance(sale, move, mark, detail, None)

    async def _advance(
        self, sale: Sale, move: Callable[[Sale], Sale], mark: Mark, detail: str, took_s: float | None
    ) -> Sale:
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        stored = await self._world.journal.advance_sale(sale.reference, move, [event])
        self._world.events.publish(SaleChanged(stored, event))
        return stored
