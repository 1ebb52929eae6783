"""The whole program on real parts: processes, the practice gateway over HTTP, the Secret Service, SQLite.

A command runs in the test's own process, on the same parts, where a test isn't about processes: starting
Python and importing takes as long as most commands themselves.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from keybench import bootstrap, launch
from keybench.cli.entry import run as run_command
from practice.serving import served


class Here:
    """What a command opens when it runs in this process, whose memory isn't closed to debuggers."""

    open_console = staticmethod(bootstrap.open_console)
    contracts = staticmethod(launch.contracts)
    run_window = staticmethod(launch.run_window)
    run_tour = staticmethod(launch.run_tour)
    serve_practice = staticmethod(launch.serve_practice)


@dataclass(slots=True)
class Ran:
    """One command that has ended."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The JSON lines of standard output."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        """The last JSON line."""
        return self.lines[-1]


#: ``python -m keybench`` stands before a command's words.
_PYTHON = 3


@dataclass(slots=True)
class Keybench:
    """Runs the real command line on one data folder and keeps all it wrote."""

    folder: Path
    transcript: list[str] = field(default_factory=list)

    def arguments(self, *words: str) -> list[str]:
        """Return the whole command."""
        return [sys.executable, "-m", "keybench", *words, "--data-dir", str(self.folder), "--json"]

    def run(self, *words: str, stdin: str = "") -> Ran:
        """Run a command to its end in this process."""
        out, err = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patched,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            patched.setattr(sys, "stdin", io.StringIO(stdin))
            try:
                status = run_command(self.arguments(*words)[_PYTHON:], Here())
            except SystemExit as ended:  # argparse's way
                status = ended.code if isinstance(ended.code, int) else 1
        self.transcript += [out.getvalue(), err.getvalue()]
        return Ran(status, out.getvalue(), err.getvalue())

    def run_program(self, *words: str, stdin: str = "") -> Ran:
        """Run a command to its end in a process of its own, as a person does."""
        done = subprocess.run(
            self.arguments(*words), input=stdin, capture_output=True, text=True, timeout=60, check=False
        )
        self.transcript += [done.stdout, done.stderr]
        return Ran(done.returncode, done.stdout, done.stderr)

    def add_key(
        self,
        name: str = "till",
        username: str = "counter1",
        *,
        environment: str = "practice",
        value: str = "",
    ) -> dict[str, Any]:
        """Add a key and return its record; `value` is pasted where the gateway can't make one."""
        words = ("--environment", environment, "--name", name, "--username", username)
        added = self.run("key", "add", *words, "--permission", "API", "--kind", "private", stdin=value)
        assert added.status == 0, added.err
        return added.last

    def add_environment(
        self,
        base_url: str,
        value: str = "",
        *,
        name: str = "SANDBOX",
        kind: str = "test",
        contract: str = "v5",
    ) -> None:
        """Add an environment, and a key there that is named till."""
        words = ("--kind", kind, "--base-url", base_url, "--contract", contract)
        added = self.run("environment", "add", name, *words)
        assert added.status == 0, added.err
        self.add_key(environment=name, value=value)

    def sell(self, amount: str, *more: str, environment: str = "practice", device: str = "till-1") -> Ran:
        """Send a sale with the key named till."""
        words = ("--environment", environment, "--key", "till", "--device", device, "--amount", amount)
        return self.run("sale", *words, *more)


@pytest.fixture
def keybench(tmp_path: Path) -> Keybench:
    return Keybench(tmp_path / "data")


@pytest.fixture
def gateway_here(keybench: Keybench) -> Iterator[None]:
    """Serve the data folder's practice gateway, so that no command has to start and end one."""
    with served(keybench.folder / "practice", 1.0, is_told=True):
        yield


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keybench]:
    """A data folder with one key that sells, shared by tests that only add to its history."""
    ready = Keybench(tmp_path_factory.mktemp("till") / "data")
    with served(ready.folder / "practice", 1.0, is_told=True):
        ready.add_key()
        yield ready


@dataclass(slots=True)
class OtherGateway:
    """A practice gateway of somebody else's: it stands for a test gateway out in the world."""

    base_url: str
    folder: Path

    def portal(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Make one of the portal's calls and return its JSON."""
        request = urllib.request.Request(
            f"{self.base_url}/portal/{path}",
            data=json.dumps(body).encode() if body else None,
            method=method,
            headers={"X-Practice-Portal": "1", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def kept_keys(self) -> list[dict[str, Any]]:
        """Return the account's keys."""
        return list(self.portal("GET", "keys")["keys"])

    def make_key(self, username: str = "counter1", permission: str = "API", kind: str = "private") -> str:
        """Make a key as a person does in the portal and return its value, shown this once."""
        body = {"name": "made in the portal", "username": username, "permission": permission, "kind": kind}
        return str(self.portal("POST", "keys", body)["value"])


@pytest.fixture
def other_gateway(tmp_path: Path) -> Iterator[OtherGateway]:
    folder = tmp_path / "somebody else's"
    with served(folder / "practice", 10.0) as base_url:
        yield OtherGateway(base_url, folder)


def spellings(value: str) -> list[bytes]:
    """Return a value as it might lie about: raw, reversed, in hexadecimal, URL-encoded, in base64."""
    raw = value.encode()
    shifted = [base64.b64encode(b"x" * offset + raw)[4:-4] for offset in range(3)]
    return [
        raw,
        raw[::-1],
        raw.hex().encode(),
        "".join(f"%{byte:02X}" for byte in raw).encode(),
        urllib.parse.quote(value, safe="").encode(),
        value.encode("utf-16-le"),
        *shifted,
    ]


def places_with(value: str, *roots: Path) -> list[str]:
    """Return the files below `roots` that hold the value in any spelling; names only, never contents."""
    found = []
    for root in roots:
        for path in (p for p in root.rglob("*") if p.is_file()):
            content = path.read_bytes()
            found += [path.name for spelling in spellings(value) if spelling in content]
    return found


def process_texts() -> Iterator[bytes]:
    """Yield the command line and the environment of every process of this user."""
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and process.name != str(os.getpid()):
            for part in ("cmdline", "environ"):
                try:
                    yield (process / part).read_bytes()
                except OSError:
                    continue  # it ended, or isn't ours
