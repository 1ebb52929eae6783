"""TLS that can't be trusted: nothing is sent, and the reason is told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.certificates import certificate, serving, trusting
from gateway.hostile import hostile, http, says
from keybench.core.errors import NotSent
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted
from keybench.gateway.client import HttpGateway

TAKEN = says(http("202 Accepted", b'{"id": "r1"}'))


@pytest.mark.parametrize(
    ("address", "starts", "ends", "trusted", "reason"),
    [
        ("127.0.0.1", -2, 2, False, "tls self-signed"),
        ("127.0.0.1", -9, -2, True, "tls certificate expired"),
        ("127.0.0.1", 2, 9, True, "tls certificate not yet valid"),
        ("10.9.8.7", -2, 2, True, "tls wrong host"),
    ],
)
async def test_an_untrusted_gateway_is_sent_nothing(
    tmp_path: Path, caller: MakeCaller, address: str, starts: int, ends: int, reason: str, *, trusted: bool
) -> None:
    path = certificate(tmp_path, address=address, starts=starts, ends=ends)
    gateway = HttpGateway(tls=trusting(path) if trusted else None)
    async with hostile(TAKEN, tls=serving(path)) as server:
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(caller(server.base_url), ORDER)
        await gateway.close()
        assert server.requests == []
    assert raised.value.reason == reason


async def test_a_gateway_that_speaks_plainly_where_tls_is_due_is_sent_nothing(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(TAKEN, reads=False) as server:
        with pytest.raises(NotSent) as raised:
            await gateway.start_sale(caller(server.base_url.replace("http:", "https:")), ORDER)
    assert raised.value.reason in {"tls", "connection closed", "connection reset"}


async def test_a_trusted_gateway_is_spoken_to_and_timed(
    tmp_path: Path, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    path = certificate(tmp_path)
    gateway = HttpGateway(tls=trusting(path))
    async with hostile(TAKEN, tls=serving(path)) as server:
        assert await gateway.start_sale(caller(server.base_url), ORDER) == Accepted("r1", "")
        await gateway.close()
    timings = exchanges[0].timings
    phases = [timings.connect_s, timings.tls_s, timings.wait_s, timings.read_s]
    assert all(phase is not None and 0 <= phase <= timings.total_s for phase in phases)
