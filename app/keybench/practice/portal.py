"""The calls that list and create keys: the portal's page, the partner API, and what compares permissions.

Any web page can reach a loopback port, so the portal's calls need a header that a foreign page can't send.
"""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import views
from keybench.practice.body import (
    Refusal,
    forbidden,
    invalid,
    not_found,
    read_object,
    refuse_extras,
    required_text,
    text_field,
)
from keybench.practice.edge import note_of
from keybench.practice.gateway import Gateway, admit
from keybench.practice.people import (
    PERMISSIONS,
    PRIVATE,
    TOKENIZATION,
    Permission,
    RepeatedRequestError,
    User,
    kind_of,
    mentions_value,
)
from keybench.practice.state import KEPT_ENTRIES

PORTAL_HEADER: Final = "X-Practice-Portal"
_DEFAULT_ENTRIES: Final = "100"


class Portal:
    """The routes that stand for the portal."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._state = gateway.state

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/portal/users", self._users, methods=["GET"]),
            Route("/portal/users/{username}", self._change_user, methods=["PATCH"]),
            Route("/portal/permissions", self._permissions, methods=["GET"]),
            Route("/portal/keys", self._keys, methods=["GET"]),
            Route("/portal/keys", self._create, methods=["POST"]),
            Route("/portal/keys/{key_id}", self._delete, methods=["DELETE"]),
            Route("/portal/log", self._log, methods=["GET"]),
        ]

    async def _users(self, request: Request) -> Response:
        _admit(request)
        return JSONResponse({"users": [_user_view(user) for user in self._state.users.every()]})

    async def _change_user(self, request: Request) -> Response:
        _admit(request)
        fields = await read_object(request)
        refuse_extras(fields, {"enabled"})
        if not isinstance(fields.get("enabled"), bool):
            raise invalid("enabled must be true or false")
        username = request.path_params["username"]
        self._state.users.set_enabled(username, enabled=fields["enabled"])
        user = self._state.users.find(username)
        if user is None:
            raise not_found("User not found", "E_USER_NOT_FOUND")
        return JSONResponse(_user_view(user))

    async def _permissions(self, request: Request) -> Response:
        _admit(request)
        return JSONResponse({"permissions": PERMISSIONS})

    async def _keys(self, request: Request) -> Response:
        _admit(request)
        return JSONResponse({"keys": [views.security_key(key) for key in self._state.keys.active()]})

    async def _create(self, request: Request) -> Response:
        _admit(request)
        fields = await read_object(request)
        refuse_extras(fields, {"name", "username", "permission", "kind", "request_id"})
        name = required_text(fields, "name", 100).strip()
        username = required_text(fields, "username", 100)
        permission = required_text(fields, "permission", 100)
        kind = required_text(fields, "kind", 100)
        request_id = text_field(fields, "request_id", 100)
        if mentions_value(name) or mentions_value(request_id or ""):
            raise invalid("A key's value must not be part of its name or request_id")
        if permission not in PERMISSIONS.get(kind, ()):
            raise invalid("permission and kind don't belong together; see /portal/permissions")
        if self._state.users.find(username) is None:
            raise invalid("username names no user of the account")
        return self._created(request, name, username, permission, kind, request_id)

    def _created(
        self, request: Request, name: str, username: str, permission: str, kind: str, request_id: str | None
    ) -> Response:
        now = self._gateway.clock()
        try:
            key, value = self._state.keys.create(name, username, permission, kind, now, request_id)
        except RepeatedRequestError as repeated:
            message = "A key was already made for this request_id; its value can't be shown again"
            raise Refusal(409, "E_REPEATED_REQUEST", message, id=repeated.key_id) from None
        note_of(request).key_id = key.id
        headers = {"Cache-Control": "no-store"}
        return JSONResponse({**views.security_key(key), "value": value}, status_code=201, headers=headers)

    async def _delete(self, request: Request) -> Response:
        _admit(request)
        key_id = request.path_params["key_id"]
        if not self._state.keys.delete(key_id, self._gateway.clock()):
            raise not_found("Key not found", "E_KEY_NOT_FOUND")
        note_of(request).key_id = key_id
        return Response(status_code=204)

    async def _log(self, request: Request) -> Response:
        _admit(request)
        limit = request.query_params.get("limit", _DEFAULT_ENTRIES)
        is_number = limit.isascii() and limit.isdecimal() and len(limit) <= len(str(KEPT_ENTRIES))
        if not is_number or not 1 <= int(limit) <= KEPT_ENTRIES:
            raise invalid(f"limit must be a number from 1 to {KEPT_ENTRIES}")
        shown = [
            {
                "sequence": entry.sequence,
                "time": views.moment(entry.time),
                "method": entry.method,
                "path": entry.path,
                "status": entry.status,
                "key_id": entry.key_id,
                "order_id": entry.order_id,
            }
            for entry in self._state.log.latest(int(limit))
        ]
        return JSONResponse({"entries": shown})


def _admit(request: Request) -> None:
    if request.headers.get(PORTAL_HEADER) != "1":
        raise forbidden(f"The portal's calls need the header {PORTAL_HEADER}: 1", "E_PORTAL_HEADER")


def _user_view(user: User) -> dict[str, Any]:
    return {
        "username": user.username,
        "full_name": user.full_name,
        "permissions": sorted(user.permissions),
        "enabled": user.enabled,
    }


# The permission words seen in this call, and the portal's permission types they stand for.
_TYPES: Final = {"transaction": "API", "tokenization": TOKENIZATION}


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
        kind = kind_of(permission) or PRIVATE
        # The value is dropped: this call never shows it, so a usable key has to come from the portal.
        self._gateway.state.keys.create(name, username, permission, kind, self._gateway.clock())
        return JSONResponse({"success": True})


def _permission(fields: dict[str, Any]) -> str:
    words = fields.get("permissions")
    if not isinstance(words, list) or len(words) != 1 or words[0] not in list(_TYPES):
        raise invalid("permissions must be a list of one word: transaction or tokenization")
    return _TYPES[words[0]]


class KeyNames:
    """The one route that names the keys to callers with a key: a harmless call that few keys may make.

    Nothing of the kind is documented. It is there so that two keys' permissions can be compared by a call
    that most are refused.
    """

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/v5/security_keys", self._list, methods=["GET"])]

    async def _list(self, request: Request) -> Response:
        admit(request, self._gateway, Permission.MANAGE_KEYS)
        keys = self._gateway.state.keys.active()
        return JSONResponse({"security_keys": [views.security_key(key) for key in keys]})
