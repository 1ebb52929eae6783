"""Connections: one of its own for a call that moves money, kept ones for questions, which are many.

They are httpcore's, without its pool: asking each idle connection of a pool for each request takes several
times as long as a poll.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import httpcore
import httpx

from keybench.gateway.failures import at_the_proxy
from keybench.gateway.messages import CannotConnect, Limits, Manner
from keybench.gateway.network import Stream, connected
from keybench.gateway.proxies import Way
from keybench.gateway.timings import Stopwatch
from keybench.gateway.trust import Trust
from keybench.gateway.tunnel import through
from keybench.runtime.deadline import within

#: How long an idle connection is kept, in seconds.
KEPT_S: Final = 15.0
_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection leads: ``http`` or ``https``, the host as it stands in the URL, the port."""

    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Target:
    """A request's address taken apart.

    Attributes:
        place: Where to connect.
        host: The ``Host`` header.
        url: What httpcore takes.
    """

    place: Place
    host: bytes
    url: httpcore.URL


@lru_cache(maxsize=1024)
def target_of(address: str) -> Target:
    """Take an address apart; a sale is asked for at the same one each time.

    Raises:
        httpx.InvalidURL, httpcore.UnsupportedProtocol: It can't be called.
    """
    url = httpx.URL(address)
    if url.scheme not in _PORTS or not url.host:
        raise httpcore.UnsupportedProtocol("neither http nor https")
    place = Place(url.scheme, url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme])
    whole = httpcore.URL(scheme=place.scheme, host=place.host, port=place.port, target=url.raw_path)
    return Target(place, url.netloc, whole)


class Connection(httpcore.AsyncHTTP11Connection):
    """A connection that may be kept for the next question."""

    #: How much is taken off the socket at a time. A server that sends its answer in the smallest of chunks
    #: can keep the parser busy for some milliseconds with so much, and then others have their turn.
    READ_NUM_BYTES = 4 * 1024

    @property
    def is_done(self) -> bool:
        """Whether all was said; what came unasked must never be the next answer."""
        return self.is_idle() and not self._h11_state.trailing_data[0]


class Connections:
    """Opens connections, and keeps those for questions.

    Args:
        trust: What certificates are trusted.
        limits: How long and how many.
    """

    def __init__(self, trust: Trust, limits: Limits) -> None:
        self._trust = trust
        self._limits = limits
        self._closed = False
        self._idle: dict[tuple[Place, Way | None], list[Connection]] = {}
        self._room = {
            manner: asyncio.Semaphore(
                limits.held_connections if manner is Manner.HELD else limits.connections
            )
            for manner in Manner
        }

    async def close(self) -> None:
        """Close those nobody uses, and keep none any more; safe to call twice."""
        self._closed = True
        for idle in self._idle.values():
            while idle:
                await idle.pop().aclose()

    @asynccontextmanager
    async def borrowed(
        self, manner: Manner, place: Place, way: Way | None, watch: Stopwatch
    ) -> AsyncIterator[Connection]:
        """Lend a connection for one request.

        Args:
            manner: Whether it may be one that was kept.
            place: Where it leads.
            way: Through which proxy; None for straight there.
            watch: Is told of the phases of opening one.

        Raises:
            httpcore.PoolTimeout: All are in use, for too long.
            httpcore.ConnectError, httpcore.ConnectTimeout, CannotConnect: None can be opened.
        """
        await self._enter(self._room[manner])
        try:
            idle = self._idle.setdefault((place, way), []) if manner is Manner.ASK else []
            connection = await self._kept(idle) or await self._opened(place, way, watch)
            try:
                yield connection
            finally:
                if manner is Manner.ASK and connection.is_done and not self._closed:
                    idle.append(connection)
                else:
                    await connection.aclose()
        finally:
            self._room[manner].release()

    async def _enter(self, room: asyncio.Semaphore) -> None:
        if not room.locked():  # a timer less, nearly always
            await room.acquire()
            return
        try:
            async with within(self._limits.pool_s):
                await room.acquire()
        except TimeoutError:
            raise httpcore.PoolTimeout("all connections are in use") from None

    async def _kept(self, idle: list[Connection]) -> Connection | None:
        while idle:
            connection = idle.pop()
            if not connection.has_expired():  # or was hung up on, or something came
                return connection
            await connection.aclose()
        return None

    async def _opened(self, place: Place, way: Way | None, watch: Stopwatch) -> Connection:
        secure = place.scheme == "https"
        tls = await self._trust.context() if secure or (way and way.proxy.scheme == "https") else None
        watch.follow_look_up()
        with watch.phase("connection.connect_tcp"):
            if way is None:
                stream = await connected(place.host, place.port, self._limits.connect_s)
            else:
                stream = await self._tunnelled(place, way, tls)
        if tls and secure:
            with watch.phase("connection.start_tls"):
                stream = await self._secured(stream, tls, place.host)
        origin = httpcore.Origin(place.scheme.encode(), place.host.encode(), place.port)
        return Connection(origin, stream, keepalive_expiry=KEPT_S)

    async def _tunnelled(self, place: Place, way: Way, tls: ssl.SSLContext | None) -> Stream:
        proxy = way.proxy
        try:
            stream = await connected(proxy.host, proxy.port, self._limits.connect_s)
            if tls and proxy.scheme == "https":
                stream = await self._secured(stream, tls, proxy.host)
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            raise CannotConnect(at_the_proxy(error)) from None
        return await through(stream, way, place.host, place.port, self._limits.proxy_s)

    async def _secured(self, stream: Stream, tls: ssl.SSLContext, host: str) -> Stream:
        try:
            return await stream.start_tls(tls, host, self._limits.connect_s)
        except BaseException:
            await stream.aclose()
            raise
