"""Connections kept for questions, which are many and small: one request at a time on each, no pool between.

httpx and its pool take more time for a poll than all the rest of it. A question needs no redirects, cookies,
proxies or decoding, so it goes to httpcore's connections at once.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Final

import httpcore
import httpx

from keybench.gateway.messages import Limits, Request
from keybench.gateway.timed_transport import KEPT_S, TimedBackend
from keybench.gateway.timings import Stopwatch

# httpcore tries to import it at each lock it takes, and a module that isn't installed is searched for anew
# each time: a third of a request's time. None makes the search end at once, with the same result.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]  # None is how the import system says it

_Place = tuple[bytes, bytes, int]
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
        self._network = TimedBackend()
        self._idle: dict[_Place, list[httpcore.AsyncHTTPConnection]] = {}
        self._room = asyncio.Semaphore(limits.connections)

    async def aclose(self) -> None:
        """Close those nobody uses."""
        for connections in self._idle.values():
            while connections:
                await connections.pop().aclose()

    @asynccontextmanager
    async def ask(self, request: Request, watch: Stopwatch) -> AsyncIterator[httpcore.Response]:
        """Send a question; the connection is its own for as long as the block reads the answer.

        Raises:
            httpx.HTTPError, httpx.InvalidURL: As httpx itself does, also from within the block.
        """
        url, place = _where(request.url)
        await self._enter()
        try:
            with _as_httpx():
                connection = await self._connection(place)
                try:
                    response = await connection.handle_async_request(self._prepared(request, url, watch))
                    try:
                        yield response
                    finally:
                        await response.aclose()
                finally:
                    await self._keep(place, connection)
        finally:
            self._room.release()

    async def _enter(self) -> None:
        if not self._room.locked():
            await self._room.acquire()
            return
        try:
            async with asyncio.timeout(self._limits.pool_s):
                await self._room.acquire()
        except TimeoutError:
            raise httpx.PoolTimeout("all connections are in use") from None

    async def _connection(self, place: _Place) -> httpcore.AsyncHTTPConnection:
        idle = self._idle.get(place, [])
        while idle:
            connection = idle.pop()
            if not connection.has_expired():
                return connection
            await connection.aclose()
        return httpcore.AsyncHTTPConnection(
            httpcore.Origin(*place),
            ssl_context=self._tls,
            keepalive_expiry=KEPT_S,
            network_backend=self._network,
        )

    async def _keep(self, place: _Place, connection: httpcore.AsyncHTTPConnection) -> None:
        if connection.is_available():
            self._idle.setdefault(place, []).append(connection)
        else:
            await connection.aclose()

    def _prepared(self, request: Request, url: httpcore.URL, watch: Stopwatch) -> httpcore.Request:
        limits, content = self._limits, (request.content or "").encode()
        host = url.host if url.port is None else b"%s:%d" % (url.host, url.port)
        headers = [(b"Host", host)]
        headers += [
            (name.encode("ascii"), value.encode("ascii")) for name, value in request.all_headers.items()
        ]
        if content:
            headers.append((b"Content-Length", str(len(content)).encode()))
        times = {
            "connect": limits.connect_s,
            "read": limits.read_s,
            "write": limits.write_s,
            "pool": limits.pool_s,
        }
        extensions = {"timeout": times, "trace": watch.trace}
        return httpcore.Request(request.method, url, headers=headers, content=content, extensions=extensions)


@lru_cache(maxsize=1024)
def _where(address: str) -> tuple[httpcore.URL, _Place]:
    """Return an address as httpcore takes it; a sale is asked for at the same one each time."""
    url = httpx.URL(address)
    if url.scheme not in _PORTS or not url.host:
        raise httpx.UnsupportedProtocol("neither http nor https")
    port = url.port or _PORTS[url.scheme]
    plain = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return plain, (url.raw_scheme, url.raw_host, port)


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Raise httpcore's errors as httpx's of the same names, which is what httpx does with them."""
    try:
        yield
    except tuple(_NAMES) as error:
        raise _NAMES[type(error)](str(error)) from error


_NAMES: Final[dict[type[Exception], type[httpx.HTTPError]]] = {
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.ReadError: httpx.ReadError,
    httpcore.ReadTimeout: httpx.ReadTimeout,
    httpcore.WriteError: httpx.WriteError,
    httpcore.WriteTimeout: httpx.WriteTimeout,
    httpcore.LocalProtocolError: httpx.LocalProtocolError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
}
