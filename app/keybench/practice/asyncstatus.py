"""The older status call: by the sale's identifier alone, with Bearer, and answered at the end if asked so."""

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.auth import admit_bearer
from keybench.practice.edge import NoAnswer
from keybench.practice.envelope import invalid, not_found
from keybench.practice.gateway import Gateway
from keybench.practice.people import Permission
from keybench.practice.till import ended

_AT_ONCE: Final = "asynchronous"
_AT_THE_END: Final = "synchronous"


class AsyncStatus:
    """The route of the older status call."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/asyncstatus/{guid}", self._status, methods=["GET"])]

    async def _status(self, request: Request) -> Response:
        admit_bearer(request, self._gateway, Permission.READ)
        method = request.query_params.get("responseMethod", _AT_ONCE)
        if method not in (_AT_ONCE, _AT_THE_END):
            raise invalid(f"responseMethod must be {_AT_THE_END} or {_AT_ONCE}")
        found = self._gateway.state.ledger.by_id(request.path_params["guid"])
        if found is None:
            raise not_found("There is no sale with this identifier", "E_ASYNC_STATUS_NOT_FOUND")
        if method == _AT_THE_END:
            found = await ended(request, self._gateway, found)
            if found is None:
                return NoAnswer()
        return JSONResponse(views.async_status(found, self._gateway.clock()))
