"""What is sent and what comes back, within which limits and in which time; without the HTTP library."""

from __future__ import annotations

import enum
import json
import math
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

from keybench.core.environments.environment import Environment
from keybench.core.exchange import Timings
from keybench.core.ports import ExchangeSink
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.contract_rules import Shape
from keybench.gateway.redaction import Redactor, redactor_of
from keybench.runtime.worker import run_in_thread

T = TypeVar("T")

_USUAL_HEADERS: Final = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "keybench",
}
#: The most of an answer about a sale that is read. Real ones have one or two kilobytes; the JSON parser lets
#: nobody else run meanwhile, and with so much it needs less than a frame or two.
ANSWER_LIMIT: Final = 192 * 1024
#: The same for lists that grow with the account.
LIST_LIMIT: Final = 1024 * 1024
#: Answers up to so many characters take a millisecond or two, and are worked on at once. Real ones about a
#: sale have one or two thousand.
SMALL: Final = 8 * 1024
_ZLIB_OR_GZIP: Final = 47  # zlib's window bits: the largest window, header recognised by itself
_MEDIA_TYPES: Final = {
    Shape.JSON: "application/json",
    Shape.FORM: "application/x-www-form-urlencoded",
}


class CallFailed(Exception):
    """A call failed, and the reason is known; the status is a proxy's answer, 0 without one."""

    def __init__(self, reason: Reason, status: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class ConnectionUse(enum.Enum):
    """How a request is sent.

    `SHARED` takes a connection that is kept. A call that moves money goes `ALONE` on one of its own: a kept
    one may be dead already, and a sale that dies on it would be unknown for no good reason. `HELD` is the
    same for an answer that is held until the outcome.
    """

    SHARED = "shared"
    ALONE = "alone"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds.

    Attributes:
        connect_s: Name look-up and TCP, and TLS, each.
        proxy_s: A proxy's answer, once it is connected to: it has to reach the gateway meanwhile.
        write_s: Between two pieces written.
        read_s: Between two pieces of the answer.
        total_s: All of it, whatever trickles in.
        held_s: Instead of `read_s`, for an answer that is held; a device gives up after five minutes.
    """

    connect_s: float = 5.0
    proxy_s: float = 15.0
    write_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 60.0
    held_s: float = 310.0

    def held(self, request: Request, use: ConnectionUse) -> float:
        """Return for how many seconds the answer to a request may be held; 0 if it isn't."""
        return min(self.held_s, request.held_s) if use is ConnectionUse.HELD else 0.0


@dataclass(frozen=True)
class Request:
    """A request to send; what follows from it is worked out once.

    Attributes:
        environment: Whose gateway it is for, and so through which proxy; None for none.
        body: Sent as JSON or as a web form, or None.
        secrets: Values that must not show up in the exchange.
        shape: How the body is written.
        held_s: How long its answer may be held at most, where that is less than `Limits.held_s`.
        most: How much of its answer is read, in bytes, before and after decoding.
        kept: Fields whose values the exchange keeps besides the usual ones.
    """

    environment: Environment | None
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] | None = field(repr=False)
    secrets: tuple[Secret, ...]
    sink: ExchangeSink
    shape: Shape = Shape.JSON
    held_s: float = math.inf
    most: int = ANSWER_LIMIT
    kept: frozenset[str] = frozenset()

    @cached_property
    def redactor(self) -> Redactor:
        """What masks the secrets, in this exchange and in what is made of its answer."""
        return redactor_of(self.secrets)

    @cached_property
    def content(self) -> str | None:
        """The body as text in plain ASCII, or None."""
        if self.body is None:
            return None
        return urlencode(self.body) if self.shape is Shape.FORM else json.dumps(self.body)

    @cached_property
    def all_headers(self) -> Mapping[str, str]:
        """The headers of every request and those of this one."""
        form = {} if self.body is None else {"Content-Type": _MEDIA_TYPES[self.shape]}
        return {**_USUAL_HEADERS, **form, **self.headers}


@dataclass(slots=True)
class Answer:
    """What came back.

    Attributes:
        text: The body as text, cut at the request's limit; a bad byte becomes a replacement character.
        lost: Why the body isn't whole, None if it is.
        unreadable: Why the body can't be used although it is there; None if it can.
    """

    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    text: str = ""
    lost: Reason | None = None
    unreadable: Reason | None = None

    def header(self, name: str) -> str:
        """Return a header's value by its name, in any case of letters; empty if it isn't there."""
        return next((value for one, value in self.headers if one.lower() == name.lower()), "")

    def take_body(self, raw: bytes, limit: int) -> None:
        """Set the text from the body as it came, or from what a broken connection left of it.

        More than `limit` bytes, before or after decoding, aren't read: a small answer mustn't grow without
        bound. We ask for no content encoding, but not every server listens.
        """
        match self.header("content-encoding").strip().lower():
            case "" | "identity":
                body = raw
            case "gzip" | "x-gzip" | "deflate":
                try:
                    body = zlib.decompressobj(_ZLIB_OR_GZIP).decompress(raw, limit + 1)
                except zlib.error:
                    body, self.unreadable = b"", Reason.UNKNOWN_ENCODING
            case _:
                body, self.unreadable = b"", Reason.UNKNOWN_ENCODING
        if len(body) > limit:
            self.unreadable = Reason.TOO_BIG
        self.text = body[:limit].removeprefix(BOM_UTF8).decode("utf-8", "replace")


async def off_the_loop(answer: Answer, work: Callable[[], T]) -> T:
    """Return what `work` on an answer returns, done on a thread of its own if the answer is large.

    So no answer can make the window stall. `work` touches nothing that the loop touches meanwhile.
    """
    return work() if len(answer.text) <= SMALL else await run_in_thread("keybench large answer", work)


class Stopwatch:
    """Notes when each phase of a request began and ended, and whether anything may have been sent."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._began = monotonic()
        self._marks: dict[str, float] = {}

    async def trace(self, event: str, _info: dict[str, Any]) -> None:
        """Take a mark, such as ``http11.send_request_headers.started``; httpcore's ``trace`` extension."""
        self.mark(event)

    def mark(self, event: str) -> None:
        """Note that something happened now; only its first time counts."""
        self._marks.setdefault(event, self._monotonic())

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Note when a phase begins and, unless it fails, when it is complete."""
        self.mark(f"{name}.started")
        yield
        self.mark(f"{name}.complete")

    @property
    def sending(self) -> bool:
        """Whether the request's first byte may have left."""
        return "http11.send_request_headers.started" in self._marks

    def read(self) -> Timings:
        """Return the timings up to now."""
        end = self._monotonic()
        sent = self._marks.get("http11.send_request_body.complete")
        headed = self._marks.get("http11.receive_response_headers.complete")
        dns_s, connect_s = self._took("look_up"), self._took("connect")
        return Timings(
            total_s=end - self._began,
            dns_s=dns_s,
            connect_s=connect_s if connect_s is None else max(connect_s - (dns_s or 0.0), 0.0),
            tls_s=self._took("start_tls"),
            wait_s=headed - sent if headed is not None and sent is not None else None,
            read_s=end - headed if headed is not None else None,
        )

    def _took(self, phase: str) -> float | None:
        began, ended = self._marks.get(f"{phase}.started"), self._marks.get(f"{phase}.complete")
        return ended - began if began is not None and ended is not None else None
