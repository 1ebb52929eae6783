"""What the gateway answered and the journal couldn't take: in memory, and in a file beside the journal."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from keybench.core.errors import JournalError
from keybench.core.events import SaleChanged, SalesUnkept
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.ports import KeptAnswer
from keybench.core.reasons import Reason
from keybench.core.sales.sale import (
    IllegalTransition,
    Mark,
    Outcome,
    RequestIdTaken,
    Sale,
    SaleEvent,
    Verdict,
)
from keybench.runtime.log import log_failure
from keybench.runtime.supervisor import Supervisor
from keybench.workflows.world import World

#: The pause before a journal that failed is tried again, in seconds; it doubles up to the longest.
RETRY_S: Final = 0.5
LONGEST_RETRY_S: Final = 8.0
#: What becomes of a sale whose identifier another sale of the environment has already.
GIVEN_TWICE: Final = Verdict(Outcome.UNKNOWN, reason=Reason.IDENTIFIER_TWICE)

_RETRYING: Final = "keep what the journal couldn't take"
_LOGGER: Final = logging.getLogger("keybench")

Move = Callable[[Sale], Sale]


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written of a sale in one transaction."""

    move: Move
    events: tuple[SaleEvent, ...] = ()
    exchanges: tuple[Exchange, ...] = ()


@dataclass(slots=True)
class _Pending:
    """A sale's changes that the journal hasn't taken yet, in order, and the sale as they leave it."""

    sale: Sale
    changes: list[Change]
    filed: KeptAnswer | None = None


class PendingWrites:
    """Keeps changes of sales, now or later; those of one sale are written in order."""

    def __init__(self, world: World, write: Callable[[str, Change], Awaitable[Sale]]) -> None:
        self._world = world
        self._write = write
        self._pending: dict[str, _Pending] = {}
        self._supervisor = Supervisor(log_failure)
        self._trouble: JournalError | None = None
        self._catching_up = asyncio.Lock()

    @property
    def sales(self) -> Sequence[Sale]:
        """The sales with changes that the journal hasn't taken yet, as these leave them."""
        return [pending.sale for pending in self._pending.values()]

    def latest(self, stored: Sale) -> Sale:
        """Return a sale that was read from the journal with what the journal couldn't take yet."""
        pending = self._pending.get(stored.reference)
        return pending.sale if pending else stored

    def events_of(self, reference: str) -> Sequence[SaleEvent]:
        """Return the points of a sale's timeline that the journal hasn't taken yet."""
        return [event for change in self._changes(reference) for event in change.events]

    def exchanges_of(self, reference: str) -> Sequence[Exchange]:
        """Return the exchanges of a sale that the journal hasn't taken yet."""
        return [exchange for change in self._changes(reference) for exchange in change.exchanges]

    async def keep(self, sale: Sale, change: Change) -> Sale:
        """Write a change now, or as soon as the journal takes it; return the sale as it leaves it."""
        if sale.reference not in self._pending:
            try:
                return await self._write(sale.reference, change)
            except JournalError as error:
                self._trouble = error
            except NotFound as error:  # another journal is in its place
                self._trouble = JournalError(str(error))
            except asyncio.CancelledError:
                self._hold(sale, change)  # nobody can tell whether it was written
                raise
        return self._hold(sale, change)

    def _hold(self, sale: Sale, change: Change) -> Sale:
        """Keep a change until the journal takes it; return the sale as it leaves it."""
        pending = self._pending.setdefault(sale.reference, _Pending(sale, []))
        pending.sale = change.move(pending.sale)
        pending.changes.append(change)
        self._report()
        self._supervisor.start(f"file {sale.reference}", self._file(pending))
        self._supervisor.start(_RETRYING, self._keep_trying())
        return pending.sale

    async def _file(self, pending: _Pending) -> None:
        """Put what a sale has come to into the file beside the journal; in vain if that can't be written."""
        with suppress(JournalError):
            while (answer := KeptAnswer.of(pending.sale)) and answer != pending.filed:
                await self._world.journal.keep_answer(answer)
                pending.filed = answer

    async def catch_up(self, reference: str) -> None:
        """Write a sale's changes in order; what another program settled meanwhile stays as it is."""
        async with self._catching_up:
            pending, is_here = self._pending.get(reference), True
            while pending and pending.changes:
                change = pending.changes[0]
                try:
                    await self._write(reference, change)
                except RequestIdTaken:
                    pending.changes[:] = [self._unknown_instead(pending)]
                    continue
                except (NotFound, IllegalTransition) as error:
                    is_here = not isinstance(error, NotFound)
                    what = reference, pending.sale.request_id, type(error).__name__
                    _LOGGER.warning("what came late of sale %s, request id %s, doesn't fit: %s", *what)
                pending.changes.remove(change)
            self._pending.pop(reference, None)
            if pending and pending.filed and is_here:
                with suppress(JournalError):  # applied again, it changes nothing
                    await self._world.journal.drop_answers(reference)

    async def catch_up_with_all(self) -> None:
        """Write all that the journal hasn't taken yet; what it still doesn't take is tried again."""
        for reference in tuple(self._pending):
            await self.catch_up(reference)

    async def settle(self, within_s: float) -> None:
        """Return when the journal has taken everything, or after `within_s` seconds."""
        clock = self._world.clock
        end = clock.monotonic() + within_s
        while self._pending and clock.monotonic() < end:
            await clock.sleep(min(RETRY_S, end - clock.monotonic()))

    async def close(self) -> None:
        """Try a last time to write what the journal couldn't take, and give up what is left."""
        await self._supervisor.close()
        try:
            await self.catch_up_with_all()
        except JournalError as error:
            for pending in self._pending.values():
                await self._file(pending)
            for sale in self.sales:
                what = sale.reference, sale.request_id, error
                _LOGGER.error("the journal didn't take what became of sale %s, request id %s: %s", *what)  # noqa: TRY400 - no fault of the program
            raise

    async def _keep_trying(self) -> None:
        pause_s = RETRY_S
        while self._pending:
            await self._world.clock.sleep(pause_s)
            pause_s = min(pause_s * 2, LONGEST_RETRY_S)
            try:
                await self.catch_up_with_all()
            except JournalError as error:
                self._trouble = error
                self._report()
        self._world.events.publish(SalesUnkept((), None))

    def _unknown_instead(self, pending: _Pending) -> Change:
        """Return what becomes of a sale whose identifier turned out to be another one's."""
        now = self._world.clock.now()
        event = SaleEvent(pending.sale.reference, now, Mark.OUTCOME, Outcome.UNKNOWN)
        exchanges = tuple(self.exchanges_of(pending.sale.reference))
        pending.sale = replace(pending.sale, request_id="", verdict=None).finish(GIVEN_TWICE, now)
        self._world.events.publish(SaleChanged(pending.sale, event))
        return Change(lambda stored: stored.finish(GIVEN_TWICE, now), (event,), exchanges)

    def _changes(self, reference: str) -> Sequence[Change]:
        pending = self._pending.get(reference)
        return pending.changes if pending else ()

    def _report(self) -> None:
        self._world.events.publish(SalesUnkept(tuple(self.sales), self._trouble))
