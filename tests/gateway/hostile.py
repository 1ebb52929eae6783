"""A server that answers with whatever bytes a test wants, or breaks off."""

from __future__ import annotations

import asyncio
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET

Play = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Hostile:
    """A running server: where it is, and what was sent to it."""

    base_url: str
    requests: list[bytes] = field(default_factory=list)


def http(status: str, body: bytes = b"", *headers: str) -> bytes:
    """Return a well-formed answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def says(answer: bytes) -> Play:
    """Play a server that reads the request and answers with these bytes, then closes."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    return play


async def resets(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Break the connection with a reset."""
    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def is_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Never answer; end when the caller hangs up."""
    await reader.read()


def trickles(beginning: bytes) -> Play:
    """Play a server that sends a byte now and again, for ever."""

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(beginning)
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    return play


def in_turn(*plays: Play) -> Play:
    """Play one after the other, a request each; the last one goes on."""
    waiting = list(plays)

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await (waiting.pop(0) if len(waiting) > 1 else waiting[0])(reader, writer)

    return play


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return head + await reader.readexactly(length)


@asynccontextmanager
async def hostile(
    play: Play, *, reads: bool = True, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Hostile]:
    """Serve on loopback: read a request (unless told not to), play, close."""
    seen = Hostile("")
    under_way: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        under_way.add(asyncio.current_task())
        try:
            if reads:
                seen.requests.append(await _read_request(reader))
            await play(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the caller left first, or the test is over
        finally:
            writer.close()
            under_way.discard(asyncio.current_task())

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    host, port = server.sockets[0].getsockname()[:2]
    seen.base_url = f"{'https' if tls else 'http'}://{host}:{port}"
    try:
        yield seen
    finally:
        server.close()
        await server.wait_closed()
        waiting = {task for task in under_way if task}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
