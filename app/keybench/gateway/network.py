"""Reaching a host: its name is looked up off the event loop, and timed, and all of its addresses are tried.

anyio connects by name in one step, on the event loop's own executor; this takes that step apart. The request
and TLS still name the host, only the connection is made by address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import httpcore

from keybench.core.reasons import Reason
from keybench.gateway.failures import reason_of
from keybench.gateway.messages import Stopwatch
from keybench.runtime.clock import within
from keybench.runtime.worker import run_in_thread

#: How long an address is tried alone before the next one is tried, too (RFC 8305, 8: 250 ms).
STAGGER_S: Final = 0.25

#: Returns the addresses of a host's name, given the port too; may block, and raise `socket.gaierror`.
LookUp = Callable[[str, int], Sequence[str]]


async def connect(host: str, port: int, limit_s: float, watch: Stopwatch) -> httpcore.AsyncNetworkStream:
    """Look a host up and connect to the first of its addresses that answers, all within `limit_s` seconds."""
    with _timeouts_as(httpcore.ConnectTimeout):
        async with within(limit_s):
            addresses = await addresses_of(host, port, watch)
            return _PatientStream(await first_of(addresses, port))


class _PatientStream(httpcore.AsyncNetworkStream):
    """A stream whose time limits are `within`'s: an answer that is there already is read."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        with _timeouts_as(httpcore.ReadTimeout):
            async with within(timeout):
                return await self._stream.read(max_bytes)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        if not buffer:  # the end of a request without a body
            return
        with _timeouts_as(httpcore.WriteTimeout):
            async with within(timeout):
                await self._stream.write(buffer)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's
    ) -> httpcore.AsyncNetworkStream:
        with _timeouts_as(httpcore.ConnectTimeout):
            async with within(timeout):
                return _PatientStream(await self._stream.start_tls(ssl_context, server_hostname))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


@contextmanager
def _timeouts_as(kind: type[httpcore.TimeoutException]) -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise kind from None


async def addresses_of(
    host: str, port: int, watch: Stopwatch, look_up: LookUp | None = None
) -> Sequence[str]:
    """Return a host's addresses in the order to try them; an address stands for itself."""
    with suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    watch.mark("look_up.started")
    try:
        # A thread for each look-up: one that hangs holds nobody else up, and no exit either.
        return await run_in_thread("name look-up", lambda: (look_up or look_up_name)(host, port))
    except OSError as error:
        raise httpcore.ConnectError("the name isn't known") from error
    finally:
        watch.mark("look_up.complete")


def look_up_name(host: str, port: int) -> Sequence[str]:
    """Return a name's addresses as the system knows them."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:  # it can't be a name, such as one with a label of more than 63 characters
        raise socket.gaierror(socket.EAI_NONAME, "not a name") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def first_of(addresses: Sequence[str], port: int) -> httpcore.AsyncNetworkStream:
    """Return the first connection there is, and give up the others; without any, the first failure counts.

    That there is no way to an address says nothing beside another failure: many computers have no IPv6.
    aiohappyeyeballs does the same, but where addresses fail in different ways it doesn't tell how.
    """
    network, waiting, failures = httpcore.AnyIOBackend(), list(addresses), list[BaseException]()
    found: httpcore.AsyncNetworkStream | None = None
    trying: set[asyncio.Task[httpcore.AsyncNetworkStream]] = set()
    loop = asyncio.get_running_loop()
    try:
        while waiting or trying:
            if waiting:
                trying.add(loop.create_task(network.connect_tcp(waiting.pop(0), port)))
            limit_s = STAGGER_S if waiting else None
            done, _ = await asyncio.wait(trying, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                trying.discard(task)
                if (error := task.exception()) is None:
                    found = task.result()
                    return found
                failures.append(error)
        raise min(failures, key=lambda one: reason_of(one) is Reason.NETWORK_UNREACHABLE)
    finally:
        try:
            await _give_up(trying)
        except BaseException:
            if found:  # nobody takes it any more
                await found.aclose()
            raise


async def _give_up(tasks: set[asyncio.Task[httpcore.AsyncNetworkStream]]) -> None:
    for task in tasks:
        task.cancel()
    for found in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(found, httpcore.AsyncNetworkStream):
            await found.aclose()
