"""Wiring the practice gateway's routes into one application."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib import metadata

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Scope

from keybench.practice.body import Refusal, on_failure, on_refusal, on_routing_error
from keybench.practice.devices import Devices
from keybench.practice.edge import Edge, NoAnswer
from keybench.practice.gateway import Gateway, RateLimiter
from keybench.practice.portal import KeyNames, Partner, Portal
from keybench.practice.sales import AsyncStatus, ClassicForm, HeldSales, Sales
from keybench.practice.state import State

SERVICE = "keybench-practice"


def make_app(
    state: State,
    drop: Callable[[Scope], None],
    *,
    clock: Callable[[], float] = time.time,
    speed: float = 1.0,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> ASGIApp:
    """Return the practice gateway as an ASGI application.

    Args:
        state: the open state; the caller closes it.
        drop: closes the connection that a scope came by, for answers that never come.
        clock: seconds since 1970.
        speed: device seconds that pass in a second.
        pause: waits for some seconds.
    """
    gateway = Gateway(state, clock, speed, pause, RateLimiter(clock))
    parts = (
        *(Sales(gateway), HeldSales(gateway), AsyncStatus(gateway), ClassicForm(gateway)),
        *(Devices(gateway), KeyNames(gateway), Portal(gateway), Partner(gateway)),
    )
    routes = [route for part in parts for route in part.routes()]
    routes.append(Route("/health", _health(state), methods=["GET"]))
    handlers = {
        Refusal: on_refusal,
        HTTPException: on_routing_error,
        ClientDisconnect: _on_hang_up,
        Exception: on_failure,
    }
    starlette = Starlette(routes=routes, exception_handlers=handlers)
    # A redirected call would lose its key or its body on the way.
    starlette.router.redirect_slashes = False
    return Edge(starlette, state.log, clock, drop)


async def _on_hang_up(_request: Request, _error: Exception) -> Response:
    """Answer nobody: the caller went away in the middle of the body."""
    return NoAnswer()


def _health(state: State) -> Callable[[Request], Awaitable[Response]]:
    told = {
        "service": SERVICE,
        "instance": state.facts.instance,
        "gateway_id": state.facts.gateway_id,
        "version": version(),
    }

    async def health(_request: Request) -> Response:
        return JSONResponse(told)

    return health


def version() -> str:
    """Return the program's version, or `unknown` when it runs without having been installed."""
    try:
        return metadata.version("keybench")
    except metadata.PackageNotFoundError:
        return "unknown"
