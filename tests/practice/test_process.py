"""The gateway as a process: its first line, its end, its restart after a crash, and one per folder."""

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from keybench.practice import server
from practice.bench import PORTAL

SOURCE = Path(__file__).parents[2] / "app"
Start = Callable[..., "Running"]


class Running:
    """A gateway process and a client that speaks to it."""

    def __init__(self, data_dir: Path, *options: str, owned: bool = True) -> None:
        command = [sys.executable, "-m", "keybench.practice", "--data-dir", str(data_dir), "--speed", "100"]
        self.process = subprocess.Popen(
            [*command, *(["--until-stdin-closes"] if owned else []), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline().strip()
        self.client = httpx.Client(base_url=self._base_url(), trust_env=False, timeout=60)

    def _base_url(self) -> str:
        told = self.first_line
        return str(json.loads(told)["base_url"]) if told.startswith("{") else told

    def create(self, name: str, username: str = "counter1") -> str:
        body = {"name": name, "username": username, "permission": "API", "kind": "private"}
        value: str = self.client.post("/portal/keys", json=body, headers=PORTAL).json()["value"]
        return value

    def sell(self, key: str, amount: str, order_id: str) -> httpx.Response:
        body = {"amount": amount, "order_details": {"id": order_id}}
        path = "/api/v5/devices/till-1/payment-requests/sale"
        return self.client.post(path, json=body, headers={"Authorization": key})

    def orders(self, key: str, order_id: str) -> list[str]:
        path = f"/api/v5/devices/till-1/payment-requests?order_id={order_id}"
        found = self.client.get(path, headers={"Authorization": key}).json()["payment_requests"]
        return [item["id"] for item in found]

    def end(self, how: Callable[[], None]) -> tuple[int, str]:
        """End the process in some way; return its status and what it said on standard error."""
        how()
        status = self.process.wait(timeout=60)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def clean_up(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Running] = []

    def begin(*options: str, owned: bool = True) -> Running:
        started.append(Running(tmp_path, *options, owned=owned))
        return started[-1]

    yield begin
    for running in started:
        running.clean_up()


def test_the_first_line_is_the_base_url_and_it_answers(start: Start, tmp_path: Path) -> None:
    running = start()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", running.first_line)
    told = json.loads((tmp_path / "practice" / "gateway.json").read_text())
    health = running.client.get("/health").json()
    served = {"base_url": running.first_line, "pid": running.process.pid}
    assert told == {**served, "instance": health["instance"]}
    assert health["service"] == "keybench-practice"


def test_json_lines_say_the_same(start: Start) -> None:
    running = start("--json")
    assert set(json.loads(running.first_line)) == {"base_url"}
    running.close_stdin()
    assert running.process.stdout is not None
    rows = [json.loads(line) for line in running.process.stdout]
    assert {"amount": "30.00", "gives": "cancelled at the terminal after 3 seconds"} in rows
    assert sum("device" in row for row in rows) == 5


@pytest.mark.parametrize("seed", ["4711", None])
def test_the_seed_of_the_faults_is_told_also_where_it_was_made_up(start: Start, seed: str | None) -> None:
    running = start("--json", "--faults", "bad wifi", *(["--seed", seed] if seed else []))
    weather = running.client.get("/portal/faults", headers=PORTAL).json()["weather"]
    assert (weather["preset"], weather["loss"]) == ("bad wifi", 0.1)
    assert seed is None or weather["seed"] == int(seed)
    running.close_stdin()
    assert running.process.stdout is not None
    rows = [json.loads(line) for line in running.process.stdout]
    assert {"faults": {"preset": "bad wifi", "seed": weather["seed"]}} in rows


def test_the_end_of_standard_input_ends_it(start: Start, tmp_path: Path) -> None:
    running = start()
    assert running.end(running.close_stdin) == (0, "")
    assert not (tmp_path / "practice" / "gateway.json").exists()


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--host", "127.0.0.1"], 2, "nothing is served without code and TLS"),
        (["--class", "--host", "0.0.0.0"], 2, "one address of this computer"),  # noqa: S104 - it is refused
        (["--class", "--host", "192.0.2.77"], 1, "192.0.2.77 is no address of this computer"),
    ],
)
def test_what_would_serve_too_many_or_nobody_is_refused(
    start: Start, options: list[str], status: int, said: str
) -> None:
    told = start(*options).end(lambda: None)
    assert told[0] == status
    assert said in told[1]


STOPS = [getattr(signal, name, signal.SIGTERM) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")]


@pytest.mark.parametrize("number", STOPS)
def test_a_signal_ends_it_cleanly(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    running = start(owned=False)
    assert running.end(lambda: running.process.send_signal(number)) == (0, "")
    assert not (tmp_path / "practice" / "gateway.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there a signal is sent by ending the process")
def test_a_signal_leaves_one_to_whoever_started_it(start: Start) -> None:
    """A terminal signals its whole group, and the window still waits for answers then."""
    running = start()
    for number in STOPS:
        running.process.send_signal(number)
    assert running.client.get("/health").status_code == 200
    assert running.end(running.close_stdin) == (0, "")


def test_a_held_sale_does_not_hold_the_end(start: Start) -> None:
    running = start("--speed", "0.1")
    key = running.create("Till")
    failures: list[type[Exception]] = []

    def hold() -> None:
        body = {"amount": "90.00", "device_id": "till-1", "order_details": {"id": "R-1"}}
        try:
            httpx.post(
                f"{running.first_line}/api/v5/payments/sale",
                json=body,
                headers={"Authorization": key},
                timeout=60,
                trust_env=False,
            )
        except httpx.RemoteProtocolError as error:
            failures.append(type(error))

    caller = threading.Thread(target=hold)
    caller.start()
    while not running.orders(key, "R-1"):
        pass
    assert running.end(running.close_stdin) == (0, "")
    caller.join(timeout=60)
    assert failures == [httpx.RemoteProtocolError]


def test_a_crash_loses_no_key_and_no_sale(start: Start, tmp_path: Path) -> None:
    first = start()
    key = first.create("Till")
    sold = first.sell(key, "10.00", "R-1").json()["id"]
    first.end(first.process.kill)
    second = start()
    assert second.first_line == first.first_line
    assert second.orders(key, "R-1") == [sold]
    leaked = key in _everything_below(tmp_path)
    assert not leaked


def _everything_below(folder: Path) -> str:
    """Return the raw content of every file, the journal of the database included."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join(path.read_bytes().decode("latin-1") for path in files)


def test_an_answer_can_be_lost_for_real(start: Start) -> None:
    running = start()
    key = running.create("Till")
    with pytest.raises(httpx.RemoteProtocolError):
        running.sell(key, "70.00", "R-7")
    assert len(running.orders(key, "R-7")) == 1
    assert [entry["status"] for entry in _log(running) if entry["method"] == "POST"] == [0, 201]
    assert running.end(running.close_stdin) == (0, "")


def test_a_caller_who_hangs_up_in_the_body_is_noted_and_no_fault(start: Start) -> None:
    running = start()
    key = running.create("Till")
    address = ("127.0.0.1", int(running.first_line.rpartition(":")[2]))
    head = (
        "POST /api/v5/devices/till-1/payment-requests/sale HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: {key}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    )
    with socket.create_connection(address) as caller:
        caller.sendall(head.encode() + b'{"amount"')
    while (newest := _log(running)[0])["status"] == 201:
        pass
    assert (newest["status"], newest["order_id"]) == (0, None)
    assert running.end(running.close_stdin) == (0, "")


def _log(running: Running) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = running.client.get("/portal/log", headers=PORTAL).json()["entries"]
    return entries


def test_applications_go_on_after_a_kill_with_the_key_they_ran_with(start: Start) -> None:
    first = start()
    first.create("Old")
    first.create("New")
    old, new = (key["id"] for key in first.client.get("/portal/keys", headers=PORTAL).json()["keys"])
    path = "/portal/applications/shop"
    body = {"device_id": "till-1", "amount": "10.00", "every_s": 5, "key_id": old}
    first.client.put(path, json=body, headers=PORTAL)
    first.client.put(path, json={"key_id": new}, headers=PORTAL)
    sold = _sold_more(first, 0)
    first.end(first.process.kill)
    second = start()
    _sold_more(second, sold)
    sales = [entry for entry in _log(second) if entry["why"] == "accepted"]
    assert {(entry["caller"], entry["key_id"]) for entry in sales} == {("shop", old)}
    assert second.end(second.close_stdin) == (0, "")


def _sold_more(running: Running, than: int) -> int:
    """Wait until the application has sold more often; return how often."""
    while True:
        (shop,) = running.client.get("/portal/applications", headers=PORTAL).json()["applications"]
        if shop["sold"] > than:
            return int(shop["sold"])


def test_a_second_one_on_the_same_folder_is_refused(start: Start) -> None:
    first = start()
    second = subprocess.run(
        first.process.args, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60
    )
    assert second.returncode == 1
    assert first.first_line in second.stderr
    assert second.stdout == ""
    assert first.client.get("/health").status_code == 200


@pytest.mark.parametrize(
    "options", [["--port", "70000"], ["--speed", "0"], ["--speed", "nan"], ["--port", "x"]]
)
def test_wrong_options_are_wrong_use(options: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "keybench.practice", "--data-dir", str(tmp_path), *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")


def _fail_to_start(data_dir: Path, *options: str) -> str:
    """Start a gateway that can't serve, and return what it says."""
    command = [sys.executable, "-m", "keybench.practice", "--data-dir", str(data_dir), *options]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"port {port}" in _fail_to_start(tmp_path, "--port", str(port))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert "can't serve" in _fail_to_start(tmp_path / "file")


def test_a_broken_state_is_said_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "practice").mkdir()
    state = tmp_path / "practice" / "state.sqlite3"
    state.write_bytes(b"this is no database, " * 100)
    before = state.read_bytes()
    assert "can't serve" in _fail_to_start(tmp_path)
    assert state.read_bytes() == before


def test_a_newer_state_is_said(tmp_path: Path) -> None:
    (tmp_path / "practice").mkdir()
    with contextlib.closing(sqlite3.connect(tmp_path / "practice" / "state.sqlite3")) as newer:
        newer.execute("PRAGMA user_version = 99")
    assert "newer version" in _fail_to_start(tmp_path)


def test_a_remembered_port_that_is_taken_is_let_go(start: Start) -> None:
    first = start()
    first.end(first.close_stdin)
    port = int(first.first_line.rpartition(":")[2])
    with socket.create_server(("127.0.0.1", port)):
        second = start()
        assert second.first_line != first.first_line
        assert second.client.get("/health").status_code == 200


def test_answers_are_not_held_back_by_the_network_layer() -> None:
    with server.bind(0, 0) as listener:
        # The condition under which asyncio sends small writes at once; without it an answer takes 40 ms more.
        assert listener.proto == socket.IPPROTO_TCP
        assert listener.getsockname()[0] == "127.0.0.1"
