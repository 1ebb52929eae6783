"""The calls that list and create keys: the portal's page, and what compares permissions.

Any web page can reach a loopback port, so the portal's calls need a header that a foreign page can't send.
"""

from dataclasses import asdict, replace
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from keybench.practice.amounts import moment
from keybench.practice.body import (
    Refusal,
    choice,
    invalid,
    read_object,
    required_text,
    switch,
    text_field,
    whole,
)
from keybench.practice.gateway import PracticeGateway, admit, gateway_of, side_of
from keybench.practice.keys import PERMISSIONS, Permission, PracticeKey, User, mentions_value
from keybench.practice.state import KEPT_ENTRIES

PORTAL_HEADER: Final = "X-Practice-Portal"
_DEFAULT_ENTRIES: Final = "100"


def admit_page(request: Request) -> PracticeGateway:
    """Return the gateway to a call of the portal; refuse a foreign page's."""
    if request.headers.get(PORTAL_HEADER) != "1":
        raise Refusal(403, "E_PORTAL_HEADER", f"The portal's calls need the header {PORTAL_HEADER}: 1")
    return gateway_of(request)


def _user_view(user: User) -> dict[str, Any]:
    return {**asdict(user), "permissions": sorted(user.permissions)}


def _key_view(key: PracticeKey) -> dict[str, Any]:
    """Return a key as it is listed, which is without its value."""
    names = ("id", "name", "username", "permission", "kind")
    return {**{name: getattr(key, name) for name in names}, "created": moment(key.created)}


async def _users(request: Request) -> Response:
    gateway = admit_page(request)
    limited = gateway.faults.users
    users = [
        replace(user, permissions=frozenset(map(Permission, limited.get(user.username, user.permissions))))
        for user in gateway.state.users.every()
    ]
    return JSONResponse({"users": [_user_view(user) for user in users]})


async def _put_user(request: Request) -> Response:
    """Change what is told of a user; `PUT` adds one who isn't there."""
    users = admit_page(request).state.users
    fields = await read_object(request, {"full_name", "permissions", "enabled"})
    username = required_text(request.path_params, "username", 100)
    full_name = text_field(fields, "full_name", 100)
    if mentions_value(username) or mentions_value(full_name or ""):
        raise invalid("A key's value must not be part of a user's names")
    user = users.find(username)
    if user is None and request.method == "PATCH":
        raise Refusal(404, "E_USER_NOT_FOUND", "User not found")
    user = user or User(username, username, frozenset(), enabled=True)
    words = fields.get("permissions", list(user.permissions))
    if not isinstance(words, list) or not all(word in list(Permission) for word in words):
        raise invalid("permissions must be a list of: " + ", ".join(Permission))
    changed = replace(
        user,
        full_name=full_name or user.full_name,
        permissions=frozenset(map(Permission, words)),
        enabled=switch(fields.get("enabled", user.enabled), "enabled"),
    )
    users.put(changed)
    return JSONResponse(_user_view(changed))


async def _permissions(request: Request) -> Response:
    admit_page(request)
    return JSONResponse({"permissions": PERMISSIONS})


async def _keys(request: Request) -> Response:
    keys = admit_page(request).state.keys.active(side_of(request))
    return JSONResponse({"keys": [_key_view(key) for key in keys]})


async def _create(request: Request) -> Response:
    gateway = admit_page(request)
    fields = await read_object(request, {"name", "username", "permission", "kind", "request_id"})
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
    if made := gateway.state.keys.made_for(request_id):
        message = "A key was already made for this request_id; its value can't be shown again"
        raise Refusal(409, "E_REPEATED_REQUEST", message, id=made.id)
    key, value = gateway.state.keys.create(
        *(name, username, permission, kind, gateway.clock(), request_id, side_of(request))
    )
    request.state.key_id, request.state.key_name = key.id, key.name
    return JSONResponse({**_key_view(key), "value": value}, 201, {"Cache-Control": "no-store"})


async def _delete(request: Request) -> Response:
    gateway = admit_page(request)
    key_id = request.path_params["key_id"]
    if not gateway.state.keys.delete(key_id, gateway.clock(), side_of(request)):
        raise Refusal(404, "E_KEY_NOT_FOUND", "Key not found")
    request.state.key_id = key_id
    return Response(status_code=204)


async def _log(request: Request) -> Response:
    log = admit_page(request).state.log
    limit = _asked(request, "limit", _DEFAULT_ENTRIES, range(1, KEPT_ENTRIES + 1))
    polls = choice(request.query_params, "polls", ("true", "false"), "true") == "true"
    if "after" in request.query_params:
        entries = log.after(_asked(request, "after", "", range(10**15)), limit, polls=polls)
    else:
        entries = log.latest(limit, polls=polls)
    shown = [{"sequence": entry.sequence, **asdict(entry), "time": moment(entry.time)} for entry in entries]
    return JSONResponse({"entries": shown})


def _asked(request: Request, name: str, default: str, allowed: range) -> int:
    """Return a whole number of the query."""
    text = request.query_params.get(name, default)
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(allowed.stop))
    return whole(int(text) if is_number else None, name, allowed.start, allowed.stop - 1)


async def _key_names(request: Request) -> Response:
    """Name the keys to a caller with a key: a harmless call that few keys may make.

    Nothing of the kind is documented. It is there so that two keys' permissions can be compared by a call
    that most are refused.
    """
    admit(request, Permission.MANAGE_KEYS)
    keys = gateway_of(request).state.keys.active(side_of(request))
    return JSONResponse({"security_keys": [_key_view(key) for key in keys]})


ROUTES: Final = (
    Route("/api/v5/security_keys", _key_names),
    Route("/portal/users", _users),
    Route("/portal/users/{username}", _put_user, methods=["PATCH", "PUT"]),
    Route("/portal/permissions", _permissions),
    Route("/portal/keys", _keys),
    Route("/portal/keys", _create, methods=["POST"]),
    Route("/portal/keys/{key_id}", _delete, methods=["DELETE"]),
    Route("/portal/log", _log),
)
