"""The partner call that makes a security key over HTTP: documented to answer success and no value."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import keyvalues
from keybench.practice.auth import admit
from keybench.practice.body import read_object, refuse_extras, required_text, text_field
from keybench.practice.envelope import invalid, not_found
from keybench.practice.gateway import Gateway
from keybench.practice.people import Permission

# The permission words seen in this call, and the portal's permission types they stand for.
_TYPES: Final = {"transaction": "API", "tokenization": keyvalues.TOKENIZATION}


class Partner:
    """The partner API's one route."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        path = "/api/v4/merchants/{gateway_id}/security_keys"
        return [Route(path, self._create, methods=["POST"])]

    async def _create(self, request: Request) -> Response:
        caller = admit(request, self._gateway, Permission.MANAGE_KEYS)
        if request.path_params["gateway_id"] != self._gateway.state.facts.gateway_id:
            raise not_found("Merchant not found", "E_MERCHANT_NOT_FOUND")
        fields = await read_object(request)
        refuse_extras(fields, {"userId", "description", "permissions"})
        name = required_text(fields, "description", 100).strip()
        username = text_field(fields, "userId", 100) or caller.username
        permission = _permission(fields)
        if self._gateway.state.users.find(username) is None:
            raise invalid("userId names no user of the account")
        kind = keyvalues.kind_of(permission) or keyvalues.PRIVATE
        # The value is dropped: this call never shows it, so a usable key has to come from the portal.
        self._gateway.state.keys.create(name, username, permission, kind, self._gateway.clock())
        return JSONResponse({"success": True})


def _permission(fields: dict[str, Any]) -> str:
    words = fields.get("permissions")
    if not isinstance(words, list) or len(words) != 1 or words[0] not in list(_TYPES):
        raise invalid("permissions must be a list of one word: transaction or tokenization")
    return _TYPES[words[0]]
