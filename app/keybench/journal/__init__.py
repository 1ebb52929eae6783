"""The one place that touches the database."""

from keybench.journal.sql_journal import SqlJournal

__all__ = ["SqlJournal"]
