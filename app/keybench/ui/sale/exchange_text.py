"""Exchanges as text: request and answer, with JSON laid out. They were redacted when they were made."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain, pairwise
from typing import Final
from urllib.parse import urlsplit

from keybench.core.exchange import Exchange, Timings
from keybench.core.secret import MASK
from keybench.words.formats import clock_time_exact, duration
from keybench.words.language import _

#: The most of a laid-out body that is shown, in characters; what was kept beyond it is in the saved archive.
SHOWN_LIMIT: Final = 50_000
CUT: Final = _("… What follows isn't shown here. Save as HAR… has all that was kept.")
FAILED: Final = "✕"
_TO: Final = "\N{EN DASH}"
_WORST_INDENT: Final = 20
_SEGMENTS_SHOWN: Final = 2
_BEGINS_UUID: Final = re.compile(r"^([0-9a-f]{8})-[0-9a-f-]{10,}$", re.IGNORECASE)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def request_line(exchange: Exchange) -> str:
    """Return method and path, such as ``POST /api/v5/payments/sale``."""
    parts = urlsplit(exchange.url)
    return f"{exchange.method} {parts.path}{f'?{parts.query}' if parts.query else ''}"


def short_line(exchange: Exchange) -> str:
    """Return a request's line for a list: a poll's is cut to ``GET …/payment-requests/70a6272c``."""
    parts = urlsplit(exchange.url)
    segments = parts.path.split("/")
    if exchange.method != "GET" or parts.query or len(segments) <= _SEGMENTS_SHOWN + 1:
        return request_line(exchange)
    last = [_BEGINS_UUID.sub(r"\1", segment) for segment in segments[-_SEGMENTS_SHOWN:]]
    return _("GET …/{names}").format(names="/".join(last))


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


@dataclass(frozen=True, slots=True)
class Message:
    """A request or an answer as text.

    Attributes:
        head: Lines that are always shown, such as the request line.
        headers: Lines that can be folded away.
        body: The body, JSON laid out.
    """

    head: tuple[str, ...]
    headers: tuple[str, ...]
    body: str

    @property
    def whole(self) -> str:
        """All of it."""
        return f"{self._above}{self._hidden}{self._below}".rstrip("\n")

    @property
    def folded(self) -> str:
        """The same without the headers."""
        return f"{self._above}{self._below}".rstrip("\n")

    def is_hidden(self, start: int) -> bool:
        """Tell whether a place in the whole text, in Qt's units, goes when the headers are folded away."""
        begin = _units(self._above)
        return begin <= start < begin + _units(self._hidden)

    def folded_place(self, start: int) -> int:
        """Return where a place in the whole text stands in the folded one; both in Qt's units."""
        return start if start < _units(self._above) else start - _units(self._hidden)

    @property
    def _above(self) -> str:
        return "".join(f"{line}\n" for line in self.head)

    @property
    def _hidden(self) -> str:
        lines = "".join(f"{line}\n" for line in self.headers)
        return lines if self.head or not lines or not self.body else f"{lines}\n"

    @property
    def _below(self) -> str:
        return f"\n{self.body}" if self.head and self.body else self.body


def request_of(exchange: Exchange, key: str = "") -> Message:
    """Return a request: its line, what stands for the key, headers and body.

    Args:
        exchange: Whose.
        key: The name of the key it was made with, told beside the mask; empty if that isn't known.
    """
    sent = (("Host", urlsplit(exchange.url).netloc), *exchange.request_headers)
    masked = [_header(name, value, key) for name, value in sent if MASK in value]
    others = [_header(name, value) for name, value in sent if MASK not in value]
    head = (request_line(exchange), *masked)
    return Message(head, tuple(others), _capped(exchange.request_body))


def answer_of(exchange: Exchange) -> Message:
    """Return an answer: headers and body; or why there was none, or no whole one."""
    if not exchange.status:
        return Message(
            (_("No answer: {value}").format(value=exchange.failure or _("reason unknown")),), (), ""
        )
    broken = (_("Broken off: {failure}").format(failure=exchange.failure),) if exchange.failure else ()
    headers = tuple(_header(name, value) for name, value in exchange.response_headers)
    return Message(broken, headers, _capped(exchange.response_body))


def request_facts(exchange: Exchange) -> str:
    """Return when a request began and where it went: ``14:02:11.204 · gateway.example``."""
    return f"{clock_time_exact(exchange.at)} · {urlsplit(exchange.url).netloc}"


def answer_facts(exchange: Exchange) -> str:
    """Return an answer's status and where the time went: ``200 OK · 8 ms: connect 3 · wait 4 · read 1``."""
    status = f"{exchange.status} {_phrase(exchange.status)}".strip() if exchange.status else _("No answer")
    return f"{status} · {phases(exchange.timings)}"


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
        f"{name} {f'{max(seconds, 0) * 1000:.0f}' if is_short else duration(seconds)}"
        for name, seconds in named
        if seconds is not None
    ]
    return f"{total}: {' · '.join(parts)}" if parts else total


def _header(name: str, value: str, key: str = "") -> str:
    return f"{name}: {value} ({key})" if key else f"{name}: {value}"


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
            yield _line(depth)


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, _WORST_INDENT)


def _capped(body: str) -> str:
    pieces: list[str] = []
    length = 0
    for piece in _laid_out(body):
        pieces.append(piece)
        length += len(piece)
        if length > SHOWN_LIMIT:
            return f"{''.join(pieces)[:SHOWN_LIMIT]}\n{CUT}"
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


#: More matches than this help nobody to find anything.
LIMIT: Final = 1000


class Side(enum.Enum):
    """Which of the two texts."""

    REQUEST = "request"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Hit:
    """A match.

    Attributes:
        exchange: Its exchange's number.
        side: In which text.
        start: Where it begins, in UTF-16 units as Qt counts.
        length: How long it is, in the same.
    """

    exchange: int
    side: Side
    start: int
    length: int


def texts_of(exchange: Exchange, key: str = "") -> tuple[str, str]:
    """Return the two whole texts of an exchange, the request's first; laying them out takes some time."""
    return request_of(exchange, key).whole, answer_of(exchange).whole


def find_all(texts: Sequence[tuple[str, str]], words: str) -> list[Hit]:
    """Return the matches in order, `LIMIT` at the most; upper and lower case are alike.

    Args:
        texts: Each exchange's texts, from `texts_of`.
        words: What to find; nothing is found by nothing.
    """
    if not words:
        return []
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    hits: list[Hit] = []
    for number, both in enumerate(texts):
        for side, text in zip(Side, both, strict=True):
            for match in pattern.finditer(text):
                hits.append(Hit(number, side, _units(text[: match.start()]), _units(match[0])))
                if len(hits) == LIMIT:
                    return hits
    return hits


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
