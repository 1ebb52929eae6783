"""Stands before a gateway as a slow network and a cache do: holds an answer back, still accepts a key."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_LIMIT_S = 60.0
#: What belongs to one connection and not to the message.
_OF_A_CONNECTION = {
    "connection",
    "content-length",
    "date",
    "host",
    "keep-alive",
    "server",
    "transfer-encoding",
}


class SlowGateway:
    """Passes everything on to a gateway, and its answers back when they are due.

    Attributes:
        base_url: Where it is.
        is_behind: Whether it answers a refused key as it did before the refusal.
        held: Set once an answer is held back.
    """

    def __init__(self, upstream: str) -> None:
        self._upstream = urlsplit(upstream).netloc
        self._accepted: dict[str, tuple[int, list[tuple[str, str]], bytes]] = {}
        self._to_hold = ("", "")
        self._let_go = threading.Event()
        self.held = threading.Event()
        self.is_behind = False
        slow = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                slow.pass_on(self)

            do_POST = do_DELETE = do_PATCH = do_GET  # noqa: N815 - the base class calls them by these names

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="slow gateway")
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}"

    def hold(self, method: str, path: str) -> None:
        """Hold the next answer to such a call back, after the gateway has done what it asks.

        A path that ends with ``*`` stands for all that begin so.
        """
        self._to_hold = (method, path)
        self.held.clear()
        self._let_go.clear()

    def let_go(self) -> None:
        """Give the answer, if anybody still listens."""
        self._let_go.set()

    def close(self) -> None:
        """Stop."""
        self._let_go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def pass_on(self, call: BaseHTTPRequestHandler) -> None:
        """Answer a call as the gateway does, sooner or later."""
        status, headers, body = self._asked(call)
        if call.command == "GET" and status < HTTPStatus.BAD_REQUEST:
            self._accepted[call.path] = status, headers, body
        elif self.is_behind and status == HTTPStatus.UNAUTHORIZED:
            status, headers, body = self._accepted.get(call.path, (status, headers, body))
        method, path = self._to_hold
        is_same = call.path.startswith(path[:-1]) if path.endswith("*") else call.path == path
        if call.command == method and is_same:
            self._to_hold = ("", "")
            self.held.set()
            self._let_go.wait(_LIMIT_S)
        try:
            call.send_response(status)
            for name, value in headers:
                call.send_header(name, value)
            if status != HTTPStatus.NO_CONTENT:
                call.send_header("Content-Length", str(len(body)))
            call.end_headers()
            call.wfile.write(body)
        except ConnectionError:
            return  # whoever asked was killed

    def _asked(self, call: BaseHTTPRequestHandler) -> tuple[int, list[tuple[str, str]], bytes]:
        body = call.rfile.read(int(call.headers.get("Content-Length") or 0))
        headers = {
            name: value for name, value in call.headers.items() if name.lower() not in _OF_A_CONNECTION
        }
        connection = http.client.HTTPConnection(self._upstream, timeout=_LIMIT_S)
        try:
            connection.request(call.command, call.path, body or None, headers)
            answer = connection.getresponse()
            kept = [
                (name, value) for name, value in answer.getheaders() if name.lower() not in _OF_A_CONNECTION
            ]
            return answer.status, kept, answer.read()
        finally:
            connection.close()


@contextmanager
def slow_gateway(upstream: str) -> Iterator[SlowGateway]:
    """Stand before a gateway for a while."""
    slow = SlowGateway(upstream)
    try:
        yield slow
    finally:
        slow.close()
