"""The practice gateway as one application, behind an edge that logs requests and lets loopback names in."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from keybench import __version__
from keybench.practice import devices, pages, portal, sales, weather
from keybench.practice.body import NoAnswer, Refusal, as_refusal, on_failure
from keybench.practice.faults import Faults
from keybench.practice.gateway import PracticeGateway, RateLimiter, gateway_of
from keybench.practice.replay import Recorded, Replay
from keybench.practice.state import NO_ANSWER, LogEntry, State

SERVICE: Final = "keybench-practice"
LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_UNLOGGED: Final = frozenset({"/", "/openapi.json", "/health", "/portal/log"})


def make_app(
    state: State,
    drop: Callable[[Scope], None],
    *,
    clock: Callable[[], float] = time.time,
    speed: float = 1.0,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    recording: Sequence[Sequence[Recorded]] = (),
    faults: Faults | None = None,
) -> ASGIApp:
    """Return the practice gateway as an ASGI application."""
    starlette = Starlette(
        routes=[*sales.ROUTES, *devices.ROUTES, *portal.ROUTES, *pages.ROUTES, Route("/health", _health)],
        exception_handlers={
            HTTPException: _on_refusal,
            ClientDisconnect: _on_hang_up,
            Exception: on_failure,
        },
    )
    # A redirected call would lose its key or its body on the way.
    starlette.router.redirect_slashes = False
    starlette.state.gateway = gateway = PracticeGateway(state, clock, speed, pause, RateLimiter(clock))
    gateway.faults = faults or Faults()
    if not recording:
        return Edge(starlette, gateway, drop)
    replay = Replay(starlette, recording, clock=clock, speed=speed, pause=pause)
    return Edge(replay, gateway, drop)


async def _on_refusal(request: Request, error: Exception) -> Response:
    """Answer a refusal in the service's envelope, or as faults have it sound."""
    refusal = as_refusal(error)
    return gateway_of(request).faults.reworded(refusal) if _is_api(request.scope) else refusal.response()


def _is_api(scope: Scope) -> bool:
    path: str = scope["path"]
    return path.startswith("/api/")


async def _on_hang_up(_request: Request, _error: Exception) -> Response:
    """Answer nobody: the caller went away in the middle of the body."""
    return NoAnswer()


async def _health(request: Request) -> Response:
    facts = gateway_of(request).state.facts
    return JSONResponse({"service": SERVICE, "instance": facts.instance, "version": __version__})


class Edge:
    """The application as the server sees it.

    A request is logged before its answer begins, so whoever has an answer finds its entry. What the routes
    learn for the entry, `key_id` and `order_id`, stands in the request's `state`. `drop` closes the
    connection that a scope came by, where `app` sent no answer.
    """

    def __init__(self, app: ASGIApp, gateway: PracticeGateway, drop: Callable[[Scope], None]) -> None:
        self._app = app
        self._gateway = gateway
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; nothing else is spoken here."""
        if scope["type"] != "http":
            return
        scope.setdefault("state", {})
        answered = False
        faults = self._gateway.faults

        async def send_logged(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                self._log(scope, message["status"])
                date = (b"date", faults.date(self._gateway.clock()))
                message = {**message, "headers": [*message.get("headers", ()), date]}
            await send(message)

        # A page on a foreign name that resolves to loopback (DNS rebinding) sends that name as its host.
        if _host_of(scope) in LOOPBACK_NAMES:
            if _is_api(scope):
                await weather.serve(self._gateway, self._app, scope, receive, send_logged)
            else:
                await self._app(scope, receive, send_logged)
        else:
            refusal = Refusal(421, "E_HOST", "This service answers to loopback names only")
            await refusal.response()(scope, receive, send_logged)
        if not answered:
            self._log(scope, NO_ANSWER)
            self._drop(scope)
            # Returning before the connection is gone would get a 500 sent.
            while (await receive())["type"] != "http.disconnect":
                pass

    def _log(self, scope: Scope, status: int) -> None:
        if scope["path"] not in _UNLOGGED:
            learned = scope["state"].get("key_id"), scope["state"].get("order_id")
            entry = LogEntry(self._gateway.clock(), scope["method"], scope["path"], status, *learned)
            self._gateway.state.log.add(entry)


def _host_of(scope: Scope) -> str:
    """Return the name a request was made to, without its port; empty if there is not exactly one."""
    hosts = Headers(scope=scope).getlist("host")
    if len(hosts) != 1:
        return ""
    host = hosts[0].strip().lower()
    name, separator, port = host.rpartition(":")
    return name if separator and port.isdecimal() else host
