"""Exchanges as text: request and answer, with JSON laid out. They were redacted when they were made."""

from __future__ import annotations

import json
from http import HTTPStatus
from urllib.parse import urlsplit

from keybench.core.exchange import Exchange, Timings
from keybench.words.times import duration


def request_line(exchange: Exchange) -> str:
    """Return method and path, such as ``POST /api/v5/payments/sale``."""
    parts = urlsplit(exchange.url)
    return f"{exchange.method} {parts.path}{f'?{parts.query}' if parts.query else ''}"


def answer_word(exchange: Exchange) -> str:
    """Return the answer in a word or two: ``200 pending``, ``401 Unauthorized``, or why there was none."""
    if not exchange.status:
        return exchange.failure or "no answer"
    return f"{exchange.status} {_status_field(exchange.response_body) or _phrase(exchange.status)}".strip()


def request_text(exchange: Exchange) -> str:
    """Return the whole request: line, headers, body."""
    head = [request_line(exchange), f"Host: {urlsplit(exchange.url).netloc}"]
    return _whole(head, exchange.request_headers, exchange.request_body)


def answer_text(exchange: Exchange) -> str:
    """Return the whole answer: status, where the time went, headers, body; or why there was none."""
    timings = phases(exchange.timings)
    if not exchange.status:
        return f"No answer: {exchange.failure or 'reason unknown'}\n{timings}"
    head = [f"{exchange.status} {_phrase(exchange.status)}".strip(), timings]
    return _whole(head, exchange.response_headers, exchange.response_body)


def phases(timings: Timings) -> str:
    """Return where the time went: ``41 ms · connect 3 ms · wait 36 ms · read 2 ms``."""
    named = (
        ("DNS", timings.dns_s),
        ("connect", timings.connect_s),
        ("TLS", timings.tls_s),
        ("wait", timings.wait_s),
        ("read", timings.read_s),
    )
    parts = [f"{name} {duration(seconds)}" for name, seconds in named if seconds is not None]
    return " · ".join([duration(timings.total_s), *parts])


def _whole(head: list[str], headers: tuple[tuple[str, str], ...], body: str) -> str:
    lines = [*head, *(f"{name}: {value}" for name, value in headers)]
    return "\n".join([*lines, "", pretty(body)]).rstrip()


def pretty(body: str) -> str:
    """Return JSON laid out over lines, and anything else as it came."""
    read = _read(body)
    return body if read is None else json.dumps(read, indent=2, ensure_ascii=False)


def _read(body: str) -> object | None:
    try:
        read: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return read


def _status_field(body: str) -> str:
    read = _read(body)
    status = read.get("status") if isinstance(read, dict) else None
    return status if isinstance(status, str) else ""


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
