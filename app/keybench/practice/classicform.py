"""Classic as the public gateway has it: a web form with the key in it, answered by a web form, always 200."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.amounts import Delivery
from keybench.practice.auth import admit_value
from keybench.practice.body import read_form, refuse_extras, required_text
from keybench.practice.edge import NoAnswer
from keybench.practice.envelope import Refusal, invalid, unauthorized
from keybench.practice.gateway import Gateway
from keybench.practice.ledger import PaymentRequest
from keybench.practice.people import Permission
from keybench.practice.saleorder import read_order, refuse_card_data
from keybench.practice.till import delivered, ended, take

_FIELDS: Final = frozenset({"type", "amount", "currency", "orderid", "poi_device_id", "response_method"})
_RATE_LIMIT: Final = "E_RATE_LIMIT"
_SERVER_ERRORS: Final = 500


class ClassicForm:
    """The one route that form-encoded Classic has."""

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
        refuse_extras(fields, _FIELDS)
        if fields.get("type", "sale") != "sale":
            raise invalid("type must be sale")
        method = fields.get("response_method", "synchronous")
        if method not in ("synchronous", "asynchronous"):
            raise invalid("response_method must be synchronous or asynchronous")
        device = required_text(fields, "poi_device_id", 100)
        taken = take(request, self._gateway, key, device, read_order(_as_v5(fields)))
        if method == "asynchronous":
            return delivered(taken, _form(views.form_accepted(taken)))
        return await self._at_the_end(request, taken)

    async def _at_the_end(self, request: Request, taken: PaymentRequest) -> Response:
        if taken.script.delivery is Delivery.LOST:
            return NoAnswer()
        current = await ended(request, self._gateway, taken)
        if current is None:
            return NoAnswer()
        return delivered(current, _form(views.form_sale(current, self._gateway.clock())))


def _as_v5(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the order under their names in v5."""
    order: dict[str, Any] = {name: fields[name] for name in ("amount", "currency") if name in fields}
    if "orderid" in fields:
        order["order_details"] = {"id": fields["orderid"]}
    return order


def _form(fields: dict[str, str]) -> Response:
    return Response(views.form(fields), media_type="application/x-www-form-urlencoded")
