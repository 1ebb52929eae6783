"""A look that is stopped ends at once, whatever it waits for, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import httpcore
import psutil
import pytest

from fakes.clock import turns
from fakes.waiting import until
from faults.network import (
    KEY,
    NAME,
    PATIENT_S,
    Place,
    answers,
    dark,
    named,
    plain,
    proxied,
    proxy_that,
    secure,
    takes_all,
)
from gateway.hostile import hostile
from keybench.core.diagnosis.checks import Check, Sign
from keybench.core.environments.addresses import proxy_at
from keybench.gateway.connections import _tunnel, target_of
from keybench.gateway.diagnosis.probing import LIMIT_S
from keybench.gateway.messages import Limits
from keybench.gateway.proxies import Route
from keybench.runtime.clock import AGAIN_S

#: A look would wait for so long; one that ends before was stopped.
LONG_S = 2 * PATIENT_S


async def stopped(place: Place, check: Check, *, is_begun: Callable[[], object]) -> None:
    """Begin a check, stop it when it has begun, and see that it ends without being waited for."""
    place.limit_s = LONG_S
    loop = asyncio.get_running_loop()
    async with place.looking() as looking:
        before = asyncio.all_tasks()
        task = loop.create_task(looking.check(check))
        await until(is_begun)
        at = loop.time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert loop.time() - at < PATIENT_S
        # The other end has seen that it was hung up on; a socket that nobody closed fails the test, too.
        await until(lambda: asyncio.all_tasks() <= before, PATIENT_S)


@pytest.mark.parametrize("check", [Check.CLOCK, Check.GATEWAY, Check.CALL, Check.FORMS])
async def test_a_call_that_gets_no_answer_can_be_stopped(check: Check) -> None:
    there: list[bool] = []

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        there.append(True)
        await takes_all(reader, writer)

    async with plain(play) as place:
        await stopped(place, check, is_begun=lambda: there)


@pytest.mark.parametrize("check", [Check.TLS, Check.CLOCK, Check.GATEWAY, Check.CALL])
async def test_a_handshake_that_stalls_can_be_stopped(check: Check) -> None:
    there: list[bool] = []

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        there.append(True)
        await takes_all(reader, writer)

    async with hostile(play, reads=False) as server:
        place = Place(server.base_url.replace("http:", "https:"))
        await stopped(place, check, is_begun=lambda: there)


@pytest.mark.parametrize("check", [Check.PROXY, Check.TLS, Check.CALL])
async def test_a_proxy_that_gives_no_answer_can_be_stopped_for(tmp_path: Path, check: Check) -> None:
    there: list[bool] = []

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there.append(True)
        await proxy_that(None)(reader, writer)

    async with secure(tmp_path) as place, proxied(play) as proxy:
        at = named(place)
        at.proxy = proxy.base_url
        await stopped(at, check, is_begun=lambda: there)


@pytest.mark.parametrize("check", [Check.CONNECT, Check.TLS, Check.GATEWAY])
async def test_a_black_hole_can_be_left(check: Check) -> None:
    def waiting(port: int) -> int:
        ours = psutil.Process().net_connections(kind="tcp4")
        return sum(one.status == psutil.CONN_SYN_SENT and one.raddr[1] == port for one in ours)

    with dark() as port:
        filling = waiting(port)
        await stopped(Place(f"https://127.0.0.1:{port}"), check, is_begun=lambda: waiting(port) > filling)


@pytest.mark.parametrize("check", [Check.NAME, Check.CONNECT])
async def test_a_look_up_that_hangs_can_be_left(check: Check) -> None:
    asked, answered = threading.Event(), threading.Event()

    def look_up(_host: str, _port: int) -> list[str]:
        asked.set()
        assert answered.wait(PATIENT_S)
        return ["127.0.0.1"]

    try:
        await stopped(Place(f"https://{NAME}", look_up=look_up), check, is_begun=asked.is_set)
    finally:
        answered.set()


async def test_a_look_up_that_hangs_is_a_silent_name_server() -> None:
    answered = threading.Event()

    def look_up(_host: str, _port: int) -> list[str]:
        assert answered.wait(PATIENT_S)
        return []

    try:
        async with Place(f"https://{NAME}", look_up=look_up, limit_s=0.1).looking() as looking:
            (seen,) = await looking.check(Check.NAME)
    finally:
        answered.set()
    assert seen.seen is Sign.NAME_SILENT


async def test_after_a_stop_the_next_look_sees_again() -> None:
    there: list[bool] = []
    well = answers()

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there.append(True)
        await (takes_all if len(there) == 1 else well)(reader, writer)

    async with plain(play) as place, place.looking() as looking:
        task = asyncio.get_running_loop().create_task(looking.check(Check.CALL))
        await until(lambda: there)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (seen,) = await looking.check(Check.CALL, KEY)
    assert seen.seen is Sign.CALL_ACCEPTED


class Unanswered(httpcore.AsyncNetworkStream):
    """A connection on which nothing comes."""

    def __init__(self) -> None:
        self.is_closed = False

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        await asyncio.sleep(0)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - same
        await asyncio.Event().wait()
        return b""

    async def aclose(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize("steps", range(1, 9))
async def test_a_tunnel_that_is_given_up_at_any_moment_is_closed(steps: int) -> None:
    stream, way = Unanswered(), Route(proxy_at("http://proxy.example:3128"))
    asking = _tunnel(stream, way, target_of(f"https://{NAME}"), Limits())
    task = asyncio.get_running_loop().create_task(asking)
    await turns(steps)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stream.is_closed


def test_a_look_ends_before_a_diagnosis_gives_it_up() -> None:
    assert LIMIT_S + 2 * AGAIN_S < 3.0
