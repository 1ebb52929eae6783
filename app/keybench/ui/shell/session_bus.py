"""The desktop's session bus (D-Bus), spoken to on the window's loop; Linux alone.

QtDBus turns every whole number of Python's into a signed one, and a notification's number is unsigned, so
messages are jeepney's, which the Secret Service's client brings along.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, TypeAlias

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    message_bus,
    new_method_call,
)
from jeepney.auth import AuthenticationError
from jeepney.io.asyncio import DBusRouter, open_dbus_connection
from jeepney.io.common import RouterClosed
from jeepney.wrappers import unwrap_msg

from keybench.runtime.system import session_bus_address

#: How long an answer may take, in seconds: desktops answer at once or not at all.
_PATIENCE_S: Final = 3.0
_TROUBLES: Final = (
    *(OSError, EOFError, TimeoutError, RuntimeError, AuthenticationError, DBusErrorResponse, RouterClosed),
    # jeepney's router raises these of itself when its connection ends while somebody waits for an answer.
    *(KeyError, asyncio.InvalidStateError),
)


#: What another program announced.
BusSignal: TypeAlias = Message


class BusTrouble(Exception):
    """There is no bus, nobody there offers what was asked for, or no answer came in time."""


class SessionBus:
    """An open connection to the bus; its methods raise BusTrouble."""

    def __init__(self, router: DBusRouter) -> None:
        self._router = router

    async def call(
        self, name: str, path: str, interface: str, method: str, signature: str = "", *arguments: Any
    ) -> tuple[Any, ...]:
        """Call a method of another program; the signature is D-Bus's."""
        address = DBusAddress(path, name, interface)
        return await self._asked(new_method_call(address, method, signature or None, arguments))

    @asynccontextmanager
    async def signals(
        self, path: str, interface: str, queue: asyncio.Queue[BusSignal | None]
    ) -> AsyncIterator[None]:
        """Put the signals of an interface into a queue meanwhile."""
        rule = MatchRule(type="signal", interface=interface, path=path)
        with self._router.filter(rule, queue=queue):
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


def name_of(signal: BusSignal) -> str:
    name: str = signal.header.fields[HeaderFields.member]
    return name


@asynccontextmanager
async def open_session_bus() -> AsyncIterator[SessionBus]:
    """Connect to the session bus; BusTrouble where there is none, or none that answers."""
    if not (address := session_bus_address()):
        raise BusTrouble("no session bus")
    try:
        async with asyncio.timeout(_PATIENCE_S):
            connection = await open_dbus_connection(address)
    except _TROUBLES as error:
        raise BusTrouble(str(error)) from None
    router = DBusRouter(connection)
    try:
        yield SessionBus(router)
    finally:
        connection.writer.close()  # at once: whoever is cancelled may get no further turn
        with suppress(*_TROUBLES):  # what ended the connection has been told
            await router.__aexit__(None, None, None)
