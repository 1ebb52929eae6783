"""Asks the gateway about every unknown sale, as a person does later that day, and tells how each sale stands.

Run as ``python settler.py DATA_DIR``; a sale is one JSON line. Its clock is an hour ahead: a sale that the
gateway knows nothing of counts as never received only when its device has had its time.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from keybench.bootstrap import open_program
from keybench.core.outcome import Outcome
from keybench.runtime.clock import SystemClock
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console, build_console

MOST = 1_000_000


class LaterClock(SystemClock):
    """The system's clock an hour ahead."""

    def now(self) -> datetime:
        """Return the time an hour from now."""
        return super().now() + timedelta(hours=1)


async def _settle(console: Console) -> None:
    for sale in await console.recent_sales(None, MOST):
        ended = await console.resume.look_up(sale) if sale.outcome is Outcome.UNKNOWN else sale
        marks = [f"{event.mark}:{event.detail}" for event in await console.timeline(sale.reference)]
        told = {"reference": ended.reference, "state": ended.outcome, "before": sale.outcome, "marks": marks}
        print(json.dumps(told | {"request_id": ended.request_id}))


async def main(folder: str) -> None:
    """Settle what is unknown."""
    program = await open_program(DataFolder(Path(folder)))
    try:
        await program.console.look_at_keystore()
        await _settle(build_console(replace(program.console.world, clock=LaterClock())))
    finally:
        await program.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
