"""The same-permission proof when the answer is odd: what is about the key is a status, all else an error."""

from __future__ import annotations

import pytest

from gateway.callers import MADE_UP_KEY, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import AnswerLost, AnswerUnreadable, Forbidden, GatewayFailed, NotSent, Refused
from keybench.core.exchange import Exchange
from keybench.core.rotations.rotation import Expectation
from keybench.gateway.client import HttpGateway

JSON = b'{"message": "m"}'


@pytest.mark.parametrize(
    "status", ["200 OK", "401 Unauthorized", "403 Forbidden", "404 Not Found", "400 Bad"]
)
@pytest.mark.parametrize("expected", list(Expectation))
async def test_what_is_about_the_key_is_a_status(
    gateway: HttpGateway,
    caller: MakeCaller,
    exchanges: list[Exchange],
    status: str,
    expected: Expectation,
) -> None:
    async with hostile(says(http(status, JSON))) as server:
        found = await gateway.proof_status(caller(server.base_url, contract="practice"), expected)
    assert found == int(status[:3])
    assert server.requests[0].startswith(b"GET /api/v5/")
    assert [exchange.status for exchange in exchanges] == [found]
    leaked = MADE_UP_KEY in repr(exchanges)
    assert not leaked


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (http("403 Forbidden", JSON, "Retry-After: 1"), Forbidden),
        (http("429 Too Many Requests", JSON, "Retry-After: 1"), Refused),
        (http("429 Too Many Requests", JSON), Refused),
        (http("500 Internal Server Error", JSON), GatewayFailed),
        (http("408 Request Timeout", JSON), GatewayFailed),
        (http("302 Found", b"", "Location: /login"), AnswerUnreadable),
        (http("200 OK", b"<html>Log in</html>"), AnswerUnreadable),
        (b"", AnswerLost),
    ],
)
async def test_what_says_nothing_about_the_key_is_an_error(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes, kind: type[Exception]
) -> None:
    async with hostile(says(answer)) as server:
        with pytest.raises(kind) as raised:
            await gateway.proof_status(caller(server.base_url), Expectation.ALLOWED)
    assert type(raised.value) is kind


async def test_a_call_the_contract_does_not_name_is_not_sent(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(http("200 OK", JSON))) as server:
        with pytest.raises(NotSent):
            await gateway.proof_status(caller(server.base_url, contract="v5"), Expectation.REFUSED)
    assert not server.requests
