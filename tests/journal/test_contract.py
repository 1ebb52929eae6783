"""The journal keeps its contract."""

from __future__ import annotations

import pytest

from contracts.activity_contract import ActivityContract
from contracts.journal_contract import JournalContract
from contracts.register_contract import RegisterContract
from contracts.retention_contract import RetentionContract
from keybench.journal import activities


class TestSqlJournal(JournalContract, RegisterContract, ActivityContract, RetentionContract):
    pass


class TestSqlActivityAFewLinesAtATime(ActivityContract):
    """The same lines come where a text is looked for in several goes."""

    @pytest.fixture(autouse=True)
    def _looks_at_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(activities, "WINDOW", 2)
