"""The practice gateway's memory while one process answers 100,000 requests: keys, sales, polls, refusals.

Some of the sales are sold in bad weather, so that calls are counted and answers lost.
"""

from __future__ import annotations

import http.client
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks.figures import Figure, probe_environment, size

_APP: Final = Path(__file__).resolve().parents[2] / "app"
_PORTAL: Final = {"X-Practice-Portal": "1"}
#: Of the memory after a tenth of the requests.
_FLAT: Final = 1.1
#: Requests that a key is used for; the rate limit is each key's.
_OF_A_KEY: Final = 100


def measure(folder: Path) -> list[Figure]:
    """Send all requests to one process, and weigh it after a tenth of them and at the end."""
    count = size("KEYBENCH_REQUESTS", 100_000)
    command = [sys.executable, "-m", "keybench.practice", "--data-dir", str(folder), "--speed", "1000"]
    with subprocess.Popen(
        [*command, "--until-stdin-closes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**probe_environment(), "PYTHONPATH": str(_APP)},
    ) as process:
        assert process.stdin
        assert process.stdout
        port = int(process.stdout.readline().rpartition(":")[2])
        weighed = psutil.Process(process.pid)
        sent = _sent(http.client.HTTPConnection("127.0.0.1", port))
        found_mb = []
        for until in (count // 10, count - count // 10):
            for _ in itertools.islice(sent, until):
                pass
            found_mb.append(weighed.memory_info().rss / 1e6)
        process.stdin.close()
    early, late = found_mb
    return [
        Figure(f"practice after {count // 10:,} requests", early, "MB"),
        Figure(f"practice after {count:,} requests", late, "MB"),
        Figure("the same, beside each other", late / early, "times", _FLAT),
    ]


def _sent(connection: http.client.HTTPConnection) -> Iterator[None]:
    """Send requests without end, and yield after each."""

    def ask(method: str, path: str, key: str = "", **body: Any) -> Any:
        headers = {**_PORTAL, "Authorization": key, "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            content = connection.getresponse().read()
        except (http.client.HTTPException, ConnectionError):  # that is the weather
            connection.close()
            return {}
        return json.loads(content) if content else {}

    for turn in itertools.count():
        weather = {"preset": "calm" if turn % 2 else "bad wifi", "seed": turn, "latency_s": [0, 0], "slow": 0}
        ask("PUT", "/portal/faults", weather=weather)
        yield
        key = ask(
            "POST", "/portal/keys", name=f"Key {turn}", username="admin", permission="API", kind="private"
        )
        yield
        for number in range(_OF_A_KEY // 4):
            sale = f"/api/v5/devices/till-{1 + number % 2}/payment-requests/sale"
            order = f"R-{turn}-{number}"
            sold = ask("POST", sale, key["value"], amount="10.00", order_details={"id": order})
            yield
            ask("GET", sale.replace("/sale", f"/{sold.get('id', 'lost')}"), key["value"])
            yield
            ask("GET", sale.replace("/sale", f"?order_id={order}"), key["value"])
            yield
            ask("GET", f"/api/v5/devices/{order}", key["value"])
            yield
        ask("DELETE", f"/portal/keys/{key['id']}")
        yield
