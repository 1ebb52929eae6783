"""A program that follows a sale whose deadline is near and tells its outcome, to be stopped meanwhile.

Run as ``python follower_program.py BASE_URL``; the gateway holds its answers.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from fakes.world import Bench, build_world
from gateway.caller_program import LIMITS
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.sales.poll_plan import PollPlan
from keybench.gateway.client import HttpGateway
from keybench.runtime.clock import SystemClock
from keybench.workflows.console import build_console

#: How long before its deadline the sale is taken up, in seconds.
LEFT_S: Final = 1.0


async def main(base_url: str) -> None:
    """Tell the sale's outcome on standard output."""
    clock, gateway = SystemClock(), HttpGateway(limits=LIMITS)
    bench = Bench()
    world = replace(build_world(bench), clock=clock, gateway=gateway)
    console = bench.console = build_console(world, PollPlan(grace_s=LEFT_S))
    await bench.journal.open()
    where = await console.environments.add("Sandbox", EnvironmentKind.TEST, base_url, "v5-asyncstatus")
    noted = await console.sell.note(await bench.draft(environment=where))
    accepted_at = clock.now() - timedelta(seconds=gateway.facts(where.contract).deadline_s - LEFT_S)
    accepted = await bench.journal.advance_sale(
        noted.reference, lambda sale: sale.send("https://gateway.example").accept("R-1", accepted_at)
    )
    sale = await console.follow.to_the_end(accepted)
    await gateway.close()
    sys.stdout.write(str(sale.verdict))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
