"""The ways to sell and to ask about a sale: v5 asynchronous and held, Classic as JSON and as a form."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import amounts, views
from keybench.practice.amounts import CANCELLED_BY_API, Delivery
from keybench.practice.body import (
    Refusal,
    invalid,
    not_found,
    read_form,
    read_object,
    refuse_extras,
    required_text,
    unauthorized,
)
from keybench.practice.edge import NoAnswer, note_of
from keybench.practice.gateway import Gateway, admit, admit_bearer, admit_value, rate_limited
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import Permission, SecurityKey
from keybench.practice.saleorder import Order, read_order, refuse_card_data
from keybench.practice.state import Device

_LOOK_EVERY: Final = 0.05
_REQUESTS: Final = "/api/v5/devices/{device_id}/payment-requests"
_ASYNCHRONOUS: Final = "asynchronous"
_SYNCHRONOUS: Final = "synchronous"
_FORM_FIELDS: Final = frozenset({"type", "amount", "currency", "orderid", "poi_device_id", "response_method"})
_RATE_LIMIT: Final = "E_RATE_LIMIT"
_SERVER_ERRORS: Final = 500


def device_of(gateway: Gateway, device_id: str) -> Device:
    """Return a device of the account.

    Raises:
        Refusal: 404 if there is none with this identifier.
    """
    device = gateway.state.fleet.find(device_id)
    if device is None:
        raise not_found("Device not found", "E_DEVICE_NOT_FOUND")
    return device


def take(
    request: Request, gateway: Gateway, key: SecurityKey, device_id: str, order: Order
) -> PaymentRequest:
    """Start a sale on a device and return it as it was kept.

    Raises:
        Refusal: 404 for an unknown device, 409 for one that isn't connected, and what the amount asks for.
    """
    note_of(request).order_id = order.order_id
    device = device_of(gateway, device_id)
    script = amounts.script_for(order.cents)
    if not device.connected or script.delivery is Delivery.OFFLINE:
        raise Refusal(409, "E_DEVICE_NOT_CONNECTED", "The device is not connected; nothing was sold")
    if script.delivery is Delivery.RATE_LIMITED:
        raise rate_limited()
    if script.delivery is Delivery.FAILED:
        raise Refusal(500, "E_INTERNAL", "Internal error")
    now = gateway.clock()
    taken = PaymentRequest(
        id=str(uuid.uuid4()),
        device_id=device.id,
        order_id=order.order_id,
        cents=order.cents,
        currency=order.currency,
        processor_id=order.processor_id,
        script=script,
        speed=gateway.speed,
        created=now,
        key_id=key.id,
    )
    taken = _overruled(gateway, taken, order)
    gateway.state.ledger.add(taken)
    return taken


def _overruled(gateway: Gateway, taken: PaymentRequest, order: Order) -> PaymentRequest:
    """Return the sale with the script it really plays: a device does one thing at a time, duplicates fail."""
    ledger = gateway.state.ledger
    if ledger.busy(taken.device_id, taken.created):
        return replace(taken, script=amounts.BUSY)
    if order.dup_seconds and ledger.repeats(taken, order.dup_seconds):
        return replace(taken, script=amounts.DUPLICATE)
    return taken


async def ended(request: Request, gateway: Gateway, taken: PaymentRequest) -> PaymentRequest | None:
    """Return a sale when it has ended, or None if the caller hung up, which leaves it to the device."""
    current = taken
    while not current.progress(gateway.clock()).final:
        if await request.is_disconnected():
            return None
        await gateway.pause(_LOOK_EVERY)
        current = gateway.state.ledger.find(taken.device_id, taken.id) or taken
    return current


async def at_the_end(
    request: Request,
    gateway: Gateway,
    taken: PaymentRequest,
    shown: Callable[[PaymentRequest, float], Response],
) -> Response:
    """Answer a sale's own call once the sale has ended, as `shown` does it."""
    current = None if taken.script.delivery is Delivery.LOST else await ended(request, gateway, taken)
    return delivered(current, shown(current, gateway.clock())) if current else NoAnswer()


def delivered(taken: PaymentRequest, answer: Response) -> Response:
    """Return the answer to the call that started a sale, spoilt if that is what its amount is for."""
    if taken.script.delivery is Delivery.LOST:
        return NoAnswer()
    if taken.script.delivery is Delivery.UNREADABLE:
        half = bytes(answer.body)[:20]
        return Response(half, answer.status_code, media_type=answer.media_type)
    return answer


class Sales:
    """The asynchronous sale, below a device: start it, ask where it stands, find it by order, cancel it."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route(f"{_REQUESTS}/sale", self._start, methods=["POST"]),
            Route(f"{_REQUESTS}/{{request_id}}/cancel", self._cancel, methods=["POST"]),
            # "sale" names the route above and is never a request's identifier.
            Route(f"{_REQUESTS}/{{request_id}}", self._status, methods=["GET"]),
            Route(_REQUESTS, self._of_order, methods=["GET"]),
        ]

    async def _start(self, request: Request) -> Response:
        key = admit(request, self._gateway, Permission.SELL)
        order = read_order(await read_object(request))
        taken = take(request, self._gateway, key, request.path_params["device_id"], order)
        shown = views.payment_request(taken, self._gateway.clock())
        return delivered(taken, JSONResponse(shown, status_code=202))

    async def _status(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.READ)
        found = self._find(request)
        return JSONResponse(views.payment_request(found, self._gateway.clock()))

    async def _of_order(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.READ)
        device = device_of(self._gateway, request.path_params["device_id"])
        asked = request.query_params.getlist("order_id")
        if len(asked) != 1 or not asked[0] or set(request.query_params) != {"order_id"}:
            raise invalid("order_id is required in the query, once and alone")
        note_of(request).order_id = asked[0]
        found = self._gateway.state.ledger.of_order(device.id, asked[0])
        now = self._gateway.clock()
        return JSONResponse({"payment_requests": [views.payment_request(item, now) for item in found]})

    async def _cancel(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.SELL)
        found = self._find(request)
        now = self._gateway.clock()
        progress = found.progress(now)
        if progress.final and progress.status != CANCELLED_BY_API:
            message = f"The payment request can't be cancelled any more: {progress.status}"
            raise Refusal(409, "E_NOT_CANCELLABLE", message)
        self._gateway.state.ledger.cancel(found.id, now)
        return JSONResponse(views.payment_request(self._find(request), now))

    def _find(self, request: Request) -> PaymentRequest:
        device = device_of(self._gateway, request.path_params["device_id"])
        found = self._gateway.state.ledger.find(device.id, request.path_params["request_id"])
        if found is None:
            raise not_found("Payment request not found", "E_PAYMENT_REQUEST_NOT_FOUND")
        return found


class HeldSales:
    """The sales whose call is held until the outcome is there: v5's synchronous one, and Classic as JSON."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/v5/payments/sale", self._synchronous, methods=["POST"]),
            Route("/api/classic/sale", self._classic, methods=["POST"]),
        ]

    async def _synchronous(self, request: Request) -> Response:
        key = admit(request, self._gateway, Permission.SELL)
        taken = self._take(request, key, await read_object(request))
        return await at_the_end(request, self._gateway, taken, _held)

    async def _classic(self, request: Request) -> Response:
        fields = await read_object(request)
        key = self._classic_key(request, fields)
        # The public gateway's Classic calls this choice `response_method` too.
        method = fields.pop("response_method", _SYNCHRONOUS)
        if method not in (_SYNCHRONOUS, _ASYNCHRONOUS):
            raise invalid("response_method must be synchronous or asynchronous")
        taken = self._take(request, key, fields)
        if method == _SYNCHRONOUS:
            return await at_the_end(request, self._gateway, taken, _held)
        shown = views.payment_request(taken, self._gateway.clock())
        return delivered(taken, JSONResponse(shown, status_code=202))

    def _classic_key(self, request: Request, fields: dict[str, Any]) -> SecurityKey:
        """Take the key out of a Classic body, so that nothing after this line can see it."""
        value = fields.pop("api_key", None)
        if value is None and "authorization" in request.headers:
            raise unauthorized(
                "Classic takes the key in the body as api_key, not in the Authorization header"
            )
        if not isinstance(value, str) or not value.strip():
            raise unauthorized("The field api_key is missing")
        return admit_value(request, self._gateway, value, Permission.SELL)

    def _take(self, request: Request, key: SecurityKey, fields: dict[str, Any]) -> PaymentRequest:
        order = read_order(fields, also={"device_id"})
        return take(request, self._gateway, key, required_text(fields, "device_id", 100), order)


def _held(taken: PaymentRequest, now: float) -> Response:
    return JSONResponse(views.held_sale(taken, now))


class AsyncStatus:
    """The older status call: by the sale's identifier alone, with Bearer, answered at the end if asked so."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/asyncstatus/{guid}", self._status, methods=["GET"])]

    async def _status(self, request: Request) -> Response:
        admit_bearer(request, self._gateway, Permission.READ)
        method = request.query_params.get("responseMethod", _ASYNCHRONOUS)
        if method not in (_ASYNCHRONOUS, _SYNCHRONOUS):
            raise invalid(f"responseMethod must be {_SYNCHRONOUS} or {_ASYNCHRONOUS}")
        found = self._gateway.state.ledger.by_id(request.path_params["guid"])
        if found is None:
            raise not_found("There is no sale with this identifier", "E_ASYNC_STATUS_NOT_FOUND")
        if method == _SYNCHRONOUS:
            found = await ended(request, self._gateway, found)
            if found is None:
                return NoAnswer()
        return JSONResponse(views.async_status(found, self._gateway.clock()))


class ClassicForm:
    """Classic as the public gateway has it: a web form with the key in it, answered by one, always 200."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/transact.php", self._transact, methods=["POST"])]

    async def _transact(self, request: Request) -> Response:
        try:
            return await self._sell(request, await read_form(request))
        except Refusal as refusal:
            if refusal.status >= _SERVER_ERRORS:
                raise
            code = "301" if refusal.error_code == _RATE_LIMIT else "300"
            return _form({"response": "3", "responsetext": refusal.message, "response_code": code})

    async def _sell(self, request: Request, fields: dict[str, Any]) -> Response:
        # Out of the fields first, so that nothing after this line can see it.
        value = fields.pop("security_key", "")
        if not value.strip():
            raise unauthorized("The field security_key is missing")
        key = admit_value(request, self._gateway, value, Permission.SELL)
        refuse_card_data(fields)
        refuse_extras(fields, _FORM_FIELDS)
        if fields.get("type", "sale") != "sale":
            raise invalid("type must be sale")
        method = fields.get("response_method", _SYNCHRONOUS)
        if method not in (_SYNCHRONOUS, _ASYNCHRONOUS):
            raise invalid("response_method must be synchronous or asynchronous")
        device = required_text(fields, "poi_device_id", 100)
        taken = take(request, self._gateway, key, device, read_order(_as_v5(fields)))
        if method == _ASYNCHRONOUS:
            return delivered(taken, _form(views.form_accepted(taken)))
        return await at_the_end(
            request, self._gateway, taken, lambda sale, now: _form(views.form_sale(sale, now))
        )


def _as_v5(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the order under their names in v5."""
    order: dict[str, Any] = {name: fields[name] for name in ("amount", "currency") if name in fields}
    if "orderid" in fields:
        order["order_details"] = {"id": fields["orderid"]}
    return order


def _form(fields: dict[str, str]) -> Response:
    return Response(views.form(fields), media_type="application/x-www-form-urlencoded")
