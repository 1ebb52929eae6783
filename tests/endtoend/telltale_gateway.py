"""A gateway that says the caller's key and a card number back, in every spelling and every place."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fakes.spelled import SPELLINGS

CARD = "4111111111111111"
#: What its texts are found by.
MARK = "telltale"


def _in_json(spelt: str) -> str:
    """Return a text between quotes: its own escapes stay escapes, as .NET's and Gson's are."""
    try:
        json.loads(f'"{spelt}"')
    except ValueError:
        return json.dumps(spelt)[1:-1]
    return spelt


def _told(key: str) -> list[str]:
    return [_in_json(f"{MARK} {SPELLINGS[name](key)}") for name in SPELLINGS] + [f"{MARK} {CARD}"]


class TelltaleGateway:
    """Takes sales and approves each at its third poll.

    Attributes:
        base_url: Where it is.
    """

    def __init__(self) -> None:
        telltale = self
        self._polls = 0

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                telltale.answer(self)

            do_POST = do_GET  # noqa: N815 - the base class calls it by this name

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="telltale gateway")
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, call: BaseHTTPRequestHandler) -> None:
        """Answer a call of the v5 contract."""
        call.rfile.read(int(call.headers.get("Content-Length") or 0))
        key = call.headers.get("Authorization") or ""
        echo = ", ".join(f'"{number}": "{told}"' for number, told in enumerate(_told(key)))
        status, body = 200, ""
        if call.command == "POST" and "refused" in call.path:
            status, body = (
                409,
                f'{{"message": "{_told(key)[4]}", "ref_id": "{_told(key)[1]}", "echo": {{{echo}}}}}',
            )
        elif call.command == "POST":
            body = f'{{"id": "req-{MARK}", "status": "pending", "echo": {{{echo}}}}}'
        elif "payment-requests" in call.path:
            self._polls += 1
            words = _told(key)[self._polls % len(SPELLINGS)]
            over = self._polls % 3 == 0
            told = f'"id": "{words}", "auth_code": "{CARD}", "response_text": "{words}"'
            sale = f'"transaction": {{"success": true, {told}}}, '
            state = "interactionComplete" if over else words
            body = f'{{"id": "req-{MARK}", "status": "{state}", {sale if over else ""}"echo": {{{echo}}}}}'
        else:
            devices = ", ".join(
                f'{{"deviceId": "{told}", "deviceNickname": "{MARK} {number}"}}'
                for number, told in enumerate(_told(key))
            )
            named = ", ".join(
                f'{{"deviceId": "till-{number}", "deviceNickname": "{told}", "connectionStatus": "{told}"}}'
                for number, told in enumerate(_told(key))
            )
            body = f'{{"devices": [{devices}, {named}]}}'
        # One answer of three is in UTF-16, as a misconfigured server's.
        raw = body.encode("utf-16" if self._polls % 3 == 1 else "utf-8")
        call.send_response(status)
        call.send_header("Content-Length", str(len(raw)))
        for number, name in enumerate(SPELLINGS):
            spelt = SPELLINGS[name](key)
            if spelt.isprintable() and spelt.isascii():
                call.send_header(f"X-Trace-{number}", spelt)
        call.send_header("X-Card", f"{MARK} {CARD}")
        call.end_headers()
        call.wfile.write(raw)


@contextmanager
def telltale_gateway() -> Iterator[TelltaleGateway]:
    """Serve for a while."""
    gateway = TelltaleGateway()
    try:
        yield gateway
    finally:
        gateway.close()
