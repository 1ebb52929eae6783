"""Exchanges as an HTTP archive (HAR 1.2), which browsers and other tools can open.

The format is Jan Odvarko's *HTTP Archive 1.2*. Exchanges are redacted when they are made, and so is this.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from keybench import __version__
from keybench.core.exchange import Exchange, Timings

_HTTP: Final = "HTTP/1.1"
#: The format's word for a size or a time that isn't known.
_UNKNOWN: Final = -1


def as_har(exchanges: Sequence[Exchange], comment: str) -> str:
    """Return exchanges as the text of a HAR file.

    Args:
        exchanges: In order.
        comment: Where they come from: the environment with its mark and kind.
    """
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
