"""The outermost layer: only loopback names get in, each request is logged, and some get no answer at all."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keybench.practice.body import Refusal, as_response
from keybench.practice.state import NO_ANSWER, LogEntry, RequestLog

LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_UNLOGGED: Final = frozenset({"/health", "/portal/log"})
_NOTE: Final = "keybench.note"
_NO_ANSWER: Final = "keybench.no_answer"


@dataclass
class Note:
    """What the routes learn about a request that its log entry should say."""

    key_id: str | None = None
    order_id: str | None = None


def note_of(request: Request) -> Note:
    """Return the note that a request's log entry will be made from."""
    note = request.scope[_NOTE]
    if not isinstance(note, Note):
        raise TypeError("the request did not come in through the edge")
    return note


class NoAnswer(Response):
    """The answer that never comes: the connection is closed without a byte."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        """Ask the edge, which all messages pass, to close the connection."""
        await send({"type": _NO_ANSWER})


class Edge:
    """The application as the server sees it.

    Args:
        app: the routes.
        log: where requests are noted, before their answer begins, so whoever has an answer finds its entry.
        clock: seconds since 1970.
        drop: closes the connection that a scope came by.
    """

    def __init__(
        self, app: ASGIApp, log: RequestLog, clock: Callable[[], float], drop: Callable[[Scope], None]
    ) -> None:
        self._app = app
        self._log = log
        self._clock = clock
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; nothing else is spoken here."""
        if scope["type"] != "http":
            return
        scope[_NOTE] = Note()

        async def send_noted(message: Message) -> None:
            if message["type"] == _NO_ANSWER:
                self._enter(scope, NO_ANSWER)
                await self._close(scope, receive)
                return
            if message["type"] == "http.response.start":
                self._enter(scope, message["status"])
            await send(message)

        # A page on a foreign name that resolves to loopback (DNS rebinding) sends that name as its host.
        if _host_of(scope) in LOOPBACK_NAMES:
            await self._app(scope, receive, send_noted)
        else:
            refusal = Refusal(421, "E_HOST", "This service answers to loopback names only")
            await as_response(refusal)(scope, receive, send_noted)

    def _enter(self, scope: Scope, status: int) -> None:
        if scope["path"] in _UNLOGGED:
            return
        note: Note = scope[_NOTE]
        entry = LogEntry(self._clock(), scope["method"], scope["path"], status, note.key_id, note.order_id)
        self._log.add(entry)

    async def _close(self, scope: Scope, receive: Receive) -> None:
        """Close the connection and wait until it is gone: returning earlier would get a 500 sent."""
        self._drop(scope)
        while (await receive())["type"] != "http.disconnect":
            pass


def _host_of(scope: Scope) -> str:
    """Return the name a request was made to, without its port; empty if there is not exactly one."""
    hosts = Headers(scope=scope).getlist("host")
    if len(hosts) != 1:
        return ""
    host = hosts[0].strip().lower()
    name, separator, port = host.rpartition(":")
    return name if separator and port.isdecimal() else host
