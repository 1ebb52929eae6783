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
    assert shop.run("environment", "add", "shop", "--kind", "test", "--base-url", url).status == 0
    words = ("--environment", "shop", "--name", "till", "--username", "mira", "--permission", "API")
    added = shop.run("key", "add", *words, "--kind", "private", stdin="Zq7TestOnlyKeyNotReal0123456789x\n")
    assert added.status == 0, added.err
    yield shop
    server.shutdown()
    server.server_close()
    thread.join()


def but(**changes: Any) -> dict[str, Any]:
    return DONE | {"transaction": APPROVAL | changes}


@pytest.mark.thin(3)
@pytest.mark.parametrize(
    ("told", "said"),
    [
        (but(success=None), "the success flag is missing"),
        (DONE | {"transaction": [APPROVAL]}, "there is an authorisation (A1B2C3)"),
        (but(success=False), "the success flag says declined, there is an authorisation"),
        (DONE | {"status": "cancelledAtTerminal"}, "the status says cancelled"),
        (DONE | {"amount": "999.99"}, "the amount is 999.99 instead of 10.00"),
        (DONE | {"device_id": "till-2"}, "the device is till-2 instead of till-1"),
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


@pytest.mark.parametrize(("amount", "currency"), [("1000.50", "RWF"), ("10", "ZZZ"), ("1.00005", "CLF")])
def test_money_that_is_none_is_refused_before_anything_is_sent(
    shop: Keybench, amount: str, currency: str
) -> None:
    before = Oracle.taken
    assert shop.sell(amount, "--currency", currency, environment="shop").status == 2
    assert Oracle.taken == before


def test_a_currency_without_decimals_sells(shop: Keybench) -> None:
    Oracle.told = DONE | {"amount": "1000", "currency": "RWF"}
    sold = shop.sell("1000", "--currency", "RWF", environment="shop")
    assert (sold.last["state"], sold.last["amount"]) == ("approved", "1000")
