"""Sending again: only as a new sale, and for an unknown one only after a person has checked."""

from __future__ import annotations

from dataclasses import replace

from keybench.core.input_errors import NotChecked
from keybench.core.sale import Mark, Outcome, Sale, SaleDraft, may_send_again, same_again
from keybench.workflows.noting import note_activity
from keybench.workflows.sale_log import SaleLog
from keybench.workflows.world import World


class SendAgain:
    """The use case; what it returns is noted and carried out by `Sell` like any other draft."""

    def __init__(self, world: World, log: SaleLog) -> None:
        self._world = world
        self._log = log

    async def checked(self, reference: str) -> Sale:
        """Note that a person has checked at the gateway that an unknown sale wasn't made.

        It is noted on the sale's timeline and in the activity. The sale stays unknown: its truth is the
        gateway's to tell. A sale that was settled meanwhile needs no check and gets none.

        Raises:
            NotFound: There is no such sale.
            JournalError: It couldn't be noted, so it doesn't count.
        """
        journal = self._world.journal
        sale = await journal.sale(reference)
        if sale.outcome is not Outcome.UNKNOWN:
            return sale
        # The activity first: what allows a second sale must not stand without its record.
        said = "wasn't made, says the person here"
        await note_activity(self._world, "sale checked", sale.environment_id, reference, said)
        return await self._log.add(sale, Mark.CHECKED, "not made")

    async def draft(self, reference: str, *, confirmed: bool = False) -> SaleDraft:
        """Return a draft of a new sale with an earlier one's fields.

        Args:
            reference: The earlier sale's.
            confirmed: Whether a person has confirmed that money may move (live only).

        Raises:
            NotFound: There is no such sale.
            NotChecked: It is under way, or unknown and nobody has checked: repeated, it might charge twice.
        """
        journal = self._world.journal
        sale = await journal.sale(reference)
        if not may_send_again(sale, await journal.sale_events(reference)):
            raise NotChecked(reference)
        return replace(same_again(sale), confirmed=confirmed)
