"""Keeps what happens to a sale: each move and timeline point goes to the journal, then to listeners.

What the gateway answered is kept even when the journal can't take it, because it is locked or the disk is
full: the change waits in memory, is told and read as if it were written, and is written as soon as the
journal takes it. What comes before a request goes out is never kept so: then nothing is sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from keybench.core.errors import JournalError, JournalUnwritable, NotFound
from keybench.core.events import ExchangeRecorded, SaleChanged, SalesUnkept
from keybench.core.exchange import Exchange
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Accepted, PollNote
from keybench.core.sale import IllegalTransition, Mark, RequestIdTaken, Sale, SaleEvent
from keybench.runtime.supervisor import Supervisor
from keybench.workflows.poll_notes import PollNotes
from keybench.workflows.world import World

#: The pause before a journal that failed is tried again, in seconds; it doubles up to the longest.
RETRY_S: Final = 0.5
LONGEST_RETRY_S: Final = 8.0

_RETRYING: Final = "keep what the journal couldn't take"
_LOGGER: Final = logging.getLogger("keybench")

Move = Callable[[Sale], Sale]


@dataclass(frozen=True, slots=True)
class _Change:
    """What is to be written of a sale in one transaction."""

    move: Move
    events: tuple[SaleEvent, ...] = ()
    exchanges: tuple[Exchange, ...] = ()


@dataclass(slots=True)
class _Unkept:
    """A sale's changes that the journal hasn't taken yet, in order, and the sale as they leave it."""

    sale: Sale
    changes: list[_Change]


class SaleLog:
    """Writes moves and points; every method returns the sale as stored, or as it will be."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._notes = PollNotes(world)
        self._unkept: dict[str, _Unkept] = {}
        self._supervisor = Supervisor(_log_fault)
        self._trouble: JournalError | None = None
        self._at_work: dict[str, int] = {}

    # --- who is at it ------------------------------------------------------------------------------------

    @contextmanager
    def work(self, reference: str) -> Iterator[None]:
        """Tell that a task of this program is at a sale for as long as the block lasts."""
        self.begin_work(reference)
        try:
            yield
        finally:
            self.end_work(reference)

    def begin_work(self, reference: str) -> None:
        """Tell that a task of this program is at a sale until `end_work` is called as often."""
        self._at_work[reference] = self._at_work.get(reference, 0) + 1

    def end_work(self, reference: str) -> None:
        """Tell that a task has ended its work at a sale."""
        left = self._at_work.pop(reference, 1) - 1
        if left > 0:
            self._at_work[reference] = left

    def is_at_work(self, reference: str) -> bool:
        """Tell whether a task of this program is at a sale."""
        return reference in self._at_work

    # --- what the journal couldn't take ------------------------------------------------------------------

    @property
    def unkept(self) -> Sequence[Sale]:
        """The sales with changes that the journal hasn't taken yet, as these leave them."""
        return [unkept.sale for unkept in self._unkept.values()]

    def latest(self, stored: Sale) -> Sale:
        """Return a sale that was read from the journal with what the journal couldn't take yet."""
        unkept = self._unkept.get(stored.reference)
        return unkept.sale if unkept else stored

    def unkept_events(self, reference: str) -> Sequence[SaleEvent]:
        """Return the points of a sale's timeline that the journal hasn't taken yet."""
        return [event for change in self._changes(reference) for event in change.events]

    def unkept_exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return the exchanges of a sale that the journal hasn't taken yet."""
        return [exchange for change in self._changes(reference) for exchange in change.exchanges]

    async def keep_now(self) -> None:
        """Write what the journal couldn't take.

        Raises:
            JournalError: It still can't; what it didn't take is tried again.
        """
        for reference in tuple(self._unkept):
            await self._keep_changes(reference)

    async def close(self) -> None:
        """Try a last time to write what the journal couldn't take, and give up what is left."""
        await self._supervisor.close()
        try:
            await self.keep_now()
            await self._notes.write()
        except JournalError as error:
            for sale in self.unkept:
                told = sale.reference, sale.request_id, error
                _LOGGER.error("the journal didn't take what became of sale %s, request id %s: %s", *told)  # noqa: TRY400 - no fault of the program

    # --- moves -------------------------------------------------------------------------------------------

    async def write_polls(self) -> None:
        """Write the polls that were gathered, so that timelines are read whole; in vain if it can't be."""
        with suppress(JournalError):  # they are kept for the next attempt
            await self._notes.write()

    async def add(self, sale: Sale, mark: Mark, detail: str = "", took_s: float | None = None) -> Sale:
        """Add a point that moves nothing.

        Raises:
            JournalError: It isn't kept.
        """
        return await self._advance(sale, lambda stored: stored, mark, detail, took_s)

    async def sent(self, sale: Sale) -> Sale:
        """Write that an intent goes out now, before anything does.

        Raises:
            IllegalTransition: It went out before, or another program has taken it up.
            JournalError: It isn't written, so nothing may go out.
        """
        me = self._world.owners.me

        def move(stored: Sale) -> Sale:
            if stored.owner != me:
                raise IllegalTransition(stored, "send")
            return stored.send()

        return await self._advance(sale, move, Mark.SENT, sale.mode, None)

    async def accepted(
        self, sale: Sale, answer: Accepted, took_s: float | None = None, said: Sequence[Exchange] = ()
    ) -> Sale:
        """Keep that the gateway took the sale, and that this program follows it; a settled one stays.

        Where another sale of the environment has the identifier already, nobody can tell what becomes of
        this one under it, and it is unknown.

        Args:
            sale: Which.
            answer: The gateway's.
            took_s: How long the call took, in seconds.
            said: Its exchanges.
        """
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return replace(stored.accept(answer.request_id, now), owner=self._world.owners.me)

        try:
            return await self._keep(sale, move, Mark.ACCEPTED, answer.gateway_status, took_s, said)
        except RequestIdTaken:
            return await self.finished(sale, _GIVEN_TWICE, took_s, said=said)

    async def polled(
        self, sale: Sale, detail: str, took_s: float, said: Sequence[Exchange], mark: Mark = Mark.STATUS
    ) -> Sale:
        """Tell that a poll found the sale still under way, or (`Mark.TROUBLE`) found nothing out.

        It is written together with the polls of other sales, a moment later if there are many or the
        journal can't take it.

        Args:
            sale: As it was before.
            detail: The status word, or the trouble.
            took_s: How long the call took, in seconds.
            said: Its exchanges.
            mark: Which of the two.
        """
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        with suppress(JournalError):  # they are kept for the next attempt; asking on matters more
            await self._notes.add(PollNote(event, tuple(said)))
        return self._announce(sale.polled(), event, said)

    async def finished(
        self,
        sale: Sale,
        verdict: Verdict,
        took_s: float | None = None,
        *,
        said: Sequence[Exchange] = (),
        by_poll: bool = False,
    ) -> Sale:
        """Keep the outcome; a settled sale keeps the outcome it has.

        Args:
            sale: Which.
            verdict: The outcome.
            took_s: How long the call that brought it took, in seconds.
            said: That call's exchanges.
            by_poll: Whether that call was a poll, which is counted.
        """
        now = self._world.clock.now()

        def move(stored: Sale) -> Sale:
            if stored.is_settled:
                return stored
            return (stored.polled() if by_poll else stored).finish(verdict, now)

        return await self._keep(sale, move, Mark.OUTCOME, verdict.outcome, took_s, said)

    async def exchanged(self, sale: Sale, said: Sequence[Exchange]) -> None:
        """Keep what was said about a sale."""
        if not said:
            return
        change = _Change(lambda stored: stored, exchanges=tuple(said))
        await self._keep_change(sale, change)
        for exchange in said:
            self._world.events.publish(ExchangeRecorded(sale.reference, exchange))

    async def owned(self, sale: Sale, move: Move, mark: Mark, detail: str = "") -> Sale:
        """Apply a move of the caller's own.

        Raises:
            JournalError: It isn't written.
        """
        return await self._advance(sale, move, mark, detail, None)

    # --- inside ------------------------------------------------------------------------------------------

    async def _advance(self, sale: Sale, move: Move, mark: Mark, detail: str, took_s: float | None) -> Sale:
        """Write a change that has to be written before the caller goes on."""
        if sale.reference in self._unkept:
            await self._keep_changes(sale.reference)
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        stored = await self._write(sale.reference, _Change(move, (event,)))
        return self._announce(stored, event)

    async def _keep(
        self, sale: Sale, move: Move, mark: Mark, detail: str, took_s: float | None, said: Sequence[Exchange]
    ) -> Sale:
        """Write a change, now or as soon as the journal takes it."""
        event = SaleEvent(sale.reference, self._world.clock.now(), mark, detail, took_s)
        kept = await self._keep_change(sale, _Change(move, (event,), tuple(said)))
        return self._announce(kept, event, said)

    async def _keep_change(self, sale: Sale, change: _Change) -> Sale:
        if sale.reference not in self._unkept:
            try:
                return await self._write(sale.reference, change, from_reserve=True)
            except JournalError as error:
                self._trouble = error
        unkept = self._unkept.setdefault(sale.reference, _Unkept(sale, []))
        unkept.sale = change.move(unkept.sale)
        unkept.changes.append(change)
        self._tell_unkept()
        self._supervisor.start(_RETRYING, self._keep_trying())
        return unkept.sale

    async def _write(self, reference: str, change: _Change, *, from_reserve: bool = False) -> Sale:
        """Write a change with the polls of its sale that were gathered before it.

        Where the disk is full and the reserve too small for both, the polls wait for room.
        """
        advance = partial(self._world.journal.advance_sale, from_reserve=from_reserve)
        polls = self._notes.taken_out(reference)

        def counted(stored: Sale) -> Sale:
            for _ in polls:
                stored = stored.polled()
            return change.move(stored)

        events = [*(poll.event for poll in polls), *change.events]
        exchanges = [*(exchange for poll in polls for exchange in poll.exchanges), *change.exchanges]
        try:
            return await advance(reference, counted, events, exchanges)
        except JournalUnwritable:
            self._notes.put_back(polls)
            if not polls:
                raise
        except JournalError:
            self._notes.put_back(polls)
            raise
        return await advance(reference, change.move, change.events, change.exchanges)

    async def _keep_trying(self) -> None:
        pause_s = RETRY_S
        while self._unkept:
            await self._world.clock.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_RETRY_S)
            try:
                await self.keep_now()
            except JournalError as error:
                self._trouble = error
                self._tell_unkept()
        self._world.events.publish(SalesUnkept((), None))

    async def _keep_changes(self, reference: str) -> None:
        """Write a sale's changes in order; what another program settled meanwhile stays as it is."""
        unkept = self._unkept.get(reference)
        while unkept and unkept.changes:
            change = unkept.changes[0]
            try:
                await self._write(reference, change, from_reserve=True)
            except RequestIdTaken:
                unkept.changes[:] = [self._unknown_instead(unkept)]
                continue
            except (NotFound, IllegalTransition) as error:
                _LOGGER.warning("what came late of sale %s doesn't fit: %s", reference, type(error).__name__)
            unkept.changes.remove(change)
        self._unkept.pop(reference, None)

    def _unknown_instead(self, unkept: _Unkept) -> _Change:
        """Return what becomes of a sale whose identifier turned out to be another one's."""
        now = self._world.clock.now()
        event = SaleEvent(unkept.sale.reference, now, Mark.OUTCOME, Outcome.UNKNOWN)
        exchanges = tuple(self.unkept_exchanges(unkept.sale.reference))
        unkept.sale = replace(unkept.sale, request_id="", verdict=None).finish(_GIVEN_TWICE, now)
        self._announce(unkept.sale, event)
        return _Change(lambda stored: stored.finish(_GIVEN_TWICE, now), (event,), exchanges)

    def _changes(self, reference: str) -> Sequence[_Change]:
        unkept = self._unkept.get(reference)
        return unkept.changes if unkept else ()

    def _tell_unkept(self) -> None:
        self._world.events.publish(SalesUnkept(tuple(self.unkept), self._trouble))

    def _announce(self, sale: Sale, event: SaleEvent, said: Sequence[Exchange] = ()) -> Sale:
        for exchange in said:
            self._world.events.publish(ExchangeRecorded(sale.reference, exchange))
        self._world.events.publish(SaleChanged(sale, event))
        return sale


_GIVEN_TWICE: Final = Verdict(Outcome.UNKNOWN, reason="identifier given twice")


def _log_fault(task: str, error: BaseException) -> None:
    _LOGGER.error("%s failed", task, exc_info=error)
