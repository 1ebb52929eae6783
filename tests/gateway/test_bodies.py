"""Answers whose body is odd: unreadable ones are said to be, tolerable ones are read."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import AnswerUnreadable
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted
from keybench.core.sales.sale import Outcome
from keybench.gateway.client import HttpGateway
from keybench.gateway.redaction import BODY_LIMIT

BIG = b'{"id": "' + b"x" * (2 * 1024 * 1024) + b'"}'
BOMB = gzip.compress(b" " * (200 * 1024 * 1024), 1)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(http("204 No Content"), "empty", id="204"),
        pytest.param(http("202 Accepted", b"  \n"), "empty", id="blank"),
        pytest.param(
            http("200 OK", b"<html>Welcome</html>", "Content-Type: text/html"), "not json", id="html"
        ),
        pytest.param(http("202 Accepted", b'{"id": "r1"'), "not json", id="broken json"),
        pytest.param(http("202 Accepted", b"[" * 100_000), "not json", id="deep json"),
        pytest.param(
            http("202 Accepted", b'{"a":' * 20_000 + b"1" + b"}" * 20_000), "not json", id="deep objects"
        ),
        pytest.param(http("202 Accepted", b'"r1"'), "not an object", id="a text"),
        pytest.param(http("202 Accepted", b"{}"), "no identifier", id="without an identifier"),
        pytest.param(http("202 Accepted", b'{"id": null}'), "no identifier", id="null identifier"),
        pytest.param(http("202 Accepted", b'{"id": ["r1"]}'), "no identifier", id="list identifier"),
        pytest.param(http("202 Accepted", b'{"id": true}'), "no identifier", id="true identifier"),
        pytest.param(
            http("202 Accepted", b'{"id": "a\\r\\nb"}'), "no identifier", id="line break in identifier"
        ),
        pytest.param(http("202 Accepted", b'{"id": "\\ud800"}'), "no identifier", id="half a surrogate pair"),
        pytest.param(http("202 Accepted", b'{"id": ".."}'), "no identifier", id="dots as identifier"),
        pytest.param(
            http("202 Accepted", json.dumps({"id": "x" * 201}).encode()), "no identifier", id="long"
        ),
        pytest.param(http("202 Accepted", BIG), "too big", id="big body"),
        pytest.param(http("202 Accepted", BOMB, "Content-Encoding: gzip"), "too big", id="gzip bomb"),
        pytest.param(
            http("202 Accepted", b"not gzip", "Content-Encoding: gzip"), "unknown encoding", id="no gzip"
        ),
        pytest.param(http("202 Accepted", b"x", "Content-Encoding: br"), "unknown encoding", id="brotli"),
    ],
)
async def test_an_unreadable_answer_to_a_sale_is_said_to_be(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], answer: bytes, reason: str
) -> None:
    async with hostile(says(answer)) as server:
        with pytest.raises(AnswerUnreadable) as raised:
            await gateway.start_sale(caller(server.base_url), ORDER)
    assert raised.value.reason == reason
    assert len(exchanges) == 1
    assert len(exchanges[0].response_body) <= BODY_LIMIT


@pytest.mark.parametrize(
    ("answer", "request_id"),
    [
        pytest.param(http("200 OK", b'{"id": "r1"}'), "r1", id="any 2xx"),
        pytest.param(http("202 Accepted", b'{"id": 8000017}'), "8000017", id="number"),
        pytest.param(http("202 Accepted", b'\xef\xbb\xbf{"id": "r1"}'), "r1", id="byte order mark"),
        pytest.param(http("202 Accepted", b'{"id": "r1", "note": "\xff"}'), "r1", id="bad byte elsewhere"),
        pytest.param(http("202 Accepted", b'{"id": "r1", "n": "\\ud800", "x": NaN}'), "r1", id="odd JSON"),
        pytest.param(
            http("202 Accepted", gzip.compress(b'{"id": "r1"}'), "Content-Encoding: gzip"), "r1", id="gzip"
        ),
        pytest.param(
            b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
            + http("202 Accepted", b'{"id": "r1"}'),
            "r1",
            id="after 1xx",
        ),
        pytest.param(
            b'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{"id": "r1"}\r\n0\r\n\r\n',
            "r1",
            id="chunked",
        ),
    ],
)
async def test_a_tolerable_answer_is_read(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes, request_id: str
) -> None:
    async with hostile(says(answer)) as server:
        accepted = await gateway.start_sale(caller(server.base_url), ORDER)
    assert accepted == Accepted(request_id, "")


async def test_a_strange_identifier_stays_one_path_segment(gateway: HttpGateway, caller: MakeCaller) -> None:
    body = b'{"id": "../../x?y=1#z", "status": "interactionComplete", "transaction": {"success": true}}'
    async with hostile(says(http("200 OK", body))) as server:
        reading = await gateway.sale_status(
            caller(server.base_url), replace(ORDER, device=".."), "../../x?y=1#z"
        )
    target = server.requests[0].split(b" ")[1]
    assert target == b"/api/v5/devices/%2E%2E/payment-requests/..%2F..%2Fx%3Fy%3D1%23z"
    assert reading.verdict
    assert reading.verdict.outcome is Outcome.APPROVED


async def test_a_welcome_page_does_not_prove_a_key(gateway: HttpGateway, caller: MakeCaller) -> None:
    async with hostile(says(http("200 OK", b"<html>Log in to the hotel</html>"))) as server:
        with pytest.raises(AnswerUnreadable):
            await gateway.probe_key(caller(server.base_url))
