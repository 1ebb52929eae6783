"""The yardstick: what one writes first, a script with httpx that asks for each sale once a second.

Arguments: the gateway's base URL and how many sales. Prints one JSON object: the processor time from when
all are accepted, the most memory, and when each outcome was seen, by reference, on the monotonic clock.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import httpx
from memory import peak_mb

HEADERS = {"Authorization": "made-up-key-for-the-benchmark"}


async def main(base_url: str, count: int) -> None:
    """Sell, then ask and ask again."""
    async with httpx.AsyncClient(base_url=base_url, headers=HEADERS, trust_env=False, timeout=60) as client:

        async def sell(number: int) -> tuple[str, str]:
            body = {"amount": "10.00", "currency": "USD", "order_details": {"id": f"N-{number}"}}
            answer = await client.post(f"/api/v5/devices/D-{number}/payment-requests/sale", json=body)
            return f"N-{number}", f"/api/v5/devices/D-{number}/payment-requests/{answer.json()['id']}"

        async def follow(path: str) -> float:
            due = time.monotonic()
            while (await client.get(path)).json()["status"] != "interactionComplete":
                due += 1.0
                await asyncio.sleep(due - time.monotonic())
            return time.monotonic()

        began = time.process_time()
        sold = [await sell(number) for number in range(count)]
        await client.post("/begin")
        accepted = time.process_time()
        seen = await asyncio.gather(*(follow(path) for _reference, path in sold))
        ended = time.process_time()
        found = {
            "selling_cpu_s": round(accepted - began, 2),
            "cpu_s": round(ended - accepted, 2),
            "memory_mb": peak_mb(),
            "seen": {reference: at for (reference, _path), at in zip(sold, seen, strict=True)},
        }
        print(json.dumps(found), flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
