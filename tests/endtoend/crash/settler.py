"""Asks the gateway about every unknown sale, twice, as a person does, and tells how each sale stands then.

Run as ``python settler.py DATA_DIR``; a sale is one JSON line. Its clock goes an hour ahead between the two:
a sale that the gateway knows nothing of counts as never received only when its device has had its time.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from keybench.bootstrap import open_console
from keybench.core.sales.sale import Outcome
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console

MOST = 1_000_000


class LaterClock(SystemClock):
    """The system's clock, which may be moved on."""

    ahead_s = 0.0

    def now(self) -> datetime:
        """Return the time of day."""
        return super().now() + timedelta(seconds=self.ahead_s)

    def monotonic(self) -> float:
        """Return the seconds gone by."""
        return super().monotonic() + self.ahead_s


async def _settle(console: Console, clock: LaterClock) -> None:
    before = {sale.reference: sale for sale in await console.recent_sales(None, MOST)}
    for ahead_s in (0.0, 3600.0):
        clock.ahead_s = ahead_s
        for sale in await console.recent_sales(None, MOST):
            if sale.outcome is Outcome.UNKNOWN:
                await console.resume.look_up(sale)
    for ended in await console.recent_sales(None, MOST):
        marks = [f"{event.mark}:{event.detail}" for event in await console.timeline(ended.reference)]
        told = {"reference": ended.reference, "state": ended.outcome, "marks": marks}
        print(json.dumps(told | {"before": before[ended.reference].outcome, "request_id": ended.request_id}))


async def main(folder: str) -> None:
    """Settle what is unknown."""
    async with open_console(DataFolder(Path(folder))) as console:
        await console.look_at_keystore()
        clock = LaterClock()
        await _settle(Console(replace(console.world, clock=clock)), clock)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
