"""The journal keeps its contract, in a file and in a team's PostgreSQL."""

from __future__ import annotations

import pytest

from contracts.activity_contract import ActivityContract
from contracts.desks_contract import DesksContract
from contracts.history_contract import HistoryContract
from contracts.journal_contract import JournalContract
from contracts.register_contract import RegisterContract
from contracts.retention_contract import RetentionContract
from keybench.journal import SqlJournal
from keybench.journal.postgres.engine import TeamStore
from keybench.journal.store import Here


class TestSqlJournal(JournalContract, RegisterContract, ActivityContract, RetentionContract, DesksContract):
    pass


@pytest.mark.sweep
class TestTeamJournal(
    JournalContract, RegisterContract, ActivityContract, RetentionContract, HistoryContract, DesksContract
):
    @pytest.fixture
    def journal(self, team_journal: SqlJournal) -> SqlJournal:
        store = team_journal._opened()
        assert isinstance(store, TeamStore)
        store.be_at(Here(team_journal.desk.id))  # as who owns the tables, lines have the names they are given
        return team_journal
