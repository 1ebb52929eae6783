"""Requests over httpcore's connections: one of its own for a call that moves money, kept ones for questions.

httpcore's pool isn't used: it takes bytes that came unasked after an answer, in the same read, for the next
answer. To make it notice them takes a connection class longer than the few lines that keep connections here.
"""

from __future__ import annotations

import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import httpcore
import httpx
from httpcore import AsyncNetworkStream as Stream

from keybench.core.reasons import Reason
from keybench.gateway.failures import at_the_proxy, reason_of
from keybench.gateway.messages import Answer, CallFailed, ConnectionUse, Limits, Request, Stopwatch
from keybench.gateway.network import connect
from keybench.gateway.proxies import Proxies, Route
from keybench.gateway.trust import Trust
from keybench.runtime.clock import within

#: How long an idle connection is kept, in seconds.
KEPT_S: Final = 15.0
_PORTS: Final = {"http": 80, "https": 443}
_WITH_BODY: Final = {"POST", "PUT", "PATCH"}
_ASKS_TO_SIGN_IN: Final = 407
_UNTRUSTED: Final = frozenset({Reason.TLS_SELF_SIGNED, Reason.TLS_UNTRUSTED})
_NO_WAY: Final = (TimeoutError, httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)


@dataclass(frozen=True, slots=True)
class Target:
    """A request's address taken apart."""

    scheme: str
    host: str
    port: int
    netloc: bytes
    url: httpcore.URL


@lru_cache(maxsize=1024)
def target_of(address: str) -> Target:
    """Take an address apart; a sale is asked for at the same one each time."""
    url = httpx.URL(address)
    if url.scheme not in _PORTS or not url.host:
        raise httpcore.UnsupportedProtocol("neither http nor https")
    host, port = url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme]
    whole = httpcore.URL(scheme=url.scheme, host=host, port=port, target=url.raw_path)
    return Target(url.scheme, host, port, url.netloc, whole)


class KeptConnection(httpcore.AsyncHTTP11Connection):
    """A connection that may be kept for the next question."""

    #: How much is taken off the socket at a time. A server that sends its answer in the smallest of chunks
    #: can keep the parser busy for some milliseconds with so much, and then others have their turn.
    READ_NUM_BYTES = 4 * 1024

    @property
    def is_done(self) -> bool:
        """Whether nothing more is to come; what came unasked must never be the next answer."""
        return self.is_idle() and not self._h11_state.trailing_data[0]


class Connections:
    """Opens connections, sends requests over them, and keeps those for questions."""

    def __init__(self, proxies: Proxies, trust: Trust, limits: Limits) -> None:
        self._proxies = proxies
        self._trust = trust
        self._limits = limits
        self._closed = False
        self._idle: dict[tuple[str, str, int, Route | None], list[KeptConnection]] = {}

    async def close(self) -> None:
        """Close those nobody uses, and keep none any more; safe to call twice."""
        self._closed = True
        for idle in self._idle.values():
            while idle:
                await idle.pop().aclose()

    async def fetch(self, request: Request, use: ConnectionUse, watch: Stopwatch, answer: Answer) -> None:
        """Send a request once and fill in its answer as it comes."""
        try:
            await self._fetch(request, use, watch, answer)
        except CallFailed:
            raise
        except Exception as error:  # noqa: BLE001 - the edge of the HTTP library
            reason = reason_of(error)
            if reason in _UNTRUSTED:
                target = target_of(request.url)
                reason = Reason.CLASS_CERTIFICATE if self._trust.pinned(target.host, target.port) else reason
            raise CallFailed(reason) from None

    async def _fetch(self, request: Request, use: ConnectionUse, watch: Stopwatch, answer: Answer) -> None:
        target, content = target_of(request.url), (request.content or "").encode("ascii")
        headers = [(b"Host", target.netloc)]
        headers += [
            (name.encode("ascii"), value.encode("ascii")) for name, value in request.all_headers.items()
        ]
        pin = self._trust.pinned(target.host, target.port)
        if pin and pin.ticket:  # here, so that no exchange has it
            headers.append((b"X-Class-Ticket", pin.ticket.reveal().encode("ascii")))
        if content or request.method in _WITH_BODY:  # also for an empty body where one is usual
            headers.append((b"Content-Length", b"%d" % len(content)))
        read_s = self._limits.held(request, use) or self._limits.read_s
        extensions = {"trace": watch.trace, "timeout": {"write": self._limits.write_s, "read": read_s}}
        sent = httpcore.Request(
            request.method, target.url, headers=headers, content=content, extensions=extensions
        )
        way = await self._proxies.way_to(request.environment, target.host, target.port)
        async with self._borrowed(use, target, way, watch) as connection:
            response = await connection.handle_async_request(sent)
            try:
                answer.status = response.status
                answer.headers = tuple(
                    (name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers
                )
                await _read_body(response, answer, request.most)
            finally:
                await response.aclose()

    @asynccontextmanager
    async def _borrowed(
        self, use: ConnectionUse, target: Target, way: Route | None, watch: Stopwatch
    ) -> AsyncIterator[KeptConnection]:
        """Lend a connection for one request: to a question one that was kept, if there is one."""
        key = (target.scheme, target.host, target.port, way)
        idle = self._idle.setdefault(key, []) if use is ConnectionUse.SHARED else []
        connection = await self._kept(idle) or await self._opened(target, way, watch)
        try:
            yield connection
        finally:
            if use is ConnectionUse.SHARED and connection.is_done and not self._closed:
                idle.append(connection)
            else:
                await connection.aclose()

    async def _kept(self, idle: list[KeptConnection]) -> KeptConnection | None:
        while idle:
            connection = idle.pop()
            if not connection.has_expired():  # or was hung up on, or something came
                return connection
            await connection.aclose()
        return None

    async def _opened(self, target: Target, way: Route | None, watch: Stopwatch) -> KeptConnection:
        secure = target.scheme == "https"
        needed = secure or (way and way.proxy.scheme == "https")
        tls = await self._trust.context(target.host, target.port) if needed else None
        with watch.phase("connect"):
            stream = await open_way(target, way, tls, self._limits, watch)
        if tls and secure:
            with watch.phase("start_tls"):
                stream = await secured(stream, tls, target.host, self._limits.connect_s)
        return KeptConnection(target.url.origin, stream, keepalive_expiry=KEPT_S)


async def open_way(
    target: Target, way: Route | None, tls: ssl.SSLContext | None, limits: Limits, watch: Stopwatch
) -> Stream:
    """Return a stream to a target, through its proxy where there is one, before any TLS with it."""
    if way is None:
        return await connect(target.host, target.port, limits.connect_s, watch)
    return await _through_proxy(way, target, tls, limits, watch)


async def secured(stream: Stream, tls: ssl.SSLContext, host: str, limit_s: float) -> Stream:
    """Return a stream after the TLS handshake over another, which is closed where that fails."""
    try:
        return await stream.start_tls(tls, host, limit_s)
    except BaseException:
        await stream.aclose()
        raise


async def _through_proxy(
    way: Route, target: Target, tls: ssl.SSLContext | None, limits: Limits, watch: Stopwatch
) -> Stream:
    """Return a stream that leads through a proxy, asked for by CONNECT.

    Whatever goes wrong here, nothing of a request was sent. httpcore's own proxies use no tunnel for
    plain HTTP, and don't tell why one is refused.
    """
    proxy = way.proxy
    try:
        stream = await connect(proxy.host, proxy.port, limits.connect_s, watch)
        if tls and proxy.scheme == "https":
            stream = await secured(stream, tls, proxy.host, limits.connect_s)
        return await _tunnel(stream, way, target, limits)
    except _NO_WAY as error:
        raise CallFailed(at_the_proxy(error)) from None


async def _tunnel(stream: Stream, way: Route, target: Target, limits: Limits) -> Stream:
    """Ask a proxy over a stream to lead to a target; the stream is closed where it doesn't."""
    connection = httpcore.AsyncHTTP11Connection(target.url.origin, stream)
    try:
        async with within(limits.proxy_s):
            answer = await connection.handle_async_request(_connect_request(way, target))
    except BaseException:  # also where it is cancelled before httpcore has begun, which doesn't close it then
        await stream.aclose()
        raise
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's class of success
        await connection.aclose()
        raise CallFailed(_refusal(answer, signed=bool(way.proxy.user)), answer.status)
    onward: Stream = answer.extensions["network_stream"]
    return onward


def _connect_request(way: Route, target: Target) -> httpcore.Request:
    authority = f"[{target.host}]:{target.port}" if ":" in target.host else f"{target.host}:{target.port}"
    headers = [("Host", authority), ("User-Agent", "keybench")]
    if way.proxy.user:
        password = way.password.reveal() if way.password else ""
        signed = b64encode(f"{way.proxy.user}:{password}".encode()).decode("ascii")
        headers.append(("Proxy-Authorization", f"Basic {signed}"))
    url = httpcore.URL(scheme=target.scheme, host=target.host, port=target.port, target=authority)
    return httpcore.Request("CONNECT", url, headers=headers)


def _refusal(answer: httpcore.Response, *, signed: bool) -> Reason:
    if answer.status == _ASKS_TO_SIGN_IN:
        offered = [value for name, value in answer.headers if name.lower() == b"proxy-authenticate"]
        if offered and not any(one.lower().startswith(b"basic") for one in offered):
            return Reason.PROXY_SIGN_IN
        return Reason.PROXY_PASSWORD_REFUSED if signed else Reason.PROXY_PASSWORD_WANTED
    # The proxy's own word for a gateway that it can't reach (RFC 9110, 15.6).
    return Reason.PROXY_IN_VAIN if answer.status in range(500, 600) else Reason.PROXY_REFUSED


async def _read_body(response: httpcore.Response, answer: Answer, most: int) -> None:
    raw = bytearray()
    try:
        async for piece in response.aiter_stream():
            raw += piece
            if len(raw) > most:
                break
    finally:
        answer.take_body(bytes(raw), most)
