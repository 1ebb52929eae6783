"""Keeps what happens to a sale: each move and timeline point goes to the journal, then to listeners.

What the gateway answered is kept even when the journal can't take it, because it is locked or the disk is
full: it is announced and read as if it were written (`PendingWrites`). What comes before a request goes out
is never kept so: then nothing is sent.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from keybench.core.errors import JournalError
from keybench.core.events import ExchangeRecorded, SaleChanged
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted, PollNote
from keybench.core.sales.sale import IllegalTransition, Mark, RequestIdTaken, Sale, SaleEvent, Verdict
from keybench.workflows.pending_writes import GIVEN_TWICE, Change, Move, PendingWrites
from keybench.workflows.world import World

#: How long a poll's note may wait for others, in seconds. Whoever polls more seldom writes at once.
GATHER_S: Final = 0.25


class SaleLog:
    """Writes moves and points; every method returns the sale as stored, or as `pending` will leave it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._notes = PollNotes(world)
        self.pending = PendingWrites(world, self._write)
        self._at_work: Counter[str] = Counter()

    # --- who works on it ---------------------------------------------------------------------------------

    @contextmanager
    def work(self, reference: str) -> Iterator[None]:
        """Tell that a task of this program is at a sale for as long as the block lasts."""
        self._at_work[reference] += 1
        try:
            yield
        finally:
            self._at_work[reference] -= 1
            if not self._at_work[reference]:
                del self._at_work[reference]

    def is_at_work(self, reference: str) -> bool:
        """Tell whether a task of this program is at a sale."""
        return reference in self._at_work

    async def close(self) -> None:
        """Try a last time to write what the journal couldn't take, and give up what is left."""
        with suppress(JournalError):  # what was lost is in the log
            await self.pending.close()
        await self.write_polls()

    # --- moves -------------------------------------------------------------------------------------------

    async def write_polls(self) -> None:
        """Write the polls that were gathered, so that timelines are read whole; in vain if it can't be."""
        with suppress(JournalError):  # they are kept for the next attempt
            await self._notes.write()

    async def add(self, sale: Sale, mark: Mark, detail: str = "") -> Sale:
        """Add a point that moves nothing."""
        return await self.advance(sale, lambda stored: stored, mark, detail)

    async def sent(self, sale: Sale, base_url: str) -> Sale:
        """Write that an intent goes out now to the gateway at `base_url`, before anything does.

        If that fails nothing may go out: IllegalTransition if it went out before or another program has
        resumed it.
        """
        me = self._world.owners.me

        def move(stored: Sale) -> Sale:
            if stored.owner != me:
                raise IllegalTransition(stored, "send")
            return stored.send(base_url)

        return await self.advance(sale, move, Mark.SENT, sale.mode)

    async def reread(self, reference: str) -> Sale:
        """Return a sale as another program has left it, and announce that."""
        sale = await self._world.journal.sale(reference)
        return self._announce(sale, (await self._world.journal.sale_events(reference))[-1])

    async def accepted(self, sale: Sale, answer: Accepted, took_s: float | None = None) -> Sale:
        """Keep that the gateway took the sale, and that this program follows it; a settled one stays.

        With an identifier that another sale has, nobody can tell what becomes of it, and it is unknown.
        """
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return replace(stored.accept(answer.request_id, now), owner=self._world.owners.me)

        try:
            return await self._keep(sale, move, Mark.ACCEPTED, answer.gateway_status, took_s, ())
        except RequestIdTaken:
            return await self.finished(sale, GIVEN_TWICE, took_s)

    async def polled(
        self, sale: Sale, detail: str, took_s: float, exchanges: Sequence[Exchange], *, trouble: str = ""
    ) -> Sale:
        """Tell that a poll found the sale still under way, or, for a `trouble`, found nothing out.

        It is written together with the polls of other sales, a moment later if there are many or the
        journal can't take it. `detail` is the status word or the trouble in words, `trouble` its reason.
        """
        mark = Mark.TROUBLE if trouble else Mark.STATUS
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s, trouble)
        with suppress(JournalError):  # they are kept for the next attempt; asking on matters more
            await self._notes.add(PollNote(event, tuple(exchanges)))
        return self._announce(sale.polled(), event, exchanges)

    async def finished(
        self,
        sale: Sale,
        verdict: Verdict,
        took_s: float | None = None,
        *,
        exchanges: Sequence[Exchange] = (),
        by_poll: bool = False,
        lasted_s: float | None = None,
    ) -> Sale:
        """Keep the outcome; a settled sale keeps the outcome it has.

        `took_s` and `exchanges` are of the call that brought it, which is counted if it was a poll;
        `lasted_s` is how long the sale took by the gateway's own clock.
        """
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return (stored.polled() if by_poll else stored).finish(verdict, now, lasted_s)

        return await self._keep(sale, move, Mark.OUTCOME, verdict.outcome, took_s, exchanges)

    async def exchanged(self, sale: Sale, exchanges: Sequence[Exchange]) -> None:
        """Keep a sale's exchanges."""
        if not exchanges:
            return
        change = Change(lambda stored: stored, exchanges=tuple(exchanges))
        await self.pending.keep(sale, change)
        for exchange in exchanges:
            self._world.events.publish(ExchangeRecorded(sale.reference, exchange))

    async def advance(self, sale: Sale, move: Move, mark: Mark, detail: str = "") -> Sale:
        """Write a change that has to be written before the caller goes on."""
        await self.pending.catch_up(sale.reference)
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail)
        stored = await self._write(sale.reference, Change(move, (event,)))
        return self._announce(stored, event)

    # --- inside ------------------------------------------------------------------------------------------

    async def _keep(
        self,
        sale: Sale,
        move: Move,
        mark: Mark,
        detail: str,
        took_s: float | None,
        exchanges: Sequence[Exchange],
    ) -> Sale:
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        kept = await self.pending.keep(sale, Change(move, (event,), tuple(exchanges)))
        return self._announce(kept, event, exchanges)

    async def _write(self, reference: str, change: Change) -> Sale:
        """Write a change with the polls of its sale that were gathered before it."""
        polls = await self._notes.taken_out(reference)

        def counted(stored: Sale) -> Sale:
            for _ in polls:
                stored = stored.polled()
            return change.move(stored)

        events = [*(poll.event for poll in polls), *change.events]
        exchanges = [*(exchange for poll in polls for exchange in poll.exchanges), *change.exchanges]
        try:
            return await self._world.journal.advance_sale(reference, counted, events, exchanges)
        except (JournalError, IllegalTransition, RequestIdTaken):
            self._notes.put_back(polls)
            raise

    def _announce(self, sale: Sale, event: SaleEvent, exchanges: Sequence[Exchange] = ()) -> Sale:
        for exchange in exchanges:
            self._world.events.publish(ExchangeRecorded(sale.reference, exchange))
        self._world.events.publish(SaleChanged(sale, event))
        return sale


class PollNotes:
    """Polls that found a sale still under way, gathered for a moment and written in one transaction.

    That nothing was new isn't worth a commit: a crash costs a part of a second of that, and nothing sold.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._notes: list[PollNote] = []
        self._written_at = float("-inf")
        self._writing = asyncio.Lock()

    async def add(self, note: PollNote) -> None:
        """Keep a note, and write all if it is time; what can't be written is kept for the next attempt."""
        self._notes.append(note)
        if self._world.clock.monotonic() - self._written_at >= GATHER_S:
            await self.write()

    async def taken_out(self, reference: str) -> Sequence[PollNote]:
        """Return a sale's notes and keep them no more; those being written just now are waited for."""
        async with self._writing:
            taken = [note for note in self._notes if note.event.reference == reference]
            if taken:
                self._notes = [note for note in self._notes if note.event.reference != reference]
            return taken

    def put_back(self, notes: Sequence[PollNote]) -> None:
        """Keep notes that couldn't be written, before those that came since."""
        self._notes[:0] = notes

    async def write(self) -> None:
        """Write what has been gathered; what can't be is kept for the next attempt."""
        async with self._writing:
            if not self._notes:
                return
            self._written_at = self._world.clock.monotonic()
            notes, self._notes = self._notes, []
            try:
                await self._world.journal.note_polls(notes)
            except JournalError:
                self.put_back(notes)
                raise
