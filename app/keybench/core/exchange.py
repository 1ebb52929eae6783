"""One HTTP request and its answer, and its forms for other tools: HAR (Jan Odvarko's 1.2) and commands.

They are redacted as it is; in a command a variable that the reader sets stands for the key's value.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from keybench import __version__
from keybench.core.secret import MASK


@dataclass(frozen=True, slots=True)
class Timings:
    """Where an exchange's time went, in seconds; None where a phase did not happen.

    Through a proxy, `connect_s` lasts until it leads on; `wait_s` is from the request's last byte to the
    answer's first.
    """

    total_s: float
    dns_s: float | None = None
    connect_s: float | None = None
    tls_s: float | None = None
    wait_s: float | None = None
    read_s: float | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange as it may be shown, kept and attached to a ticket: redacted, its bodies cut.

    Its status is 0 when no answer came; `failure`, a `Reason`, says why there was no whole one.
    """

    at: datetime
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    request_body: str
    status: int
    response_headers: tuple[tuple[str, str], ...]
    response_body: str
    failure: str
    timings: Timings


#: So many bytes of a sale's exchanges are kept at most, compressed; beyond them answers between the first and
#: the last are left out, and these words stand in their places.
MOST_OF_A_SALE: Final = 256 * 1024
LEFT_OUT: Final = "[left out: 256 KB of a sale's exchanges are kept]"
#: The environment variable that each snippet takes the key's value from.
VARIABLE: Final = "KEYBENCH_KEY"
#: How long a snippet waits, in seconds: a held sale may take the five minutes a device has.
_PATIENCE_S: Final = 310

_NEXT_LINE: Final = " \\\n  "
# curl reads these in an address as lists and ranges of addresses.
_GLOBS: Final = frozenset("[]{}")
# PowerShell takes the typographic marks for its single quote, too (about_Quoting_Rules; its tokenizer).
_POWERSHELL_QUOTES: Final = re.compile("(['\u2018\u2019\u201a\u201b])")

_HTTP: Final = "HTTP/1.1"
#: HAR's word for a size or a time that isn't known.
_UNKNOWN: Final = -1


def as_curl(exchange: Exchange) -> str:
    """Return the request as a command for curl in a POSIX shell."""
    lines = [f"curl --request {_shell(exchange.method)} {_shell(exchange.url)}"]
    if _GLOBS & set(exchange.url):
        lines[0] = lines[0].replace("curl", "curl --globoff", 1)
    for name, value in exchange.request_headers:
        # "Name:" would take a header away; curl's way to send an empty one is "Name;".
        lines.append(f"--header {_shell(f'{name}: {value}' if value else f'{name};')}")
    if exchange.request_body:
        lines.append(f"--data-raw {_shell(exchange.request_body)}")
    return _NEXT_LINE.join(lines)


def as_powershell(exchange: Exchange) -> str:
    """Return the request as a command for PowerShell, 5.1 or later."""
    # Windows PowerShell refuses these two among the headers and has parameters for them.
    apart = {"content-type": "-ContentType", "user-agent": "-UserAgent"}
    options = [f"-Method {_powershell(exchange.method)}", f"-Uri {_powershell(exchange.url)}"]
    headers = []
    for name, value in exchange.request_headers:
        if option := apart.get(name.lower()):
            options.append(f"{option} {_powershell(value)}")
        else:
            headers.append(f"  {_powershell(name)} = {_powershell(value)}")
    lines = []
    if headers:
        lines += ["$headers = @{", *headers, "}"]
        options.append("-Headers $headers")
    if exchange.request_body:
        options.append(f"-Body {_powershell(exchange.request_body)}")
    options += ["-MaximumRedirection 0", f"-TimeoutSec {_PATIENCE_S}"]
    return "\n".join([*lines, f"Invoke-WebRequest -UseBasicParsing {' '.join(options)}"])


def _shell(text: str) -> str:
    """Return `text` as one word for a POSIX shell; the variable stands in double quotes of its own."""
    return "".join(_pieces(text, shlex.quote, f'"${VARIABLE}"')) or "''"


def _powershell(text: str) -> str:
    pieces = _pieces(text, _powershell_quoted, f"$env:{VARIABLE}") or ["''"]
    return pieces[0] if len(pieces) == 1 else f"({' + '.join(pieces)})"


def _powershell_quoted(text: str) -> str:
    return "'" + _POWERSHELL_QUOTES.sub(r"\1\1", text) + "'"


def _pieces(text: str, quoted: Callable[[str], str], variable: str) -> list[str]:
    """Return what a text is put together from: its plain parts quoted, and the variable for each mask."""
    pieces: list[str] = []
    for position, part in enumerate(text.split(MASK)):
        if position:
            pieces.append(variable)
        if part:
            pieces.append(quoted(part))
    return pieces


def as_har(exchanges: Sequence[Exchange], comment: str) -> str:
    """Return exchanges as the text of a HAR file."""
    log = {
        "version": "1.2",
        "creator": {"name": "Keybench", "version": __version__},
        "entries": [_entry(exchange) for exchange in exchanges],
        "comment": comment,
    }
    # ASCII, so that a lone surrogate in a hostile answer can't spoil the file.
    return json.dumps({"log": log}, indent=2) + "\n"


def _entry(exchange: Exchange) -> dict[str, Any]:
    timings = _timings(exchange.timings, answered=bool(exchange.status))
    entry = {
        "startedDateTime": exchange.at.astimezone(UTC).isoformat(timespec="milliseconds"),
        # The sum of all timings but -1; the TLS handshake is part of connect already.
        "time": round(sum(ms for name, ms in timings.items() if ms > 0 and name != "ssl"), 3),
        "request": _request(exchange),
        "response": _response(exchange),
        "cache": {},
        "timings": timings,
    }
    if exchange.failure:
        entry["comment"] = f"No whole answer: {exchange.failure}"
    return entry


def _request(exchange: Exchange) -> dict[str, Any]:
    query = parse_qsl(urlsplit(exchange.url).query, keep_blank_values=True)
    request = {
        "method": exchange.method,
        "url": exchange.url,
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(exchange.request_headers),
        "queryString": _pairs(query),
        "headersSize": _UNKNOWN,
        # What was sent had the value where the mask stands, so its size isn't this text's.
        "bodySize": _UNKNOWN if exchange.request_body else 0,
    }
    if exchange.request_body:
        kind = _header(exchange.request_headers, "content-type")
        request["postData"] = {"mimeType": kind, "text": exchange.request_body}
    return request


def _response(exchange: Exchange) -> dict[str, Any]:
    return {
        "status": exchange.status,
        "statusText": _phrase(exchange.status),
        "httpVersion": _HTTP if exchange.status else "",
        "cookies": [],
        "headers": _pairs(exchange.response_headers),
        "content": {
            "size": len(exchange.response_body.encode("utf-8", "surrogatepass")),
            "mimeType": _header(exchange.response_headers, "content-type") or "x-unknown",
            "text": exchange.response_body,
            "comment": "Secrets are masked; a long body may be cut",
        },
        "redirectURL": _header(exchange.response_headers, "location"),
        "headersSize": _UNKNOWN,
        "bodySize": _UNKNOWN,
    }


def _timings(timings: Timings, *, answered: bool) -> dict[str, float]:
    """Return where the time went, in milliseconds, -1 for a phase that wasn't or isn't known.

    Send, wait and receive are never -1 in this format. What no phase accounts for was spent waiting for a
    connection, or for the answer that never came.
    """
    known = (timings.dns_s, timings.connect_s, timings.tls_s, timings.wait_s, timings.read_s)
    rest_s = max(timings.total_s - sum(seconds or 0.0 for seconds in known), 0.0)
    handshake_s = _sum(timings.connect_s, timings.tls_s)
    return {
        "blocked": _ms(rest_s) if answered else _UNKNOWN,
        "dns": _ms(timings.dns_s),
        "connect": _ms(handshake_s),
        "ssl": _ms(timings.tls_s),
        "send": 0,
        "wait": _ms((timings.wait_s or 0.0) + (0.0 if answered else rest_s)),
        "receive": _ms(timings.read_s or 0.0),
    }


def _sum(*seconds: float | None) -> float | None:
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None


def _ms(seconds: float | None) -> float:
    return _UNKNOWN if seconds is None else round(max(seconds, 0.0) * 1000, 3)


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _header(headers: Sequence[tuple[str, str]], name: str) -> str:
    return next((value for one, value in headers if one.lower() == name), "")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
