"""Told to end at any moment, by any signal: what the gateway answers just then is kept, and all is true.

A few of all cases, of which there are 115. All of them take some ten minutes and print what they met:
``KEYBENCH_SIGNALS=115 python3 packaging/test.py --only tests -- -n 0 -s tests/endtoend/test_signals.py``.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from endtoend.conftest import Keybench, OtherGateway
from endtoend.crash.mortal_gateway import ENDS
from endtoend.slow_gateway import SlowGateway, slow_gateway
from sweeps import ALL

COUNT = int(os.environ.get("KEYBENCH_SIGNALS", "3" if ALL else "1"))
pytestmark = [
    pytest.mark.timeout(300 + 15 * COUNT),
    pytest.mark.skipif(sys.platform == "win32", reason="there a signal is sent by ending the process"),
]
NAMES = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT", "SIGKILL")
SIGNALS = [getattr(signal, name, signal.SIGTERM) for name in NAMES]
WINDOW = Path(__file__).parent / "crash" / "window_seller.py"
STARTED = "/api/v5/devices/till-*"
HELD = "/api/v5/payments/sale"
#: What is held back, in which way to sell, when the signal comes.
MOMENTS = {
    "its answer is on the way": ("POST", STARTED, "async"),
    "its outcome is on the way": ("POST", HELD, "sync"),
    "a poll's answer is on the way": ("GET", STARTED, "async"),
    "its answer comes": ("POST", STARTED, "async"),
    "a poll's answer comes": ("GET", STARTED, "async"),
    "twice": ("POST", STARTED, "async"),
    "nobody reads any more": ("POST", STARTED, "async"),
    "at the start": ("", "", "async"),
}
#: How long after the signal an answer comes that was on the way: every way to end waits for so long.
LATER_S = 0.4
LONGEST_START_S = 2.5
PATIENCE_S = 60.0
CHANCE = random.Random(20261123)
#: With the suite only the first of them.
CASES = [
    ("command", "its answer is on the way", SIGNALS[0]),
    ("batch", "its outcome is on the way", SIGNALS[1]),
    ("window", "its answer is on the way", SIGNALS[2]),
]
OTHERS = [
    case
    for case in itertools.product(("command", "batch", "window"), MOMENTS, SIGNALS)
    if case[:2] != ("window", "nobody reads any more") and case not in CASES
]
CASES += CHANCE.sample(OTHERS, len(OTHERS))


@pytest.fixture(autouse=True)
def as_from_a_terminal() -> Iterator[None]:
    """What these tests were started under, such as `nohup`, isn't what the sellers are."""
    before = {one: signal.signal(one, signal.default_int_handler) for one in SIGNALS[:4]}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@dataclass
class Shop:
    """A data folder, a gateway whose answers can be held, and what was met."""

    keybench: Keybench
    gateway: OtherGateway
    slow: SlowGateway
    met: Counter[str] = field(default_factory=Counter)
    devices: Path = Path()

    def set_up(self) -> None:
        """Add the environment and its key."""
        value = self.gateway.make_key()
        self.keybench.add_environment(self.slow.base_url, value, contract="practice")
        self.devices = self.keybench.folder.parent / "devices.csv"
        self.devices.write_text("device;amount\n" + "till-1;10.00\ntill-2;10.00\n" * 2)

    def start(self, way: str, mode: str) -> subprocess.Popen[str]:
        """Start something that sells."""
        sells = ("--environment", "SANDBOX", "--key", "till", "--mode", mode)
        words = {
            "command": self.keybench.arguments("sale", *sells, "--device", "till-1", "--amount", "10.00"),
            "batch": self.keybench.arguments("sales", *sells, "--devices", str(self.devices)),
            "window": [sys.executable, str(WINDOW), str(self.keybench.folder), "SANDBOX", mode],
        }[way]
        return subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        )

    def strike(self, way: str, moment: str, number: signal.Signals) -> None:
        """Signal a seller at a moment, and hold what it then keeps against what it was told."""
        before = self.sales()
        method, path, mode = MOMENTS[moment]
        if method:
            self.slow.hold(method, path)
        with self.start(way, mode) as seller:
            if not method:
                with suppress(subprocess.TimeoutExpired):
                    seller.wait(CHANCE.uniform(0.0, LONGEST_START_S))
            else:
                assert self.slow.held.wait(PATIENCE_S), "nothing was sent"
            if moment == "nobody reads any more":
                assert seller.stdout
                seller.stdout.close()
                seller.stdout = None
            if moment.endswith("comes"):
                self.slow.let_go()
            else:
                threading.Timer(LATER_S, self.slow.let_go).start()
            for _ in range(2 if moment == "twice" else 1):
                seller.send_signal(number)
            try:
                _out, told = seller.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                seller.kill()
                pytest.fail(f"a {way} lives on after {number.name}: {moment}")
        assert "Traceback" not in told, told
        new = {reference: sale for reference, sale in self.sales().items() if reference not in before}
        self.met[f"{way}: {seller.returncode}, {sorted(sale['state'] for sale in new.values())}"] += 1
        if not method or number is SIGNALS[-1]:
            return
        assert seller.returncode in STATUSES[way](number), (seller.returncode, told)
        assert new, "the sale is lost"
        for sale in new.values():
            assert sale["request_id"] or (mode == "sync" and sale["state"] == "approved"), sale
            assert sale["state"] in {"approved", "under_way"}, sale

    def sales(self) -> dict[str, dict[str, Any]]:
        """Return every sale of the journal by its reference."""
        lines = self.keybench.run("history", "--limit", "100000").lines
        return {line["reference"]: line for line in lines}

    def judge(self) -> None:
        """Resume what was left, and hold every sale against the gateway's books."""
        assert self.keybench.run("resume").status in {0, 30}
        with closing(sqlite3.connect(self.gateway.folder / "practice" / "state.sqlite3")) as state:
            rows = state.execute("SELECT order_id, script FROM payment_request").fetchall()
        taken = {reference: ENDS[script] for reference, script in rows}
        assert len(taken) == len(rows), "a sale was taken twice"
        sales = self.sales()
        assert taken.keys() <= sales.keys(), "a sale that was taken is lost"
        for reference, sale in sales.items():
            wanted = {taken[reference]} if reference in taken else {"not_sent", "refused", "unknown"}
            assert sale["state"] in wanted, sale


STATUSES = {
    "command": lambda number: {128 + number},
    "batch": lambda _number: {0, 21},
    "window": lambda _number: {0},
}


def test_a_signal_at_any_moment_loses_no_answer(keybench: Keybench, other_gateway: OtherGateway) -> None:
    cases = CASES[:COUNT]
    began = time.monotonic()
    with slow_gateway(other_gateway.base_url) as slow:
        shop = Shop(keybench, other_gateway, slow)
        shop.set_up()
        for way, moment, number in cases:
            shop.strike(way, moment, number)
        shop.judge()
    print(f"{len(cases)} signals in {time.monotonic() - began:.0f} s")
    for met, times in sorted(shop.met.items()):
        print(f"{times:4} {met}")


def test_what_the_caller_ignores_and_closes_stays_so(keybench: Keybench, other_gateway: OtherGateway) -> None:
    """As under `nohup`, and without standard streams: the journal isn't opened in place of one."""
    with slow_gateway(other_gateway.base_url) as slow:
        shop = Shop(keybench, other_gateway, slow)
        shop.set_up()
        slow.hold("POST", STARTED)
        sold = ("--environment", "SANDBOX", "--key", "till", "--device", "till-1", "--amount", "10.00")
        closed = ["sh", "-c", 'trap "" HUP; exec "$@" <&- >&- 2>&-', "sh", *keybench.arguments("sale", *sold)]
        with subprocess.Popen(closed) as seller:
            assert slow.held.wait(PATIENCE_S)
            files = [Path(f"/proc/{seller.pid}/fd/{number}") for number in range(3)]
            nothing = {str(one.readlink()) for one in files}
            seller.send_signal(signal.SIGHUP)
            slow.let_go()
            assert seller.wait(PATIENCE_S) == 0
        assert nothing == {os.devnull}
        assert [one["state"] for one in shop.sales().values()] == ["approved"]
