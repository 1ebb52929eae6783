"""Resuming sales that nobody follows, and asking again about those of which nobody could tell."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from keybench.core.environments.environment import PRACTICE_ID, Environment
from keybench.core.errors import GatewayError, JournalError
from keybench.core.events import SaleChanged
from keybench.core.input_errors import NotFound
from keybench.core.ports import Accepted, KeptAnswer, SaleOrder, StatusReading
from keybench.core.reasons import Reason
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import (
    RESUMED,
    IllegalTransition,
    Mark,
    Outcome,
    RequestIdTaken,
    Sale,
    SaleStage,
    Verdict,
)
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling, GatewayConnection
from keybench.workflows.sales.follow import Asker, Follow
from keybench.workflows.sales.log import SaleLog
from keybench.workflows.sales.sell import ANSWER_GRACE_S
from keybench.workflows.world import World

#: A device transaction may take five minutes (the vendor's documentation); half a minute more for the way.
NEVER_RECEIVED_AFTER_S: Final = 330.0
#: A sale that was noted and that no task has begun to send after so long won't be sent, in seconds.
SENT_WITHIN_S: Final = 30.0
_ALL: Final = 2**31 - 1

_LOGGER: Final = logging.getLogger("keybench")


class Resume:
    """The use case."""

    def __init__(self, world: World, calling: Calling, log: SaleLog, follow: Follow) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._follow = follow
        self._unknown_since = UnknownSince(world)

    async def orphans(self) -> Sequence[Sale]:
        """Return the unfinished sales that nobody follows, oldest first; none while the journal is away."""
        if self._world.journal.standing.is_away:
            return ()
        await self.take_kept()
        unfinished = await self._world.journal.unfinished_sales()
        ended = await self._world.owners.ended({sale.owner for sale in unfinished})
        return [sale for sale in map(self._log.pending.latest, unfinished) if self._is_left(sale, ended)]

    async def take_kept(self) -> None:
        """Write what gateways answered programs that have ended and couldn't write it."""
        journal = self._world.journal
        with suppress(JournalError):  # it is tried again
            for answer in await journal.kept_answers():
                with suppress(NotFound):  # of another journal that was here
                    if await self._take(answer):
                        await journal.drop_answers(answer.reference)

    async def _take(self, answer: KeptAnswer) -> bool:
        """Write an answer unless its own program still does; return whether it is written."""
        sale = await self._world.journal.sale(answer.reference)
        if self._log.is_at_work(sale.reference) or self._log.pending.latest(sale) is not sale:
            return False
        if sale.owner != self._world.owners.me and not await self._world.owners.ended({sale.owner}):
            return False
        try:
            if answer.applied(sale) != sale:
                mark, detail = (
                    (Mark.OUTCOME, answer.verdict.outcome) if answer.verdict else (Mark.ACCEPTED, "")
                )
                await self._log.advance(sale, answer.applied, mark, detail)
        except (IllegalTransition, RequestIdTaken) as error:
            _LOGGER.warning("request id %s of sale %s: %s", answer.request_id, sale.reference, error)
        return True

    def _is_left(self, sale: Sale, ended: Collection[str]) -> bool:
        """Tell whether nobody goes on with a sale; one noted here just now may be about to be sent."""
        if sale.verdict or self._log.is_at_work(sale.reference):
            return False
        if sale.owner != self._world.owners.me:
            return sale.owner in ended
        age_s = (self._world.clock.now() - sale.noted_at).total_seconds()
        return sale.stage is not SaleStage.NOTED or not 0 <= age_s < SENT_WITHIN_S

    async def unknown(self, since: datetime | None = None) -> Sequence[Sale]:
        """Return the sales whose outcome nobody could tell, of every environment, those removed, too."""
        wanted = SaleFilter(state=Outcome.UNKNOWN, since=since)
        found = await self._world.journal.find_sales(wanted, limit=_ALL)
        latest = map(self._log.pending.latest, reversed(found))
        return [sale for sale in latest if sale.outcome is Outcome.UNKNOWN]

    def can_look_up(self, sale: Sale, environment: Environment | None) -> bool:
        """Tell whether a gateway's contract has a call that finds a sale; one not known isn't barred."""
        if sale.request_id or environment is None:
            return True
        return self._world.facts(environment.contract).can_look_up

    async def resume(self, sale: Sale, *, take_over: bool = False) -> Sale:
        """Carry an orphan to its outcome, or leave it to the program or task that is at it.

        With `take_over` an accepted sale is followed here from now on, and not by the program that does.
        An intent is marked as sent before anything goes out. So one without that mark was not sent, and one
        with it and no answer is unknown; neither is sent.
        """
        me = self._world.owners.me
        ended = {sale.owner} if take_over else await self._world.owners.ended({sale.owner})

        def claim(stored: Sale) -> Sale:
            if take_over and stored.stage is not SaleStage.ACCEPTED:
                raise IllegalTransition(stored, "resume")
            if stored.verdict or stored.owner not in {me, *ended}:
                raise IllegalTransition(stored, "resume")
            return replace(stored, owner=me)

        if self._log.is_at_work(sale.reference):
            return self._log.pending.latest(sale)
        with self._log.work(sale.reference):
            try:
                claimed = await self._log.advance(sale, claim, Mark.LOOKED_UP, RESUMED)
            except IllegalTransition:
                return await self._world.journal.sale(sale.reference)
            if claimed.stage is SaleStage.ACCEPTED:
                return await self._follow.to_the_end(claimed)
            events = await self._world.journal.sale_events(sale.reference)
            if any(event.mark is Mark.SENT for event in events):
                verdict = Verdict(Outcome.UNKNOWN, reason=Reason.ENDED_BEFORE_ANSWER)
            else:
                verdict = Verdict(Outcome.NOT_SENT, reason=Reason.ENDED_BEFORE_SENT)
            return await self._log.finished(claimed, verdict)

    async def look_up(self, sale: Sale) -> Sale:
        """Ask the gateway what became of an unknown sale; nothing is sent again.

        One under way is followed on. A sale the gateway knows nothing of was never received once the time a
        device may take has passed, as far as this run can tell (`UnknownSince`); until then its request may
        still be on the way, and it stays unknown.
        """
        with self._log.work(sale.reference):
            found, asker = await shielded(self._looked_up(sale), self._world.clock, grace_s=ANSWER_GRACE_S)
            if found.stage is not SaleStage.ACCEPTED:
                return found
            return await self._follow.to_the_end(found, asker)

    async def _looked_up(self, sale: Sale) -> tuple[Sale, Asker]:
        environment = await self._calling.environment(sale.environment_id)
        key = await self._calling.key(environment.id, sale.key_id)
        async with self._calling.shared_connection(environment, key) as connection:
            await self._calling.reconnect(connection)
            asker = environment, key, connection.caller.value
            reading = await self._ask(connection, sale)
            if reading is None and _went_elsewhere(sale, connection):
                return await self._log.add(sale, Mark.LOOKED_UP, Reason.SENT_ELSEWHERE), asker
            return await self._known(sale, reading), asker

    async def _known(self, sale: Sale, reading: StatusReading | None) -> Sale:
        """Keep what the gateway knows of a sale; `reading` is None if it knows nothing of it."""
        if reading is None:
            if self._unknown_since.seconds(sale) < NEVER_RECEIVED_AFTER_S:
                return await self._log.add(sale, Mark.LOOKED_UP, Reason.NOT_FOUND_YET)
            return await self._log.finished(sale, Verdict(Outcome.NOT_SENT, reason=Reason.NEVER_RECEIVED))
        found = sale
        if request_id := reading.request_id or sale.request_id:
            found = await self._log.accepted(sale, Accepted(request_id, reading.gateway_status))
            if found.verdict:  # another look-up was faster, or another sale has that identifier
                return found
        if reading.verdict:
            return await self._log.finished(found, reading.verdict, lasted_s=reading.lasted_s)
        if not found.request_id:
            return await self._log.add(found, Mark.LOOKED_UP, reading.gateway_status)
        return found

    async def _ask(self, connection: GatewayConnection, sale: Sale) -> StatusReading | None:
        gateway = self._world.gateway
        limit = await self._calling.limit(connection.environment)
        failed: GatewayError | None = None
        try:
            async with limit.poll():
                if sale.request_id:
                    return await gateway.sale_status(connection.caller, SaleOrder.of(sale), sale.request_id)
                return await gateway.look_up(connection.caller, SaleOrder.of(sale))
        except GatewayError as error:
            failed = error
            with suppress(JournalError):  # what went wrong at the gateway tells more
                await self._log.add(sale, Mark.LOOKED_UP, f"{error.status or ''} {error.reason}".strip())
            raise
        finally:
            limit.answered(failed)
            await self._log.exchanged(sale, connection.take_exchanges())

    async def cancel(self, sale: Sale) -> None:
        """Ask the device to cancel a sale under way; whether it did is seen by following."""
        environment = await self._calling.environment(sale.environment_id)
        key = await self._calling.key(environment.id, sale.key_id)
        async with self._calling.connection(environment, key) as connection:
            try:
                await self._world.gateway.cancel(connection.caller, sale.device, sale.request_id)
            finally:
                await self._log.exchanged(sale, connection.take_exchanges())
        with suppress(JournalError):  # it was asked; whether it helped is seen by following
            await self._log.add(sale, Mark.CANCEL_ASKED)


def _went_elsewhere(sale: Sale, connection: GatewayConnection) -> bool:
    """Tell whether a sale may have gone to another address than its environment has now.

    What a gateway doesn't know that was never asked for it says nothing of the sale. Practice has an address
    of its own at each start, and is the same gateway.
    """
    return connection.environment.id != PRACTICE_ID and sale.sent_to != connection.caller.base_url


class UnknownSince:
    """Counts from when a sale was reported as unknown, the last sign of life of what sent it.

    The time of day may be set while a request is on its way, in this run or between two, so what is written
    of it proves nothing here. Counted is on the monotonic clock: from the report if that was in this run,
    else from the first look in this run.
    """

    def __init__(self, world: World) -> None:
        self._clock = world.clock
        self._since: dict[str, float] = {}
        world.events.subscribe(SaleChanged, self._on_sale)

    def seconds(self, sale: Sale) -> float:
        """Return for how many seconds an unknown sale has been unknown at the least."""
        now = self._clock.monotonic()
        return now - self._since.setdefault(sale.reference, now)

    def _on_sale(self, change: SaleChanged) -> None:
        if change.sale.outcome is not Outcome.UNKNOWN:
            self._since.pop(change.sale.reference, None)
        elif change.event.mark is Mark.OUTCOME:
            self._since[change.sale.reference] = self._clock.monotonic()
