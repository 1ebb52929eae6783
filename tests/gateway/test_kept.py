"""Connections kept for questions: used again, given up when they can't be, never a way to go on for ever."""

from __future__ import annotations

import asyncio

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import Play, hostile, http, says
from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.gateway.client import HttpGateway

GOES_ON = http("200 OK", b'{"status": "inFlight"}')


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
            assert (await gateway.sale_status(caller(server.base_url), ORDER, "r1")).verdict is None
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
    async with hostile(answers_each(3, GOES_ON, after)) as server:  # it would go on answering
        for _ in range(3):
            assert (await gateway.sale_status(caller(server.base_url), ORDER, "r1")).verdict is None
    assert len(server.requests) == 3


async def test_a_connection_closed_after_the_answer_is_not_used_again(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(GOES_ON)) as server:
        for _ in range(5):
            await gateway.sale_status(caller(server.base_url), ORDER, "r1")
    assert len(server.requests) == 5


#: Answers that cost a reader much; none of them may end in a call that goes on for ever.
STRANGE = {
    "the smallest of chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1\r\n \r\n" * 150_000,
    "promises": b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000 + GOES_ON,
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000,
    "much": http("200 OK", b" " * 1_000_000),
}


@pytest.mark.parametrize(
    ("form", "raised"),
    [
        ("the smallest of chunks", AnswerLost),
        ("promises", None),
        ("an endless header", AnswerLost),
        ("much", AnswerUnreadable),
    ],
)
async def test_a_form_of_answer_that_could_go_on_for_ever_ends(
    gateway: HttpGateway, caller: MakeCaller, form: str, raised: type[Exception] | None
) -> None:
    async with hostile(says(STRANGE[form])) as server:
        asked = gateway.sale_status(caller(server.base_url), ORDER, "r1")
        (found,) = await asyncio.gather(asked, return_exceptions=True)
    assert isinstance(found, raised) if raised else not isinstance(found, BaseException)
