"""Whoever rotates a key: does what is left to do, step by step, until the rotation is documented."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.workflows.rotations.managing import Rotations

ANN: Final = "Ann Example"


async def carry_through(
    rotations: Rotations,
    rotation: Rotation,
    *,
    paste: str = "",
    delete_in_the_portal: Callable[[], None] | None = None,
) -> Rotation:
    """Do what a person has left to do, and return the rotation as it ends.

    Args:
        rotations: The use cases.
        rotation: As it stands.
        paste: What they have copied from the portal, where a value is pasted.
        delete_in_the_portal: How they delete the old key, where the gateway doesn't.
    """
    if not rotation.is_open:
        return rotation
    if rotation.replacement is None:
        made = rotations.keep(rotation.id, paste) if paste else rotations.create(rotation.id)
        rotation = await made
    if rotation.deletion is None:
        rotation = await make_ready(rotations, rotation)
    if rotation.deletion is None or rotation.deletion.deleted_at is None:
        await rotations.delete(rotation.id, ANN)
    if delete_in_the_portal:
        delete_in_the_portal()
        await rotations.deleted_in_portal(rotation.id, ANN)
    await rotations.see_refused(rotation.id)
    return await rotations.document(rotation.id, ANN, "wiki")


async def compare(rotations: Rotations, rotation: Rotation) -> None:
    """Compare the keys, and write down why it goes on where the contract names no call to be refused."""
    if rotation.proof is None:
        rotation = await rotations.prove(rotation.id)
    if not stages.proof_settled(rotation):
        await rotations.waive_proof(rotation.id, "the contract names no other call", ANN)


async def make_ready(rotations: Rotations, rotation: Rotation) -> Rotation:
    """Do what stages 1 to 3 still need after the replacement was made."""
    await compare(rotations, rotation)
    for step in rotation.applications:
        if step.changed_at is None:
            await rotations.application_changed(rotation.id, step.application_id, ANN)
        if not step.is_seen_working:
            await rotations.application_seen(rotation.id, step.application_id, ANN, "an order")
    return rotation if rotation.test else await rotations.test_key(rotation.id)
