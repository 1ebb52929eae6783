"""Answers that say no: the error's class, the gateway's own words, and how long it asks to wait."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from gateway.callers import MADE_UP_KEY, ORDER, MakeCaller
from gateway.hostile import hostile, http, says
from keybench.core.errors import Forbidden, GatewayError, GatewayFailed, KeyRefused, Refused
from keybench.core.exchange import Exchange
from keybench.core.reasons import Reason
from keybench.gateway.client import HttpGateway
from keybench.words.explain import explain

ENVELOPE = {"type": "t", "error_code": "E_X", "message": "No such thing", "ref_id": "ref-9"}


async def refused(
    gateway: HttpGateway, caller: MakeCaller, answer: bytes, *, value: str = MADE_UP_KEY
) -> GatewayError:
    async with hostile(says(answer)) as server:
        with pytest.raises(GatewayError) as raised:
            await gateway.start_sale(caller(server.base_url, value=value), ORDER)
    return raised.value


@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        ("400 Bad Request", Refused, "bad request"),
        ("401 Unauthorized", KeyRefused, "unauthorised"),
        ("403 Forbidden", Forbidden, "forbidden"),
        ("404 Not Found", Refused, "not found"),
        ("405 Method Not Allowed", Refused, "refused"),
        ("408 Request Timeout", GatewayFailed, "gateway timeout"),
        ("409 Conflict", Refused, "conflict"),
        ("422 Unprocessable Content", Refused, "refused"),
        ("429 Too Many Requests", Refused, "rate limit"),
        ("500 Internal Server Error", GatewayFailed, "failed"),
        ("503 Service Unavailable", GatewayFailed, "failed"),
        ("504 Gateway Timeout", GatewayFailed, "gateway timeout"),
        ("599 Strange", GatewayFailed, "failed"),
    ],
)
async def test_the_status_decides_the_class(
    gateway: HttpGateway, caller: MakeCaller, status: str, kind: type[GatewayError], reason: str
) -> None:
    error = await refused(gateway, caller, http(status, json.dumps(ENVELOPE).encode()))
    assert type(error) is kind
    assert (error.reason, error.status) == (reason, int(status[:3]))
    assert (error.message, error.reference) == ("No such thing", "ref-9")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Retry-After: 7", 7.0),
        ("Retry-After: 99999999999999", 3600.0),
        ("Retry-After: Wed, 01 Jan 2020 00:00:00 GMT", 0.0),
        ("Retry-After: soon", None),
        ("Retry-After: -5", None),
        ("Retry-After: \u0663", None),
        ("X-Other: 1", None),
    ],
)
async def test_a_pause_the_gateway_asks_for_is_passed_on(
    gateway: HttpGateway, caller: MakeCaller, header: str, seconds: float | None
) -> None:
    error = await refused(gateway, caller, http("403 Forbidden", b"{}", header))
    assert isinstance(error, Forbidden)
    assert error.retry_after_s == seconds
    assert error.reason == ("forbidden" if seconds is None else "rate limit")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", ""),
        (b"plain words", "plain words"),
        (b"<html>\n  <b>Nope</b>", "<html> <b>Nope</b>"),
        (b'{"error_code": "E_ONLY"}', "E_ONLY"),
        (b'{"type": "only a type"}', "only a type"),
        (b'{"message": 5}', "5"),
        (b'{"message": "\\ud800 \\u0000"}', "\ufffd \ufffd"),
        (b"x" * 5000, "x" * 300),
    ],
)
async def test_every_part_of_the_envelope_may_be_missing(
    gateway: HttpGateway, caller: MakeCaller, body: bytes, message: str
) -> None:
    assert (await refused(gateway, caller, http("400 Bad Request", body))).message == message


@pytest.mark.parametrize(
    "spelling", [lambda value: value, lambda value: base64.b64encode(value.encode()).decode(), quote]
)
async def test_a_key_the_gateway_says_back_is_masked(
    gateway: HttpGateway, caller: MakeCaller, exchanges: list[Exchange], spelling: object
) -> None:
    assert callable(spelling)
    value = "Made+up/key=with signs 0123456789"
    echo = {"message": f"Unknown key {spelling(value)} given", "ref_id": spelling(value)}
    answer = http("401 Unauthorized", json.dumps(echo).encode(), f"X-Seen: {spelling(value)}")
    error = await refused(gateway, caller, answer, value=value)
    assert error.message == "Unknown key \u2022\u2022\u2022\u2022\u2022\u2022 given"
    leaked = any(form in f"{vars(error)} {exchanges}" for form in (value, spelling(value)))
    assert not leaked


@pytest.mark.parametrize(
    ("status", "error_code", "message", "reason"),
    [
        ("403 Forbidden", "E_X", "Rate limit exceeded", "rate limit"),
        ("403 Forbidden", "E_RATE_LIMIT", "No", "rate limit"),
        ("403 Forbidden", "E_X", "Too many requests", "rate limit"),
        ("403 Forbidden", "E_X", "The user may not sell", "forbidden"),
        ("401 Unauthorized", "E_X", "Rate limit exceeded", "unauthorised"),
        ("409 Conflict", "E_X", "The device is not connected", "device offline"),
        ("404 Not Found", "E_X", "Terminal offline", "device offline"),
        ("409 Conflict", "E_X", "Device in use", "device busy"),
        ("409 Conflict", "E_X", "It can't be done", "conflict"),
        ("409 Conflict", "E_DUPLICATE_TRANSACTION", "No", "repeated"),
        ("400 Bad Request", "E_X", "An order with this id already exists", "repeated"),
        ("422 Unprocessable Content", "E_X", "This request was already processed", "repeated"),
        ("409 Conflict", "E_X", "The device is already in use", "device busy"),
        ("404 Not Found", "E_X", "Device not found", "not found"),
    ],
)
async def test_the_gateway_s_words_tell_what_a_status_leaves_open(
    gateway: HttpGateway, caller: MakeCaller, status: str, error_code: str, message: str, reason: str
) -> None:
    body = json.dumps(ENVELOPE | {"error_code": error_code, "message": message}).encode()
    error = await refused(gateway, caller, http(status, body))
    assert error.reason == reason
    assert error.asks_to_wait is (reason == "rate limit")


async def test_a_payment_request_that_isnt_known_is_not_the_key_s_fault(
    gateway: HttpGateway, caller: MakeCaller
) -> None:
    async with hostile(says(http("404 Not Found", json.dumps(ENVELOPE).encode()))) as server:
        with pytest.raises(Refused) as raised:
            await gateway.sale_status(caller(server.base_url), ORDER, "PR-1")
    assert (type(raised.value), raised.value.reason, raised.value.status) == (
        Refused,
        Reason.REQUEST_UNKNOWN,
        404,
    )
    assert "no such payment request" in explain(raised.value).title


@pytest.mark.parametrize("message", ["Device not found", "Route not found"])
async def test_another_thing_that_isnt_known_says_nothing_of_the_payment_request(
    gateway: HttpGateway, caller: MakeCaller, message: str
) -> None:
    body = json.dumps({"message": message}).encode()
    async with hostile(says(http("404 Not Found", body))) as server:
        with pytest.raises(Refused) as raised:
            await gateway.sale_status(caller(server.base_url), ORDER, "PR-1")
    assert raised.value.reason == "not found"
    assert "what was asked for" in explain(raised.value).title
