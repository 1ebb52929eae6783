"""Large answers are worked on beside the loop: whatever a gateway sends, the window goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from gateway.callers import MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import AnswerUnreadable, GatewayFailed
from keybench.core.exchange import Exchange
from keybench.gateway.client import HttpGateway
from keybench.gateway.redaction import BODY_LIMIT

#: No turn of the loop may take longer, in seconds of the loop's own thread.
LONGEST_TURN_S = 0.05
SIZE = 1024 * 1024
PIECES = [
    '"\\',
    '"',
    '"a":',
    '"value":[',
    '"value":"',
    '"a"  ',
    '"value" : {"',
    "?a=",
    "&key=1",
    "<a> ",
    "[{},",
]


@dataclass
class Turns:
    """The longest turn of the loop so far, in seconds its thread was busy."""

    longest_s: float = 0.0


@asynccontextmanager
async def turns() -> AsyncIterator[Turns]:
    """Watch the loop; the thread's own time doesn't count what other programs take meanwhile."""
    seen, over = Turns(), asyncio.Event()

    async def watch() -> None:
        last = time.thread_time()
        while not over.is_set():
            await asyncio.sleep(0)
            now = time.thread_time()
            seen.longest_s, last = max(seen.longest_s, now - last), now

    async with asyncio.TaskGroup() as group:
        group.create_task(watch())
        yield seen
        over.set()


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
async def test_no_answer_makes_the_loop_stall(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], status: str, piece: str
) -> None:
    body = (piece * (SIZE // len(piece))).encode()
    async with hostile(says(http(status, body))) as server:
        at = caller(server.base_url)
        with pytest.raises(GatewayFailed if status[0] == "5" else AnswerUnreadable):
            await gateway.devices(at)  # what is imported with the first request isn't the answer's doing
        async with turns() as seen:
            for ask in (gateway.devices(at), gateway.sale_status(at, "till-1", "r1")):
                with pytest.raises((GatewayFailed, AnswerUnreadable)):
                    await ask
    assert seen.longest_s < LONGEST_TURN_S
    assert all(len(exchange.response_body) <= BODY_LIMIT for exchange in exchanges)


async def test_a_long_list_of_devices_is_read_up_to_what_any_account_has(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    body = b'{"devices": [' + b",".join(b'{"id": "d%d"}' % number for number in range(12_000)) + b"]}"
    async with hostile(says(http("200 OK", body))) as server, turns() as seen:
        found = await gateway.devices(caller(server.base_url))
    assert (len(found), found[-1].id) == (10_000, "d9999")
    assert seen.longest_s < 10 * LONGEST_TURN_S  # with the import of the HTTP library
