"""Connections kept for questions: used again, given up when they can't be, and never a way to stall."""

from __future__ import annotations

import asyncio
import time

import pytest

from gateway.callers import MakeCaller
from gateway.hostile import Play, hostile, http, says
from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.gateway.client import HttpGateway

GOES_ON = http("200 OK", b'{"status": "inFlight"}')
#: More than any gateway needs, and less than the window could show between two frames.
LONGEST_TURN_S = 0.05


def answers_each(count: int, answer: bytes, after: bytes = b"") -> Play:
    """Play a server that answers so many requests on one connection, each followed by more bytes."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(count):
            if number:
                await reader.readuntil(b"\r\n\r\n")
            writer.write(answer + after)
            await writer.drain()

    return play


async def test_questions_share_a_connection(gateway: HttpGateway, caller: MakeCaller) -> None:
    async with hostile(answers_each(3, GOES_ON)) as server:
        for _ in range(3):
            assert (await gateway.sale_status(caller(server.base_url), "till-1", "r1")).verdict is None
    assert len(server.requests) == 1  # the server reads the first of each connection


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(http("200 OK", b'{"status": "cancelled"}'), id="an answer nobody asked for"),
        pytest.param(b"\r\n\r\nrubbish", id="rubbish"),
    ],
)
async def test_what_comes_unasked_is_never_the_next_answer(
    gateway: HttpGateway, caller: MakeCaller, after: bytes
) -> None:
    async with hostile(answers_each(1, GOES_ON, after)) as server:
        for _ in range(3):
            assert (await gateway.sale_status(caller(server.base_url), "till-1", "r1")).verdict is None
    assert len(server.requests) == 3


async def test_a_connection_closed_after_the_answer_is_not_used_again(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(GOES_ON)) as server:
        for _ in range(5):
            await gateway.sale_status(caller(server.base_url), "till-1", "r1")
    assert len(server.requests) == 5


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 150_000,
            AnswerLost,
            id="the smallest of chunks",
        ),
        pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000 + GOES_ON, None, id="promises"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000, AnswerLost, id="an endless header"),
        pytest.param(http("200 OK", b" " * 1_000_000), AnswerUnreadable, id="much"),
    ],
)
async def test_no_form_of_answer_holds_the_loop(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes, raised: type[Exception] | None
) -> None:
    longest_s, over = 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal longest_s
        last = time.thread_time()
        while not over.is_set():
            await asyncio.sleep(0)
            now = time.thread_time()
            longest_s, last = max(longest_s, now - last), now

    async with hostile(says(GOES_ON)) as first:  # what is imported with the first request isn't the answer's
        await gateway.sale_status(caller(first.base_url), "till-1", "r1")
    async with hostile(says(answer)) as server, asyncio.TaskGroup() as group:
        group.create_task(watch())
        asked = gateway.sale_status(caller(server.base_url), "till-1", "r1")
        (found,) = await asyncio.gather(asked, return_exceptions=True)
        over.set()
    assert isinstance(found, raised) if raised else not isinstance(found, BaseException)
    assert longest_s < LONGEST_TURN_S
