"""Large answers are read up to a limit."""

from __future__ import annotations

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import AnswerUnreadable, GatewayFailed
from keybench.core.exchange import Exchange
from keybench.gateway.client import HttpGateway
from keybench.gateway.redaction import BODY_LIMIT

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


def large(piece: str) -> bytes:
    """Return a body of one megabyte that repeats a piece."""
    return (piece * (SIZE // len(piece))).encode()


@pytest.mark.thin(4)
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("status", ["200 OK", "500 Oops"])
async def test_an_answer_that_is_no_good_is_told_and_little_of_it_is_kept(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], status: str, piece: str
) -> None:
    async with hostile(says(http(status, large(piece)))) as server:
        at = caller(server.base_url)
        with pytest.raises(GatewayFailed if status[0] == "5" else AnswerUnreadable):
            await gateway.devices(at)
        with pytest.raises((GatewayFailed, AnswerUnreadable)):
            await gateway.sale_status(at, ORDER, "r1")
    assert all(len(exchange.response_body) <= BODY_LIMIT for exchange in exchanges)


async def test_a_long_list_of_devices_is_read_up_to_what_any_account_has(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    body = b'{"devices": [' + b",".join(b'{"id": "d%d"}' % number for number in range(12_000)) + b"]}"
    async with hostile(says(http("200 OK", body))) as server:
        found = await gateway.devices(caller(server.base_url))
    assert (len(found), found[-1].device_id) == (10_000, "d9999")
