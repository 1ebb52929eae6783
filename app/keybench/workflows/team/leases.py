"""Who works on what: the desks whose running programs follow a sale, or have a rotation open."""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core.sales.sale import Sale
from keybench.core.team.desk import TeamDesk
from keybench.workflows.world import World


def rotation_work(rotation_id: str) -> str:
    """Return how a program notes that a person has a rotation open there."""
    return f"rotation {rotation_id}"


async def follows(world: World, sale: Sale) -> Sequence[TeamDesk]:
    """Return the other desk whose program follows a sale; empty if none does, or in no team's journal."""
    return await _desks(world, program_id=sale.owner)


async def works_on(world: World, work: str) -> Sequence[TeamDesk]:
    """Return the other desks that have something open, by what their programs note."""
    return await _desks(world, work=work)


async def _desks(world: World, *, program_id: str = "", work: str = "") -> Sequence[TeamDesk]:
    if world.desk is None:
        return ()
    others = await world.owners.others()
    at = {one.desk_id for one in others if one.id == program_id or (work and one.works_on == work)}
    return [desk for desk in await world.journal.desks() if desk.id in at] if at else ()
