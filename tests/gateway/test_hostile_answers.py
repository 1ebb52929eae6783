"""What may be told of a sale for each of some hundred answers, by every contract and each way to sell.

An answer about a payment request is played as a poll of each contract and as a look-up, one that was held for
the outcome as a synchronous and a Classic sale, a form as Classic's; what no contract can read in all these
ways. Whatever the gateway says, nothing is told that the answer denies, and nothing takes long.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from gateway.callers import ORDER, MakeCaller
from gateway.hostile import Play, hostile, http, is_silent, resets, says, trickles
from keybench.core.errors import AnswerLost, AnswerUnreadable, GatewayFailed, Refused
from keybench.core.ports import Accepted, Caller
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.gateway.client import HttpGateway
from keybench.gateway.messages import Limits
from sweeps import every

CONTRADICTORY = Reason.CONTRADICTORY.value

APPROVED, DECLINED, CANCELLED = Outcome.APPROVED.value, Outcome.DECLINED.value, Outcome.CANCELLED.value
PARTLY = Outcome.PARTLY_APPROVED.value
EXPIRED, REFUSED, UNKNOWN = Outcome.EXPIRED.value, Outcome.REFUSED.value, Outcome.UNKNOWN.value
#: No outcome is told: the sale goes on, or the answer is no answer to what was asked.
NOTHING: Final = "nothing"
#: For answers that never end.
QUICK: Final = Limits(read_s=0.5, total_s=3.0, held_s=0.5)
#: Stands for a field that an answer lacks.
GONE: Final = object()

POLLS: Final = {
    f"poll, {contract}": contract for contract in ("v5", "practice", "v5-asyncstatus", "classic-form")
}
HELD: Final = {
    "sync, v5": ("v5", SaleMode.SYNCHRONOUS),
    "sync, practice": ("practice", SaleMode.SYNCHRONOUS),
    "classic, practice": ("practice", SaleMode.CLASSIC),
    "sync, classic-form": ("classic-form", SaleMode.SYNCHRONOUS),
}
FORM: Final = "form, classic-form"
LOOK_UP: Final = "look-up, practice"

REQUEST: Final[dict[str, Any]] = {
    "id": "r1",
    "device_id": "till-1",
    "status": "interactionComplete",
    "amount": "10.00",
    "currency": "USD",
    "order_details": {"id": "ref-1"},
    "transaction": {
        "id": "t1",
        "success": True,
        "response_code": "100",
        "response_text": "APPROVED",
        "auth_code": "A1B2C3",
    },
}
SALE: Final[dict[str, Any]] = {
    "object": "transaction",
    "id": "t1",
    "request_id": "r1",
    "device_id": "till-1",
    "status": "interactionComplete",
    "amount": "10.00",
    "currency": "USD",
    "order_details": {"id": "ref-1"},
    "response": "1",
    "response_code": "100",
    "response_text": "APPROVED",
    "auth_code": "A1B2C3",
}
FIELDS: Final[dict[str, Any]] = {
    "response": "1",
    "responsetext": "APPROVED",
    "authcode": "A1B2C3",
    "transactionid": "t1",
    "orderid": "ref-1",
    "response_code": "100",
    "amount": "10.00",
    "currency": "USD",
    "poi_device_id": "till-1",
}
REFUSAL: Final = {
    "transaction.success": False,
    "transaction.response_code": "202",
    "transaction.response_text": "DECLINED",
    "transaction.auth_code": "",
}
BARE: Final = {"transaction": GONE}


def but(whole: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an answer with other fields, named by dotted paths."""
    changed = copy.deepcopy(whole)
    for path, value in changes.items():
        *steps, last = path.split(".")
        at = changed
        for step in steps:
            at = at.setdefault(step, {})
        if value is GONE:
            at.pop(last, None)
        else:
            at[last] = value
    return changed


def ended(status: str, **more: Any) -> dict[str, Any]:
    return {"status": status, **BARE, **more}


#: Name, what is other than in an approval, what may be told.
OF_REQUESTS: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("an approval", {}, APPROVED),
    ("an approval without words", {"transaction": {"success": True}}, APPROVED),
    (
        "an approval with nothing to compare",
        dict.fromkeys(["amount", "currency", "device_id"], GONE),
        APPROVED,
    ),
    ("success as a text", {"transaction.success": "TRUE"}, APPROVED),
    ("a decline", REFUSAL, DECLINED),
    ("a decline without words", {"transaction": {"success": False}}, DECLINED),
    ("a decline as a text", REFUSAL | {"transaction.success": "False"}, DECLINED),
    ("a decline with zeros for an authorisation", REFUSAL | {"transaction.auth_code": "000000"}, DECLINED),
    ("a decline of nothing", REFUSAL | {"amount": "0.00"}, DECLINED),
    ("a duplicate", REFUSAL | {"transaction.response_code": "430"}, DECLINED),
    ("cancelled at the terminal", ended("cancelledAtTerminal"), CANCELLED),
    ("cancelled by the API", ended("cancelledByApi"), CANCELLED),
    ("cancelled", ended("cancelled"), CANCELLED),
    ("cancelled, and no success", ended("cancelled", transaction={"success": False}), CANCELLED),
    ("timed out", ended("cancelledByTimeout"), EXPIRED),
    ("the device is in use", ended("poiDeviceInUse"), REFUSED),
    ("pending", ended("pending"), NOTHING),
    ("in flight, with success filled in before", {"status": "inFlight"}, NOTHING),
    ("success 1", {"transaction.success": 1}, CONTRADICTORY),
    ("success 0", {"transaction.success": 0}, CONTRADICTORY),
    ("success with a blank", {"transaction.success": " true"}, CONTRADICTORY),
    ("success missing in a decline", REFUSAL | {"transaction.success": GONE}, CONTRADICTORY),
    ("success with code 200", {"transaction.response_code": "200"}, CONTRADICTORY),
    ("success with code 202 as a number", {"transaction.response_code": 202}, CONTRADICTORY),
    ("success with code 300", {"transaction.response_code": "300"}, CONTRADICTORY),
    ("success with code 420", {"transaction.response_code": "420"}, CONTRADICTORY),
    ("success with code 430", {"transaction.response_code": "430"}, CONTRADICTORY),
    ("success with DECLINED", {"transaction.response_text": "DECLINED"}, CONTRADICTORY),
    ("success with declined in small letters", {"transaction.response_text": " Declined "}, CONTRADICTORY),
    ("success with a code of the answer's own", {"response_code": "202"}, CONTRADICTORY),
    ("success with words for people", {"transaction.response_text": "Thank you"}, APPROVED),
    ("success with zeros for a code", {"transaction.response_code": "00"}, APPROVED),
    *(
        (f"success with code {code!r}", {"transaction.response_code": code}, CONTRADICTORY)
        for code in (" 200", "05", "51", "177", "N7", True, {"code": "100"})
    ),
    *(
        (f"success with {text}", {"transaction.response_text": text}, CONTRADICTORY)
        for text in (
            *("DECLINED - insufficient funds", "NOT APPROVED", "Transaction not approved", "Do not honor"),
            *("Not yet approved", "Card expired", "System error", "Partially approved 5.00", "Cancelled"),
            *(
                "Request timed out",
                "PARTIAL APPROVAL",
                "Authorisation refused",
                "Disapproved",
                "wasn't accepted",
            ),
        )
        if text != "Not yet approved"
    ),
    *(
        (f"success with {text}", {"transaction.response_text": text}, APPROVED)
        for text in ("APPROVED 123456", "Approved, no errors", "APPROVAL A1B2C3", "Exact match")
    ),
    (
        "no success with APPROVED and a number",
        REFUSAL | {"transaction.response_text": "APPROVED 123456"},
        CONTRADICTORY,
    ),
    ("no success with code 51", REFUSAL | {"transaction.response_code": "51"}, CONTRADICTORY),
    ("a decline in many words", REFUSAL | {"transaction.response_text": "Not approved: no funds"}, DECLINED),
    ("no success with code 100", REFUSAL | {"transaction.response_code": "100"}, CONTRADICTORY),
    ("no success with an authorisation", REFUSAL | {"transaction.auth_code": "A1"}, CONTRADICTORY),
    ("no success with APPROVED", REFUSAL | {"transaction.response_text": "Approved"}, CONTRADICTORY),
    ("no success with code 420", REFUSAL | {"transaction.response_code": "420"}, UNKNOWN),
    ("no success with code 421", REFUSAL | {"transaction.response_code": 421}, UNKNOWN),
    *(
        (f"{status} with {name}", {"status": status, **more}, CONTRADICTORY)
        for status in (
            "cancelledAtTerminal",
            "cancelledByTimeout",
            "poiDeviceInUse",
            "cancelledByApi",
            "cancelled",
        )
        for name, more in (
            ("all of an approval", {}),
            ("success", {"transaction": {"success": True}}),
            ("an authorisation", {"transaction": {"auth_code": "A1B2C3"}}),
            ("code 100", {"transaction": {"success": False, "response_code": "100"}}),
            ("an approval in an array", {"transaction": [REQUEST["transaction"]]}),
            ("an authorisation of its own", BARE | {"auth_code": "A1B2C3"}),
        )
    ),
    ("cancelled, and the processor silent", ended("cancelled", response_code="420"), UNKNOWN),
    ("another amount", {"amount": "999.99"}, CONTRADICTORY),
    ("another amount as a number", {"amount": 999.99}, CONTRADICTORY),
    ("a part of the amount", {"amount": "5.00"}, PARTLY),
    ("a part of the amount as a number", {"amount": 5}, PARTLY),
    ("a part of the amount in the transaction", {"transaction.amount": "5.00"}, PARTLY),
    ("a part of the amount, authorised", {"transaction.amount_authorized": "5.00"}, PARTLY),
    ("a part, in both places", {"amount": "5.00", "transaction.amount": "5.00"}, PARTLY),
    (
        "a part, and said so",
        {"transaction.amount": "5.00", "transaction.response_text": "Partially approved 5.00"},
        PARTLY,
    ),
    ("two parts", {"amount": "4.00", "transaction.amount": "5.00"}, CONTRADICTORY),
    (
        "a part of the amount that was approved",
        {"amount": "5.00", "transaction.amount": "10.00"},
        CONTRADICTORY,
    ),
    ("a part in smaller coins than there are", {"transaction.amount": "5.005"}, CONTRADICTORY),
    ("a part of a decline", REFUSAL | {"transaction.amount": "5.00"}, CONTRADICTORY),
    ("a part of a cancelled sale", ended("cancelled", amount="5.00"), CONTRADICTORY),
    ("a part, declined in words", {"amount": "5.00", "transaction.response_text": "Declined"}, CONTRADICTORY),
    *(
        (f"the amount {amount}", {"amount": amount}, CONTRADICTORY)
        for amount in ("$5.00", "(5.00)", "5.00 EUR", "5.00-", "10.00 CR", True, {"value": "5.00"}, "5.00.00")
    ),
    ("a part with its currency", {"amount": "5.00 USD"}, PARTLY),
    ("the amount with its currency", {"amount": "USD 10.00"}, APPROVED),
    ("no amount at all was taken", {"amount": "0.00"}, CONTRADICTORY),
    ("the amount below zero", {"amount": "-10.00"}, CONTRADICTORY),
    ("the amount in cents", {"amount": 1000}, CONTRADICTORY),
    ("the amount in cents as a text", {"amount": "1000"}, CONTRADICTORY),
    ("a cent more", {"amount": "10.01"}, CONTRADICTORY),
    ("a little more", {"amount": "10.0000001"}, CONTRADICTORY),
    ("another amount with a comma", {"amount": "999,99"}, CONTRADICTORY),
    ("a huge amount", {"amount": "1e9999999"}, CONTRADICTORY),
    ("an infinite amount", {"amount": float("inf")}, CONTRADICTORY),
    ("another amount in other digits", {"amount": "٩٩٩.٩٩"}, CONTRADICTORY),
    ("two amounts", {"amount": ["10.00", "999.99"]}, CONTRADICTORY),
    ("a decline of another amount", REFUSAL | {"amount": "999.99"}, CONTRADICTORY),
    ("a cancelled sale of another amount", ended("cancelled", amount="999.99"), CONTRADICTORY),
    ("the amount as 10", {"amount": 10}, APPROVED),
    ("the amount as 10.0", {"amount": "10.0"}, APPROVED),
    ("the amount as 1e1", {"amount": "1e1"}, APPROVED),
    ("the amount with a comma", {"amount": "10,00"}, APPROVED),
    ("the amount with blanks", {"amount": " 10.00 "}, APPROVED),
    ("an amount that is no number", {"amount": "ten"}, CONTRADICTORY),
    ("not a number", {"amount": float("nan")}, CONTRADICTORY),
    ("another currency", {"currency": "EUR"}, CONTRADICTORY),
    ("another currency in the transaction", {"transaction.currency": "EUR"}, CONTRADICTORY),
    ("a currency in letters that look alike", {"currency": "U\u0405D"}, CONTRADICTORY),
    ("the currency in small letters", {"currency": "usd"}, APPROVED),
    ("another payment request beside", {"payment_request_id": "r2"}, NOTHING),
    ("another payment request within", {"payment_request": {"id": "r2"}}, NOTHING),
    ("the same payment request beside", {"paymentRequestId": "r1"}, APPROVED),
    ("another device", {"device_id": "till-2"}, CONTRADICTORY),
    ("a device with a letter that looks alike", {"device_id": "till-l"}, CONTRADICTORY),
    ("a device that begins alike", {"device_id": "till-11"}, CONTRADICTORY),
    ("the device in capitals", {"device_id": "TILL-1"}, APPROVED),
    ("another sale", {"order_details.id": "ref-2"}, NOTHING),
    ("another sale, beside", {"order_details": {"id": "not-ours"}, "status": "cancelled", **BARE}, NOTHING),
    ("a status in capitals", {"status": "INTERACTIONCOMPLETE"}, NOTHING),
    ("a status with a blank", {"status": "interactionComplete "}, NOTHING),
    ("a status with a letter that looks alike", {"status": "interacti\u043enComplete"}, NOTHING),
    ("cancelled with a letter that looks alike", {"status": "c\u0430ncelled"}, NOTHING),
    ("a status with an invisible character", {"status": "cancelled\u200b"}, NOTHING),
    ("a status nobody knows", {"status": "askingTheOracle"}, NOTHING),
    ("approved as a status", {"status": "approved"}, NOTHING),
]

NO_WORDS: Final = {"response_text": "", "auth_code": ""}
OF_HELD: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("an approval", {}, APPROVED),
    ("an approval as a number", {"response": 1, "response_code": 100}, APPROVED),
    ("an approval without words", NO_WORDS | {"response_code": GONE, "status": GONE}, APPROVED),
    ("a decline", NO_WORDS | {"response": "2", "response_code": "202"}, DECLINED),
    ("a decline of nothing", NO_WORDS | {"response": "2", "response_code": "202", "amount": 0}, DECLINED),
    ("an error", NO_WORDS | {"response": "3", "response_code": "300"}, REFUSED),
    ("a silent processor", NO_WORDS | {"response": "3", "response_code": "420"}, UNKNOWN),
    ("a decline and a silent processor", NO_WORDS | {"response": "2", "response_code": "420"}, UNKNOWN),
    ("an error nobody knows", NO_WORDS | {"response": "3", "response_code": "777"}, UNKNOWN),
    (
        "cancelled",
        NO_WORDS | {"response": "3", "response_code": "300", "status": "cancelledAtTerminal"},
        CANCELLED,
    ),
    (
        "timed out",
        NO_WORDS | {"response": GONE, "response_code": GONE, "status": "cancelledByTimeout"},
        EXPIRED,
    ),
    ("approved with code 202", {"response_code": "202"}, CONTRADICTORY),
    ("approved with code 300", {"response_code": "300"}, CONTRADICTORY),
    ("approved with code 420", {"response_code": "420"}, CONTRADICTORY),
    ("approved with DECLINED", {"response_text": "DECLINED"}, CONTRADICTORY),
    ("declined with code 100", {"response": "2"}, CONTRADICTORY),
    (
        "declined with an authorisation",
        {"response": "2", "response_code": "202", "response_text": ""},
        CONTRADICTORY,
    ),
    ("declined with APPROVED", {"response": "2", "response_code": "202", "auth_code": ""}, CONTRADICTORY),
    ("an error with code 100", {"response": "3"}, CONTRADICTORY),
    ("an error with an authorisation", {"response": "3", "response_code": "300"}, CONTRADICTORY),
    ("approved and cancelled", {"status": "cancelledAtTerminal"}, CONTRADICTORY),
    ("approved and cancelled in capitals", {"status": "CANCELLED "}, CONTRADICTORY),
    ("approved and timed out", {"status": "cancelledByTimeout"}, CONTRADICTORY),
    ("approved and in use", {"status": "poiDeviceInUse"}, CONTRADICTORY),
    ("cancelled with an authorisation", {"status": "cancelled", "response": GONE}, CONTRADICTORY),
    ("approved and still pending", {"status": "pending"}, NOTHING),
    ("another amount", {"amount": "999.99"}, CONTRADICTORY),
    ("another amount as a number", {"amount": 999.99}, CONTRADICTORY),
    ("a part of the amount", {"amount": "5.00"}, PARTLY),
    ("a part of the amount, authorised", {"amount_authorized": "5.00"}, PARTLY),
    ("approved with code 51", {"response_code": "51"}, CONTRADICTORY),
    ("approved with NOT APPROVED", {"response_text": "NOT APPROVED"}, CONTRADICTORY),
    ("approved and failed", {"status": "failed"}, CONTRADICTORY),
    ("the amount in cents", {"amount": 1000}, CONTRADICTORY),
    ("another currency", {"currency": "EUR"}, CONTRADICTORY),
    ("another device", {"device_id": "till-2"}, CONTRADICTORY),
    ("another sale", {"order_details.id": "ref-2"}, CONTRADICTORY),
    (
        "a decline of another sale",
        NO_WORDS | {"response": "2", "response_code": "202", "order_details.id": "x"},
        CONTRADICTORY,
    ),
    ("the amount as 10", {"amount": 10}, APPROVED),
    ("no figure", {"response": GONE}, NOTHING),
    ("a figure nobody knows", {"response": "9"}, NOTHING),
    ("a figure in other digits", {"response": "\uff11"}, NOTHING),
    ("a figure with a blank", {"response": " 1"}, NOTHING),
    (
        "an error's envelope",
        {**dict.fromkeys(SALE, GONE), "error_code": "E1", "message": "Approved"},
        NOTHING,
    ),
    ("nothing", dict.fromkeys(SALE, GONE), NOTHING),
]

OF_FORMS: Final[list[tuple[str, dict[str, Any], str]]] = [
    ("an approval", {}, APPROVED),
    (
        "taken",
        {"response_code": "101", "async_status_guid": "g1", "authcode": "", "responsetext": "OK"},
        NOTHING,
    ),
    ("a decline", {"response": "2", "response_code": "202", "authcode": "", "responsetext": "NSF"}, DECLINED),
    ("an error", {"response": "3", "response_code": "300", "authcode": "", "responsetext": "no"}, REFUSED),
    (
        "a silent processor",
        {"response": "3", "response_code": "421", "authcode": "", "responsetext": ""},
        UNKNOWN,
    ),
    ("approved with code 202", {"response_code": "202"}, CONTRADICTORY),
    ("declined with code 100", {"response": "2"}, CONTRADICTORY),
    (
        "declined with an authorisation",
        {"response": "2", "response_code": "202", "responsetext": ""},
        CONTRADICTORY,
    ),
    ("approved with DECLINED", {"responsetext": "DECLINED"}, CONTRADICTORY),
    ("another amount", {"amount": "999.99"}, CONTRADICTORY),
    ("a part of the amount", {"amount_authorized": "5.00"}, CONTRADICTORY),
    ("another currency", {"currency": "EUR"}, CONTRADICTORY),
    ("another device", {"poi_device_id": "till-2"}, CONTRADICTORY),
    ("another sale", {"orderid": "ref-2"}, CONTRADICTORY),
    (
        "taken as another sale",
        {"response_code": "101", "async_status_guid": "g1", "orderid": "x"},
        CONTRADICTORY,
    ),
    (
        "taken as another amount",
        {"response_code": "101", "async_status_guid": "g1", "amount": "1"},
        CONTRADICTORY,
    ),
    ("broken off within the code", {"response_code": "10"}, NOTHING),
    ("broken off before the code", {"response_code": GONE}, NOTHING),
]

DONE: Final = json.dumps(REQUEST).encode()
APPROVING: Final = urlencode(FIELDS).encode()
SOLD: Final = json.dumps(SALE).encode()
#: A name that comes twice, before its own place.
TWICE: Final[list[tuple[str, tuple[str, ...], bytes, str]]] = [
    ("success twice", (*POLLS, LOOK_UP), DONE, '"success": false'),
    ("the amount twice", (*POLLS, LOOK_UP), DONE, '"amount": "999.99"'),
    ("the currency twice", (*POLLS, LOOK_UP), DONE, '"currency": "EUR"'),
    ("the status twice", (*POLLS, LOOK_UP), DONE, '"status": "cancelled"'),
    ("the identifier twice", (*POLLS, LOOK_UP), DONE, '"id": "r2"'),
    ("the same twice", (*POLLS, LOOK_UP), DONE, '"success": true'),
    ("the figure twice", tuple(HELD), SOLD, '"response": "2"'),
    ("the code twice", tuple(HELD), SOLD, '"response_code": "202"'),
]


def twice(body: bytes, first: str) -> bytes:
    """Return an answer in which a name comes a first time before its own place."""
    name = f"{first.partition(':')[0]}:".encode()
    return body.replace(name, first.encode() + b", " + name, 1)


HTML: Final = b"<html><h1>Approved</h1>Thank you</html>"
ELSEWHERE: Final = "Location: http://127.0.0.1:9/"
TRICKLE: Final = trickles(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")
LASTING: Final = (is_silent, TRICKLE)
#: Name, answer, what may be told of a sale that it answers; of a poll or a look-up it tells nothing.
OF_ANYTHING: Final[list[tuple[str, Play, str]]] = [
    ("HTML with 200", says(http("200 OK", HTML, "Content-Type: text/html")), NOTHING),
    ("HTML said to be JSON", says(http("200 OK", HTML, "Content-Type: application/json")), NOTHING),
    ("nothing with 200", says(http("200 OK")), NOTHING),
    ("204", says(http("204 No Content")), NOTHING),
    ("206", says(http("206 Partial Content", DONE, "Content-Range: bytes 0-9/99")), NOTHING),
    ("205", says(http("205 Reset Content")), NOTHING),
    ("null", says(http("200 OK", b"null")), NOTHING),
    ("true", says(http("200 OK", b"true")), NOTHING),
    ("a text", says(http("200 OK", b'"approved"')), NOTHING),
    ("a number", says(http("200 OK", b"1")), NOTHING),
    ("an empty object", says(http("200 OK", b"{}")), NOTHING),
    ("NaN", says(http("200 OK", b"NaN")), NOTHING),
    ("broken JSON", says(http("200 OK", DONE[:-9])), NOTHING),
    ("JSON and more", says(http("200 OK", DONE + DONE)), NOTHING),
    ("JSON with single quotes", says(http("200 OK", DONE.replace(b'"', b"'"))), NOTHING),
    ("JSON with a comment", says(http("200 OK", b"//" + DONE)), NOTHING),
    ("deep JSON", says(http("200 OK", b"[" * 100_000)), NOTHING),
    ("a long number", says(http("200 OK", b'{"status": %s}' % (b"9" * 100_000))), NOTHING),
    ("UTF-16", says(http("200 OK", DONE.decode().encode("utf-16"))), NOTHING),
    ("an unknown encoding", says(http("200 OK", DONE, "Content-Encoding: zst")), NOTHING),
    ("too much", says(http("200 OK", b" " * 2_000_000 + DONE)), NOTHING),
    ("half an answer", says(http("200 OK", DONE)[:-20]), NOTHING),
    ("no answer", says(b""), NOTHING),
    ("not HTTP", says(b"SSH-2.0-OpenSSH_9.2\r\n"), NOTHING),
    ("a reset", resets, NOTHING),
    ("silence", is_silent, NOTHING),
    ("byte by byte, for ever", TRICKLE, NOTHING),
    ("101", says(http("101 Switching Protocols")), NOTHING),
    ("301", says(http("301 Moved", DONE, ELSEWHERE)), NOTHING),
    ("302", says(http("302 Found", SOLD, ELSEWHERE)), NOTHING),
    ("304", says(http("304 Not Modified")), NOTHING),
    ("307", says(http("307 Temporary Redirect", DONE, ELSEWHERE)), NOTHING),
    ("308", says(http("308 Permanent Redirect", DONE, ELSEWHERE)), NOTHING),
    ("400", says(http("400 Bad Request", b'{"message": "no"}')), REFUSED),
    ("401 in HTML", says(http("401 Unauthorized", HTML)), REFUSED),
    ("403", says(http("403 Forbidden", b"{}")), REFUSED),
    ("404", says(http("404 Not Found", b"")), REFUSED),
    ("408", says(http("408 Request Timeout", b"{}")), NOTHING),
    ("409", says(http("409 Conflict", b"{}")), REFUSED),
    ("429", says(http("429 Too Many Requests", b"{}")), REFUSED),
    ("500 with an approval", says(http("500 Internal Server Error", DONE)), NOTHING),
    ("502 in HTML", says(http("502 Bad Gateway", HTML)), NOTHING),
    ("503", says(http("503 Down", b"{}", "Retry-After: 1")), NOTHING),
    ("504", says(http("504 Gateway Timeout", b"{}")), NOTHING),
]  # fmt: skip
NAMED: Final = json.dumps(but(REQUEST, BARE | {"status": "pending"})).encode()
UNNAMED: Final = json.dumps(but(SALE, {"request_id": GONE})).encode()
CLASSIC: Final = urlencode(FIELDS | {"async_status_guid": "g1"}).encode()
BUSY: Final = b'{"message": "The device is in use", "id": "r0", "status": "pending"}'
OURS: Final = b'{"message": "The device is in use", "id": "r1", "order_details": {"id": "ref-1"}}'
ASYNCHRONOUS: Final = ("async, v5", "async, practice")
STARTING: Final = (*ASYNCHRONOUS, "sync, v5", "sync, practice", "classic, practice")
#: Name, ways to sell, a refusal's body, what may be told. An identifier is followed, and nothing is told.
OF_REFUSALS: Final[list[tuple[str, tuple[str, ...], bytes, str]]] = [
    (
        "an approval with its request",
        (*ASYNCHRONOUS, *list(HELD)[:3]),
        DONE[:-1] + b', "request_id": "r1"}',
        NOTHING,
    ),
    ("an approval", tuple(HELD)[:3], UNNAMED, CONTRADICTORY),
    ("an approval", (FORM,), APPROVING, CONTRADICTORY),
    ("taken", (FORM,), CLASSIC, NOTHING),
    ("pending", ASYNCHRONOUS, NAMED, NOTHING),
    ("an identifier", ASYNCHRONOUS, b'{"id": "r1"}', NOTHING),
    ("an identifier and a message", ASYNCHRONOUS, b'{"id": "r1", "message": "no"}', CONTRADICTORY),
    ("in flight without an identifier", STARTING, b'{"status": "inFlight"}', CONTRADICTORY),
    ("over without an identifier", STARTING, b'{"status": "interactionComplete"}', CONTRADICTORY),
    ("success", ASYNCHRONOUS, b'{"transaction": {"success": true}}', CONTRADICTORY),
    ("success, unclear", ASYNCHRONOUS, b'{"transaction": {"success": "soon"}}', CONTRADICTORY),
    ("a transaction alone", ASYNCHRONOUS, b'{"transaction": {"id": "t1"}}', CONTRADICTORY),
    ("an authorisation", STARTING, b'{"auth_code": "A1B2C3"}', CONTRADICTORY),
    ("the processor silent", STARTING, b'{"response_code": "420"}', CONTRADICTORY),
    ("an approval, wrapped", ASYNCHRONOUS, b'{"data": [%s]}' % DONE, CONTRADICTORY),
    ("an approval in words", STARTING, b'{"message": "APPROVED 123456"}', CONTRADICTORY),
    ("two identifiers", ASYNCHRONOUS, b'{"id": "r1", "payment_request_id": "r2"}', CONTRADICTORY),
    ("an identifier of another kind", ASYNCHRONOUS, b'{"payment_request_id": "r2"}', CONTRADICTORY),
    ("another sale", ASYNCHRONOUS, b'{"id": "r2", "order_details": {"id": "ref-2"}}', CONTRADICTORY),
    ("whose sale holds the device", ASYNCHRONOUS, BUSY, CONTRADICTORY),
    ("our sale holds the device", ASYNCHRONOUS, OURS, NOTHING),
    ("a name twice", STARTING, b'{"message": "no", "message": "yes"}', NOTHING),
    ("cut off JSON", STARTING, b'{"id": "r1", "status": "pen', NOTHING),
    ("a decline", STARTING, b'{"status": "declined", "response_code": "202"}', REFUSED),
    ("in use", STARTING, b'{"status": "poiDeviceInUse"}', REFUSED),
    ("what would be approved", STARTING, b'{"message": "Only approved users may sell"}', REFUSED),
    ("no JSON", STARTING, b"Refused, sorry", REFUSED),
    ("a text", STARTING, b'"approved"', REFUSED),
    ("an error's envelope", (*STARTING, FORM), b'{"type": "t", "error_code": "E", "ref_id": "x"}', REFUSED),
    ("an error's form", (FORM,), b"response=3&responsetext=Authentication+Failed&response_code=300", REFUSED),
]
REFUSING: Final = (
    "400 Bad Request",
    "401 Unauthorized",
    "403 Forbidden",
    "409 Conflict",
    "422 Unprocessable",
)
WAYS: Final = ("async, v5", "async, practice", *HELD, FORM, *POLLS, LOOK_UP)


SELLING: Final = ("async", "sync", "classic", "form")


def listed(way: str, body: bytes) -> bytes:
    return b'{"payment_requests": [%s]}' % body if way == LOOK_UP else body


def json_cases() -> Iterator[tuple[str, dict[str, Play], str]]:
    for ways, whole, table in (((*POLLS, LOOK_UP), REQUEST, OF_REQUESTS), (tuple(HELD), SALE, OF_HELD)):
        for name, changes, told in table:
            body = json.dumps(but(whole, changes)).encode()
            yield name, {way: says(http("200 OK", listed(way, body))) for way in ways}, told
    for name, ways, body, first in TWICE:
        yield name, {way: says(http("200 OK", listed(way, twice(body, first)))) for way in ways}, NOTHING


def other_cases() -> Iterator[tuple[str, dict[str, Play], str]]:
    for name, changes, told in OF_FORMS:
        yield name, {FORM: says(http("200 OK", urlencode(but(FIELDS, changes)).encode()))}, told
    yield "a field twice", {FORM: says(http("200 OK", b"response=2&" + APPROVING))}, NOTHING
    for name, play, of_a_sale in OF_ANYTHING:
        yield name, {way: play for way in WAYS if way.startswith(SELLING)}, of_a_sale
        yield f"{name}, when asked", dict.fromkeys((*POLLS, LOOK_UP), play), NOTHING
    for name, ways, body, told in OF_REFUSALS:
        for status in REFUSING:
            yield f"{status}, {name}", {way: says(http(status, body)) for way in ways}, told
    another = says(http("200 OK", json.dumps(but(REQUEST, {"id": "r2"})).encode()))
    yield "another payment request", dict.fromkeys(POLLS, another), NOTHING
    cut = says(http("403 Forbidden", NAMED)[:-20])
    yield "403, cut off", dict.fromkeys(STARTING, cut), NOTHING
    yield "500, pending", {way: says(http("500 Oops", NAMED)) for way in ASYNCHRONOUS}, NOTHING


CASES: Final = [
    pytest.param(plays, told, id=f"{name} ({', '.join(plays)})")
    for name, plays, told in (*json_cases(), *other_cases())
]


async def answer_to(way: str, gateway: HttpGateway, caller: MakeCaller, base_url: str) -> Verdict | None:
    """Return the outcome that is told of a sale, sold or asked for in one of `WAYS`; None if none is."""

    def at(contract: str) -> Caller:
        return caller(base_url, contract=contract)

    if way in POLLS:
        return (await gateway.sale_status(at(POLLS[way]), ORDER, "r1")).verdict
    if way == LOOK_UP:
        found = await gateway.look_up(at("practice"), ORDER)
        assert found, "told as a sale that the gateway knows nothing of"
        return found.verdict
    asynchronous = (way.removeprefix("async, "), SaleMode.ASYNCHRONOUS)
    contract, mode = ("classic-form", SaleMode.CLASSIC) if way == FORM else HELD.get(way, asynchronous)
    answer = await gateway.start_sale(at(contract), replace(ORDER, mode=mode))
    return None if isinstance(answer, Accepted) else answer


async def told_in(way: str, play: Play, caller: MakeCaller) -> str:
    """Play an answer in one of `WAYS`, and return the outcome's word that is told of the sale."""
    gateway = HttpGateway(limits=QUICK if play in LASTING else Limits())
    try:
        async with hostile(play) as server, asyncio.timeout(30):
            verdict = await answer_to(way, gateway, caller, server.base_url)
    except (AnswerLost, AnswerUnreadable, GatewayFailed):
        return NOTHING
    except Refused:
        return REFUSED if way.startswith(SELLING) else NOTHING
    finally:
        await gateway.close()
    if verdict and verdict.reason.startswith(f"{CONTRADICTORY}: "):
        assert verdict.outcome is Outcome.UNKNOWN
        return CONTRADICTORY
    return verdict.outcome.value if verdict else NOTHING


@pytest.mark.parametrize(("plays", "told"), every(9, CASES))
async def test_nothing_is_told_that_the_answer_denies(
    caller: MakeCaller, plays: dict[str, Play], told: str
) -> None:
    seen = await asyncio.gather(*(told_in(way, play, caller) for way, play in plays.items()))
    assert dict(zip(plays, seen, strict=True)) == dict.fromkeys(plays, told)
