"""The API in OpenAPI 3.1, from one table of its calls, and what the gateway chose where nothing is said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from keybench import __version__
from keybench.practice.amounts import money
from keybench.practice.body import MAX_BODY_BYTES
from keybench.practice.gateway import BURST, PER_SECOND
from keybench.practice.keys import LIVE, PERMISSIONS, TEST, Permission
from keybench.practice.saleorder import ADDRESS, DEFAULT_CURRENCY, MAX_CENTS, MAX_DUP_SECONDS

Schema = dict[str, Any]

_JSON: Final = "application/json"
_FORM: Final = "application/x-www-form-urlencoded"
_REFUSALS: Final = {
    400: "The body or the query breaks a rule.",
    401: "The key is missing, of a wrong form, unknown, deleted or expired.",
    403: "The user may not do this or is disabled, the key is of a wrong kind, the account is restricted,"
    " or the rate limit is exceeded.",
    404: "There is no such device or payment request.",
    409: "The device is not connected, or the sale can't be cancelled any more.",
    413: "The body is too large.",
    415: "The body is of another content type.",
    500: "The service failed and took nothing: the amount 85.00 is for that.",
}
_OF_KEYS: Final = (401, 403)
_OF_BODIES: Final = (400, *_OF_KEYS, 413, 415)
_OF_SALES: Final = (*_OF_BODIES, 404, 409, 500)


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of the API.

    Attributes:
        may: What the user of the key has to be allowed.
        answers: The schemas' names by the status of answers that are no refusals; empty for no body.
        refusals: The statuses it can be refused with.
        query: The query's parameter, if there is one; its name ends in `!` where it is required.
        body: The name of the schema of the request's body, if there is one.
        key: The name of the security scheme; empty where the key is in the body.
    """

    method: str
    path: str
    summary: str
    may: str
    answers: Mapping[int, str]
    refusals: tuple[int, ...]
    query: str = ""
    body: str = ""
    key: str = "key"
    media: str = _JSON


_DEVICES: Final = "/api/v5/devices"
_DEVICE: Final = f"{_DEVICES}/{{device_id}}"
_REQUESTS: Final = f"{_DEVICE}/payment-requests"
_REQUEST: Final = f"{_REQUESTS}/{{request_id}}"
_SELL, _READ, _MANAGE = Permission.SELL, Permission.READ, Permission.MANAGE_DEVICES
_SHOWN, _DEVICE_SHOWN = {200: "PaymentRequest"}, {200: "Device"}

# fmt: off
OPERATIONS: Final = (
    Operation("POST", f"{_REQUESTS}/sale", "Start a sale on a device; always asynchronous",
              _SELL, {202: "PaymentRequest"}, _OF_SALES, body="Sale"),
    Operation("GET", _REQUEST, "Tell where a sale stands", _READ, _SHOWN, (*_OF_KEYS, 404)),
    Operation("POST", f"{_REQUEST}/cancel", "Cancel a sale before it is authorised",
              _SELL, _SHOWN, (*_OF_KEYS, 404, 409)),
    Operation("GET", _REQUESTS, "Find a device's sales by the order's identifier",
              _READ, {200: "PaymentRequests"}, (400, *_OF_KEYS, 404), query="order_id!"),
    Operation("POST", "/api/v5/payments/sale", "Sell on a device and wait for the outcome",
              _SELL, {200: "Transaction"}, _OF_SALES, body="HeldSale"),
    Operation("POST", "/api/classic/sale", "Sell as Classic does, with the key in the body",
              _SELL, {200: "Transaction", 202: "PaymentRequest"}, _OF_SALES, body="ClassicSale", key=""),
    Operation("POST", "/api/transact.php", "Sell by a form; refusals are answered 200, too",
              _SELL, {200: "FormAnswer"}, (500,), body="FormSale", key="", media=_FORM),
    Operation("GET", "/api/asyncstatus/{guid}", "Tell where a sale stands, as the older call does",
              _READ, {200: "AsyncStatus"}, (400, *_OF_KEYS, 404), query="responseMethod", key="bearer"),
    Operation("GET", _DEVICES, "List the devices", _READ, {200: "Devices"}, _OF_KEYS),
    Operation("POST", _DEVICES, "Register a device",
              _MANAGE, {201: "Device"}, _OF_BODIES, body="Registration"),
    Operation("GET", _DEVICE, "Tell of a device",
              _READ, _DEVICE_SHOWN, (400, *_OF_KEYS, 404), query="include_status"),
    Operation("PATCH", _DEVICE, "Rename a device",
              _MANAGE, _DEVICE_SHOWN, (*_OF_BODIES, 404), body="Nickname"),
    Operation("DELETE", _DEVICE, "Take a device off the account", _MANAGE, {204: ""}, (*_OF_KEYS, 404)),
    Operation("GET", "/api/v5/security_keys", "Name the account's keys, without their values",
              Permission.MANAGE_KEYS, {200: "SecurityKeys"}, _OF_KEYS),
)
# fmt: on

#: What the service description leaves open, and what this gateway does.
CHOICES: Final = tuple(
    line.split(" | ")
    for line in f"""\
Allowed values of the key permission type | {", ".join(sum(PERMISSIONS.values(), ()))}
Which operations need which key kind | all need a private key, one of any type; a public one is refused
Which status a key of the wrong kind gets | 403
Which status the wrong environment gets | 401, as an unknown key does
Where test and live are | live is behind /{LIVE}; a key belongs to the side that it was made on
Which status account configuration gets | 403, of a disabled user and of a restricted account
Fields of a sale | amount, currency, processor_id, dup_seconds, billing_address, order_details, \
merchant_defined_fields; any other is refused with 400
Currency of a sale that names none | {DEFAULT_CURRENCY}
Success status of an asynchronous sale | 202, with the payment request
States of a payment request | pending and inFlight, then interactionComplete, cancelledAtTerminal, \
cancelledByTimeout or cancelledByApi; poiDeviceInUse at once
How an outcome is told | by asking for the payment request; there are no events
Answer of the synchronous sale | 200 at the end, with response 1 (approved), 2 (declined) or 3 (error)
Which APIs are Classic | /api/classic/sale as JSON, /api/transact.php as a form
What comes back of an order | order_details, whole, in the payment request and in the transaction
Shape of an error | type, error_code, message, ref_id
Rate limit | {PER_SECOND:.0f} requests a second and {BURST:.0f} at once for each key; Retry-After says when
Size limits | {MAX_BODY_BYTES // 1024} KB for a body (413 above that), {money(MAX_CENTS)} for an amount
Time-outs | a sale nobody pays ends after 12 seconds, and the slowest amount takes 30
Key expiry | keys don't expire, unless the portal's faults say so
A sale that is sent again | is another sale; with dup_seconds (up to {MAX_DUP_SECONDS}) it is declined where \
device, order, amount and currency are the same
""".splitlines()
)


def _object(texts: str, **others: Schema) -> Schema:
    """Return the schema of an object whose fields are texts, or schemas where they are told.

    A name in `texts` that ends in `?` may be left out; a schema in `others` is of a name that stands in
    `texts` too, or else of a field that may be left out.
    """
    names = texts.split()
    fields = {name.rstrip("?"): _TEXT for name in names} | others
    required = [name for name in names if not name.endswith("?")]
    shown: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
    return shown | ({"required": required} if required else {})


def _array(name: str, item: Schema) -> Schema:
    return _object(name, **{name: {"type": "array", "items": item}})


def _text(longest: int = 255) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_TEXT: Final[Schema] = {"type": "string"}
_BOOLEAN: Final[Schema] = {"type": "boolean"}
_TEXT_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_NUMBER_OR_NULL: Final[Schema] = {"type": ["integer", "null"]}
_METHOD: Final[Schema] = {"enum": ["synchronous", "asynchronous"]}
_NUMBERED_AMOUNT: Final[Schema] = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_CENTS / 100}
_ORDER: Final = _object("", id=_text(50), order_description=_text())
_SALE: Final[Mapping[str, Schema]] = {
    "amount": {
        "oneOf": [
            {**_NUMBERED_AMOUNT, "description": "with at most two decimals"},
            {"type": "string", "pattern": r"^(?!0+\.00$)[0-9]{1,6}\.[0-9]{2}$"},
        ]
    },
    "currency": {"type": "string", "pattern": "^[A-Za-z]{3}$", "default": DEFAULT_CURRENCY},
    "processor_id": _text(50),
    "dup_seconds": {"type": "integer", "minimum": 0, "maximum": MAX_DUP_SECONDS, "default": 0},
    "billing_address": _object("", **{name: _text() for name in sorted(ADDRESS)}),
    "order_details": _ORDER,
    "merchant_defined_fields": {"type": "object", "additionalProperties": _text(), "maxProperties": 20},
}
_HELD_SALE: Final = {**_SALE, "device_id": _text(100)}
_RESULT: Final = "id success response_code amount? requested_amount?"
_QUERIES: Final[Mapping[str, Schema]] = {
    "order_id": {"type": "string", "minLength": 1},
    "responseMethod": _METHOD,
    "include_status": {"enum": ["true", "false"]},
}
SCHEMAS: Final[Mapping[str, Schema]] = {
    "Sale": _object("amount", **_SALE),
    "HeldSale": _object("amount device_id", **_HELD_SALE),
    "ClassicSale": _object("amount device_id api_key", **_HELD_SALE, response_method=_METHOD),
    "FormSale": _object(
        "security_key poi_device_id amount type? currency? orderid?", response_method=_METHOD
    ),
    "Registration": _object(
        "registration_code nickname",
        registration_code=_text(50),
        nickname=_text(100),
        default=_BOOLEAN,
    ),
    "Nickname": _object("nickname", nickname=_text(100)),
    "PaymentRequest": _object(
        "object id device_id status amount requested_amount? currency created_date completed_date?",
        order_details=_ORDER,
        transaction=_object(f"{_RESULT} auth_code response_text", success=_BOOLEAN),
    ),
    "PaymentRequests": _array("payment_requests", _ref("PaymentRequest")),
    "Transaction": _object(
        "object id type status request_id device_id amount requested_amount? currency auth_code avs_response"
        " cvv_response response response_text response_code processor_id created_date",
        order_details=_ORDER,
        payment_details=_object("card_number card_type"),
        response={"enum": ["1", "2", "3"]},
    ),
    "AsyncStatus": _object(
        "asyncStatusGuid asyncStatus",
        transaction=_object(f"{_RESULT} authCode responsetext", success=_BOOLEAN),
    ),
    "FormAnswer": {"type": "object", "required": ["response", "responsetext", "response_code"]},
    "Device": _object(
        "deviceId deviceNickname make model serialNumber connectionStatus registrationStatus"
        " lastConnectedDate lastTransactionDate busy busyRequestId",
        lastTransactionDate=_TEXT_OR_NULL,
        busyRequestId=_TEXT_OR_NULL,
        busy=_BOOLEAN,
        battery=_object("level charging", level=_NUMBER_OR_NULL, charging=_BOOLEAN),
        wifi=_object("connected ssid signal", connected=_BOOLEAN, ssid=_TEXT_OR_NULL, signal=_NUMBER_OR_NULL),
    ),
    "Devices": _array("devices", _ref("Device")),
    "SecurityKeys": _array("security_keys", {"type": "object", "required": ["id", "name", "username"]}),
    "Error": _object("type error_code message ref_id"),
}


def document() -> dict[str, Any]:
    """Return the description of the API."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    choices = "\n".join(f"- {question}: {choice}" for question, choice in CHOICES)
    header = {"type": "apiKey", "in": "header", "name": "Authorization", "description": "The bare key."}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Keybench practice gateway",
            "version": __version__,
            "description": f"Where the service description says nothing:\n\n{choices}\n",
        },
        "servers": [{"url": "/", "description": TEST}, {"url": f"/{LIVE}", "description": LIVE}],
        "paths": paths,
        "components": {
            "schemas": dict(SCHEMAS),
            "securitySchemes": {"key": header, "bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _described(operation: Operation) -> dict[str, Any]:
    query = operation.query.rstrip("!")
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[^/]+$"}}
        for name in re.findall(r"\{(\w+)\}", operation.path)
    ]
    if query:
        required = query != operation.query
        parameters.append({"name": query, "in": "query", "required": required, "schema": _QUERIES[query]})
    described: dict[str, Any] = {
        "summary": operation.summary,
        "description": f"The user of the key has to be allowed to {operation.may}.",
        "security": [{operation.key: []}] if operation.key else [],
        "parameters": parameters,
        "responses": {
            **{
                str(status): {"description": "Done."} | (_content(name, operation.media) if name else {})
                for status, name in operation.answers.items()
            },
            **{
                str(refusal): {"description": _REFUSALS[refusal], **_content("Error", _JSON)}
                for refusal in operation.refusals
            },
        },
    }
    if operation.body:
        described["requestBody"] = {"required": True, **_content(operation.body, operation.media)}
    return described


def _content(name: str, media: str) -> dict[str, Any]:
    return {"content": {media: {"schema": _ref(name)}}}
