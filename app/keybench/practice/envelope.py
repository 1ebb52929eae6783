"""The shape of the service's refusals: one envelope for every 4xx and 5xx answer."""

import secrets
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response


class Refusal(Exception):
    """A request the service says no to; `status` and `message` are what the caller reads."""

    def __init__(
        self,
        status: int,
        error_code: str,
        message: str,
        *,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error_code = error_code
        self.message = message
        self.headers = headers
        self.more = more


def invalid(message: str) -> Refusal:
    """Return the refusal for a body that breaks a field's rule (400)."""
    return Refusal(400, "E_VALIDATION", message)


def unauthorized(message: str) -> Refusal:
    """Return the refusal for a caller without a valid key (401)."""
    return Refusal(401, "E_UNAUTHORIZED", message)


def forbidden(message: str, error_code: str = "E_FORBIDDEN") -> Refusal:
    """Return the refusal for a key that is valid but may not do this (403)."""
    return Refusal(403, error_code, message)


def not_found(message: str, error_code: str = "E_NOT_FOUND") -> Refusal:
    """Return the refusal for something that does not exist (404)."""
    return Refusal(404, error_code, message)


_TYPES = {401: "authentication", 403: "authorization", 404: "not_found", 409: "conflict"}
_SERVER_ERRORS = 500


def _type_of(status: int) -> str:
    return "server" if status >= _SERVER_ERRORS else _TYPES.get(status, "validation")


def as_response(refusal: Refusal) -> JSONResponse:
    """Return a refusal as the v5 envelope: type, error_code, message, ref_id, and what the route adds."""
    body = {
        "type": _type_of(refusal.status),
        "error_code": refusal.error_code,
        "message": refusal.message,
        "ref_id": secrets.token_hex(8),
        **refusal.more,
    }
    return JSONResponse(body, status_code=refusal.status, headers=refusal.headers)


async def on_refusal(_request: Request, error: Exception) -> Response:
    """Answer a `Refusal` raised in a route."""
    if not isinstance(error, Refusal):
        raise error
    return as_response(error)


async def on_routing_error(_request: Request, error: Exception) -> Response:
    """Answer the router's own 404 and 405 in the service's envelope."""
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 404:  # noqa: PLR2004 - HTTP's own number
        return as_response(not_found("Route not found", "E_ROUTE_NOT_FOUND"))
    headers = dict(error.headers) if error.headers else None
    return as_response(
        Refusal(error.status_code, "E_METHOD_NOT_ALLOWED", "Method not allowed", headers=headers)
    )


async def on_failure(_request: Request, _error: Exception) -> Response:
    """Answer a fault of the gateway itself; its cause goes to the log and never to the caller."""
    return as_response(Refusal(500, "E_INTERNAL", "The practice gateway failed; its log says why"))
