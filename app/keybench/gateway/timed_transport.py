"""HTTP connections that look names up beside the loop and time it, and try all of a host's addresses.

httpcore connects by name in one step, on the event loop's own executor; this takes that step apart. The
request and TLS still name the host, only the connection is made by address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, Generic, Protocol, TypeVar

import httpcore
import httpx

from keybench.gateway.timings import name_look_up
from keybench.runtime.worker import DaemonWorker

#: How long an address is tried alone before the next one is tried beside it (RFC 8305, 8: 250 ms).
STAGGER_S: Final = 0.25
#: How long an idle connection is kept, in seconds.
KEPT_S: Final = 15.0

Options = Iterable[httpcore.SOCKET_OPTION]


class Closable(Protocol):
    """A connection, to whoever only has to choose one of several."""

    async def aclose(self) -> None:
        """Hang up."""


S = TypeVar("S", bound=Closable)


class TimedTransport(httpx.AsyncHTTPTransport):
    """A connection pool of HTTP/1.1 whose names are looked up by `TimedBackend`.

    Args:
        tls: What certificates are trusted.
        most: How many connections at once.
        kept: How many idle ones are kept for the next request.
    """

    def __init__(self, tls: ssl.SSLContext, *, most: int, kept: int) -> None:
        super().__init__(verify=tls, trust_env=False)
        # httpx has no argument for the network backend; a test notices if this stops to take effect.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=most,
            max_keepalive_connections=kept,
            keepalive_expiry=KEPT_S,
            network_backend=TimedBackend(),
        )


class TimedBackend(httpcore.AsyncNetworkBackend):
    """Looks a name up, then connects to whichever of its addresses answers first."""

    def __init__(self) -> None:
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is httpcore's
        local_address: str | None = None,
        socket_options: Options | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host by name or address within `timeout` seconds.

        Raises:
            httpcore.ConnectError: There is no such name, or no address of it takes a connection.
            httpcore.ConnectTimeout: It takes too long.
        """

        def connect(address: str) -> Awaitable[httpcore.AsyncNetworkStream]:
            return self._network.connect_tcp(address, port, None, local_address, socket_options)

        return await connected(host, port, timeout, connect)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._network.sleep(seconds)


async def connected(host: str, port: int, limit_s: float | None, connect: Callable[[str], Awaitable[S]]) -> S:
    """Look a host up and connect to the first of its addresses that answers, all within `limit_s` seconds.

    Raises:
        httpcore.ConnectError: There is no such name, or no address of it takes a connection.
        httpcore.ConnectTimeout: It takes too long.
    """
    try:
        async with asyncio.timeout(limit_s):
            return await _first(connect, await addresses_of(host, port))
    except TimeoutError:
        raise httpcore.ConnectTimeout from None


async def addresses_of(host: str, port: int) -> Sequence[str]:
    """Return a host's addresses in the order to try them; an address stands for itself.

    Raises:
        httpcore.ConnectError: The name isn't known.
    """
    with suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    # A thread for each look-up: one that hangs holds nobody else up, and no exit either.
    worker = DaemonWorker("name look-up")
    try:
        with name_look_up():
            return await worker.run(lambda: _look_up(host, port))
    except OSError as error:
        raise httpcore.ConnectError("the name isn't known") from error
    finally:
        worker.stop()


def _look_up(host: str, port: int) -> Sequence[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:  # it can't be a name, such as one with a label of more than 63 characters
        raise socket.gaierror(socket.EAI_NONAME, "not a name") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _first(connect: Callable[[str], Awaitable[S]], addresses: Sequence[str]) -> S:
    """Return the first connection there is, the others given up."""
    if len(addresses) == 1:
        return await connect(addresses[0])
    race = _Race(connect, len(addresses))
    async with asyncio.TaskGroup() as group:
        race.tasks = [group.create_task(race.run(turn, one)) for turn, one in enumerate(addresses)]
    if race.winner is None:
        raise race.failures[0]
    return race.winner


class _Race(Generic[S]):
    """Tries addresses one after another, each beside those that still try."""

    def __init__(self, connect: Callable[[str], Awaitable[S]], runners: int) -> None:
        self.winner: S | None = None
        self.failures: list[Exception] = []
        self.tasks: Sequence[asyncio.Task[None]] = ()
        self._connect = connect
        self._failed = [asyncio.Event() for _ in range(runners)]

    async def run(self, turn: int, address: str) -> None:
        """Wait for one's turn, connect, and send the others home."""
        if turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(STAGGER_S * turn):
                    await asyncio.gather(*(failed.wait() for failed in self._failed[:turn]))
        try:
            stream = await self._connect(address)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            self.failures.append(error)
            self._failed[turn].set()
            return
        if self.winner:
            await stream.aclose()
            return
        self.winner = stream
        for task in self.tasks:
            if task is not asyncio.current_task():
                task.cancel()
