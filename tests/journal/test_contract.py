"""The journal keeps its contract."""

from __future__ import annotations

from contracts.activity_contract import ActivityContract
from contracts.desks_contract import DesksContract
from contracts.journal_contract import JournalContract
from contracts.register_contract import RegisterContract
from contracts.retention_contract import RetentionContract


class TestSqlJournal(JournalContract, RegisterContract, ActivityContract, RetentionContract, DesksContract):
    pass
