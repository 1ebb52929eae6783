"""The yardstick: what one writes first, a script with httpx that asks for each sale once a second.

Arguments: the gateway's base URL, how many sales, and ``at-once`` to sell them so once the gateway has begun
to let them end. Prints one JSON object: the processor time from when all are accepted, the most memory, and
when each outcome was seen, by reference, on the monotonic clock. A refused poll is made again a second later.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import httpx
from memory import peak_mb

HEADERS = {"Authorization": "made-up-key-for-the-benchmark"}


async def main(base_url: str, count: int, *, at_once: bool) -> None:
    """Sell, then ask and ask again."""
    async with httpx.AsyncClient(base_url=base_url, headers=HEADERS, trust_env=False, timeout=60) as client:

        async def sell(number: int) -> tuple[str, str] | None:
            body = {"amount": "10.00", "currency": "USD", "order_details": {"id": f"N-{number}"}}
            answer = await client.post(f"/api/v5/devices/D-{number}/payment-requests/sale", json=body)
            if "id" not in answer.json():
                return None
            return f"N-{number}", f"/api/v5/devices/D-{number}/payment-requests/{answer.json()['id']}"

        async def follow(path: str) -> float:
            due = time.monotonic()
            while (await client.get(path)).json().get("status") != "interactionComplete":
                due += 1.0
                await asyncio.sleep(max(due - time.monotonic(), 0.0))
            return time.monotonic()

        began = time.process_time()
        if at_once:
            await client.post("/begin")

            async def through(number: int) -> tuple[str, float] | None:
                sold = await sell(number)
                return (sold[0], await follow(sold[1])) if sold else None

            accepted = began
            found = await asyncio.gather(*(through(number) for number in range(count)))
            seen = dict(one for one in found if one)
        else:
            sold = [one for number in range(count) if (one := await sell(number))]
            await client.post("/begin")
            accepted = time.process_time()
            times = await asyncio.gather(*(follow(path) for _reference, path in sold))
            seen = {reference: at for (reference, _path), at in zip(sold, times, strict=True)}
        ended = time.process_time()
        told = {
            "selling_cpu_s": round(accepted - began, 2),
            "cpu_s": round(ended - accepted, 2),
            "memory_mb": peak_mb(),
            "seen": seen,
        }
        print(json.dumps(told), flush=True)


asyncio.run(main(sys.argv[1], int(sys.argv[2]), at_once="at-once" in sys.argv))
