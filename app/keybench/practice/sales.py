"""The asynchronous sale: start it, ask where it stands, find it by order, cancel it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.amounts import CANCELLED_BY_API
from keybench.practice.auth import admit
from keybench.practice.body import read_object
from keybench.practice.edge import note_of
from keybench.practice.envelope import Refusal, invalid, not_found
from keybench.practice.gateway import Gateway
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import Permission
from keybench.practice.saleorder import read_order
from keybench.practice.till import delivered, device_of, take

_REQUESTS = "/api/v5/devices/{device_id}/payment-requests"


class Sales:
    """The routes below a device's payment requests."""

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
