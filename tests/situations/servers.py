"""Servers of a situation: a small gateway with or without TLS, and whatever else may stand at its address."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from situations.gateways import SmallGateway

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
_RESET = struct.pack("ii", 1, 0)


class Place:
    """An address on this computer: what stands there can be changed, and no one else gets it meanwhile."""

    def __init__(self) -> None:
        self._held = _bound(0)
        self.port: int = self._held.getsockname()[1]
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._filling: list[socket.socket] = []

    async def serve(self, serve: Serve, tls: ssl.SSLContext | None = None) -> None:
        """Have each connection served so from now on."""
        await self.refuse()

        async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                self._tasks.add(task)
            try:
                await serve(reader, writer)
            except (OSError, EOFError, asyncio.CancelledError, asyncio.IncompleteReadError, ValueError):
                pass  # the caller left first, or the situation is over
            finally:
                writer.close()
                if task is not None:
                    self._tasks.discard(task)

        self._server = await asyncio.start_server(served, sock=self.listening(), ssl=tls)

    async def swallow(self) -> None:
        """Take no connection and refuse none: whoever connects waits."""
        await self.refuse()
        listening = self.listening(0)
        self._filling.append(listening)
        for _ in range(3):
            one = socket.socket()
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.connect(("127.0.0.1", self.port))
            self._filling.append(one)

    async def refuse(self) -> None:
        """Refuse every connection."""
        for one in self._filling:
            one.close()
        self._filling.clear()
        if self._server is not None:
            self._server.close()
            tasks = set(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._server = None

    async def close(self) -> None:
        """Give the address back."""
        await self.refuse()
        self._held.close()

    def listening(self, backlog: int = 100) -> socket.socket:
        """Return a socket that listens there; the caller closes it."""
        listening = _bound(self.port)
        listening.listen(backlog)
        listening.setblocking(False)
        return listening


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    return bound


async def read_head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    """Return a request's method, its target and its headers by name in small letters; its body is read."""
    begins = await reader.readexactly(1)
    if not begins.isalpha():
        raise ValueError  # no HTTP
    head = (begins + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    await reader.readexactly(int(headers.get("content-length", "0")))
    return method, target, headers


def gateway_at(gateway: SmallGateway) -> Serve:
    """Serve a small gateway."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                method, target, headers = await read_head(reader)
            except ValueError:
                writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                return
            answer = gateway.answer(method, target, headers)
            if method == "HEAD":
                answer = answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            writer.write(answer)
            await writer.drain()

    return serve


async def is_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """Take everything and answer nothing."""
    while await reader.read(4096):
        pass


async def resets_at_once(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Break every connection as soon as it is there."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


async def resets_a_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Break off when a request has come."""
    await read_head(reader)
    await resets_at_once(reader, writer)


async def trickles(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer with a byte a second."""
    await read_head(reader)
    for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n":
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1)


def proxy_at(mode: str, port_of: Callable[[str], int | None]) -> Serve:
    """Serve a proxy.

    Args:
        mode: `passes`, `refuses`, `password`, `in vain`, `silent`, `page`, `lies` (it opens a tunnel and
            answers in it itself) or `resets`.
        port_of: Where on this computer a host is; None for nowhere.
    """

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if mode == "resets":
            await resets_at_once(reader, writer)
            return
        method, target, _ = await read_head(reader)
        if mode == "silent":
            await reader.read()
        elif mode in _REFUSALS:
            writer.write(_REFUSALS[mode])
            await reader.read(4096)
        elif method != "CONNECT":
            writer.write(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
        elif mode == "lies":
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await writer.drain()
            await reader.read(4096)
            writer.write(_PAGE)
        elif (port := port_of(target)) is None:
            writer.write(_REFUSALS["in vain"])
        else:
            try:
                onward = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                writer.write(_REFUSALS["in vain"])
                return
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await pumped(reader, writer, *onward)

    return serve


_HTML = b"<html><title>Sign in</title><body>Welcome to our network</body></html>"
_PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(_HTML), _HTML)
_REFUSALS = {
    "refuses": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
    "password": b'HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm="p"\r\nContent-Length: 0\r\n\r\n',
    "in vain": b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    "page": _PAGE,
}


async def pumped(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    onward: asyncio.StreamReader,
    to: asyncio.StreamWriter,
) -> None:
    """Pass everything on, both ways, until both sides have ended."""

    async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while piece := await source.read(65536):
            target.write(piece)
            await target.drain()
        target.close()

    try:
        await asyncio.gather(pump(reader, to), pump(onward, writer))
    finally:
        to.close()


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    """Yield an address on this computer."""
    made = Place()
    try:
        yield made
    finally:
        await made.close()
