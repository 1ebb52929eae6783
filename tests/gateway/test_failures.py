"""What goes wrong on the wire: for certain not sent, or nobody can tell, and in which words."""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import replace

import pytest

from fakes.waiting import until
from gateway.callers import MADE_UP_KEY, ORDER, MakeCaller
from gateway.hostile import Play, hostile, http, is_silent, resets, says, trickles
from keybench.core.errors import AnswerLost, AnswerUnreadable, GatewayError, KeyRefused, NotSent
from keybench.core.exchange import Exchange
from keybench.core.sales.sale import SaleMode
from keybench.core.secret import MASK
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Limits

UPGRADE = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
HALF = b'HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\n{"id": "req'


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def failure_of(gateway: HttpGateway, caller: MakeCaller, base_url: str) -> GatewayError:
    with pytest.raises(GatewayError) as raised:
        await gateway.start_sale(caller(base_url), ORDER)
    return raised.value


@pytest.mark.parametrize(
    ("base_url", "reason"),
    [
        ("http://127.0.0.1:{port}", "connection refused"),
        ("http://no-such-host.invalid", "name not found"),
        ("ftp://127.0.0.1:1", "invalid address"),
        ("http://127.0.0.1:notaport", "invalid address"),
        ("", "invalid address"),
        (f"http://{'a' * 64}.example", "name not found"),
    ],
)
async def test_what_never_leaves_is_certainly_not_sent(
    gateway: HttpGateway, caller: MakeCaller, base_url: str, reason: str
) -> None:
    error = await failure_of(gateway, caller, base_url.format(port=free_port()))
    assert type(error) is NotSent
    assert error.reason == reason


@pytest.mark.parametrize(
    ("play", "reads", "reason"),
    [
        pytest.param(resets, True, "connection reset", id="reset after the request"),
        pytest.param(resets, False, "connection reset", id="reset before the request is read"),
        pytest.param(says(b""), True, "connection closed", id="closed without a byte"),
        pytest.param(says(HALF), True, "connection closed", id="half an answer"),
        pytest.param(says(b"HTTP/1.1 2"), True, "connection closed", id="half a status line"),
        pytest.param(says(b"SSH-2.0-OpenSSH_9\r\n\r\n"), True, "not http", id="another protocol"),
        pytest.param(says(UPGRADE), True, "not http", id="an upgrade nobody asked for"),
        pytest.param(is_silent, True, "timeout", id="silence"),
        pytest.param(trickles(b"HTTP/1.1 202 Accepted\r\nX-Slow: "), True, "timeout", id="trickling head"),
        pytest.param(trickles(HALF.replace(b"100", b"999999")), True, "timeout", id="trickling body"),
        pytest.param(says(b"HTTP/1.1 100 Continue\r\n\r\n"), True, "connection closed", id="only a 1xx"),
        pytest.param(
            says(http("202 Accepted", b"x", "X-Big: " + "y" * 200_000)), True, "not http", id="huge head"
        ),
    ],
)
async def test_a_lost_answer_is_nobodys_certainty(
    gateway: HttpGateway, impatient: HttpGateway, caller: MakeCaller, play: Play, *, reads: bool, reason: str
) -> None:
    client = impatient if reason == "timeout" else gateway
    async with hostile(play, reads=reads) as server:
        error = await failure_of(client, caller, server.base_url)
    assert type(error) is AnswerLost
    assert error.reason == reason
    assert len(server.requests) <= 1  # never sent twice


async def test_nothing_of_the_http_library_or_the_key_is_in_the_error(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    async with hostile(says(b"")) as server:
        error = await failure_of(gateway, caller, server.base_url)
    assert error.__cause__ is None
    assert error.__context__ is None
    shows_key = MADE_UP_KEY in f"{error!r} {vars(error)} {exchanges}"
    assert not shows_key


@pytest.mark.parametrize("value", ["key\u00e9", "key\nInjected: yes", "k\u00e9y\r\n"])
async def test_a_key_that_no_header_can_carry_fails_without_being_shown(
    gateway: HttpGateway, caller: MakeCaller, value: str
) -> None:
    async with hostile(says(http("202 Accepted", b'{"id": "r1"}'))) as server:
        with pytest.raises((NotSent, AnswerLost)) as raised:
            await gateway.start_sale(caller(server.base_url, value=value), ORDER)
        assert server.requests == []
    assert raised.value.reason == "bad request form"
    assert value not in repr(raised.value)


async def test_a_refusal_that_breaks_off_is_still_a_refusal(gateway: HttpGateway, caller: MakeCaller) -> None:
    async with hostile(says(HALF.replace(b"202 Accepted", b"401 Unauthorized"))) as server:
        error = await failure_of(gateway, caller, server.base_url)
    assert error.status == 401


async def test_a_cancelled_call_stays_cancelled_and_leaves_an_exchange(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    async with hostile(is_silent) as server:
        call = gateway.start_sale(caller(server.base_url), ORDER)
        asking = asyncio.get_running_loop().create_task(call)
        await until(lambda: server.requests)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert [(exchange.failure, exchange.status) for exchange in exchanges] == [("cancelled", 0)]


async def test_a_held_sale_is_waited_for_longer(caller: MakeCaller) -> None:
    patient = HttpGateway(limits=Limits(read_s=0.05, total_s=0.05, held_s=60.0))
    answered = asyncio.Event()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)  # longer than any other answer may take
        answered.set()
        writer.write(http("200 OK", b'{"id": "t1", "response": "1", "response_code": "100"}'))

    async with hostile(late) as server:
        await patient.start_sale(caller(server.base_url), replace(ORDER, mode=SaleMode.SYNCHRONOUS))
    await patient.close()
    assert answered.is_set()


async def test_polls_share_a_connection_and_sales_do_not(gateway: HttpGateway, caller: MakeCaller) -> None:
    connections = []

    async def twice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer)
        answer = http("200 OK", b'{"id": "r1", "status": "pending"}')
        writer.write(answer)
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(answer)

    async with hostile(twice) as server:
        for _ in range(3):
            await gateway.sale_status(caller(server.base_url), ORDER, "r1")
        assert len(connections) == 1
        for _ in range(2):
            await gateway.start_sale(caller(server.base_url), ORDER)
        assert len(connections) == 3
        await gateway.close()


async def test_the_environments_proxy_is_not_used(
    gateway: HttpGateway, caller: MakeCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hostile(says(http("202 Accepted", b'{"id": "r1"}'))) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        monkeypatch.setenv("ALL_PROXY", proxy.base_url)
        error = await failure_of(gateway, caller, f"http://127.0.0.1:{free_port()}")
    assert isinstance(error, NotSent)
    assert proxy.requests == []


async def test_a_redirect_is_not_followed_and_the_key_stays(gateway: HttpGateway, caller: MakeCaller) -> None:
    async with hostile(says(http("200 OK", b"{}"))) as elsewhere:
        moved = http("307 Temporary Redirect", b"", f"Location: {elsewhere.base_url}/api")
        async with hostile(says(moved)) as server:
            for call in (
                gateway.start_sale(caller(server.base_url), ORDER),
                gateway.sale_status(caller(server.base_url), ORDER, "r1"),
                gateway.cancel(caller(server.base_url), "till-1", "r1"),
            ):
                with pytest.raises(AnswerUnreadable) as raised:
                    await call
                assert raised.value.status == 307
    assert elsewhere.requests == []


async def test_cookies_are_not_kept(gateway: HttpGateway, caller: MakeCaller) -> None:
    async with hostile(says(http("200 OK", b'{"devices": []}', "Set-Cookie: session=abc; Path=/"))) as server:
        for _ in range(2):
            await gateway.devices(caller(server.base_url))
    assert not any(b"session=abc" in request for request in server.requests)


async def test_a_key_that_is_cut_over_an_answers_fields_is_told_by_none_of_them(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    first, rest = MADE_UP_KEY[:16], MADE_UP_KEY[16:]
    answer = {"message": f"not known: {first}", "error_code": rest, "ref_id": f"r-7 {'-'.join(MADE_UP_KEY)}"}
    async with hostile(says(http("401 Unauthorized", json.dumps(answer).encode()))) as server:
        with pytest.raises(KeyRefused) as raised:
            await gateway.probe_key(caller(server.base_url))
    assert raised.value.message == f"not known: {MASK}"
    told = f"{vars(raised.value)} {exchanges}"
    leaked = first in told or rest in told or "-".join(MADE_UP_KEY) in told
    assert not leaked
