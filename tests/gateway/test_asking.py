"""Polls that are held, hints for the next one, keys behind Bearer, and sales as web forms."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from gateway.callers import MADE_UP_KEY, ORDER, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import AnswerLost, AnswerUnreadable
from keybench.core.exchange import Exchange
from keybench.core.ports import Accepted
from keybench.core.sales.sale import SaleMode
from keybench.core.secret import MASK
from keybench.gateway.client import HttpGateway
from keybench.gateway.contracts import Contracts
from keybench.gateway.messages import Limits
from keybench.gateway.redaction import Redactor

OURS = """
extends = "v5"
title = "Ours"
[long_poll]
call = "GET /wait/{request_id}"
held_s = 1
[answers.started]
next_s = "poll_after_s"
began = "created"
ended = ["transaction.ended", "ended"]
"""
#: An answer that is held may take longer than any other.
HELD = Limits(read_s=0.1, total_s=1.0)


@pytest.fixture
async def gateway(tmp_path: Path) -> AsyncIterator[HttpGateway]:
    """A client that knows a contract of one's own besides the presets."""
    (tmp_path / "ours.toml").write_text(OURS, encoding="utf-8")
    gateway = make(tmp_path)
    yield gateway
    await gateway.close()


def make(folder: Path, limits: Limits | None = None) -> HttpGateway:
    return HttpGateway(limits=limits or Limits(), contracts=Contracts(folder))


@pytest.mark.parametrize(
    ("body", "header", "next_s"),
    [
        (b'{"status": "pending", "poll_after_s": 2.5}', "X: y", 2.5),
        (b'{"status": "pending", "poll_after_s": "7"}', "Retry-After: 3", 7.0),
        (b'{"status": "pending"}', "Retry-After: 3", 3.0),
        (b'{"status": "pending", "poll_after_s": 86400}', "X: y", 60.0),
        (b'{"status": "pending"}', "Retry-After: 86400", 60.0),
        (b'{"status": "pending", "poll_after_s": -1}', "X: y", None),
        (b'{"status": "pending", "poll_after_s": "soon"}', "Retry-After: later", None),
        (b'{"status": "pending", "poll_after_s": 1e300}', "X: y", None),
        (b'{"status": "cancelled", "poll_after_s": 2}', "Retry-After: 3", None),
    ],
)
async def test_a_hint_for_the_next_poll_is_passed_on(
    gateway: HttpGateway, caller: MakeCaller, body: bytes, header: str, next_s: float | None
) -> None:
    async with hostile(says(http("200 OK", body, header))) as server:
        reading = await gateway.sale_status(caller(server.base_url, contract="ours"), ORDER, "r1")
    assert reading.next_s == next_s


@pytest.mark.parametrize(
    ("began", "ended", "lasted_s"),
    [
        ("2026-11-22T20:00:01.250Z", "2026-11-22T20:00:07.500Z", 6.25),
        ("2026-11-22T20:00:01.250", "2026-11-22T21:00:07.5+01:00", 6.25),
        (1795291201.25, 1795291207.5, 6.25),
        (1795291201250, 1795291207500, 6.25),
        ("2026-11-22T20:00:01Z", "2026-11-22T20:00:07Z", None),  # to a second is no better than the polls
        (1795291201, 1795291207, None),
        ("2026-11-22T20:00:07.500Z", "2026-11-22T20:00:01.250Z", None),
        ("2020-11-22T20:00:01.250Z", "2026-11-22T20:00:07.500Z", None),
        ("yesterday 20:00:01.250", "2026-11-22T20:00:07.500Z", None),
        ("0000-00-00T00:00:00.000Z", "9999-99-99T99:99:99.999Z", None),
        (None, "2026-11-22T20:00:07.500Z", None),
    ],
)
async def test_how_long_a_sale_took_by_the_gateways_own_clock_is_passed_on(
    gateway: HttpGateway, caller: MakeCaller, began: object, ended: object, lasted_s: float | None
) -> None:
    told = {"created": began, "ended": ended}
    body = json.dumps({"status": "cancelled", **told}).encode()
    under_way = json.dumps({"status": "pending", **told}).encode()
    async with hostile(says(http("200 OK", body))) as server:
        reading = await gateway.sale_status(caller(server.base_url, contract="ours"), ORDER, "r1")
    assert reading.verdict
    assert reading.lasted_s == (None if lasted_s is None else pytest.approx(lasted_s))
    async with hostile(says(http("200 OK", under_way))) as server:
        reading = await gateway.sale_status(caller(server.base_url, contract="ours"), ORDER, "r1")
    assert reading.lasted_s is None


async def test_a_poll_is_held_for_longer_than_other_answers(
    tmp_path: Path, gateway: HttpGateway, caller: MakeCaller
) -> None:
    client = make(tmp_path, HELD)

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)  # longer than any other answer may take
        writer.write(http("200 OK", b'{"status": "cancelled"}'))

    async with hostile(late) as server:
        reading = await client.sale_status(caller(server.base_url, contract="ours"), ORDER, "r1")
        with pytest.raises(AnswerLost):
            await client.sale_status(caller(server.base_url, contract="v5"), ORDER, "r1")
    await client.close()
    assert reading.verdict
    assert server.requests[0].startswith(b"GET /wait/r1 ")


async def test_only_the_older_status_call_wants_bearer(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    async with hostile(says(http("200 OK", b'{"id": "r1", "asyncStatus": "inFlight"}'))) as server:
        at = caller(server.base_url, contract="v5-asyncstatus")
        await gateway.start_sale(at, ORDER)
        assert (await gateway.sale_status(at, ORDER, "r1")).gateway_status == "inFlight"
    bare, bearer = (f"Authorization: {word}{MADE_UP_KEY}\r\n".encode() for word in ("", "Bearer "))
    sent = [bare in server.requests[0], bearer in server.requests[1]]
    assert sent == [True, True]
    assert server.requests[1].startswith(b"GET /api/asyncstatus/r1?responseMethod=synchronous ")
    shown = [dict(exchange.request_headers)["Authorization"] for exchange in exchanges]
    assert shown == [MASK, f"Bearer {MASK}"]


async def test_a_sale_by_form_has_all_its_fields_and_hides_the_key(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange]
) -> None:
    answer = b"response=1&responsetext=OK&response_code=101&async_status_guid=g-1"
    async with hostile(says(http("200 OK", answer))) as server:
        made = caller(server.base_url, contract="classic-form")
        sold = await gateway.start_sale(made, replace(ORDER, mode=SaleMode.CLASSIC))
    assert sold == Accepted("g-1")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    fields = parse_qs(body.decode())
    key_sent = fields.pop("security_key") == [MADE_UP_KEY]
    assert key_sent
    assert fields == {
        "type": ["sale"],
        "response_method": ["asynchronous"],
        "amount": ["10.00"],
        "currency": ["USD"],
        "orderid": ["ref-1"],
        "poi_device_id": ["till-1"],
    }
    assert b"Content-Type: application/x-www-form-urlencoded\r\n" in head
    assert MASK in exchanges[0].request_body
    leaked = MADE_UP_KEY in f"{exchanges} {head!r}"
    assert not leaked


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        pytest.param(
            b"response=1&responsetex",
            "response=1&\u203911 characters\u203a",
            id="broken off before the code",
        ),
        pytest.param(b"response=1&response_code=10", "", id="broken off in the code"),
        pytest.param(b"response=1&response_code=101", "", id="taken without an identifier"),
        pytest.param(b'{"response": "1", "response_code": "100"}', "", id="JSON"),
        pytest.param(b"<html lang=en>Welcome", "", id="HTML"),
        pytest.param(b"Welcome", "", id="no form"),
        pytest.param(
            b"&".join(b"a%d=1" % number for number in range(900)),
            "a0=\u20391 characters\u203a&a1=",
            id="too many fields",
        ),
    ],
)
async def test_a_form_that_tells_no_outcome_is_unreadable(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes, shown: str
) -> None:
    async with hostile(says(http("200 OK", answer))) as server:
        made = caller(server.base_url, contract="classic-form")
        with pytest.raises(AnswerUnreadable) as raised:
            await gateway.start_sale(made, replace(ORDER, mode=SaleMode.CLASSIC))
    assert raised.value.message.startswith(shown or answer[:20].decode())


@pytest.mark.parametrize(
    ("body", "masked"),
    [
        ("security_key=abc&amount=10.00", "security_key=@&amount=10.00"),
        ("amount=10.00&ccnumber=4111", "amount=10.00&ccnumber=@"),
        ("orderid=key&type=sale", "orderid=key&type=sale"),
        ('{"next": "https://x.example/?token=abc&y=1"}', '{"next": "https://x.example/?\u2039hidden\u203a"}'),
        ("security_key=", "security_key="),
    ],
)
def test_secret_fields_of_a_form_are_masked(body: str, masked: str) -> None:
    assert Redactor().body(body) == masked.replace("@", MASK)
