"""The ways to sell and to ask about a sale: v5 asynchronous and held, Classic as JSON and as a form."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import amounts, views
from keybench.practice.amounts import CANCELLED_BY_API, Delivery, PaymentRequest
from keybench.practice.body import (
    SERVER_ERRORS,
    NoAnswer,
    Refusal,
    choice,
    invalid,
    not_connected,
    rate_limited,
    read_form,
    read_object,
    refuse_extras,
    required_text,
    unauthorized,
)
from keybench.practice.gateway import about_of, admit, admit_value, device_of, gateway_of
from keybench.practice.keys import Permission, PracticeKey
from keybench.practice.saleorder import Order, read_order, refuse_card_data

_LOOK_EVERY: Final = 0.05
_ASYNCHRONOUS: Final = "asynchronous"
_SYNCHRONOUS: Final = "synchronous"
_METHODS: Final = (_SYNCHRONOUS, _ASYNCHRONOUS)
_FORM_FIELDS: Final = frozenset({"type", "amount", "currency", "orderid", "poi_device_id", "response_method"})


def _take(request: Request, key: PracticeKey, device_id: str, order: Order) -> PaymentRequest:
    """Start a sale on a device and return it as it was stored."""
    request.state.order_id, request.state.amount = order.order_id, amounts.money(order.cents)
    device = device_of(request, device_id)
    script = amounts.script_for(order.cents)
    if not device.connected or script.delivery is Delivery.OFFLINE:
        raise not_connected()
    if script.delivery is Delivery.RATE_LIMITED:
        raise rate_limited()
    if script.delivery is Delivery.FAILED:
        raise Refusal(500, "E_INTERNAL", "Internal error", about="unavailable")
    gateway = gateway_of(request)
    taken = PaymentRequest(
        id=str(uuid.uuid4()),
        device_id=device.id,
        order_id=order.order_id,
        cents=order.cents,
        currency=order.currency,
        processor_id=order.processor_id,
        script=amounts.BY_HAND if device.by_hand and script.delivery is Delivery.ANSWERED else script,
        speed=gateway.speed / device.slow,
        created=gateway.clock(),
        key_id=key.id,
        order_description=order.order_description,
        caller=request.scope["state"].get("caller", ""),
    )
    # A device does one thing at a time, and duplicates are declined.
    ledger = gateway.state.ledger
    gateway.faults.calls.taken(device.id, taken.id)
    is_busy = gateway.faults.devices.get(device.id) == "busy"
    if is_busy or ledger.holder(taken.device_id, taken.created):
        taken = replace(taken, script=amounts.BUSY)
    elif order.dup_seconds and ledger.repeats(taken, order.dup_seconds):
        taken = replace(taken, script=amounts.DUPLICATE)
    ledger.add(taken)
    request.state.request_id = taken.id
    request.state.about = "device_busy" if taken.script is amounts.BUSY else "accepted"
    return taken


async def _ended(request: Request, taken: PaymentRequest) -> PaymentRequest | None:
    """Return a sale when it has ended, or None if the caller hung up, which leaves it to the device."""
    gateway = gateway_of(request)
    current = taken
    while not current.progress(gateway.clock()).final:
        if await request.is_disconnected():
            return None
        await gateway.pause(_LOOK_EVERY)
        current = gateway.state.ledger.find(taken.id) or taken
    return current


async def _at_the_end(
    request: Request, taken: PaymentRequest, shown: Callable[[PaymentRequest, float], Response]
) -> Response:
    """Answer a sale's own call once the sale has ended, as `shown` does it."""
    current = None if taken.script.delivery is Delivery.LOST else await _ended(request, taken)
    return _delivered(current, shown(current, gateway_of(request).clock())) if current else NoAnswer()


def _delivered(taken: PaymentRequest, answer: Response) -> Response:
    """Return the answer to the call that started a sale, spoilt if that is what its amount is for."""
    if taken.script.delivery is Delivery.LOST:
        return NoAnswer()
    if taken.script.delivery is Delivery.UNREADABLE:
        half = bytes(answer.body)[:20]
        return Response(half, answer.status_code, media_type=answer.media_type)
    return answer


def _accepted(taken: PaymentRequest) -> Response:
    shown = views.payment_request(taken, taken.created)
    return _delivered(taken, JSONResponse(shown, status_code=202))


def _held(taken: PaymentRequest, now: float) -> Response:
    return JSONResponse(views.held_sale(taken, now))


async def _start(request: Request) -> Response:
    key = admit(request, Permission.SELL)
    order = read_order(await read_object(request))
    return _accepted(_take(request, key, request.path_params["device_id"], order))


def _find(request: Request) -> PaymentRequest:
    device = device_of(request, request.path_params["device_id"])
    found = gateway_of(request).state.ledger.find(request.path_params["request_id"])
    if found is None or found.device_id != device.id:
        raise Refusal(404, "E_PAYMENT_REQUEST_NOT_FOUND", "Payment request not found")
    return found


async def _status(request: Request) -> Response:
    admit(request, Permission.READ)
    return JSONResponse(views.payment_request(_find(request), gateway_of(request).clock()))


async def _of_order(request: Request) -> Response:
    admit(request, Permission.READ)
    device = device_of(request, request.path_params["device_id"])
    orders = request.query_params.getlist("order_id")
    if len(orders) != 1 or not orders[0] or set(request.query_params) != {"order_id"}:
        raise invalid("order_id is required in the query, once and alone")
    request.state.order_id = orders[0]
    gateway = gateway_of(request)
    found = gateway.state.ledger.of_order(device.id, orders[0])
    now = gateway.clock()
    return JSONResponse({"payment_requests": [views.payment_request(item, now) for item in found]})


async def _cancel(request: Request) -> Response:
    admit(request, Permission.SELL)
    found = _find(request)
    gateway = gateway_of(request)
    now = gateway.clock()
    progress = found.progress(now)
    if progress.final and progress.status != CANCELLED_BY_API:
        message = f"The payment request can't be cancelled any more: {progress.status}"
        raise Refusal(409, "E_NOT_CANCELLABLE", message)
    gateway.state.ledger.cancel(found.id, now)
    return JSONResponse(views.payment_request(_find(request), now))


def _take_held(request: Request, key: PracticeKey, fields: dict[str, Any]) -> PaymentRequest:
    order = read_order(fields, also={"device_id"})
    return _take(request, key, required_text(fields, "device_id", 100), order)


async def _synchronous(request: Request) -> Response:
    """Sell as v5's synchronous call does, held until the outcome is there."""
    key = admit(request, Permission.SELL)
    taken = _take_held(request, key, await read_object(request))
    return await _at_the_end(request, taken, _held)


async def _classic(request: Request) -> Response:
    fields = await read_object(request)
    # Out of the fields first, so that nothing after this line can see it.
    value = fields.pop("api_key", None)
    if value is None and "authorization" in request.headers:
        raise unauthorized(
            "Classic takes the key in the body as api_key, not in the Authorization header", "header"
        )
    if not isinstance(value, str) or not value.strip():
        raise unauthorized("The field api_key is missing", "missing")
    key = admit_value(request, value, Permission.SELL)
    # The public gateway's Classic calls this choice `response_method` too.
    method = choice(fields, "response_method", _METHODS, _SYNCHRONOUS)
    fields.pop("response_method", None)
    taken = _take_held(request, key, fields)
    if method == _ASYNCHRONOUS:
        return _accepted(taken)
    return await _at_the_end(request, taken, _held)


async def _async_status(request: Request) -> Response:
    """Answer the older status call: by the sale's identifier alone, with Bearer, at the end if so chosen."""
    admit(request, Permission.READ, "Bearer")
    method = choice(request.query_params, "responseMethod", _METHODS, _ASYNCHRONOUS)
    gateway = gateway_of(request)
    found = gateway.state.ledger.find(request.path_params["guid"])
    if found is None:
        raise Refusal(404, "E_ASYNC_STATUS_NOT_FOUND", "There is no sale with this identifier")
    if method == _SYNCHRONOUS:
        found = await _ended(request, found)
    return JSONResponse(views.async_status(found, gateway.clock())) if found else NoAnswer()


async def _classic_form(request: Request) -> Response:
    """Sell as the public gateway's Classic does: by a web form with the key in it, always answered 200."""
    try:
        return await _sell_by_form(request, await read_form(request))
    except Refusal as refusal:
        if refusal.status_code >= SERVER_ERRORS:
            raise
        request.state.about = about_of(refusal)
        code = "301" if refusal.error_code == "E_RATE_LIMIT" else "300"
        return _form({"response": "3", "responsetext": refusal.detail, "response_code": code})


async def _sell_by_form(request: Request, fields: dict[str, Any]) -> Response:
    # Out of the fields first, so that nothing after this line can see it.
    value = fields.pop("security_key", "")
    if not value.strip():
        raise unauthorized("The field security_key is missing", "missing")
    key = admit_value(request, value, Permission.SELL)
    refuse_card_data(fields)
    refuse_extras(fields, _FORM_FIELDS)
    if fields.get("type", "sale") != "sale":
        raise invalid("type must be sale")
    method = choice(fields, "response_method", _METHODS, _SYNCHRONOUS)
    device_id = required_text(fields, "poi_device_id", 100)
    # The order's fields under their names in v5.
    order: dict[str, Any] = {name: fields[name] for name in ("amount", "currency") if name in fields}
    if "orderid" in fields:
        order["order_details"] = {"id": fields["orderid"]}
    taken = _take(request, key, device_id, read_order(order))
    if method == _ASYNCHRONOUS:
        return _delivered(taken, _form(views.form_accepted(taken)))
    return await _at_the_end(request, taken, lambda sale, now: _form(views.form_sale(sale, now)))


def _form(fields: dict[str, str]) -> Response:
    return Response(urlencode(fields), media_type="application/x-www-form-urlencoded")


_REQUESTS: Final = "/api/v5/devices/{device_id}/payment-requests"
ROUTES: Final = (
    Route(f"{_REQUESTS}/sale", _start, methods=["POST"]),
    Route(f"{_REQUESTS}/{{request_id}}/cancel", _cancel, methods=["POST"]),
    # "sale" names the route above and is never a request's identifier.
    Route(f"{_REQUESTS}/{{request_id}}", _status),
    Route(_REQUESTS, _of_order),
    Route("/api/v5/payments/sale", _synchronous, methods=["POST"]),
    Route("/api/classic/sale", _classic, methods=["POST"]),
    Route("/api/asyncstatus/{guid}", _async_status),
    Route("/api/transact.php", _classic_form, methods=["POST"]),
)
