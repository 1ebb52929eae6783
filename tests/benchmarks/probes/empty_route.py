"""Serves an empty Starlette route by TLS until it is ended; takes the certificate's PEM, prints its port."""

import sys

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from keybench.practice.classes.serving import tls_of
from keybench.practice.server import LocalServer, bind


async def _empty(_request: Request) -> JSONResponse:
    return JSONResponse({})


identity = sys.stdin.read()
with bind(0, 0) as listener:
    port = listener.getsockname()[1]
    app = Starlette(routes=[Route("/", _empty)])
    server = LocalServer(lambda _drop: app, lambda: print(port, flush=True), tls=tls_of(identity))
    server.run(sockets=[listener])
