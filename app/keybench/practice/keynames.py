"""The list of the account's security keys for callers with a key: a harmless call that few keys may make.

Nothing of the kind is documented. The practice gateway has it so that two keys' permissions can be compared
by a call that most are refused.
"""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.auth import admit
from keybench.practice.gateway import Gateway
from keybench.practice.people import Permission


class KeyNames:
    """The one route that names the keys."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/v5/security_keys", self._list, methods=["GET"])]

    async def _list(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.MANAGE_KEYS)
        keys = self._gateway.state.keys.active()
        return JSONResponse({"security_keys": [views.security_key(key) for key in keys]})
