"""How long the largest and the strangest of answers hold the loop that the window lives on."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.figures import TRIES, Figure
from gateway.callers import ORDER
from gateway.hostile import hostile, http, says
from gateway.test_kept import GOES_ON, STRANGE
from gateway.test_large_answers import PIECES, large
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.errors import GatewayError
from keybench.core.ports import Caller
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway

#: More than any gateway needs, and less than the window could show between a few frames.
LONGEST_TURN_MS: Final = 50.0


def measure(folder: Path) -> list[Figure]:
    """Let a gateway answer so, and watch the loop."""
    kinds = {
        "1 MB that begins like an answer, the worst of many": [
            http(status, large(piece)) for status in ("200 OK", "500 Oops") for piece in PIECES
        ],
        **{name: [answer] for name, answer in STRANGE.items()},
    }
    return [
        Figure(
            f"the longest turn of the loop: {name}",
            max(asyncio.run(best_ms(answer)) for answer in answers),
            "ms",
            LONGEST_TURN_MS,
        )
        for name, answers in kinds.items()
    ]


async def best_ms(answer: bytes) -> float:
    """Return the longest turn of the loop, in milliseconds its thread was busy; the best of some tries."""
    return min([await _longest_turn_ms(answer) for _ in range(TRIES)])


async def _longest_turn_ms(answer: bytes) -> float:
    client, longest_s, over = HttpGateway(), 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal longest_s
        last = time.thread_time()
        while not over.is_set():
            await asyncio.sleep(0)
            now = time.thread_time()
            longest_s, last = max(longest_s, now - last), now

    async with hostile(says(GOES_ON)) as first:  # what is imported with the first request isn't the answer's
        await client.sale_status(_caller(first.base_url), ORDER, "r1")
    async with hostile(says(answer)) as server, asyncio.TaskGroup() as group:
        group.create_task(watch())
        for ask in (client.devices, lambda at: client.sale_status(at, ORDER, "r1")):
            try:
                await ask(_caller(server.base_url))
            except GatewayError:
                continue  # most of these answers are no good, and that is tested elsewhere
        over.set()
    await client.close()
    return 1000 * longest_s


def _caller(base_url: str) -> Caller:
    made = datetime(2026, 3, 1, tzinfo=UTC)
    where = Environment("e1", "Test", EnvironmentKind.TEST, base_url, "practice", made)
    return Caller(where, base_url, Secret("MadeUpForTheBenchmark0123456789a"), lambda _exchange: None)
