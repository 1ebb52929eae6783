"""Rotates an environment's only key on real parts, and stands still at a moment to be killed at.

Run as ``python rotator.py DATA_DIR ENVIRONMENT MOMENT``. First it takes up and ends what an earlier one left,
and tells how that ended as a JSON line. Then it begins a rotation of its own, tells each moment of it,
and at the chosen one does nothing any more. Without such a moment it ends that rotation, too.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from endtoend.crash.standing_still import Standstill, tell
from fakes.mortal import mortal
from fakes.person import ANN, carry_through
from keybench.bootstrap import open_console
from keybench.core.environments.environment import Environment
from keybench.core.errors import ValueLost
from keybench.core.keys.application import Application
from keybench.core.ports import entry_of
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console
from keybench.workflows.rotations.managing import Rotations
from keybench.workflows.rotations.steps import key_of


async def _has_value(console: Console, rotation: Rotation, *, new: bool) -> bool:
    facts = rotation.replacement if new else rotation.old
    assert facts
    try:
        await console.world.keystore.read(entry_of(key_of(rotation, facts)))
    except ValueLost:
        return False
    return True


async def _tell(console: Console, rotation: Rotation) -> None:
    assert rotation.replacement
    keys = await console.world.journal.keys(rotation.environment_id)
    told = {
        "old": rotation.old.gateway_id,
        "new": rotation.replacement.gateway_id,
        "evidence": [one.what for one in rotation.evidence],
        "open": rotation.is_open,
        "leftovers": len(rotation.leftovers),
        "keys": [key.gateway_id for key in keys],
        "has_old": await _has_value(console, rotation, new=False),
        "has_new": await _has_value(console, rotation, new=True),
    }
    tell(told)


async def _take_up(console: Console, rotations: Rotations, where: Environment) -> None:
    for rotation in (await rotations.listed(where.id))[:1]:
        taken_up = await rotations.resume(rotation.id)
        await _tell(console, await carry_through(rotations, taken_up))


async def _rotate(console: Console, rotations: Rotations, where: Environment) -> None:
    (key,) = await console.keys.listed(where)
    if not await console.world.journal.applications(where.id):
        await console.world.journal.add_application(Application("A-1", where.id, key.id, "web shop"))
    rotation = await rotations.start(
        where,
        key,
        rotations.proposed(key),
        reason="it is time",
        by=ANN,
        overlap_ends_at=console.clock.now() + timedelta(days=1),
    )
    await _tell(console, await carry_through(rotations, rotation))


async def main(folder: str, environment: str, moment: int) -> None:
    """End what was left, and rotate once more until the moment."""
    async with open_console(DataFolder(Path(folder))) as opened:
        fate = Standstill(moment)
        console = Console(mortal(opened.world, fate))
        status = await console.look_at_keystore()
        if status.trouble:
            raise status.trouble
        rotations = Rotations(console)
        where = await console.environments.named(environment)
        await _take_up(console, rotations, where)
        fate.armed = True
        await _rotate(console, rotations, where)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
