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
from keybench.practice import control, devices, pages, portal, sales, weather
from keybench.practice.applications import Runner
from keybench.practice.body import NoAnswer, Refusal, as_refusal, on_failure
from keybench.practice.faults import Faults
from keybench.practice.gateway import MovedClock, PracticeGateway, RateLimiter, about_of, gateway_of
from keybench.practice.keys import LIVE, TEST
from keybench.practice.replay import Recorded, Replay
from keybench.practice.state import NO_ANSWER, LogEntry, State

SERVICE: Final = "keybench-practice"
LOOPBACK_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LIVE_PREFIX: Final = f"/{LIVE}/"
#: What is asked again and again by who watches, and what only tells of the gateway itself.
_UNLOGGED: Final = frozenset(
    f"GET {path}"
    for path in (
        *("/", "/openapi.json", "/health", "/portal/log", "/portal/clock", "/portal/devices"),
        *("/portal/applications", "/portal/faults"),
    )
)
_REDIRECTS: Final = 300


def make_app(
    state: State,
    drop: Callable[[Scope], None],
    *,
    clock: Callable[[], float] = time.time,
    speed: float = 1.0,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    recording: Sequence[Sequence[Recorded]] = (),
    faults: Faults | None = None,
    names: frozenset[str] = LOOPBACK_NAMES,
) -> "Edge":
    """Return the practice gateway as an ASGI application; its applications sell once they are started.

    It answers to the hosts' `names` alone.
    """
    moved = MovedClock(clock, state.facts)
    starlette = Starlette(
        routes=[
            *(*sales.ROUTES, *devices.ROUTES, *portal.ROUTES, *control.ROUTES, *pages.ROUTES),
            Route("/health", _health),
        ],
        exception_handlers={
            HTTPException: _on_refusal,
            ClientDisconnect: _on_hang_up,
            Exception: on_failure,
        },
    )
    # A redirected call would lose its key or its body on the way.
    starlette.router.redirect_slashes = False
    starlette.state.gateway = gateway = PracticeGateway(state, moved, speed, pause, RateLimiter(moved))
    gateway.faults = faults or Faults()
    edge = Edge(Replay(starlette, recording, gateway) if recording else starlette, gateway, drop, names)
    gateway.applications = Runner(gateway, edge)
    return edge


async def _on_refusal(request: Request, error: Exception) -> Response:
    """Answer a refusal in the service's envelope, or as faults have it sound."""
    refusal = as_refusal(error)
    request.state.about = about_of(refusal)
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
    learn for the entry stands in the request's `state`: `key_id`, `order_id` and so on, `about` for why it
    is answered so, and `why` where a fault is the reason. `drop` closes the connection that a scope came by,
    where `app` sent no answer. Both sides are served here: the live one's paths begin with /live.
    """

    def __init__(
        self,
        app: ASGIApp,
        gateway: PracticeGateway,
        drop: Callable[[Scope], None],
        names: frozenset[str] = LOOPBACK_NAMES,
    ) -> None:
        self.gateway = gateway
        self._names = names
        self._app = app
        self._drop = drop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request; nothing else is spoken here."""
        if scope["type"] != "http":
            return
        called: str = scope["path"]
        on_live = called.startswith(_LIVE_PREFIX)
        scope.setdefault("state", {})["side"] = LIVE if on_live else TEST
        if on_live:
            scope = {**scope, "path": called.removeprefix(f"/{LIVE}")}
        answered = False
        faults = self.gateway.faults

        async def send_logged(message: Message) -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                self._log(scope, called, message["status"])
                date = (b"date", faults.date(self.gateway.clock()))
                message = {**message, "headers": [*message.get("headers", ()), date]}
            await send(message)

        # A page on a foreign name that resolves to loopback (DNS rebinding) sends that name as its host.
        if host_of(scope) in self._names:
            if _is_api(scope):
                await weather.serve(self.gateway, self._app, scope, receive, send_logged)
            else:
                await self._app(scope, receive, send_logged)
        else:
            scope["state"]["about"] = "host"
            await wrong_host().response()(scope, receive, send_logged)
        if not answered:
            self._log(scope, called, NO_ANSWER)
            self._drop(scope)
            # Returning before the connection is gone would get a 500 sent.
            while (await receive())["type"] != "http.disconnect":
                pass

    def _log(self, scope: Scope, called: str, status: int) -> None:
        state = scope["state"]
        state.setdefault("why", _why(state.get("about", ""), status))
        if f"{scope['method']} {scope['path']}" not in _UNLOGGED:
            named = scope.get("path_params", {})
            known = {
                "device_id": named.get("device_id", ""),
                "request_id": named.get("request_id", named.get("guid", "")),
                **{name: state[name] for name in LogEntry.__slots__ if name in state},
            }
            entry = LogEntry(self.gateway.clock(), scope["method"], called, status, **known)
            self.gateway.state.log.add(entry)


def _why(about: str, status: int) -> str:
    """Return a word for why a request was answered so, where no fault is the reason."""
    if status == NO_ANSWER:
        return "no_answer"
    return about or ("ok" if status < _REDIRECTS else "unavailable")


def wrong_host() -> Refusal:
    """Return the refusal of a request that was made to another name than ours."""
    return Refusal(421, "E_HOST", "This service answers to loopback names, or to the address of its class")


def host_of(scope: Scope) -> str:
    """Return the name a request was made to, without its port; empty if there is not exactly one."""
    hosts = Headers(scope=scope).getlist("host")
    if len(hosts) != 1:
        return ""
    host = hosts[0].strip().lower()
    name, separator, port = host.rpartition(":")
    return name if separator and port.isdecimal() else host
