"""Sending one request: time limits, size limits, what a failure means, and the redacted exchange of it."""

from __future__ import annotations

import asyncio
import enum
import json
import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final

import httpx

from keybench.core.errors import AnswerLost, GatewayError, NotSent
from keybench.core.exchange import Exchange
from keybench.core.ports import Clock, ExchangeSink
from keybench.core.secret import Secret
from keybench.gateway.decoding import TooBig, Undecodable, decoded
from keybench.gateway.failures import as_gateway_error, reason_of
from keybench.gateway.redaction import Redactor
from keybench.gateway.timings import Stopwatch
from keybench.runtime.worker import DaemonWorker

#: The most of an answer that is read, in bytes, before and after decoding.
ANSWER_LIMIT: Final = 1024 * 1024

_USUAL_HEADERS: Final = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "keybench",
}


class Manner(enum.Enum):
    """How a request is sent.

    `ASK` shares connections that are kept. A call that moves money goes `ALONE` on a connection of its own:
    one that idled may be dead already, and a sale that dies on it would be unknown for no good reason. `HELD`
    is the same for a sale whose answer is held until its outcome.
    """

    ASK = "ask"
    ALONE = "alone"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits in seconds, and the most connections at once.

    Attributes:
        connect_s: Name look-up, TCP and TLS, each.
        pool_s: Waiting for a free connection.
        write_s: Between two pieces written.
        read_s: Between two pieces of the answer.
        total_s: All of it, whatever trickles in.
        held_s: Instead of `read_s`, for a sale whose answer is held; a device gives up after five minutes.
        connections: How many at once, of each manner.
    """

    connect_s: float = 5.0
    pool_s: float = 10.0
    write_s: float = 10.0
    read_s: float = 30.0
    total_s: float = 60.0
    held_s: float = 310.0
    connections: int = 32

    def timeout(self, manner: Manner) -> httpx.Timeout:
        """Return the limits of each phase."""
        read = self.held_s if manner is Manner.HELD else self.read_s
        return httpx.Timeout(connect=self.connect_s, pool=self.pool_s, write=self.write_s, read=read)

    def total(self, manner: Manner) -> float:
        """Return the limit of the whole."""
        return self.total_s + (self.held_s if manner is Manner.HELD else 0.0)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to send.

    Attributes:
        method: The HTTP method.
        url: The whole URL; nothing secret in it.
        headers: Besides those of every request.
        body: Sent as JSON, or None.
        secrets: Values that must not show up in the exchange.
        sink: Takes the exchange.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any] | None = field(repr=False)
    secrets: tuple[Secret, ...]
    sink: ExchangeSink

    @property
    def content(self) -> str | None:
        """The body as JSON text in plain ASCII, or None."""
        return None if self.body is None else json.dumps(self.body)

    @property
    def all_headers(self) -> dict[str, str]:
        """The headers of every request and those of this one."""
        form = {} if self.body is None else {"Content-Type": "application/json"}
        return {**_USUAL_HEADERS, **form, **self.headers}


@dataclass(slots=True)
class Answer:
    """What came back.

    Attributes:
        status: The HTTP status.
        headers: As they came.
        text: The body as text, cut at `ANSWER_LIMIT`; a bad byte becomes a replacement character.
        lost: Why the body isn't whole, as a stable word for the wire's failure; empty if it is.
        unreadable: Why the body can't be used although it is there; empty if it can.
    """

    status: int = 0
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    text: str = ""
    lost: str = ""
    unreadable: str = ""


class Transport:
    """Two connection pools, made with the first request: one that keeps connections, one for sales.

    Args:
        clock: Times the exchanges.
        limits: How long and how many.
        tls: What certificates are trusted; the usual authorities if None. Never taken from the environment.
    """

    def __init__(self, clock: Clock, limits: Limits | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._limits = limits or Limits()
        self._tls = tls
        self._pools: dict[bool, httpx.AsyncClient] = {}
        self._making = asyncio.Lock()

    async def send(self, request: Request, manner: Manner) -> Answer:
        """Send once and return the answer, whatever its status.

        Raises:
            NotSent: For certain nothing reached the gateway.
            AnswerLost: It may have, and no answer's head came.
        """
        at, watch, answer = self._clock.now(), Stopwatch(self._clock.monotonic), Answer()
        failed: GatewayError | None = None
        cancelled = True
        try:
            failed = await self._send_within_limit(request, manner, watch, answer)
            cancelled = False
        finally:
            failure = "cancelled" if cancelled else failed.reason if failed else answer.lost
            request.sink(_exchange(request, at, watch, answer, failure))
        # Raised out here so that the foreign exception, which knows the request's headers, isn't its context.
        if failed:
            raise failed
        return answer

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            await pool.aclose()

    async def _send_within_limit(
        self, request: Request, manner: Manner, watch: Stopwatch, answer: Answer
    ) -> GatewayError | None:
        error: GatewayError
        try:
            async with asyncio.timeout(self._limits.total(manner)):
                await self._fetch(request, manner, watch, answer)
        except TimeoutError:
            reason, error = "timeout", AnswerLost("timeout") if watch.sending else NotSent("connect timeout")
        except Exception as caught:  # noqa: BLE001 - the room's edge: nothing of the HTTP library goes further
            reason, error = reason_of(caught), as_gateway_error(caught, sending=watch.sending)
        else:
            return None
        if answer.status:
            answer.lost = reason
            return None
        return error

    async def _fetch(self, request: Request, manner: Manner, watch: Stopwatch, answer: Answer) -> None:
        pool = await self._pool(keep=manner is Manner.ASK)
        prepared = pool.build_request(
            request.method,
            request.url,
            headers=request.all_headers,
            content=request.content,
            timeout=self._limits.timeout(manner),
            extensions={"trace": watch.trace},
        )
        response = await pool.send(prepared, stream=True)
        try:
            answer.status, answer.headers = response.status_code, response.headers
            await _read_body(response, answer)
        finally:
            await response.aclose()

    async def _pool(self, *, keep: bool) -> httpx.AsyncClient:
        async with self._making:
            if keep not in self._pools:
                for name in ("httpx", "httpcore"):
                    logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they write whole URLs
                if self._tls is None:
                    self._tls = await _usual_authorities()
                self._pools[keep] = self._new_pool(self._tls, keep=keep)
            return self._pools[keep]

    def _new_pool(self, tls: ssl.SSLContext, *, keep: bool) -> httpx.AsyncClient:
        kept = self._limits.connections if keep else 0
        return httpx.AsyncClient(
            verify=tls,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            limits=httpx.Limits(
                max_connections=self._limits.connections,
                max_keepalive_connections=kept,
                keepalive_expiry=15.0,
            ),
        )


async def _usual_authorities() -> ssl.SSLContext:
    """Load the certificate authorities off the loop: it takes some 30 ms."""
    worker = DaemonWorker("certificates")
    try:
        return await worker.run(lambda: httpx.create_ssl_context(trust_env=False))
    finally:
        worker.stop()


async def _read_body(response: httpx.Response, answer: Answer) -> None:
    raw = bytearray()
    try:
        async for piece in response.aiter_raw():
            raw += piece
            if len(raw) > ANSWER_LIMIT:
                break
    finally:
        try:
            body = decoded(bytes(raw), response.headers.get("content-encoding", ""), ANSWER_LIMIT)
        except TooBig as big:
            body, answer.unreadable = big.beginning, "too big"
        except Undecodable:
            body, answer.unreadable = b"", "unknown encoding"
        answer.text = body.decode("utf-8-sig", "replace")


def _exchange(request: Request, at: datetime, watch: Stopwatch, answer: Answer, failure: str) -> Exchange:
    redactor = Redactor(request.secrets)
    return Exchange(
        at=at,
        method=request.method,
        url=redactor.text(request.url),
        request_headers=redactor.headers(request.all_headers.items()),
        request_body=redactor.body(request.content or ""),
        status=answer.status,
        response_headers=redactor.headers(answer.headers.multi_items()),
        response_body=redactor.body(answer.text),
        failure=failure,
        timings=watch.read(),
    )
