"""Keeps what happens to a sale: each move and timeline point goes to the journal, then to listeners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from keybench.core.errors import JournalError
from keybench.core.events import ExchangeRecorded, SaleChanged
from keybench.core.exchange import Exchange
from keybench.core.outcome import Verdict
from keybench.core.ports import Accepted, PollNote
from keybench.core.sale import Mark, Sale, SaleEvent
from keybench.workflows.poll_notes import PollNotes
from keybench.workflows.world import World


class SaleLog:
    """Writes moves and points; every method returns the sale as stored and may raise a JournalError."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._notes = PollNotes(world)

    async def write_polls(self) -> None:
        """Write the polls that were gathered, so that timelines are read whole."""
        await self._notes.write()

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

    async def polled(
        self, sale: Sale, detail: str, took_s: float, said: Sequence[Exchange], mark: Mark = Mark.STATUS
    ) -> Sale:
        """Tell that a poll found the sale still under way, or (`Mark.TROUBLE`) found nothing out.

        It is written together with the polls of other sales, a moment later if there are many.

        Args:
            sale: As it was before.
            detail: The status word, or the trouble.
            took_s: How long the call took, in seconds.
            said: Its exchanges.
            mark: Which of the two.
        """
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        await self._notes.add(PollNote(event, tuple(said)))
        return self._announce(sale.polled(), event, said)

    async def finished(
        self,
        sale: Sale,
        verdict: Verdict,
        took_s: float | None = None,
        *,
        said: Sequence[Exchange] | None = None,
    ) -> Sale:
        """Write the outcome; a settled sale keeps the outcome it has.

        Args:
            sale: Which.
            verdict: The outcome.
            took_s: How long the call that brought it took, in seconds.
            said: That call's exchanges, if it was a poll, which is counted.
        """
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return (stored if said is None else stored.polled()).finish(verdict, now)

        return await self._advance(sale, move, Mark.OUTCOME, verdict.outcome, took_s, said or ())

    async def owned(self, sale: Sale, move: Callable[[Sale], Sale], mark: Mark, detail: str = "") -> Sale:
        """Apply a move of the caller's own."""
        return await self._advance(sale, move, mark, detail, None)

    async def _advance(
        self,
        sale: Sale,
        move: Callable[[Sale], Sale],
        mark: Mark,
        detail: str,
        took_s: float | None,
        said: Sequence[Exchange] = (),
    ) -> Sale:
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        polls = self._notes.taken_out(sale.reference)

        def counted(stored: Sale) -> Sale:
            for _ in polls:
                stored = stored.polled()
            return move(stored)

        events = [*(poll.event for poll in polls), event]
        exchanges = [*(exchange for poll in polls for exchange in poll.exchanges), *said]
        try:
            stored = await self._world.journal.advance_sale(sale.reference, counted, events, exchanges)
        except JournalError:
            self._notes.put_back(polls)
            raise
        return self._announce(stored, event, said)

    def _announce(self, sale: Sale, event: SaleEvent, said: Sequence[Exchange]) -> Sale:
        for exchange in said:
            self._world.events.publish(ExchangeRecorded(sale.reference, exchange))
        self._world.events.publish(SaleChanged(sale, event))
        return sale
