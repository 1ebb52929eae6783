"""The practice gateway in a process that a test may kill at any moment; it comes back at the same address."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import urllib.request
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

#: How each of the gateway's scripts ends, when it ran to its end: the truth about a sale that it took.
ENDS = {
    "approved": "approved",
    "lost": "approved",
    "unreadable": "approved",
    "do-not-honour": "declined",
    "cancelled": "cancelled",
    "in-use": "refused",
    "busy": "refused",
}
SPEED = "20"
_A_GOOD_PART = 5000
_TAKEN = 202


class MortalGateway:
    """One gateway, its keys and devices, and what it has written down.

    Attributes:
        base_url: Where it is, however often it dies.
        posted: How often each reference was posted, by its log so far.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._seen = 0
        self.posted: Counter[str] = Counter()
        self.base_url = ""
        self.start()

    def start(self) -> None:
        """Start it and wait until it serves."""
        port = urlsplit(self.base_url).port if self.base_url else 0
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "keybench", "practice", "--json", "--until-stdin-closes"),
                *("--speed", SPEED, "--port", str(port), "--data-dir", str(self._folder)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout
        self.base_url = json.loads(self._process.stdout.readline())["base_url"]

    def kill(self) -> None:
        """Kill it, whatever it is doing."""
        assert self._process
        self._process.kill()
        self._let_go()

    def stop(self) -> None:
        """End it the usual way."""
        assert self._process
        assert self._process.stdin
        self._process.stdin.close()
        self._let_go()

    def _let_go(self) -> None:
        assert self._process
        assert self._process.stdin
        assert self._process.stdout
        self._process.wait(timeout=60)
        self._process.stdin.close()
        self._process.stdout.close()

    def portal(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Make one of the portal's calls and return its JSON."""
        return self._call(method, f"/portal/{path}", {"X-Practice-Portal": "1"}, body)

    def make_key(self, username: str) -> str:
        """Make a key as a person does in the portal and return its value, shown this once."""
        body = {"name": "made in the portal", "username": username, "permission": "API", "kind": "private"}
        return str(self.portal("POST", "keys", body)["value"])

    def register_devices(self, count: int) -> list[str]:
        """Register so many devices and return their identifiers."""
        admin = {"Authorization": self.make_key("admin")}
        made = []
        for number in range(count):
            body = {"registration_code": f"T1{number:04}", "nickname": "Simulated"}
            made.append(str(self._call("POST", "/api/v5/devices", admin, body)["deviceId"]))
        return made

    def read_log(self) -> None:
        """Add what its log has gained to `posted`; fails if the log has dropped what wasn't read yet."""
        entries = [
            e
            for e in self.portal("GET", f"log?limit={_A_GOOD_PART}")["entries"]
            if e["sequence"] > self._seen
        ]
        if not entries:
            return
        assert entries[-1]["sequence"] == self._seen + 1, "the log was read too seldom"
        self._seen = entries[0]["sequence"]
        sales = [e for e in entries if e["method"] == "POST" and e["path"].endswith("/sale")]
        # One that was killed in the middle of its request leaves an entry without a reference.
        assert all(entry["order_id"] or entry["status"] != _TAKEN for entry in sales)
        self.posted.update(entry["order_id"] for entry in sales if entry["order_id"])

    def taken(self) -> dict[str, list[str]]:
        """Return how each sale that it took ends, by reference: more than one end is a second sale."""
        taken: dict[str, list[str]] = {}
        with closing(sqlite3.connect(self._folder / "practice" / "state.sqlite3")) as state:
            for reference, script in state.execute("SELECT order_id, script FROM payment_request"):
                taken.setdefault(reference, []).append(ENDS[script])
        return taken

    def _call(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any] | None) -> Any:
        request = urllib.request.Request(
            f"{self.base_url}{path}",
            data=json.dumps(body).encode() if body else None,
            method=method,
            headers=headers | {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())
