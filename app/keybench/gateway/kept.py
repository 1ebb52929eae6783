"""Connections kept for questions, which are many and small: one request at a time on each, no pool between.

httpx and its pool take more time for a poll than all the rest of it. A question needs no redirects, cookies,
proxies or decoding, so it goes over a `Wire` at once.
"""

from __future__ import annotations

import asyncio
import math
import ssl
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import h11
import httpx

from keybench.gateway.messages import Answer, Limits, Request
from keybench.gateway.opening import Place, opened
from keybench.gateway.timed_transport import KEPT_S
from keybench.gateway.timings import Stopwatch
from keybench.gateway.wire import Question, Wire

_PORTS: Final = {"http": 80, "https": 443}


class KeptConnections:
    """The connections, by where they lead; made when they are needed and kept for the next question.

    Args:
        tls: What certificates are trusted.
        limits: How long and how many.
    """

    def __init__(self, tls: ssl.SSLContext, limits: Limits) -> None:
        self._tls = tls
        self._limits = limits
        self._idle: dict[Place, list[Wire]] = {}
        self._room = asyncio.Semaphore(limits.connections)
        self._loop = asyncio.get_running_loop()
        self._under_way: set[Wire] = set()
        self._alarm: asyncio.Handle | None = None
        self._looks_at = math.inf

    def close(self) -> None:
        """Close those nobody uses."""
        for wires in self._idle.values():
            while wires:
                wires.pop().close()

    async def ask(self, request: Request, watch: Stopwatch, answer: Answer, body: bytearray) -> None:
        """Send a question and read its answer as it comes.

        Args:
            request: The question.
            watch: Is told of the phases.
            answer: Gets status and headers as soon as they are there.
            body: Gets the body, as far as it comes.

        Raises:
            httpx.HTTPError, httpx.InvalidURL: As httpx itself does.
            TimeoutError: It took too long to get a connection.
        """
        route, ends_at = _route(request.url), self._loop.time() + self._limits.total_s
        content = (request.content or "").encode("ascii")
        head = _head(request, route, len(content))
        question = Question(head, content, request.most, watch.mark, answer, body)
        await self._enter(ends_at)
        try:
            wire = self._idle_one(route.place) or await self._new_one(route.place, watch, ends_at)
            await self._ask(wire, question, ends_at)
            if wire.is_usable:
                self._idle.setdefault(route.place, []).append(wire)
        finally:
            self._room.release()

    async def _enter(self, ends_at: float) -> None:
        if not self._room.locked():  # a timer less, nearly always
            await self._room.acquire()
            return
        try:
            async with asyncio.timeout_at(min(ends_at, self._loop.time() + self._limits.pool_s)):
                await self._room.acquire()
        except TimeoutError:
            raise httpx.PoolTimeout("all connections are in use") from None

    def _idle_one(self, place: Place) -> Wire | None:
        idle = self._idle.get(place, [])
        while idle:
            wire = idle.pop()
            fresh = self._loop.time() - wire.idle_since < KEPT_S
            if wire.is_usable and fresh and not wire.has_news:
                return wire
            wire.close()
        return None

    async def _new_one(self, place: Place, watch: Stopwatch, ends_at: float) -> Wire:
        limits = self._limits
        async with asyncio.timeout_at(ends_at):
            return await opened(place, self._tls, limits.connect_s, watch, lambda: Wire(limits.read_s))

    async def _ask(self, wire: Wire, question: Question, ends_at: float) -> None:
        self._under_way.add(wire)
        try:
            self._look_at(min(ends_at, self._loop.time() + self._limits.read_s))
            await wire.ask(question, ends_at)
        finally:
            self._under_way.discard(wire)

    def _look_at(self, due_at: float) -> None:
        """Look then at the latest: one alarm serves all, for a timer each would cost more than a poll."""
        if due_at < self._looks_at:
            if self._alarm:
                self._alarm.cancel()
            self._looks_at = due_at
            self._alarm = self._loop.call_at(due_at, self._look)

    def _look(self) -> None:
        """End the questions whose time is over, and look again when the next one is due."""
        self._alarm, self._looks_at = None, math.inf
        now = self._loop.time()
        for wire in self._under_way:
            if wire.due_at <= now:
                wire.expire()
            else:
                self._look_at(wire.due_at)


@dataclass(frozen=True, slots=True)
class _Route:
    """An address taken apart: where to connect, and what to ask for there."""

    place: Place
    host: bytes
    target: bytes


@lru_cache(maxsize=1024)
def _route(address: str) -> _Route:
    """Take an address apart; a sale is asked for at the same one each time."""
    url = httpx.URL(address)
    if url.scheme not in _PORTS or not url.host:
        raise httpx.UnsupportedProtocol("neither http nor https")
    host = url.raw_host.decode("ascii")
    return _Route(Place(url.scheme, host, url.port or _PORTS[url.scheme]), url.netloc, url.raw_path)


def _head(request: Request, route: _Route, length: int) -> h11.Request:
    """Return the request's first part.

    Raises:
        httpx.LocalProtocolError: A header can't be written down so.
    """
    headers = [(b"Host", route.host)]
    headers += [(name.encode("ascii"), value.encode("ascii")) for name, value in request.all_headers.items()]
    if length:
        headers.append((b"Content-Length", b"%d" % length))
    try:
        return h11.Request(method=request.method, target=route.target, headers=headers)
    except h11.LocalProtocolError as error:
        raise httpx.LocalProtocolError(str(error)) from error
