"""What went on while a sale was under way: its records, with what the contract tells of its gateway."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.exchange import Exchange
from keybench.core.forensics import Account, account_of
from keybench.core.sale import Sale, SaleEvent
from keybench.workflows.calling import usable_facts
from keybench.workflows.world import World


async def account(
    world: World, sale: Sale, events: Sequence[SaleEvent], exchanges: Sequence[Exchange] = ()
) -> Account:
    """Return what went on while a sale was under way; less where its environment was removed."""
    here = {one.id: one for one in await world.journal.environments()}.get(sale.environment_id)
    facts = usable_facts(world.gateway, here.contract) if here else None
    return account_of(sale, events, exchanges, facts, world.clock.now())
