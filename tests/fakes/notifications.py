"""A notification service on the session bus, as a desktop has one; a test clicks and closes what is shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, DBusRouter, Proxy, open_dbus_connection

NAME = "org.freedesktop.Notifications"
_PLACE = DBusAddress("/org/freedesktop/Notifications", NAME, NAME)


@dataclass(frozen=True)
class Shown:
    """A notification as the service was asked for it."""

    program: str
    replaces: int
    title: str
    text: str
    actions: list[str]
    hints: dict[str, Any]


@dataclass
class Notifications:
    """The service.

    Attributes:
        capabilities: What it says it can do.
        shown: What it was asked to show, the oldest first; a replaced one stays in the list.
        open: The numbers of those that are on screen.
        closed: The numbers that a program took back.
    """

    capabilities: Sequence[str] = ("body", "actions")
    shown: list[Shown] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    refuses: bool = False
    _line: DBusConnection | None = None
    _count: int = 0

    async def serve(self) -> None:
        """Answer until cancelled."""
        assert self._line is not None
        while True:
            message = await self._line.receive()
            if message.header.message_type is MessageType.method_call:
                await self._line.send(self._answer(message))

    async def click(self, number: int, token: str = "") -> None:
        """Click a notification, as a person does; newer desktops say with what a window may come up."""
        if token:
            await self._tell("ActivationToken", "us", number, token)
        await self._tell("ActionInvoked", "us", number, "default")
        await self.expire(number, reason=2)

    async def expire(self, number: int, reason: int = 1) -> None:
        """Take a notification from the screen."""
        self.open.remove(number)
        await self._tell("NotificationClosed", "uu", number, reason)

    async def _tell(self, name: str, signature: str, *arguments: Any) -> None:
        assert self._line is not None
        await self._line.send(new_signal(_PLACE, name, signature, arguments))

    def _answer(self, call: Message) -> Message:
        match call.header.fields[HeaderFields.member]:
            case "GetCapabilities":
                return new_method_return(call, "as", (list(self.capabilities),))
            case "CloseNotification":
                self.closed.append(call.body[0])
                if call.body[0] in self.open:
                    self.open.remove(call.body[0])
                return new_method_return(call)
            case "Notify" if (
                not self.refuses and call.header.fields[HeaderFields.signature] == "susssasa{sv}i"
            ):
                return new_method_return(call, "u", (self._show(*call.body),))
            case _:
                return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod")

    def _show(
        self,
        program: str,
        replaces: int,
        _icon: str,
        title: str,
        text: str,
        actions: list[str],
        hints: dict[str, Any],
        _for_ms: int,
    ) -> int:
        self.shown.append(Shown(program, replaces, title, text, actions, hints))
        if replaces in self.open:
            return replaces
        self._count += 1
        self.open.append(self._count)
        return self._count


@asynccontextmanager
async def notification_service(**settings: Any) -> AsyncIterator[Notifications]:
    """Put a service on the session bus; the caller runs its `serve`."""
    line = await open_dbus_connection()
    async with DBusRouter(line) as router:
        assert (await Proxy(message_bus, router).RequestName(NAME))[0] == 1, "there is a service already"
    try:
        yield Notifications(**settings, _line=line)
    finally:
        await line.close()
