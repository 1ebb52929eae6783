"""What went on while a sale was under way: its records, with what is known of its device and its gateway."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from keybench.core.errors import JournalError
from keybench.core.exchange import Exchange
from keybench.core.forensic_record import Known
from keybench.core.forensics import Account, account_of
from keybench.core.sale import Sale, SaleEvent
from keybench.workflows.calling import usable_facts
from keybench.workflows.habits import Habits
from keybench.workflows.world import World


class Forensics:
    """The use case."""

    def __init__(self, world: World, habits: Habits) -> None:
        self._world = world
        self._habits = habits

    async def account(
        self, sale: Sale, events: Sequence[SaleEvent], exchanges: Sequence[Exchange] = ()
    ) -> Account:
        """Return what went on while a sale was under way.

        Args:
            sale: As stored.
            events: Its timeline in order.
            exchanges: Its exchanges in order.

        Raises:
            JournalError: The environments can't be read.
        """
        return account_of(sale, events, exchanges, await self.known(sale), self._world.clock.now())

    async def known(self, sale: Sale) -> Known:
        """Return what is known besides a sale's own records; less where its environment was removed.

        Raises:
            JournalError: The environments can't be read.
        """
        here = {one.id: one for one in await self._world.journal.environments()}.get(sale.environment_id)
        if here is None:
            return Known()
        facts = usable_facts(self._world.gateway, here.contract)
        with suppress(JournalError):  # then what was read before counts
            await self._habits.read(here.id, sale.device)
        return Known(
            self._habits.of(here.id, sale.device),
            facts.longest_pause_s,
            facts.held_s,
            facts.begun,
            self._habits.begins_s(here.id),
        )
