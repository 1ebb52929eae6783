"""How a gateway, or a person who pastes something, may spell a value."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote, quote_plus


def _each(form: str) -> Callable[[str], str]:
    return lambda value: "".join(form.format(ord(c)) for c in value)


def _escaped(value: str) -> str:
    return json.dumps(value)[1:-1]


def _interleaved(value: str) -> str:
    return _escaped("".join(f"\0{c}" for c in value))


SPELLINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "raw": str,
    "lower case": str.lower,
    "upper case": str.upper,
    "swapped case": str.swapcase,
    "reversed": lambda value: value[::-1],
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 without padding": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "url-safe base64": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "base64 of UTF-16": lambda value: base64.b64encode(value.encode("utf-16-le")).decode(),
    "base64 of capitals": lambda value: base64.b64encode(value.upper().encode()).decode(),
    "base64 in lines": lambda value: base64.encodebytes(b"A login for you: " + value.encode() * 3).decode(),
    "base64 twice": lambda value: base64.b64encode(base64.b64encode(value.encode())).decode(),
    "base64 in an address": lambda value: quote(base64.b64encode(value.encode()), safe=""),
    "url-encoded": lambda value: quote(value, safe=""),
    "url-encoded path": quote,
    "form-encoded": quote_plus,
    "lower-case url": _each("%{:02x}"),
    "url-encoded twice": lambda value: quote(_each("%{:02X}")(value), safe=""),
    "json": _escaped,
    "json in json": lambda value: _escaped(_escaped(f'"{value}"')),
    "json with escaped slashes": lambda value: _escaped(value).replace("/", "\\/"),
    "json escapes": _each("\\u{:04X}"),
    "json escapes, lower case": _each("\\u{:04x}"),
    "UTF-16": lambda value: "".join(f"{c}\0" for c in value),
    "UTF-16 in json": _interleaved,
    "hex": lambda value: value.encode().hex(),
    "hex, capitals": lambda value: value.encode().hex().upper(),
    "hex with colons": lambda value: value.encode().hex(":"),
    "hex with 0x": lambda value: f"0x{value.encode().hex()}",
    "hex bytes": lambda value: ", ".join(f"0x{byte:02x}" for byte in value.encode()),
    "hex of UTF-16": lambda value: value.encode("utf-16-be").hex(),
    "string escapes": _each("\\x{:02x}"),
    "html": html.escape,
    "html decimal": _each("&#{};"),
    "html decimal, no semicolon": lambda value: " ".join(f"&#{ord(c)}" for c in value).replace(" ", ""),
    "html with zeros": _each("&#{:07d};"),
    "html hex": _each("&#x{:x};"),
    "html hex, capitals": _each("&#X{:04X};"),
    "html named": lambda value: "".join(
        {"+": "&plus;", "=": "&equals;", "/": "&sol;"}.get(c, html.escape(c)) for c in value
    ),
    "full width": lambda value: "".join(chr(ord(c) + 0xFEE0) for c in value),
    "zero-width spaces between": "\u200b".join,
}
