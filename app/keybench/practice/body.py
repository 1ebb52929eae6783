"""Reading a request's body strictly, and the envelope of every refusal."""

import json
import secrets
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

_TYPES: Final = {401: "authentication", 403: "authorization", 404: "not_found", 409: "conflict"}
SERVER_ERRORS: Final = 500


class Refusal(HTTPException):
    """A request the service says no to; `more` are fields that the route adds to the envelope.

    Attributes:
        about: What it is about, where faults can make it sound otherwise; see `practice.faults`.
    """

    def __init__(
        self,
        status: int,
        error_code: str,
        message: str,
        *,
        headers: Mapping[str, str] | None = None,
        about: str = "",
        **more: Any,
    ) -> None:
        super().__init__(status, message, headers)
        self.about = about
        self.error_code = error_code
        self.more = more

    def response(self) -> JSONResponse:
        """Return the refusal as the v5 envelope: type, error_code, message, ref_id, and `more`."""
        server = self.status_code >= SERVER_ERRORS
        body = {
            "type": "server" if server else _TYPES.get(self.status_code, "validation"),
            "error_code": self.error_code,
            "message": self.detail,
            "ref_id": secrets.token_hex(8),
            **self.more,
        }
        return JSONResponse(body, self.status_code, self.headers)


def invalid(message: str) -> Refusal:
    """Return the refusal for a body that breaks a field's rule (400)."""
    return Refusal(400, "E_VALIDATION", message)


def unauthorized(message: str, about: str) -> Refusal:
    """Return the refusal for a caller without a valid key (401)."""
    return Refusal(401, "E_UNAUTHORIZED", message, about=about)


def rate_limited() -> Refusal:
    """Return the refusal for too many requests: 403, as the service description has it."""
    message = "Rate limit exceeded; try again in a moment"
    return Refusal(403, "E_RATE_LIMIT", message, headers={"Retry-After": "1"}, about="rate_limit")


def not_connected() -> Refusal:
    """Return the refusal for a sale on a device that is not there."""
    message = "The device is not connected; nothing was sold"
    return Refusal(409, "E_DEVICE_NOT_CONNECTED", message, about="device_offline")


def unavailable(status: int = 503) -> Refusal:
    """Return the answer of a service that is down."""
    return Refusal(status, "E_UNAVAILABLE", "The service is unavailable")


def as_refusal(error: Exception) -> Refusal:
    """Return a `Refusal` raised in a route as it is, and the router's own 404 and 405 as refusals."""
    if isinstance(error, Refusal):
        return error
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == 404:  # noqa: PLR2004 - HTTP's own number
        return Refusal(404, "E_ROUTE_NOT_FOUND", "Route not found")
    return Refusal(error.status_code, "E_METHOD_NOT_ALLOWED", "Method not allowed", headers=error.headers)


async def on_failure(_request: Request, _error: Exception) -> Response:
    """Answer a fault of the gateway itself; its cause goes to the log and never to the caller."""
    return Refusal(500, "E_INTERNAL", "The practice gateway failed; its log says why").response()


class NoAnswer(Response):
    """The answer that never comes: nothing is sent, and the edge closes the connection."""

    async def __call__(self, *_connection: object) -> None:
        """Send nothing."""


MAX_BODY_BYTES: Final = 64 * 1024


async def read_object(
    request: Request, allowed: Collection[str] | None = None, most: int = MAX_BODY_BYTES
) -> dict[str, Any]:
    """Return the request's JSON object of up to `most` bytes; non-integer numbers come as `Decimal`.

    Fields that aren't `allowed` are refused; left out, that is for whoever reads them.
    """
    raw = await _read(request, "application/json", most)
    try:
        parsed = json.loads(raw, parse_float=_decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "E_INVALID_JSON", "The body is not valid JSON") from None
    if not isinstance(parsed, dict):
        raise Refusal(400, "E_INVALID_JSON", "The body must be a JSON object")
    if allowed is not None:
        refuse_extras(parsed, allowed)
    return parsed


async def read_form(request: Request) -> dict[str, Any]:
    """Return the fields of the request's web form, empty ones left out."""
    raw = await _read(request, "application/x-www-form-urlencoded")
    try:
        pairs = parse_qsl(raw.decode("ascii"), strict_parsing=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Refusal(400, "E_INVALID_FORM", "The body is not a valid form") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise invalid("a field stands in the form twice")
    return fields


async def _read(request: Request, media_type: str, most: int = MAX_BODY_BYTES) -> bytes:
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != media_type:
        raise Refusal(415, "E_UNSUPPORTED_MEDIA_TYPE", f"Content-Type must be {media_type}")
    too_large = Refusal(413, "E_BODY_TOO_LARGE", f"The body is larger than {most} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > len(str(most)) or int(declared) > most):
        raise too_large
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise too_large
    return bytes(body)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and the infinities are no JSON


def refuse_extras(fields: dict[str, Any], allowed: Collection[str], prefix: str = "") -> None:
    """Refuse fields the service does not know."""
    extras = [prefix + name for name in fields if name not in allowed]
    if extras:
        names = ", ".join(ascii(name[:40])[1:-1] for name in extras[:5])
        raise invalid(f"extraParameters: {names}")


def text_field(fields: dict[str, Any], name: str, longest: int, label: str = "") -> str | None:
    """Return a text field, or None if it is left out."""
    if name not in fields:
        return None
    value, shown = fields[name], label or name
    if not isinstance(value, str):
        raise invalid(f"{shown} must be a string")
    if not value.strip():
        raise invalid(f"{shown} must not be an empty string; leave it out instead")
    if len(value) > longest:
        raise invalid(f"{shown} must have at most {longest} characters")
    # Half of a surrogate pair is not printable either, and could be neither stored nor sent back.
    if not all(character.isprintable() for character in value):
        raise invalid(f"{shown} holds characters that can't be printed")
    return value


def required_text(fields: dict[str, Any], name: str, longest: int) -> str:
    """Return a text field that must be there; raises as `text_field` does, and 400 if it is missing."""
    value = text_field(fields, name, longest)
    if value is None:
        raise invalid(f"{name} is required")
    return value


def number(value: object, name: str, least: float, most: float) -> float:
    """Return the value of a field as a number between two others."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not least <= value <= most:
        raise invalid(f"{name} must be a number from {least} to {most}")
    return float(value)


def whole(value: object, name: str, least: int, most: int) -> int:
    """Return the value of a field as a whole number between two others."""
    found = number(value, name, least, most)
    if found != int(found):
        raise invalid(f"{name} must be a whole number")
    return int(found)


def switch(value: object, name: str) -> bool:
    """Return the value of a field as true or false."""
    if not isinstance(value, bool):
        raise invalid(f"{name} must be true or false")
    return value


def choice(fields: Mapping[str, Any], name: str, words: tuple[str, str], default: str) -> str:
    """Return the one of two words that a field has, `default` if it is left out."""
    value: str = fields.get(name, default)
    if value not in words:
        raise invalid(f"{name} must be {words[0]} or {words[1]}")
    return value
