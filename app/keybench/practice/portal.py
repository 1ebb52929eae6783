"""The calls that list and create keys: the portal's page, and what compares permissions.

Any web page can reach a loopback port, so the portal's calls need a header that a foreign page can't send.
"""

from dataclasses import asdict, replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice import faults
from keybench.practice.amounts import moment
from keybench.practice.body import (
    Refusal,
    invalid,
    read_object,
    refuse_extras,
    required_text,
    text_field,
)
from keybench.practice.gateway import PracticeGateway, admit, gateway_of
from keybench.practice.keys import (
    PERMISSIONS,
    Permission,
    PracticeKey,
    User,
    mentions_value,
)
from keybench.practice.state import KEPT_ENTRIES, RepeatedRequestError

PORTAL_HEADER: Final = "X-Practice-Portal"
_DEFAULT_ENTRIES: Final = "100"


def _admit(request: Request) -> PracticeGateway:
    """Return the gateway to a call of the portal's page; refuse others."""
    if request.headers.get(PORTAL_HEADER) != "1":
        raise Refusal(403, "E_PORTAL_HEADER", f"The portal's calls need the header {PORTAL_HEADER}: 1")
    return gateway_of(request)


def _user_view(user: User) -> dict[str, Any]:
    return {**asdict(user), "permissions": sorted(user.permissions)}


def _key_view(key: PracticeKey) -> dict[str, Any]:
    """Return a key as it is listed, which is without its value."""
    return {**asdict(key), "created": moment(key.created)}


async def _users(request: Request) -> Response:
    gateway = _admit(request)
    limited = gateway.faults.users
    users = [
        replace(user, permissions=frozenset(map(Permission, limited.get(user.username, user.permissions))))
        for user in gateway.state.users.every()
    ]
    return JSONResponse({"users": [_user_view(user) for user in users]})


async def _change_user(request: Request) -> Response:
    users = _admit(request).state.users
    fields = await read_object(request)
    refuse_extras(fields, {"enabled"})
    if not isinstance(fields.get("enabled"), bool):
        raise invalid("enabled must be true or false")
    username = request.path_params["username"]
    users.set_enabled(username, enabled=fields["enabled"])
    user = users.find(username)
    if user is None:
        raise Refusal(404, "E_USER_NOT_FOUND", "User not found")
    return JSONResponse(_user_view(user))


async def _permissions(request: Request) -> Response:
    _admit(request)
    return JSONResponse({"permissions": PERMISSIONS})


async def _keys(request: Request) -> Response:
    keys = _admit(request).state.keys.active()
    return JSONResponse({"keys": [_key_view(key) for key in keys]})


async def _create(request: Request) -> Response:
    gateway = _admit(request)
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
    if gateway.state.users.find(username) is None:
        raise invalid("username names no user of the account")
    try:
        key, value = gateway.state.keys.create(name, username, permission, kind, gateway.clock(), request_id)
    except RepeatedRequestError as repeated:
        message = "A key was already made for this request_id; its value can't be shown again"
        raise Refusal(409, "E_REPEATED_REQUEST", message, id=repeated.key_id) from None
    request.state.key_id = key.id
    return JSONResponse({**_key_view(key), "value": value}, 201, {"Cache-Control": "no-store"})


async def _delete(request: Request) -> Response:
    gateway = _admit(request)
    key_id = request.path_params["key_id"]
    if not gateway.state.keys.delete(key_id, gateway.clock()):
        raise Refusal(404, "E_KEY_NOT_FOUND", "Key not found")
    request.state.key_id = key_id
    return Response(status_code=204)


async def _log(request: Request) -> Response:
    log = _admit(request).state.log
    limit = request.query_params.get("limit", _DEFAULT_ENTRIES)
    is_number = limit.isascii() and limit.isdecimal() and len(limit) <= len(str(KEPT_ENTRIES))
    if not is_number or not 1 <= int(limit) <= KEPT_ENTRIES:
        raise invalid(f"limit must be a number from 1 to {KEPT_ENTRIES}")
    entries = log.latest(int(limit))
    shown = [{"sequence": entry.sequence, **asdict(entry), "time": moment(entry.time)} for entry in entries]
    return JSONResponse({"entries": shown})


async def _show_faults(request: Request) -> Response:
    return JSONResponse(_admit(request).faults.shown())


async def _set_faults(request: Request) -> Response:
    gateway = _admit(request)
    gateway.faults = faults.read(await read_object(request))
    return JSONResponse(gateway.faults.shown())


async def _key_names(request: Request) -> Response:
    """Name the keys to a caller with a key: a harmless call that few keys may make.

    Nothing of the kind is documented. It is there so that two keys' permissions can be compared by a call
    that most are refused.
    """
    admit(request, Permission.MANAGE_KEYS)
    keys = gateway_of(request).state.keys.active()
    return JSONResponse({"security_keys": [_key_view(key) for key in keys]})


ROUTES: Final = (
    Route("/api/v5/security_keys", _key_names),
    Route("/portal/users", _users),
    Route("/portal/users/{username}", _change_user, methods=["PATCH"]),
    Route("/portal/permissions", _permissions),
    Route("/portal/keys", _keys),
    Route("/portal/keys", _create, methods=["POST"]),
    Route("/portal/keys/{key_id}", _delete, methods=["DELETE"]),
    Route("/portal/log", _log),
    Route("/portal/faults", _show_faults),
    Route("/portal/faults", _set_faults, methods=["PUT"]),
)
