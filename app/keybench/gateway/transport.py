"""Sending one request: time limits, size limits, what a failure means, and the redacted exchange of it."""

from __future__ import annotations

import logging
import ssl
from codecs import BOM_UTF8
from collections.abc import AsyncIterable, Sequence
from datetime import datetime
from typing import Final

import httpcore

from keybench.core.errors import AnswerLost, GatewayError, NotSent
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import Clock
from keybench.core.reasons import Reason
from keybench.gateway.beside import SMALL, beside_the_loop
from keybench.gateway.connections import Connections, Target, target_of
from keybench.gateway.decoding import TooBig, Undecodable, decoded
from keybench.gateway.failures import as_gateway_error, reason_of
from keybench.gateway.messages import Answer, Limits, Manner, Request
from keybench.gateway.proxies import Proxies
from keybench.gateway.redaction import BODY_LIMIT
from keybench.gateway.timings import Stopwatch
from keybench.gateway.trust import Trust
from keybench.runtime.deadline import within

Headers = Sequence[tuple[bytes, bytes]]

_WITH_BODY: Final = {"POST", "PUT", "PATCH"}


class Transport:
    """Sends requests, each in its `Manner`, over connections that are opened when they are needed.

    Args:
        clock: Times the exchanges.
        proxies: Knows the way to a gateway.
        limits: How long and how many.
        tls: What certificates are trusted; those that the system trusts if None.
    """

    def __init__(
        self, clock: Clock, proxies: Proxies, limits: Limits | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they write whole URLs
        self._clock = clock
        self._proxies = proxies
        self._limits = limits or Limits()
        self._connections = Connections(Trust(tls), self._limits)

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
            failure = Reason.CANCELLED if cancelled else failed.reason if failed else answer.lost or ""
            timings = watch.read()
            if cancelled:
                # Nothing may be awaited any more, so only a little of the body is looked at.
                exchange = _exchange(request, at, timings, answer, failure, limit=SMALL)
            else:
                exchange = await beside_the_loop(
                    answer, lambda: _exchange(request, at, timings, answer, failure, limit=BODY_LIMIT)
                )
            request.sink(exchange)
        # Raised out here so that the foreign exception, which knows the request's headers, isn't its context.
        if failed:
            raise failed
        return answer

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        await self._connections.close()

    async def _send_within_limit(
        self, request: Request, manner: Manner, watch: Stopwatch, answer: Answer
    ) -> GatewayError | None:
        error: GatewayError
        try:
            async with within(self._limits.total_s + _held_s(self._limits, request, manner)):
                await self._fetch(request, manner, watch, answer)
        except TimeoutError:
            reason = Reason.TIMEOUT
            error = AnswerLost(reason) if watch.sending else NotSent(Reason.CONNECT_TIMEOUT)
        except Exception as caught:  # noqa: BLE001 - the room's edge: nothing of the HTTP library goes further
            reason, error = reason_of(caught), as_gateway_error(caught, sending=watch.sending)
        else:
            return None
        if isinstance(error, NotSent) and request.environment:
            self._proxies.forget(request.environment)
        if answer.status:
            answer.lost = reason
            return None
        return error

    async def _fetch(self, request: Request, manner: Manner, watch: Stopwatch, answer: Answer) -> None:
        target = target_of(request.url)
        place = target.place
        head, content = _head(request, target), (request.content or "").encode("ascii")
        way = await self._proxies.way_to(request.environment, place.host, place.port)
        async with self._connections.borrowed(manner, place, way, watch) as connection:
            response = await connection.handle_async_request(
                httpcore.Request(
                    request.method,
                    target.url,
                    headers=head,
                    content=content,
                    extensions={"trace": watch.trace, "timeout": _timeout(self._limits, request, manner)},
                )
            )
            try:
                answer.status, answer.headers = response.status, _decoded(response.headers)
                await _read_body(response.aiter_stream(), answer, request.most)
            finally:
                await response.aclose()


def _head(request: Request, target: Target) -> Headers:
    """Return a request's headers; a body's length is told, also of one that is empty where one is usual."""
    headers = [(b"Host", target.host)]
    headers += [(name.encode("ascii"), value.encode("ascii")) for name, value in request.all_headers.items()]
    if request.content or request.method in _WITH_BODY:
        headers.append((b"Content-Length", b"%d" % len(request.content or "")))
    return headers


def _decoded(headers: Headers) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)


def _held_s(limits: Limits, request: Request, manner: Manner) -> float:
    return min(limits.held_s, request.held_s) if manner is Manner.HELD else 0.0


def _timeout(limits: Limits, request: Request, manner: Manner) -> dict[str, float]:
    return {"write": limits.write_s, "read": _held_s(limits, request, manner) or limits.read_s}


async def _read_body(pieces: AsyncIterable[bytes], answer: Answer, most: int) -> None:
    raw = bytearray()
    try:
        async for piece in pieces:
            raw += piece
            if len(raw) > most:
                break
    finally:
        _note_body(raw, answer, most)


def _note_body(raw: bytearray, answer: Answer, most: int) -> None:
    try:
        body = decoded(bytes(raw), answer.header("content-encoding"), most)
    except TooBig as big:
        body, answer.unreadable = big.beginning, Reason.TOO_BIG
    except Undecodable:
        body, answer.unreadable = b"", Reason.UNKNOWN_ENCODING
    answer.text = body.removeprefix(BOM_UTF8).decode("utf-8", "replace")


def _exchange(
    request: Request, at: datetime, timings: Timings, answer: Answer, failure: str, *, limit: int
) -> Exchange:
    redactor = request.redactor
    return Exchange(
        at=at,
        method=request.method,
        url=redactor.text(request.url),
        request_headers=redactor.headers(request.all_headers.items()),
        request_body=redactor.body(request.content or ""),
        status=answer.status,
        response_headers=redactor.headers(answer.headers),
        response_body=redactor.body(answer.text, limit),
        failure=failure,
        timings=timings,
    )
