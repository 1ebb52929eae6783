"""A time limit that a program which stood still can't miss."""

from __future__ import annotations

import asyncio
import socket

import pytest

from fakes.waiting import stand_still
from keybench.runtime.clock import AGAIN_S, PUNCTUAL_S, within

LIMIT_S = 0.05


@pytest.mark.parametrize(
    "late_s", [pytest.param(0.01, id="just past the limit"), pytest.param(PUNCTUAL_S * 2, id="long past it")]
)
async def test_what_came_while_it_stood_still_is_read(late_s: float) -> None:
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        loop.call_soon(stand_still, LIMIT_S + late_s)
        async with within(LIMIT_S):
            loop.call_soon(theirs.send, b"an answer")
            assert await loop.sock_recv(ours, 99) == b"an answer"


async def test_as_long_as_it_stands_still_there_is_another_moment() -> None:
    loop = asyncio.get_running_loop()
    came = loop.create_future()
    began = loop.time()

    def come() -> None:
        if loop.time() - began < 3 * PUNCTUAL_S:
            stand_still(PUNCTUAL_S + AGAIN_S + 0.05)
            loop.call_soon(lambda: loop.call_soon(come))
        elif not came.done():
            came.set_result("it came")

    loop.call_soon(come)
    async with within(LIMIT_S):
        assert await came == "it came"


async def test_silence_is_told_a_moment_after_the_limit() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(TimeoutError):
        async with within(LIMIT_S):
            await loop.create_future()
    assert loop.time() - began >= LIMIT_S + AGAIN_S


async def test_the_block_s_own_end_counts_and_no_limit_is_none() -> None:
    for limit_s in (LIMIT_S, None):
        async with within(limit_s):
            await asyncio.sleep(0)
    with pytest.raises(ValueError, match="its own"):
        async with within(LIMIT_S):
            raise ValueError("its own")


async def test_whoever_is_cancelled_is_cancelled_and_not_late() -> None:
    async def wait() -> None:
        async with within(60.0):
            await asyncio.get_running_loop().create_future()

    task = asyncio.get_running_loop().create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
