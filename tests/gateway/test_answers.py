"""What answers mean for the sale: by status words, by the success flag, by response and code."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.money import Money
from keybench.core.ports import Accepted, Device, StatusReading
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.gateway.client import HttpGateway

COMPLETE = {"id": "r1", "status": "interactionComplete"}


async def polled(gateway: HttpGateway, caller: MakeCaller, body: Any) -> StatusReading:
    async with hostile(says(http("200 OK", json.dumps(body).encode()))) as server:
        return await gateway.sale_status(caller(server.base_url), ORDER, "r1")


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ({"status": "pending"}, None, ""),
        ({"status": "inFlight"}, None, ""),
        ({"status": "somethingNew"}, None, ""),
        ({"status": 7}, None, ""),
        (COMPLETE | {"transaction": {"success": True}}, Outcome.APPROVED, ""),
        (COMPLETE | {"transaction": {"success": "true"}}, Outcome.APPROVED, ""),
        (COMPLETE | {"transaction": {"success": False}}, Outcome.DECLINED, ""),
        (COMPLETE | {"transaction": {"success": "false"}}, Outcome.DECLINED, ""),
        ({"status": "cancelledAtTerminal"}, Outcome.CANCELLED, "at the terminal"),
        ({"status": "cancelledByApi"}, Outcome.CANCELLED, "by the API"),
        ({"status": "cancelled"}, Outcome.CANCELLED, ""),
        ({"status": "cancelledByTimeout"}, Outcome.EXPIRED, ""),
        ({"status": "poiDeviceInUse"}, Outcome.REFUSED, "device busy"),
    ],
)
async def test_a_poll_means_what_the_contract_says(
    gateway: HttpGateway, caller: MakeCaller, body: dict[str, Any], outcome: Outcome | None, reason: str
) -> None:
    reading = await polled(gateway, caller, body)
    assert reading.gateway_status == str(body["status"])
    assert (reading.verdict and reading.verdict.outcome) == outcome
    assert (reading.verdict.reason if reading.verdict else "") == reason


async def test_a_verdict_carries_what_the_gateway_said(gateway: HttpGateway, caller: MakeCaller) -> None:
    transaction = {
        "id": 90001,
        "auth_code": "A1B2",
        "success": True,
        "response_code": "100",
        "response_text": "APPROVED",
    }
    reading = await polled(gateway, caller, COMPLETE | {"transaction": transaction})
    assert reading == StatusReading(
        "interactionComplete",
        Verdict(
            Outcome.APPROVED,
            message="APPROVED",
            status=200,
            gateway_status="interactionComplete",
            transaction_id="90001",
            authorisation="A1B2",
            response_code="100",
        ),
        "r1",
    )


async def held(gateway: HttpGateway, caller: MakeCaller, body: Any) -> Accepted | Verdict:
    async with hostile(says(http("200 OK", json.dumps(body).encode()))) as server:
        return await gateway.start_sale(caller(server.base_url), replace(ORDER, mode=SaleMode.SYNCHRONOUS))


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ({"response": "1", "response_code": "100"}, Outcome.APPROVED, ""),
        ({"response": 1}, Outcome.APPROVED, ""),
        ({"response": "2", "response_code": "202"}, Outcome.DECLINED, ""),
        ({"response": "2"}, Outcome.DECLINED, ""),
        ({"response": "3", "response_code": "300"}, Outcome.REFUSED, "gateway"),
        ({"response": "3", "response_code": 301}, Outcome.REFUSED, "rate limit"),
        ({"response": "3", "response_code": "420"}, Outcome.UNKNOWN, "processor silent"),
        ({"response": "3", "response_code": "421"}, Outcome.UNKNOWN, "processor silent"),
        ({"response": "3", "response_code": "430"}, Outcome.REFUSED, "duplicate"),
        ({"response": "3", "response_code": "461"}, Outcome.REFUSED, "processor"),
        ({"response": "3", "response_code": "777"}, Outcome.UNKNOWN, ""),
        ({"response": "3"}, Outcome.UNKNOWN, ""),
        ({"response": "3", "response_code": "300", "status": "cancelledByTimeout"}, Outcome.EXPIRED, ""),
        ({"status": "poiDeviceInUse"}, Outcome.REFUSED, "device busy"),
    ],
)
async def test_a_held_answer_means_what_the_contract_says(
    gateway: HttpGateway, caller: MakeCaller, body: dict[str, Any], outcome: Outcome, reason: str
) -> None:
    authorisation = "A1" if outcome is Outcome.APPROVED else ""
    verdict = await held(gateway, caller, {"id": "t1", "auth_code": authorisation, **body})
    assert isinstance(verdict, Verdict)
    assert (verdict.outcome, verdict.reason, verdict.authorisation) == (outcome, reason, authorisation)


async def test_a_held_answer_that_still_goes_on_is_accepted(gateway: HttpGateway, caller: MakeCaller) -> None:
    answer = await held(gateway, caller, {"status": "pending", "request_id": "r9"})
    assert answer == Accepted("r9", "pending")


@pytest.mark.parametrize(
    ("body", "devices"),
    [
        ({"devices": []}, []),
        (
            {"devices": [{"deviceId": "d1", "deviceNickname": "Till", "connectionStatus": "connected"}]},
            "full",
        ),
        ([{"id": "d1"}, {"id": None}, "odd", {"nickname": "no id"}], [Device("d1")]),
        ({"data": [{"device_id": 17}]}, [Device("17")]),
    ],
)
async def test_devices_are_read_from_any_of_the_known_shapes(
    gateway: HttpGateway, caller: MakeCaller, body: Any, devices: Any
) -> None:
    async with hostile(says(http("200 OK", json.dumps(body).encode()))) as server:
        found = await gateway.devices(caller(server.base_url, contract="v5"))
    named = [Device(one.device_id, one.nickname, one.connection) for one in found]
    assert named == ([Device("d1", "Till", "connected")] if devices == "full" else devices)


@pytest.mark.parametrize(
    ("amount", "currency", "sent"),
    [
        ("10.00", "USD", b'"amount": "10.00"'),
        ("1000", "JPY", b'"amount": 1000,'),
        ("1000", "RWF", b'"amount": 1000,'),
        ("1.234", "BHD", b'"amount": 1.234,'),
        ("1.2345", "CLF", b'"amount": 1.2345,'),
        ("999999999.9999", "UYW", b'"amount": 999999999.9999,'),
    ],
)
async def test_an_amount_is_sent_in_the_form_the_service_takes(
    gateway: HttpGateway, caller: MakeCaller, amount: str, currency: str, sent: bytes
) -> None:
    async with hostile(says(http("202 Accepted", b'{"id": "r1"}'))) as server:
        money = Money(Decimal(amount), currency)
        await gateway.start_sale(caller(server.base_url), replace(ORDER, money=money))
    assert sent in server.requests[0]


async def test_the_key_travels_bare_in_the_header_and_in_classic_in_the_body(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    body = json.dumps({"id": "r1", "response": "1"}).encode()
    async with hostile(says(http("200 OK", body))) as server:
        made = caller(server.base_url)
        await gateway.start_sale(made, ORDER)
        await gateway.start_sale(made, replace(ORDER, mode=SaleMode.CLASSIC))
    value = made.value.reveal().encode()
    in_header = b"\r\nAuthorization: " + value + b"\r\n" in server.requests[0]
    head, _, classic = server.requests[1].partition(b"\r\n\r\n")
    in_body = b'"api_key": "' + value + b'"' in classic
    assert (in_header, in_body, value in head) == (True, True, False)
    assert b"Content-Type: application/json\r\n" in server.requests[0]
