"""What the command line's tests share: a program on fakes that a command opens and closes."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from fakes.clock import HurriedClock
from fakes.world import MADE_UP, Bench
from keybench.cli.commands.tour import TourOptions
from keybench.cli.entry import run
from keybench.core.ports import ContractFiles
from keybench.gateway.contracts import Contracts
from keybench.runtime.data_folder import DataFolder
from keybench.workflows.console import Console


@dataclass
class Composed:
    """Implements `cli.entry.Composition` on a bench, and counts what was opened.

    Attributes:
        bench: The program on fakes that every command opens.
        failure: Raised in place of opening.
        asked: What was asked for besides commands.
        still_open: How many programs were opened and not closed.
    """

    bench: Bench
    failure: Exception | None = None
    asked: list[object] = field(default_factory=list)
    still_open: int = 0

    @asynccontextmanager
    async def open_console(self, folder: DataFolder) -> AsyncIterator[Console]:
        if self.failure:
            raise self.failure
        await self.bench.journal.open()
        self.still_open += 1
        try:
            yield self.bench.console
        finally:
            self.still_open -= 1

    def contracts(self, folder: DataFolder) -> ContractFiles:
        return Contracts(folder.contracts)

    def run_window(self, folder: DataFolder) -> int:
        self.asked.append(("window", folder.root))
        return 0

    def run_tour(self, options: TourOptions) -> int:
        self.asked.append(("tour", options))
        return 0

    def serve_practice(self, arguments: Sequence[str]) -> int:
        self.asked.append(("practice", list(arguments)))
        return 0

    def make_checks(self, folder: DataFolder) -> int:
        self.asked.append(("checks", folder.root))
        return 0


@dataclass
class CommandLine:
    """Runs commands as a shell would, on one bench."""

    composed: Composed
    captured: pytest.CaptureFixture[str]
    patched: pytest.MonkeyPatch

    @property
    def bench(self) -> Bench:
        return self.composed.bench

    def __call__(self, *arguments: str, stdin: str = "") -> Ended:
        self.patched.setattr("sys.stdin", io.StringIO(stdin))
        self.captured.readouterr()
        try:
            status = run(arguments, self.composed)
        except SystemExit as error:  # argparse ends the program itself
            status = int(error.code or 0)
        out, err = self.captured.readouterr()
        return Ended(status, out, err)

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def prepared() -> Any:
            await self.bench.journal.open()
            return await work

        return asyncio.run(prepared())


@dataclass
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def keybench(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setattr("logging.basicConfig", lambda **_settings: None)  # the test's own log goes on
    return CommandLine(Composed(Bench(clock=HurriedClock())), capsys, monkeypatch)


@pytest.fixture
def with_key(keybench: CommandLine) -> CommandLine:
    async def add() -> None:
        await keybench.bench.add_key(await keybench.bench.practice_environment())

    keybench.do(add())
    return keybench


def shows_value(*texts: str) -> bool:
    """Tell whether any text gives the made-up key away."""
    return any(MADE_UP[:8] in text or MADE_UP[-8:] in text for text in texts)
