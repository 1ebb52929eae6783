"""Opening a wire: TCP to whichever address answers first, then TLS, each timed and within its limit."""

from __future__ import annotations

import asyncio
import errno
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import httpcore
import httpx

from keybench.gateway.timed_transport import connected
from keybench.gateway.timings import Stopwatch
from keybench.gateway.wire import Wire


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection leads: ``http`` or ``https``, the host as it stands in the URL, the port."""

    scheme: str
    host: str
    port: int


async def opened(
    place: Place, tls: ssl.SSLContext, limit_s: float, watch: Stopwatch, make: Callable[[], Wire]
) -> Wire:
    """Return a wire to a place.

    Args:
        place: Where.
        tls: What certificates are trusted.
        limit_s: How long each of the two steps may take, in seconds.
        watch: Is told of them.
        make: Makes a wire that isn't connected yet; called for each address that is tried.

    Raises:
        httpx.ConnectError: There is no such name, no address takes a connection, or TLS can't be had.
        httpx.ConnectTimeout: It takes too long.
    """

    async def connect(address: str) -> Wire:
        try:
            _, wire = await asyncio.get_running_loop().create_connection(make, address, place.port)
        except OSError as error:
            raise httpcore.ConnectError("refused") from error
        return wire

    watch.follow_look_up()
    try:
        with watch.phase("connection.connect_tcp"):
            wire = await connected(place.host, place.port, limit_s, connect)
    except httpcore.ConnectTimeout as error:
        raise httpx.ConnectTimeout("no connection in time") from error
    except httpcore.ConnectError as error:
        raise httpx.ConnectError("no connection") from error
    if place.scheme == "https":
        with watch.phase("connection.start_tls"):
            await _start_tls(wire, tls, place.host, limit_s)
    return wire


async def _start_tls(wire: Wire, tls: ssl.SSLContext, host: str, limit_s: float) -> None:
    plain = wire.transport
    if plain is None:
        raise httpx.ConnectError("closed before TLS") from ConnectionResetError(errno.ECONNRESET, "")
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(limit_s):
            transport = await loop.start_tls(plain, wire, tls, server_hostname=host)
    except TimeoutError:
        raise httpx.ConnectTimeout("no TLS in time") from None
    except OSError as error:  # TLS's own errors are such, too
        raise httpx.ConnectError("no TLS") from error
    if transport is None:
        raise httpx.ConnectError("closed before TLS") from ConnectionResetError(errno.ECONNRESET, "")
    wire.upgrade(transport)
