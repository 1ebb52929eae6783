"""Both journals keep the same contract: the one in the database and the one in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from contracts.journal_contract import JournalContract
from fakes.journal import MemoryJournal
from keybench.core.ports import Clock


class TestSqlJournal(JournalContract):
    pass


class TestMemoryJournal(JournalContract):
    @pytest.fixture
    async def journal(self, clock: Clock) -> AsyncIterator[MemoryJournal]:
        journal = MemoryJournal(clock)
        await journal.open()
        yield journal
        await journal.close()
