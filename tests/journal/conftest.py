"""What the journal's tests share: a clock that stands still, a journal on a fresh file."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from contracts.journal_samples import NOW
from journal.postgres import Server, a_desk, the_server
from keybench.journal import SqlJournal

# Asserts outside test files explain themselves only when pytest is told of them before their import.
pytest.register_assert_rewrite(
    "contracts.journal_contract",
    "contracts.history_contract",
    "contracts.retention_contract",
    "journal.files",
)


class StoppedClock:
    """It is always `NOW`."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("the journal never sleeps")


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "journal.sqlite3"


@pytest.fixture(scope="session")
def new_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a journal that was just made."""
    folder = tmp_path_factory.mktemp("new journal") / "data"

    async def make() -> None:
        journal = SqlJournal(folder / "journal.sqlite3", StoppedClock())
        await journal.open()
        await journal.close()

    asyncio.run(make())
    return folder


@pytest.fixture
async def journal(path: Path, clock: StoppedClock, new_journal: Path) -> AsyncIterator[SqlJournal]:
    shutil.copytree(new_journal, path.parent)  # making one takes three times as long as opening it
    journal = SqlJournal(path, clock)
    await journal.open()
    yield journal
    await journal.close()


@pytest.fixture
def server() -> Server:
    return the_server()


@pytest.fixture
def database(server: Server) -> Iterator[str]:
    """A team's empty journal on the server."""
    name = server.database("empty")
    yield name
    server.drop(name)


@pytest.fixture
async def team_journal(
    server: Server, database: str, path: Path, clock: StoppedClock
) -> AsyncIterator[SqlJournal]:
    """The journal of a team, at a desk of it."""
    path.parent.mkdir()
    journal = SqlJournal(path, clock, desk=a_desk(server.url(database)))
    await journal.open()
    yield journal
    await journal.close()
