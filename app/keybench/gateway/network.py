"""Reaching a host: its name is looked up beside the loop, and timed, and all of its addresses are tried.

anyio connects by name in one step, on the event loop's own executor; this takes that step apart. The request
and TLS still name the host, only the connection is made by address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import httpcore

from keybench.gateway.timings import name_look_up
from keybench.runtime.deadline import within
from keybench.runtime.worker import DaemonWorker

#: How long an address is tried alone before the next one is tried beside it (RFC 8305, 8: 250 ms).
STAGGER_S: Final = 0.25

Stream = httpcore.AsyncNetworkStream


async def connected(
    host: str, port: int, limit_s: float, network: httpcore.AsyncNetworkBackend | None = None
) -> Stream:
    """Look a host up and connect to the first of its addresses that answers, all within `limit_s` seconds.

    Args:
        host: A name or an address.
        port: Where it listens.
        limit_s: How long all of it may take.
        network: Connects to one address; TCP if None.

    Raises:
        httpcore.ConnectError: There is no such name, or no address of it takes a connection.
        httpcore.ConnectTimeout: It takes too long.
    """
    tcp = network or httpcore.AnyIOBackend()
    try:
        async with within(limit_s):
            stream = await _first(
                lambda address: tcp.connect_tcp(address, port), await addresses_of(host, port)
            )
    except TimeoutError:
        raise httpcore.ConnectTimeout from None
    return _Patient(stream)


class _Patient(Stream):
    """A stream whose time limits are `within`'s: an answer that is there already is read."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        try:
            async with within(timeout):
                return await self._stream.read(max_bytes)
        except TimeoutError:
            raise httpcore.ReadTimeout from None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        try:
            async with within(timeout):
                await self._stream.write(buffer)
        except TimeoutError:
            raise httpcore.WriteTimeout from None

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's
    ) -> Stream:
        try:
            async with within(timeout):
                return _Patient(await self._stream.start_tls(ssl_context, server_hostname))
        except TimeoutError:
            raise httpcore.ConnectTimeout from None

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


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


async def _first(connect: Callable[[str], Awaitable[Stream]], addresses: Sequence[str]) -> Stream:
    """Return the first connection there is, the others given up."""
    if len(addresses) == 1:
        return await connect(addresses[0])
    race = _Race(connect, len(addresses))
    async with asyncio.TaskGroup() as group:
        race.tasks = [group.create_task(race.run(turn, one)) for turn, one in enumerate(addresses)]
    if race.winner is None:
        raise race.failures[0]
    return race.winner


class _Race:
    """Tries addresses one after another, each beside those that still try."""

    def __init__(self, connect: Callable[[str], Awaitable[Stream]], runners: int) -> None:
        self.winner: Stream | None = None
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
