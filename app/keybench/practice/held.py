"""The sales whose call is held until the outcome is there: v5's synchronous one, and Classic."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.amounts import Delivery
from keybench.practice.auth import admit, admit_value
from keybench.practice.body import read_object, required_text
from keybench.practice.edge import NoAnswer
from keybench.practice.envelope import invalid, unauthorized
from keybench.practice.gateway import Gateway
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import Permission, SecurityKey
from keybench.practice.saleorder import read_order
from keybench.practice.till import delivered, ended, take

_ASYNCHRONOUS: Final = "asynchronous"
_SYNCHRONOUS: Final = "synchronous"


class HeldSales:
    """The routes that answer with an outcome."""

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
        return await self._hold(request, taken)

    async def _classic(self, request: Request) -> Response:
        fields = await read_object(request)
        key = self._classic_key(request, fields)
        # The public gateway's Classic calls this choice `response_method` too.
        method = fields.pop("response_method", _SYNCHRONOUS)
        if method not in (_SYNCHRONOUS, _ASYNCHRONOUS):
            raise invalid("response_method must be synchronous or asynchronous")
        taken = self._take(request, key, fields)
        if method == _SYNCHRONOUS:
            return await self._hold(request, taken)
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

    async def _hold(self, request: Request, taken: PaymentRequest) -> Response:
        if taken.script.delivery is Delivery.LOST:
            return NoAnswer()
        current = await ended(request, self._gateway, taken)
        if current is None:
            return NoAnswer()
        return delivered(current, JSONResponse(views.held_sale(current, self._gateway.clock())))
