"""The command line, stopped as soon as its sale has left: the answer that came meanwhile counts.

`KEYBENCH_FROZEN_S=33` stops it for longer than its own time limit.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from endtoend.conftest import Keybench

FROZEN_S = float(os.environ.get("KEYBENCH_FROZEN_S", "1"))
APPROVAL = {"id": "T-1", "success": True, "auth_code": "A1B2C3"}
DONE = {"id": "R-1", "status": "interactionComplete", "transaction": APPROVAL}


class Shop:
    """A gateway that stops who sells, answers at once, and lets them go on later."""

    def __init__(self) -> None:
        self.seller: subprocess.Popen[str] | None = None
        self.started = threading.Event()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                shop.stop_seller()
                self._say({"id": "R-1", "status": "pending"})

            def do_GET(self) -> None:
                self._say(DONE)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
                """Say nothing."""

            def _say(self, answer: dict[str, Any]) -> None:
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self.server.serve_forever, name="shop")
        self._thread.start()

    def stop_seller(self) -> None:
        """Stop the seller for a while."""
        self.started.wait()
        assert self.seller
        self.seller.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.seller.pid, os.WSTOPPED)
        threading.Timer(FROZEN_S, self.seller.send_signal, [signal.SIGCONT]).start()

    def close(self) -> None:
        """End."""
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


@pytest.fixture
def shop() -> Iterator[Shop]:
    shop = Shop()
    yield shop
    shop.close()


def test_a_sale_whose_answer_came_while_the_program_stood_still_is_told_and_kept(
    shop: Shop, keybench: Keybench
) -> None:
    url = f"http://127.0.0.1:{shop.server.server_port}"
    assert keybench.run("environment", "add", "shop", "--kind", "test", "--base-url", url).status == 0
    words = ("--environment", "shop", "--name", "till", "--username", "mira", "--permission", "API")
    value = "Zq7TestOnlyKeyNotReal0123456789x\n"
    assert keybench.run("key", "add", *words, "--kind", "private", stdin=value).status == 0

    sale = ("sale", "--environment", "shop", "--key", "till", "--device", "till-1", "--amount", "10.00")
    with subprocess.Popen(keybench.arguments(*sale), stdout=subprocess.PIPE, text=True) as seller:
        shop.seller = seller
        shop.started.set()
        out, _ = seller.communicate(timeout=FROZEN_S + 60.0)
    told = json.loads(out.splitlines()[-1])
    assert (seller.returncode, told["state"], told["request_id"]) == (0, "approved", "R-1")
    kept = keybench.run("history", "--environment", "shop").last
    assert (kept["state"], kept["request_id"]) == ("approved", "R-1")
