"""A class served by a process of its own, which can be killed and come back, and those who call it."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from fakes.waiting import PATIENCE_S
from keybench.class_identity import certificate_of, new_identity
from practice.bench import PORTAL

SOURCE = Path(__file__).parents[2] / "app"
#: Each of the suite's processes has an address of its own: a class that is killed finds its port free again.
HOST = f"127.0.0.{int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0').removeprefix('gw')) + 2}"
LESSON = {"id": "first", "title": "First", "toml": 'title = "First"'}


class ServedClass:
    """A class at `HOST`, whose certificate stays the same when its process is started again."""

    def __init__(self, data_dir: Path, *options: str, host: str = HOST) -> None:
        self._data_dir, self._options = data_dir, [*options, *(["--host", host] if host else [])]
        self.identity = new_identity(host or "localhost")
        self._callers: list[httpx.Client] = []
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "keybench.practice", "--data-dir", str(self._data_dir), "--json"]
        flags = ["--until-stdin-closes", "--class", "--identity-from-stdin", *self._options]
        self.process = subprocess.Popen(
            [*command, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
        )
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"identity": self.identity}) + "\n")
        self.process.stdin.flush()
        self.told: dict[str, str] = json.loads(self.process.stdout.readline())
        self.board = httpx.Client(
            base_url=self.told["board_url"], headers=PORTAL, trust_env=False, timeout=PATIENCE_S
        )

    def caller(self, ticket: str = "", **headers: str) -> httpx.Client:
        """Return one who calls from outside, with the certificate pinned."""
        trust = ssl.create_default_context(cadata=certificate_of(self.identity))
        sent = {**PORTAL, **({"X-Class-Ticket": ticket} if ticket else {}), **headers}
        url = self.told["base_url"]
        made = httpx.Client(base_url=url, headers=sent, verify=trust, trust_env=False, timeout=PATIENCE_S)
        self._callers.append(made)
        return made

    def join(self, word: str = "") -> SeatedLearner:
        """Return a learner who has joined, again if that is their word."""
        body = {"code": self.told["join"].partition("@")[0], **({"word": word} if word else {})}
        with self.caller() as caller:
            return SeatedLearner(self, caller.post("/class/join", json=body).raise_for_status().json())

    def seen(self) -> dict[str, Any]:
        """Return what the board shows."""
        shown: dict[str, Any] = self.board.get("/class").raise_for_status().json()
        return shown

    def kill(self) -> None:
        """End it as a crash does, and start it again, where it was."""
        port = self.told["base_url"].rpartition(":")[2]
        self.process.kill()
        self._let_go()
        self._options += ["--port", port]
        self.start()

    def _let_go(self) -> None:
        self.board.close()
        self.process.wait(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        for caller in self._callers:
            caller.close()
        self.process.kill()
        self._let_go()


class SeatedLearner:
    """One who has joined, and what they do with their own account."""

    def __init__(self, served: ServedClass, told: dict[str, str]) -> None:
        self.number, self.word, self.ticket = told["learner"], told["word"], told["ticket"]
        self.client = served.caller(self.ticket)
        self.key = ""

    def make_key(self, name: str = "Key") -> str:
        """Make a key that may sell, and return its identifier."""
        body = {"name": name, "username": "counter1", "permission": "API", "kind": "private"}
        made = self.client.post("/portal/keys", json=body).raise_for_status().json()
        self.key = made["value"]
        return str(made["id"])

    def sell(self, device: str = "till-1", amount: str = "10.00", key: str = "") -> httpx.Response:
        """Start a sale."""
        path = f"/api/v5/devices/{device}/payment-requests/sale"
        return self.client.post(path, json={"amount": amount}, headers={"Authorization": key or self.key})

    def status(self, request_id: str, device: str = "till-1") -> httpx.Response:
        """Ask for a sale."""
        path = f"/api/v5/devices/{device}/payment-requests/{request_id}"
        return self.client.get(path, headers={"Authorization": self.key})

    def tell(self, done: int = 1, **more: Any) -> httpx.Response:
        """Tell how far one is in the first lesson."""
        return self.client.put("/class/standing", json={"lesson": "first", "done": done, "steps": 3, **more})

    def keys(self) -> list[str]:
        """Return the names of the account's keys."""
        return [one["name"] for one in self.client.get("/portal/keys").json()["keys"]]
