"""An open journal on its own thread: runs each call in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine

from keybench.journal.engine import WRITES
from keybench.journal.environments import Environments
from keybench.journal.history import History
from keybench.journal.keys import Keys
from keybench.journal.sales import Sales
from keybench.journal.trail import Trail
from keybench.journal.translate import database_errors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transaction:
    """What can be done inside one transaction, grouped by what it is about."""

    environments: Environments
    keys: Keys
    sales: Sales
    history: History
    trail: Trail

    @classmethod
    def on(cls, connection: Connection) -> Transaction:
        """Return the groups for a connection that has begun."""
        return cls(
            Environments(connection),
            Keys(connection),
            Sales(connection),
            History(connection),
            Trail(connection),
        )


class Store:
    """An open journal; every call comes from the one thread that made it.

    Attributes:
        installation: This installation's identifier.
    """

    def __init__(self, engine: Engine, place: Path, installation: str) -> None:
        self.installation = installation
        self._engine = engine
        self._place = place

    def run(self, call: Callable[[Transaction], T], *, writes: bool) -> T:
        """Run `call` in a transaction and return its result; whatever it raises undoes the transaction.

        Args:
            call: Given the transaction; must not keep it.
            writes: Take the write lock first, and return only when the commit is durable.

        Raises:
            JournalError: The database didn't do it.
        """
        engine = self._engine.execution_options(**{WRITES: writes})
        with database_errors(self._place), engine.begin() as connection:
            return call(Transaction.on(connection))

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()
