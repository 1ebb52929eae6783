"""Exchanges as text: request and answer, with JSON laid out. They were redacted when they were made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from itertools import chain, groupby, pairwise
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from keybench.core.exchange import Exchange, Timings
from keybench.core.secret import MASK
from keybench.words.formats import clock_time_exact, decimal, duration
from keybench.words.language import _, ngettext

#: The most of a laid-out body that is shown, and of all of them, in characters; an archive has what was kept.
SHOWN_LIMIT: Final = 50_000
MOST_SHOWN: Final = 500_000
CUT: Final = _("… What follows isn't shown here. Save as HAR… has all that was kept.")
FAILED: Final = "✕"
_TO: Final = "\N{EN DASH}"
_WORST_INDENT: Final = 20
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def request_line(exchange: Exchange) -> str:
    """Return method and path, such as ``POST /api/v5/payments/sale``."""
    parts = urlsplit(exchange.url)
    return f"{exchange.method} {parts.path}{f'?{parts.query}' if parts.query else ''}"


def is_failed(exchange: Exchange) -> bool:
    """Tell whether there was no whole answer, or one that says no."""
    return bool(exchange.failure) or not exchange.status or exchange.status >= HTTPStatus.BAD_REQUEST


def answer_word(exchange: Exchange) -> str:
    """Return the answer in few words: ``200 pending``, ``✕ 401 Unauthorized``, ``✕ no answer: timeout``."""
    if not exchange.status:
        return _("{FAILED} no answer{value}").format(
            FAILED=FAILED, value=f": {exchange.failure}" if exchange.failure else ""
        )
    word = f"{exchange.status} {_status_field(exchange.response_body) or _phrase(exchange.status)}".strip()
    if exchange.failure:
        return _("{FAILED} {status}, broken off: {failure}").format(
            FAILED=FAILED, status=exchange.status, failure=exchange.failure
        )
    return f"{FAILED} {word}" if is_failed(exchange) else word


class Piece(NamedTuple):
    """Some lines of the exchanges' text."""

    text: str
    tone: str
    exchange: int


def pieces_of(exchanges: Sequence[Exchange], key: str = "", *, headers: bool = False) -> list[Piece]:
    """Return the text of exchanges in order; polls with the same answer are told once."""
    pieces: list[Piece] = []
    room = MOST_SHOWN

    def likeness(number: int) -> tuple[object, ...]:
        one = exchanges[number]
        return (one.url, one.status, one.failure, one.response_body) if one.method == "GET" else (number,)

    for _likeness, group in groupby(range(len(exchanges)), key=likeness):
        numbers = list(group)
        first = numbers[0]
        one = exchanges[first]
        asked = request_text(one, key, headers=headers, most=room)
        said = answer_text(one, headers=headers, most=room)
        room = max(room - len(asked) - len(said), 0)
        tone = "bad" if is_failed(one) else "strong"
        pieces.append(Piece(f"{clock_time_exact(one.at)}  {request_line(one)}\n", "strong", first))
        pieces.append(Piece(asked, "", first))
        pieces.append(Piece(f"→ {answer_word(one)} · {phases(one.timings)}\n", tone, first))
        pieces.append(Piece(said, "", first))
        if more := [exchanges[number] for number in numbers[1:]]:
            took = [each.timings.total_s for each in more]
            told = ngettext(
                "The same once more: {until}, {took}",
                "The same {count} times more, until {until}, {took}",
                len(more),
            ).format(until=clock_time_exact(more[-1].at), took=span(min(took), max(took)))
            pieces.append(Piece(f"{told}\n", "dim", first))
        pieces.append(Piece("\n", "", first))
    return pieces


def request_text(exchange: Exchange, key: str = "", *, headers: bool = False, most: int = SHOWN_LIMIT) -> str:
    """Return what stood for the key, the other headers if they are wanted, and the body."""
    sent = (("Host", urlsplit(exchange.url).netloc), *exchange.request_headers)
    beside = f" ({key})" if key else ""
    masked = [f"{name}: {value}{beside}" for name, value in sent if MASK in value]
    others = [f"{name}: {value}" for name, value in sent if MASK not in value]
    return _lines([*masked, *(others if headers else ())], exchange.request_body, most)


def answer_text(exchange: Exchange, *, headers: bool = False, most: int = SHOWN_LIMIT) -> str:
    """Return the headers if they are wanted, and the body."""
    told = [f"{name}: {value}" for name, value in exchange.response_headers]
    return _lines(told if headers else [], exchange.response_body, most)


def _lines(head: Sequence[str], body: str, most: int) -> str:
    shown = _capped(body, min(most, SHOWN_LIMIT)) if body else ""
    return "".join(f"{line}\n" for line in (*head, *([shown] if shown else [])))


def phases(timings: Timings) -> str:
    """Return where the time went: ``41 ms: DNS 1 · connect 2 · wait 36 · read 2``; from a second on with units."""
    named = (
        ("DNS", timings.dns_s),
        (_("connect"), timings.connect_s),
        ("TLS", timings.tls_s),
        (_("wait"), timings.wait_s),
        (_("read"), timings.read_s),
    )
    total, is_short = duration(timings.total_s), timings.total_s < 1
    parts = [
        f"{name} {decimal(max(seconds, 0) * 1000, 0) if is_short else duration(seconds)}"
        for name, seconds in named
        if seconds is not None
    ]
    return f"{total}: {' · '.join(parts)}" if parts else total


def span(shortest_s: float, longest_s: float) -> str:
    """Return from how long to how long, such as 7 to 9 ms, or one duration where both read the same."""
    shortest, longest = duration(shortest_s), duration(longest_s)
    if shortest == longest:
        return longest
    figure, _space, unit = shortest.partition(" ")
    return f"{figure}{_TO}{longest}" if longest.partition(" ")[2] == unit else f"{shortest} {_TO} {longest}"


def pretty(body: str) -> str:
    """Return JSON laid out over lines, and anything else as it came.

    Only the space between the words changes: figures, escapes and names given twice stay as they came.
    """
    return "".join(_laid_out(body))


def _laid_out(body: str) -> Iterator[str]:
    """Give a body piece by piece, so that a long one is laid out only as far as it is shown."""
    if _read(body) is None:
        yield body
        return
    words = (match[0] for match in _TOKEN.finditer(body))
    depth = 0
    for word, following in pairwise(chain(words, [""])):
        opens, closes_next = word in {"{", "["}, following in {"}", "]"}
        depth += opens - closes_next
        yield ": " if word == ":" else word
        # Nothing stands between the brackets of what is empty.
        if opens != closes_next or word == ",":
            yield "\n" + "  " * min(depth, _WORST_INDENT)


def _capped(body: str, most: int) -> str:
    pieces: list[str] = []
    length = 0
    for piece in _laid_out(body):
        pieces.append(piece)
        length += len(piece)
        if length > most:
            return f"{''.join(pieces)[:most]}\n{CUT}".lstrip()
    return "".join(pieces)


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
