"""Hundreds of sales sold at once, as a batch sells them, by the usual contract.

Arguments: the data folder, the gateway's base URL and how many sales. Prints one JSON object: the outcomes
there were, when the last was sent, in seconds, and when each outcome was seen, by reference, on the monotonic
clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import httpx

from keybench import bootstrap
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.events import SaleChanged
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.sales.sale import Mark, Outcome, SaleDraft
from keybench.runtime.data_folder import DataFolder


async def main(folder: Path, base_url: str, count: int) -> None:
    """Sell on as many devices at once, and follow all to their ends."""
    async with (
        bootstrap.open_console(DataFolder(folder)) as console,
        httpx.AsyncClient(trust_env=False) as http,
    ):
        await console.look_at_keystore()
        where = await console.environments.add("stub", EnvironmentKind.TEST, base_url)
        draft = KeyDraft("till", "admin", "API", KeyKind.PRIVATE)
        added = await console.add_key.keep(where, draft, "MadeUpForTheBenchmark0123456789a")
        seen, sent = dict[str, float](), list[float]()

        def look(change: SaleChanged) -> None:
            if change.event.mark is Mark.SENT:
                sent.append(time.monotonic())
            if change.sale.request_id and change.sale.verdict:
                seen[change.sale.reference] = time.monotonic()

        console.events.subscribe(SaleChanged, look)

        async def one(number: int) -> Outcome | None:
            noted = await console.sell.note(SaleDraft(where.id, added.key.id, f"D-{number}", "10.00", "USD"))
            return (await console.sell.carry_out(noted)).outcome

        await http.post(f"{base_url}/begin")
        began = time.monotonic()
        outcomes = await asyncio.gather(*map(one, range(count)))
        told = {"outcomes": sorted(set(map(str, outcomes))), "sent_s": max(sent) - began, "seen": seen}
        print(json.dumps(told), flush=True)


asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
