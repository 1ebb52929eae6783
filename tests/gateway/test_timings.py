"""Where a request's time goes: names are looked up beside the loop, timed, and all their addresses tried."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import httpcore
import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import hostile, http, says
from keybench.core.errors import NotSent
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted
from keybench.gateway import network as network_module
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Stopwatch
from keybench.gateway.network import connect

TAKEN = says(http("202 Accepted", b'{"id": "r1"}'))
HOST = "till-test.example"


def resolves(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let the system's look-up know `HOST` at these addresses, whatever the network says."""

    def look_up(host: str, port: int, **_options: object) -> list[tuple[object, ...]]:
        if host != HOST:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(network_module.socket, "getaddrinfo", look_up)


async def test_a_name_is_looked_up_and_timed_and_still_the_host_of_the_request(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolves(monkeypatch, "127.0.0.1")
    async with hostile(TAKEN) as server:
        await gateway.start_sale(caller(server.base_url.replace("127.0.0.1", HOST)), ORDER)
        await gateway.start_sale(caller(server.base_url), ORDER)
    assert f"\r\nHost: {HOST}:".encode() in server.requests[0]
    by_name, by_address = (exchange.timings for exchange in exchanges)
    assert by_name.dns_s is not None
    assert by_name.connect_s is not None
    assert by_name.dns_s + by_name.connect_s <= by_name.total_s
    assert by_address.dns_s is None


async def test_tls_still_checks_the_name(
    tmp_path: Path, caller: MakeCaller, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolves(monkeypatch, "127.0.0.1")
    named, other = certificate(tmp_path / "a", name=HOST), certificate(tmp_path / "b", name="other.example")
    for path, taken in ((named, True), (other, False)):
        gateway = HttpGateway(tls=trusting(path))
        async with hostile(TAKEN, tls=serving(path)) as server:
            at = caller(server.base_url.replace("127.0.0.1", HOST))
            if taken:
                assert await gateway.start_sale(at, ORDER) == Accepted("r1")
            else:
                with pytest.raises(NotSent) as raised:
                    await gateway.start_sale(at, ORDER)
                assert raised.value.reason == "tls wrong host"
            await gateway.close()


async def test_a_name_nobody_knows_is_timed_too(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    resolves(monkeypatch)
    with pytest.raises(NotSent) as raised:
        await gateway.start_sale(caller("http://unknown.example"), ORDER)
    assert raised.value.reason == "name not found"
    assert exchanges[0].timings.dns_s is not None
    assert exchanges[0].timings.connect_s is None


def watch() -> Stopwatch:
    return Stopwatch(lambda: 0.0)


class _Network(httpcore.AsyncNetworkBackend):
    """Connects to the addresses it is told to, refuses others, and never answers for some."""

    def __init__(self, takes: str, silent: str = "") -> None:
        self.takes, self.silent = takes, silent
        self.tried: list[str] = []

    async def connect_tcp(
        self, host: str, *_arguments: object, **_more: object
    ) -> httpcore.AsyncNetworkStream:
        self.tried.append(host)
        if host == self.silent:
            await asyncio.get_running_loop().create_future()
        if host != self.takes:
            raise httpcore.ConnectError(host)
        return httpcore.AsyncMockStream([host.encode()])


@pytest.mark.parametrize(
    ("takes", "silent", "tried"),
    [
        pytest.param("10.0.0.1", "", ["10.0.0.1"], id="the first answers"),
        pytest.param("10.0.0.3", "", ["10.0.0.1", "10.0.0.2", "10.0.0.3"], id="the last answers"),
        pytest.param("10.0.0.2", "10.0.0.1", ["10.0.0.1", "10.0.0.2"], id="the first is silent"),
    ],
)
async def test_whichever_address_answers_is_used(
    takes: str, silent: str, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network_module, "STAGGER_S", 0.02)
    resolves(monkeypatch, "10.0.0.1", "10.0.0.2", "10.0.0.3")
    network = _Network(takes, silent)
    monkeypatch.setattr(httpcore, "AnyIOBackend", lambda: network)
    stream = await connect(HOST, 80, 5.0, watch())
    assert await stream.read(99) == takes.encode()
    assert network.tried == tried


async def test_no_address_that_answers_is_a_failure_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves(monkeypatch, "10.0.0.1", "10.0.0.2")
    for silent, limit_s, failure in (
        ("", 5.0, httpcore.ConnectError),
        ("10.0.0.2", 0.05, httpcore.ConnectTimeout),
    ):
        monkeypatch.setattr(httpcore, "AnyIOBackend", lambda silent=silent: _Network("", silent))
        with pytest.raises(failure):
            await connect(HOST, 80, limit_s, watch())
