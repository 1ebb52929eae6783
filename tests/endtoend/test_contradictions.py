"""The command line against a gateway whose answers contradict themselves: unknown, with what contradicts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from endtoend.conftest import Keybench

APPROVAL: dict[str, Any] = {
    "id": "T-1",
    "success": True,
    "response_code": "100",
    "response_text": "APPROVED",
    "auth_code": "A1B2C3",
}
DONE: dict[str, Any] = {"status": "interactionComplete", "transaction": APPROVAL}
#: No answer of these may be told as this.
FALSE = ("Nothing was taken", "was approved", "another card", "Send it again")


class Oracle(BaseHTTPRequestHandler):
    """Takes each sale, and answers each poll as the test wants."""

    told: ClassVar[dict[str, Any]] = {}
    held: ClassVar[dict[str, Any]] = {}
    taken: ClassVar[int] = 0

    def do_POST(self) -> None:
        Oracle.taken += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        taken = {"id": f"R-{Oracle.taken}", "status": "pending"}
        self._say(self.held if self.path.endswith("/payments/sale") else taken)

    def do_GET(self) -> None:
        self._say(self.told)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
        """Say nothing."""

    def _say(self, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keybench]:
    """A data folder with a key for such a gateway."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Oracle)
    thread = threading.Thread(target=server.serve_forever, name="oracle")
    thread.start()
    shop = Keybench(tmp_path_factory.mktemp("shop") / "data")
    url = f"http://127.0.0.1:{server.server_port}"
    shop.add_environment(url, "Zq7TestOnlyKeyNotReal0123456789x\n", name="shop")
    yield shop
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (DONE | {"transaction": APPROVAL | {"success": False}}, "the success flag says declined, there is"),
        (DONE | {"amount": "999.99"}, "the amount is 999.99 instead of 10.00"),
    ],
)
def test_a_contradictory_answer_is_unknown(shop: Keybench, told: dict[str, Any], said: str) -> None:
    Oracle.told = told
    sold = shop.sell("10.00", environment="shop")
    assert (sold.last["state"], sold.status) == ("unknown", 30), sold.err
    meaning = sold.last["meaning"]
    assert meaning.startswith("The gateway's answer is contradictory: ")
    assert said in meaning
    assert "nobody can tell yet" in meaning
    assert not [false for false in FALSE if false in meaning]


def test_so_is_a_synchronous_one(shop: Keybench) -> None:
    Oracle.held = {"response": "1", "response_code": "100", "id": "T-1", "amount": "15.00", "auth_code": "A1"}
    sold = shop.sell("10.00", "--mode", "sync", environment="shop")
    assert (sold.last["state"], sold.status) == ("unknown", 30)
    assert "the amount is 15.00 instead of 10.00" in sold.last["meaning"]


def test_an_answer_of_one_mind_is_believed(shop: Keybench) -> None:
    Oracle.told = DONE | {"amount": 10, "currency": "usd", "device_id": "till-1"}
    assert shop.sell("10.00", environment="shop").last["state"] == "approved"
