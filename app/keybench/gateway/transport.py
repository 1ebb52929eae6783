"""Sending one request: its time limit, what a failure means, and the redacted exchange of it."""

from __future__ import annotations

import asyncio
import importlib
import logging
import ssl
from datetime import datetime
from typing import TYPE_CHECKING, Final

from keybench.core.errors import AnswerLost, GatewayError, NotSent
from keybench.core.exchange import Exchange, Timings
from keybench.core.ports import Clock
from keybench.core.reasons import Reason
from keybench.gateway.messages import (
    SMALL,
    Answer,
    CallFailed,
    ConnectionUse,
    Limits,
    Request,
    Stopwatch,
    off_the_loop,
)
from keybench.gateway.proxies import Proxies
from keybench.gateway.redaction import BODY_LIMIT
from keybench.gateway.trust import Trust
from keybench.runtime.clock import SystemClock, within
from keybench.runtime.worker import run_in_thread

if TYPE_CHECKING:
    from keybench.gateway.connections import Connections

_CONNECTIONS: Final = "keybench.gateway.connections"


class Transport:
    """Sends requests, each in its `ConnectionUse`, over connections that are opened when they are needed."""

    def __init__(
        self,
        clock: Clock | None = None,
        limits: Limits | None = None,
        tls: ssl.SSLContext | Trust | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # at INFO they write whole URLs
        self._clock = clock or SystemClock()
        self._limits = limits or Limits()
        self._proxies = proxies or Proxies()
        self._trust = tls if isinstance(tls, Trust) else Trust(tls)
        self._connections: Connections | None = None
        self._loading = asyncio.Lock()

    async def send(self, request: Request, use: ConnectionUse) -> Answer:
        """Send once and return the answer, whatever its status.

        Raises:
            NotSent: For certain nothing reached the gateway.
            AnswerLost: It may have, and no answer's head came.
        """
        connections = await self._loaded()
        at, watch, answer = self._clock.now(), Stopwatch(self._clock.monotonic), Answer()
        failed: GatewayError | None = None
        cancelled = True
        try:
            failed = await self._fetch(connections, request, use, watch, answer)
            cancelled = False
        finally:
            failure = Reason.CANCELLED if cancelled else failed.reason if failed else answer.lost or ""
            timings = watch.read()
            if cancelled:
                # Nothing may be awaited any more, so only a little of the body is looked at.
                exchange = _exchange(request, at, timings, answer, failure, limit=SMALL)
            else:
                exchange = await off_the_loop(
                    answer, lambda: _exchange(request, at, timings, answer, failure, limit=BODY_LIMIT)
                )
            request.sink(exchange)
        # Raised out here so that the foreign exception, which knows the request's headers, isn't its context.
        if failed:
            raise failed
        return answer

    async def close(self) -> None:
        """Close all connections; safe to call twice."""
        if self._connections:
            await self._connections.close()

    async def _fetch(
        self, connections: Connections, request: Request, use: ConnectionUse, watch: Stopwatch, answer: Answer
    ) -> GatewayError | None:
        """Fill in the answer, or return what a failure means. It's certain until a byte may have left."""
        reason: Reason | None = None
        try:
            async with within(self._limits.total_s + self._limits.held(request, use)):
                await connections.fetch(request, use, watch, answer)
        except TimeoutError:
            reason = Reason.TIMEOUT
        except CallFailed as failed:
            reason = failed.reason
        if not reason:
            return None
        if not watch.sending:
            if request.environment:
                self._proxies.forget(request.environment)
            return NotSent(Reason.CONNECT_TIMEOUT if reason is Reason.TIMEOUT else reason)
        if answer.status:
            answer.lost = reason
            return None
        return AnswerLost(reason)

    async def _loaded(self) -> Connections:
        """Return the connections; the HTTP library is slow to import, and the window comes first."""
        async with self._loading:
            if self._connections is None:
                module = await run_in_thread(
                    "keybench imports", lambda: importlib.import_module(_CONNECTIONS)
                )
                self._connections = module.Connections(self._proxies, self._trust, self._limits)
            return self._connections


def _exchange(
    request: Request, at: datetime, timings: Timings, answer: Answer, failure: str, *, limit: int
) -> Exchange:
    redactor = request.redactor
    return Exchange(
        at=at,
        method=request.method,
        url=redactor.text(request.url),
        request_headers=redactor.headers(request.all_headers.items()),
        request_body=redactor.body(request.content or "", kept=request.kept),
        status=answer.status,
        response_headers=redactor.headers(answer.headers),
        response_body=redactor.body(answer.text, limit, request.kept),
        failure=failure,
        timings=timings,
    )
