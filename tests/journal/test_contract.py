"""Both journals keep the same contract: the one in the database and the one in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contracts.activity_contract import ActivityContract
from contracts.journal_contract import JournalContract
from contracts.register_contract import RegisterContract
from contracts.retention_contract import RetentionContract
from fakes.journal import MemoryJournal
from keybench.core.ports import Clock
from keybench.journal import activities


class TestSqlJournal(JournalContract, RegisterContract, ActivityContract, RetentionContract):
    pass


class TestSqlActivityAFewLinesAtATime(ActivityContract):
    """The same lines come where a text is looked for in several goes."""

    @pytest.fixture(autouse=True)
    def _looks_at_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(activities, "WINDOW", 2)


class TestMemoryJournal(JournalContract, RegisterContract, ActivityContract, RetentionContract):
    @pytest.fixture
    async def journal(self, clock: Clock) -> AsyncIterator[MemoryJournal]:
        journal = MemoryJournal(clock)
        await journal.open()
        yield journal
        await journal.close()
