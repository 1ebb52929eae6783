"""The journal in memory and on the caller's thread, for tests of use cases: nothing is waited for."""

from __future__ import annotations

import copy
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine, StaticPool, create_engine, insert

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import JournalError
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Clock, Journal, JournalPlace, KeptAnswer
from keybench.journal import SqlJournal
from keybench.journal.columns import metadata
from keybench.journal.rows import named_values
from keybench.journal.sqlite.engine import database_errors
from keybench.journal.store import HERE, Here
from keybench.journal.tables import environments

T = TypeVar("T")

_DIALECT: Final = create_engine("sqlite://").dialect
_COMPILED: Final[dict[Any, Any]] = {}


class MemoryJournal(SqlJournal):
    """What it holds outlives `close` as long as the object does.

    Attributes:
        failure: Set it, and every write raises it and writes nothing; None for a journal that works.
    """

    place = JournalPlace()

    def __init__(self, clock: Clock) -> None:
        self.failure: JournalError | None = None
        self.is_open = False
        self._clock, self._installation = clock, uuid.uuid4().hex
        self._answers: dict[str, KeptAnswer] = {}
        self._database = _database()
        _new_journal().backup(self._database)
        # One connection for all: what SQLAlchemy does for a transaction takes longer than what is done in it.
        here = {HERE: Here("desk-1", clock.now)}
        self._connection = _engine(self._database).connect().execution_options(**here)
        practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", clock.now())
        self.change(lambda connection: connection.execute(insert(environments), named_values(practice)))

    def at(self, desk: str) -> MemoryJournal:
        """Return the same journal as another desk has it."""
        there = copy.copy(self)
        here = {HERE: Here(desk, self._clock.now)}
        there._connection = _engine(self._database).connect().execution_options(**here)
        return there

    async def open(self) -> str:
        self.is_open = True
        return self._installation

    async def close(self) -> None:
        self.is_open = False

    async def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        if not self.is_open:
            raise JournalError("not open")
        if writes and self.failure is not None:
            raise self.failure
        return self.change(call)

    def change(self, call: Callable[[Connection], T]) -> T:
        """Make a call in a transaction at once, also before it is opened."""
        with database_errors(Path("memory")):
            self._database.execute("BEGIN")
            try:
                result = call(self._connection)
            except BaseException:
                self._database.rollback()
                raise
            self._database.commit()
            return result

    def dump(self) -> Iterator[str]:
        """Return all that it holds as text."""
        return self._database.iterdump()

    async def keep_answer(self, answer: KeptAnswer) -> None:
        self._answers[answer.reference] = answer

    async def kept_answers(self) -> Sequence[KeptAnswer]:
        return list(self._answers.values())

    async def drop_answers(self, reference: str) -> None:
        self._answers.pop(reference, None)


def _database() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA foreign_keys = ON")
    return database


def _engine(database: sqlite3.Connection) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: database, poolclass=StaticPool)
    # A statement is compiled for a dialect: with one for all, each is compiled once and not in every test.
    engine.dialect = _DIALECT
    return engine.execution_options(compiled_cache=_COMPILED)


@cache
def _new_journal() -> sqlite3.Connection:
    """Return a database with the journal's tables: to copy it is a hundred times as quick as to make it."""
    database = _database()
    metadata.create_all(_engine(database))
    return database


async def put_key(journal: Journal, key: SecurityKey) -> None:
    """Have the journal's key be as a test needs it."""
    await journal.update_key(key.id, lambda _stored: key)
