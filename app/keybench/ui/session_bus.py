"""The desktop's session bus (D-Bus), spoken to on the window's loop; Linux alone.

QtDBus turns every whole number of Python's into a signed one, and a notification's number is unsigned, so
messages are jeepney's, which the Secret Service's client brings along.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    message_bus,
    new_method_call,
)
from jeepney.auth import BEGIN, AuthenticationError, Authenticator
from jeepney.bus import get_bus
from jeepney.io.asyncio import DBusConnection, DBusRouter, Proxy
from jeepney.io.common import RouterClosed
from jeepney.wrappers import unwrap_msg

from keybench.runtime.system import session_bus_address

#: How long an answer may take, in seconds: desktops answer at once or not at all.
_PATIENCE_S: Final = 3.0
#: More than any answer while one signs in.
_SIGN_IN_BYTES: Final = 1024
_TROUBLES: Final = (
    OSError,
    EOFError,
    TimeoutError,
    RuntimeError,
    AuthenticationError,
    DBusErrorResponse,
    RouterClosed,
    # jeepney's router raises these of itself when its connection ends while somebody waits for an answer.
    KeyError,
    asyncio.InvalidStateError,
)


class BusTrouble(Exception):
    """There is no bus, nobody there offers what was asked for, or no answer came in time."""


@dataclass(frozen=True, slots=True)
class BusSignal:
    """What another program announced."""

    name: str
    arguments: tuple[Any, ...]


class _Signals:
    """Takes jeepney's messages for a queue, whose reader may wake itself with None."""

    def __init__(self, queue: asyncio.Queue[BusSignal | None]) -> None:
        self._queue = queue

    def put_nowait(self, message: Message) -> None:
        name = message.header.fields[HeaderFields.member]
        self._queue.put_nowait(BusSignal(name, tuple(message.body)))


class SessionBus:
    """An open connection to the bus."""

    def __init__(self, router: DBusRouter) -> None:
        self._router = router

    async def call(
        self, name: str, path: str, interface: str, method: str, signature: str = "", *arguments: Any
    ) -> tuple[Any, ...]:
        """Call a method of another program; the signature is D-Bus's; BusTrouble if that fails."""
        address = DBusAddress(path, name, interface)
        message = new_method_call(address, method, signature or None, arguments)
        return await self._asked(message)

    @asynccontextmanager
    async def signals(
        self, path: str, interface: str, queue: asyncio.Queue[BusSignal | None]
    ) -> AsyncIterator[None]:
        """Put the signals of an interface into a queue meanwhile; BusTrouble if the bus doesn't take it."""
        rule = MatchRule(type="signal", interface=interface, path=path)
        with self._router.filter(rule, queue=_Signals(queue)):
            await self._asked(message_bus.AddMatch(rule))
            yield

    async def _asked(self, message: Message) -> tuple[Any, ...]:
        try:
            # Not `wait_for`, which has a task of its own: cancelled, it would end behind the router.
            async with asyncio.timeout(_PATIENCE_S):
                reply = await self._router.send_and_get_reply(message)
            body: tuple[Any, ...] = unwrap_msg(reply)
        except _TROUBLES as error:
            raise BusTrouble(str(error)) from None
        return body


@asynccontextmanager
async def open_session_bus() -> AsyncIterator[SessionBus]:
    """Connect to the session bus; BusTrouble where there is none."""
    address = session_bus_address()
    if not address:
        raise BusTrouble("no session bus")
    try:
        async with asyncio.timeout(_PATIENCE_S):
            reader, writer = await asyncio.open_unix_connection(get_bus(address))  # type: ignore[attr-defined,unused-ignore]  # Windows has neither
    except _TROUBLES as error:
        raise BusTrouble(str(error)) from None
    router: DBusRouter | None = None
    try:
        router = DBusRouter(await _greeted(reader, writer))
        yield SessionBus(router)
    finally:
        writer.close()  # at once: whoever is cancelled may get no further turn
        if router:
            with suppress(*_TROUBLES):  # what ended the connection has been told
                await router.__aexit__(None, None, None)


async def _greeted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> DBusConnection:
    """Sign in and say hello, as the bus wants first of all; BusTrouble if it doesn't answer.

    jeepney's own `open_dbus_connection` does the same, and leaves the connection open when it is cancelled.
    """
    try:
        async with asyncio.timeout(_PATIENCE_S):
            signing_in = Authenticator()
            for request in signing_in:
                writer.write(request)
                await writer.drain()
                answer = await reader.read(_SIGN_IN_BYTES)
                if not answer:
                    raise EOFError("the bus closed the connection")
                signing_in.feed(answer)
            writer.write(BEGIN)
            await writer.drain()
            connection = DBusConnection(reader, writer)
            async with DBusRouter(connection) as router:
                await Proxy(message_bus, router).Hello()
    except _TROUBLES as error:
        raise BusTrouble(str(error)) from None
    return connection
