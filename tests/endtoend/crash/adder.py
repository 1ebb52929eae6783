"""Adds keys on real parts, and stands still at a moment to be killed at.

Run as ``python adder.py DATA_DIR ENVIRONMENT NAME MOMENT``. First it settles what an earlier one left; then
it adds a key of that name, tells each moment of that, and at the chosen one does nothing any more. Without
such a moment it tells what there is in the end.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from endtoend.crash.standing_still import Standstill, tell
from fakes.mortal import mortal
from keybench.bootstrap import open_console
from keybench.core.environments.environment import Environment
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.calling import kept_value
from keybench.workflows.console import Console


async def _settle(console: Console) -> None:
    for plan in await console.add_key.unsettled():
        await console.add_key.settle(plan.making.key_id)


async def _tell(console: Console, where: Environment) -> None:
    keys = await console.keys.listed(where)
    for key in keys:
        await kept_value(console.world.keystore, key)
    plans = await console.world.journal.key_plans()
    lines = await console.world.journal.activities(10_000)
    tell(
        {
            "keys": {key.name: key.gateway_id for key in keys},
            "plans": len(plans),
            "added": [line.subject for line in lines if line.action == "key added"],
        }
    )


async def main(folder: str, environment: str, name: str, moment: int) -> None:
    """Settle what was left, and add a key until the moment."""
    async with open_console(DataFolder(Path(folder))) as opened:
        fate = Standstill(moment)
        console = Console(mortal(opened.world, fate))
        status = await console.look_at_keystore()
        if status.trouble:
            raise status.trouble
        where = await console.environments.named(environment)
        await _settle(console)
        fate.armed = True
        if name not in {key.name for key in await console.keys.listed(where)}:
            await console.add_key.create(where, KeyDraft(name, "counter1", "API", KeyKind.PRIVATE))
        await _tell(console, where)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
