"""A real proxy (mitmproxy), which only tunnels or inspects, with and without a password."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import Hostile, hostile, http, says
from gateway.office import NAME, office
from keybench.core.errors import GatewayFailed
from keybench.core.ports import Accepted, Caller
from keybench.core.secret import Secret
from keybench.gateway.client import HttpGateway
from keybench.gateway.proxies import Proxies

TAKEN = says(http("202 Accepted", b'{"id": "r1"}'))
WORD = "made-up word"
SIGNED: Sequence[str] = ("--proxyauth", f"anna:{WORD}")


def client(tls: ssl.SSLContext) -> HttpGateway:
    async def read(_entry: str) -> Secret:
        return Secret(WORD)

    return HttpGateway(tls=tls, proxies=Proxies(read))


def called(caller: MakeCaller, server: Hostile, proxy: str) -> Caller:
    made: Caller = caller(server.base_url.replace("127.0.0.1", NAME))
    return replace(made, environment=replace(made.environment, proxy=proxy))


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return certificate(tmp_path / "gateway", name=NAME)


@pytest.mark.parametrize(
    ("options", "inspects"), [((), False), (SIGNED, True)], ids=["open, tunnels", "password, inspects"]
)
async def test_sales_go_through(
    tmp_path: Path, made: Path, caller: MakeCaller, options: Sequence[str], *, inspects: bool
) -> None:
    async with (
        hostile(TAKEN, tls=serving(made)) as server,
        office(tmp_path / "proxy", *options, inspects=inspects, trusts=made) as proxy,
    ):
        tls = trusting(proxy.authority)
        if not inspects:
            tls.load_verify_locations(made)
        gateway = client(tls)
        for scheme in ("http", "https"):
            address = proxy.signed("anna") if options else proxy.address
            at = called(caller, server, address.replace("http:", f"{scheme}:"))
            assert await gateway.start_sale(at, ORDER) == Accepted("r1")
        await gateway.close()
        assert len(server.requests) == 2
        assert not any(b"Proxy-Authorization" in request for request in server.requests)


async def test_what_an_inspecting_proxy_answers_in_the_gateways_place_is_no_certainty(
    tmp_path: Path, made: Path, caller: MakeCaller
) -> None:
    another = certificate(tmp_path / "another", name=NAME)
    async with (
        hostile(TAKEN, tls=serving(made)) as server,
        office(
            tmp_path / "proxy", "--set", "connection_strategy=lazy", inspects=True, trusts=another
        ) as proxy,
    ):
        gateway = client(trusting(proxy.authority))
        with pytest.raises(GatewayFailed) as raised:
            await gateway.start_sale(called(caller, server, proxy.address), ORDER)
        await gateway.close()
    assert raised.value.status == 502


async def test_many_questions_go_through_at_once(tmp_path: Path, made: Path, caller: MakeCaller) -> None:
    async def goes_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(http("200 OK", b'{"status": "inFlight"}'))
            await reader.readuntil(b"\r\n\r\n")

    async with (
        hostile(goes_on, tls=serving(made)) as server,
        office(tmp_path / "proxy", inspects=False, trusts=made) as proxy,
    ):
        gateway = client(trusting(made))
        at = called(caller, server, proxy.address)
        for _ in range(3):
            asked = [gateway.sale_status(at, ORDER, f"r{number}") for number in range(20)]
            assert {one.gateway_status for one in await asyncio.gather(*asked)} == {"inFlight"}
        await gateway.close()
    assert len(server.requests) == 20
