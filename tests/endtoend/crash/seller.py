"""A till that never rests: sells on its devices until it is killed, and takes up what an earlier one left.

Run as ``python seller.py DATA_DIR ENVIRONMENT DEVICE…``; each point on a sale's timeline is a line of output.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from keybench.bootstrap import open_console
from keybench.core.errors import GatewayError
from keybench.core.events import SaleChanged
from keybench.core.sales.sale import Outcome, Sale, SaleDraft
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console

# The practice gateway's own amounts: most are approved, and every other end and every lost answer comes, too.
AMOUNTS = (*["10.00"] * 8, "20.00", "30.00", "50.00", "70.00", "71.00", "80.00", "85.00")
_CHANCE = random.Random()


def _tell(change: SaleChanged) -> None:
    os.write(1, f"{change.event.mark} {change.sale.reference}\n".encode())


async def _sell_for_ever(console: Console, environment: str, device: str) -> None:
    where = await console.environments.named(environment)
    key = await console.keys.named(where, "till")
    while True:
        draft = SaleDraft(where.id, key.id, device, _CHANCE.choice(AMOUNTS), "USD")
        sale = await console.sell.carry_out(await console.sell.note(draft))
        if sale.outcome is Outcome.UNKNOWN and _CHANCE.random() < 0.5:
            await _look_up(console, sale)


async def _look_up(console: Console, sale: Sale) -> None:
    try:
        await console.resume.look_up(sale)
    except GatewayError:
        return  # it stays unknown, for somebody else to settle


async def main(folder: str, environment: str, devices: Sequence[str]) -> None:
    """Take up what was left, and sell on every device at once."""
    async with open_console(DataFolder(Path(folder))) as console:
        status = await console.look_at_keystore()
        if status.trouble:
            raise status.trouble
        console.events.subscribe(SaleChanged, _tell)
        async with asyncio.TaskGroup() as tasks:
            for orphan in await console.resume.orphans():
                tasks.create_task(console.resume.resume(orphan))
            for device in devices:
                tasks.create_task(_sell_for_ever(console, environment, device))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
