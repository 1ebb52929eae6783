"""Sending one request: time limits, size limits, what a failure means, and the redacted exchange of it."""

from __future__ import annotations

import asyncio
import logging
import ssl
from codecs import BOM_UTF8
from collections.abc import AsyncIterable
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from keybench.core.errors import AnswerLost, GatewayError, NotSent
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import Clock
from keybench.gateway.beside import SMALL, beside_the_loop
from keybench.gateway.decoding import TooBig, Undecodable, decoded
from keybench.gateway.failures import as_gateway_error, reason_of
from keybench.gateway.kept import KeptConnections
from keybench.gateway.messages import Answer, Limits, Manner, Request
from keybench.gateway.redaction import BODY_LIMIT
from keybench.gateway.timed_transport import TimedTransport
from keybench.gateway.timings import Stopwatch
from keybench.runtime.worker import DaemonWorker


class Transport:
    """Connections for each manner, made with the first request; see `Manner`.

    Args:
        clock: Times the exchanges.
        limits: How long and how many.
        tls: What certificates are trusted; the usual authorities if None. Never taken from the environment.
    """

    def __init__(self, clock: Clock, limits: Limits | None = None, tls: ssl.SSLContext | None = None) -> None:
        self._clock = clock
        self._limits = limits or Limits()
        self._tls = tls
        self._pools: dict[Manner, httpx.AsyncClient] = {}
        self._kept: KeptConnections | None = None
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
        pools = list(self._pools.values())
        self._pools.clear()
        kept, self._kept = self._kept, None
        for pool in pools:
            await pool.aclose()
        if kept:
            kept.close()

    async def _send_within_limit(
        self, request: Request, manner: Manner, watch: Stopwatch, answer: Answer
    ) -> GatewayError | None:
        error: GatewayError
        try:
            async with asyncio.timeout(_total_s(self._limits, request, manner)):
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
        kept = self._kept or await self._open()
        if manner is Manner.ASK:
            body = bytearray()
            try:
                await kept.ask(request, watch, answer, body)
            finally:
                _note_body(body, answer, request.most)
            return
        watch.follow_look_up()
        pool = self._pools[manner]
        prepared = pool.build_request(
            request.method,
            request.url,
            headers=request.all_headers,
            content=request.content,
            timeout=_timeout(self._limits, request, manner),
            extensions={"trace": watch.trace},
        )
        response = await pool.send(prepared, stream=True)
        try:
            answer.status, answer.headers = response.status_code, tuple(response.headers.multi_items())
            await _read_body(response.aiter_raw(), answer, request.most)
        finally:
            await response.aclose()

    async def _open(self) -> KeptConnections:
        async with self._making:
            if self._kept:
                return self._kept
            for name in ("httpx", "httpcore"):
                logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they write whole URLs
            if self._tls is None:
                self._tls = await _usual_authorities()
            for manner in (Manner.ALONE, Manner.HELD):
                self._pools[manner] = self._new_pool(self._tls, manner)
            self._kept = KeptConnections(self._tls, self._limits)
            return self._kept

    def _new_pool(self, tls: ssl.SSLContext, manner: Manner) -> httpx.AsyncClient:
        most = self._limits.held_connections if manner is Manner.HELD else self._limits.connections
        return httpx.AsyncClient(
            transport=TimedTransport(tls, most=most, kept=0),
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )


def _total_s(limits: Limits, request: Request, manner: Manner) -> float | None:
    """Return the limit for all of it; None where the kept connections see to it, with less effort."""
    return None if manner is Manner.ASK else limits.total_s + _held_s(limits, request, manner)


def _held_s(limits: Limits, request: Request, manner: Manner) -> float:
    return min(limits.held_s, request.held_s) if manner is Manner.HELD else 0.0


def _timeout(limits: Limits, request: Request, manner: Manner) -> httpx.Timeout:
    read = _held_s(limits, request, manner) or limits.read_s
    return httpx.Timeout(connect=limits.connect_s, pool=limits.pool_s, write=limits.write_s, read=read)


async def _usual_authorities() -> ssl.SSLContext:
    """Load the certificate authorities off the loop: it takes some 30 ms."""
    worker = DaemonWorker("certificates")
    try:
        return await worker.run(lambda: httpx.create_ssl_context(trust_env=False))
    finally:
        worker.stop()


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
        body, answer.unreadable = big.beginning, "too big"
    except Undecodable:
        body, answer.unreadable = b"", "unknown encoding"
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
