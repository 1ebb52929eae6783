"""Taking up what an earlier run left unfinished, and asking again about what nobody could tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from keybench.core.errors import GatewayError
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Accepted, SaleOrder, StatusReading
from keybench.core.sale import Mark, Sale, SaleStage
from keybench.workflows.accepting import keep_accepted
from keybench.workflows.calling import Calling
from keybench.workflows.follow import Follow
from keybench.workflows.sale_log import SaleLog
from keybench.workflows.unknown_since import UnknownSince
from keybench.workflows.world import World

#: A device transaction may take five minutes (the vendor's documentation); half a minute more for the way.
NEVER_RECEIVED_AFTER_S: Final = 330.0
#: What a look-up that found nothing, too early to tell, leaves on the timeline.
NOT_FOUND_YET: Final = "not found yet"


class Resume:
    """The use case."""

    def __init__(self, world: World, calling: Calling, log: SaleLog, follow: Follow) -> None:
        self._world = world
        self._calling = calling
        self._log = log
        self._follow = follow
        self._unknown_since = UnknownSince(world)

    async def orphans(self) -> Sequence[Sale]:
        """Return the unfinished sales that no running program follows, oldest first."""
        owners = self._world.owners
        unfinished = await self._world.journal.unfinished_sales()
        return [sale for sale in unfinished if not owners.is_running(sale.owner)]

    async def take_up(self, sale: Sale) -> Sale:
        """Carry an orphan to its outcome; an intent without an answer becomes unknown, and is not sent.

        Raises:
            JournalError: What was seen couldn't be kept.
        """
        owners = self._world.owners

        def claim(stored: Sale) -> Sale:
            mine = not owners.is_running(stored.owner) and stored.verdict is None
            return replace(stored, owner=owners.me) if mine else stored

        claimed = await self._log.owned(sale, claim, Mark.LOOKED_UP, "taken up after a restart")
        if claimed.verdict or claimed.owner != owners.me:
            return claimed
        if claimed.stage is SaleStage.NOTED:
            verdict = Verdict(Outcome.UNKNOWN, reason="ended before the answer")
            return await self._log.finished(claimed, verdict)
        return await self._follow.to_the_end(claimed)

    async def look_up(self, sale: Sale) -> Sale:
        """Ask the gateway what became of an unknown sale; nothing is sent again.

        Returns:
            The sale, with its outcome if the gateway knows it, followed on if it is still under way, else
            unknown as before. A sale the gateway knows nothing of was never received once the time a
            device may take has passed, as far as this run can tell (`UnknownSince`); until then its request
            may still be on the way.

        Raises:
            GatewayError: The gateway can't be asked, or can't find sales by reference.
            KeystoreError, NotFound: The key's value, or the key, is gone.
        """
        reading = await self._ask(sale)
        if reading is None:
            if self._unknown_since.seconds(sale) < NEVER_RECEIVED_AFTER_S:
                return await self._log.add(sale, Mark.LOOKED_UP, NOT_FOUND_YET)
            return await self._log.finished(sale, Verdict(Outcome.NOT_SENT, reason="never received"))
        found = sale
        if request_id := reading.request_id or sale.request_id:
            found = await keep_accepted(self._log, sale, Accepted(request_id, reading.gateway_status))
            if found.verdict:  # another look-up was faster, or another sale has that identifier
                return found
        if reading.verdict:
            return await self._log.finished(found, reading.verdict)
        if not found.request_id:
            return await self._log.add(found, Mark.LOOKED_UP, reading.gateway_status)
        return await self._follow.to_the_end(found)

    async def _ask(self, sale: Sale) -> StatusReading | None:
        environment = await self._calling.environment(sale.environment_id)
        key = await self._calling.key(environment.id, sale.key_id)
        gateway = self._world.gateway
        async with self._calling.line(environment, key) as line:
            try:
                if sale.request_id:
                    return await gateway.sale_status(line.caller, SaleOrder.of(sale), sale.request_id)
                return await gateway.look_up(line.caller, SaleOrder.of(sale))
            except GatewayError as error:
                await self._log.add(sale, Mark.LOOKED_UP, f"{error.status or ''} {error.reason}".strip())
                raise
            finally:
                await self._calling.keep_said(sale.reference, line)

    async def cancel(self, sale: Sale) -> None:
        """Ask the device to cancel a sale under way; whether it did is seen by following.

        Raises:
            GatewayError, KeystoreError, NotFound: It can't be asked.
        """
        environment = await self._calling.environment(sale.environment_id)
        key = await self._calling.key(environment.id, sale.key_id)
        async with self._calling.line(environment, key) as line:
            try:
                await self._world.gateway.cancel(line.caller, sale.device, sale.request_id)
            finally:
                await self._calling.keep_said(sale.reference, line)
        await self._log.add(sale, Mark.CANCEL_ASKED)
