"""A class that is served by a process of its own, and what its trainer asks there."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

HOST = "127.0.0.1"


class ServedClass:
    """A running class; `identity` is what it shows, new if it is None, and `lesson` what it begins with."""

    def __init__(
        self, folder: Path, lesson: Path | None = None, port: int = 0, identity: str | None = None
    ) -> None:
        command = [sys.executable, "-m", "keybench.practice", "--class", "--host", HOST, "--json"]
        command += ["--data-dir", str(folder), "--port", str(port or free_port()), "--until-stdin-closes"]
        command += ["--lesson", str(lesson)] if lesson else []
        command += ["--identity-from-stdin"] if identity else []
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin
        assert self._process.stdout
        if identity:
            self._process.stdin.write(json.dumps({"identity": identity}) + "\n")
            self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        self.join, self.words, self.board_url = told["join"], told["words"], told["board_url"]
        self.port = int(told["base_url"].rpartition(":")[2])

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Make one of the trainer's calls."""
        answer = httpx.request(
            method, self.board_url + path, json=body, headers={"X-Practice-Portal": "1"}, timeout=60.0
        )
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.text else None

    def standing(self, learner: str) -> dict[str, Any]:
        """Return how far a learner is on the board; empty if nothing was told yet."""
        board = self.ask("GET", "/class")
        return next((one["standing"] for one in board["learners"] if one["learner"] == learner), None) or {}

    def end(self) -> None:
        """End it, and wait for that."""
        self._process.communicate()


def free_port() -> int:
    """Return a port that nobody has."""
    with socket.socket() as bound:
        bound.bind((HOST, 0))
        return int(bound.getsockname()[1])


@contextmanager
def served_class(
    folder: Path, lesson: Path | None = None, identity: str | None = None
) -> Iterator[ServedClass]:
    """Serve a class as long as the block lasts."""
    served = ServedClass(folder, lesson, identity=identity)
    try:
        yield served
    finally:
        served.end()
