"""Sales over HTTP, polled as the program polls: untaught, then taught by those, then as a script each second.

Arguments: the data folder, how many sales at once, and pairs of a moment, in seconds, and the base URL of a
gateway whose sales end then. Prints one JSON object: by moment, then by who asked, the references of the
sales and when each outcome was seen, on the monotonic clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import httpx

from keybench import bootstrap
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.sales.sale import SaleDraft
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console

Found = dict[str, float]


async def by_keybench(console: Console, where: Environment, key: SecurityKey, count: int) -> Found:
    """Sell on as many devices at once; return when each outcome was seen."""

    async def one(number: int) -> tuple[str, float]:
        noted = await console.sell.note(SaleDraft(where.id, key.id, f"D-{number}", "10.00", "USD"))
        ended = await console.sell.carry_out(noted)
        return ended.reference, time.monotonic()

    return dict(await asyncio.gather(*map(one, range(count))))


async def by_script(base_url: str, count: int) -> Found:
    """Sell as many, and ask for each after every second."""
    headers = {"Authorization": "made-up-key-for-the-benchmark"}
    async with httpx.AsyncClient(base_url=base_url, headers=headers, trust_env=False, timeout=60) as client:

        async def one(number: int) -> tuple[str, float]:
            body = {"amount": "10.00", "currency": "USD", "order_details": {"id": f"N-{number}"}}
            path = f"/api/v5/devices/D-{number}/payment-requests"
            answer = await client.post(f"{path}/sale", json=body)
            while True:
                await asyncio.sleep(1.0)
                told = (await client.get(f"{path}/{answer.json()['id']}")).json()
                if told["status"] == "interactionComplete":
                    return f"N-{number}", time.monotonic()

        return dict(await asyncio.gather(*map(one, range(count))))


async def at(console: Console, moment: str, base_url: str, count: int) -> dict[str, Found]:
    """Sell at one gateway: untaught, taught, and as the script."""
    where = await console.environments.add(f"ends at {moment}", EnvironmentKind.TEST, base_url)
    draft = KeyDraft("till", "admin", "API", KeyKind.PRIVATE)
    added = await console.add_key.keep(where, draft, "MadeUpForTheBenchmark0123456789a")
    return {
        "untaught": await by_keybench(console, where, added.key, count),
        "again": await by_keybench(console, where, added.key, count),
        "each second": await by_script(base_url, count),
    }


async def main(folder: Path, count: int, gateways: list[str]) -> None:
    """Sell at all gateways at once, so that it takes as long as the slowest."""
    async with bootstrap.open_console(DataFolder(folder)) as console:
        await console.look_at_keystore()
        pairs = list(zip(gateways[::2], gateways[1::2], strict=True))
        found = await asyncio.gather(*(at(console, moment, url, count) for moment, url in pairs))
    print(json.dumps(dict(zip((moment for moment, _url in pairs), found, strict=True))), flush=True)


asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
