"""Reading a JSON body strictly: its type, its size, its shape, its fields."""

import json
from collections.abc import Collection
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl

from starlette.requests import Request

from keybench.practice.envelope import Refusal, invalid

MAX_BODY_BYTES: Final = 64 * 1024


async def read_object(request: Request) -> dict[str, Any]:
    """Return the request's JSON object; non-integer numbers come as `Decimal`.

    Raises:
        Refusal: 415 if the body isn't declared as JSON, 413 above 64 KiB, 400 if it isn't a JSON object.
    """
    media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refusal(415, "E_UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/json")
    raw = await _read_capped(request)
    try:
        parsed = json.loads(raw, parse_float=_decimal, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refusal(400, "E_INVALID_JSON", "The body is not valid JSON") from None
    if not isinstance(parsed, dict):
        raise Refusal(400, "E_INVALID_JSON", "The body must be a JSON object")
    return parsed


async def read_form(request: Request) -> dict[str, Any]:
    """Return the fields of the request's web form, empty ones left out.

    Raises:
        Refusal: 415 if the body isn't declared as one, 413 above 64 KiB, 400 if it can't be read or names a
            field twice.
    """
    media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media_type != "application/x-www-form-urlencoded":
        raise Refusal(
            415, "E_UNSUPPORTED_MEDIA_TYPE", "Content-Type must be application/x-www-form-urlencoded"
        )
    raw = await _read_capped(request)
    try:
        pairs = parse_qsl(raw.decode("ascii"), strict_parsing=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Refusal(400, "E_INVALID_FORM", "The body is not a valid form") from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise invalid("a field stands in the form twice")
    return fields


async def _read_capped(request: Request) -> bytes:
    too_large = Refusal(413, "E_BODY_TOO_LARGE", f"The body is larger than {MAX_BODY_BYTES} bytes")
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and (len(declared) > len(str(MAX_BODY_BYTES)) or int(declared) > MAX_BODY_BYTES):
        raise too_large
    read = bytearray()
    async for chunk in request.stream():
        read += chunk
        if len(read) > MAX_BODY_BYTES:
            raise too_large
    return bytes(read)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and the infinities are no JSON


def refuse_extras(fields: dict[str, Any], allowed: Collection[str], prefix: str = "") -> None:
    """Refuse fields the service does not know.

    Raises:
        Refusal: 400 `extraParameters`, naming them (a name is shortened, and never followed by its value).
    """
    extras = [prefix + name for name in fields if name not in allowed]
    if extras:
        names = ", ".join(ascii(name[:40])[1:-1] for name in extras[:5])
        raise invalid(f"extraParameters: {names}")


def text_field(fields: dict[str, Any], name: str, longest: int, label: str = "") -> str | None:
    """Return a text field, or None if it is left out.

    Raises:
        Refusal: 400 if it is no text, blank, longer than `longest` characters, or holds control characters.
    """
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
