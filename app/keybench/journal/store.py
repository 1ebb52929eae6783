"""An open journal on its own thread: runs each call in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, Engine

from keybench.core.errors import JournalError, JournalUnwritable
from keybench.core.ports import Activity, KeyUse
from keybench.journal.engine import WRITES, sweep
from keybench.journal.environments import Environments
from keybench.journal.history import History
from keybench.journal.keys import Keys
from keybench.journal.programs import Programs
from keybench.journal.reserve import Reserve
from keybench.journal.sales import Sales
from keybench.journal.trail import Trail
from keybench.journal.translate import NO_ROOM, database_errors, file_errors
from keybench.journal.upgrading import copies_beside

if TYPE_CHECKING:
    from keybench.core.erasing import Erasure
    from keybench.core.secret import Secret
    from keybench.journal.applications import Applications
    from keybench.journal.erasing import Erasing
    from keybench.journal.key_plans import KeyPlans
    from keybench.journal.rotations import Rotations
    from keybench.journal.settings import Settings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Transaction:
    """What can be done inside one transaction, grouped by what it is about.

    What is for administering keys is imported when it is first asked for, so that the keys are listed sooner.
    """

    connection: Connection
    environments: Environments
    keys: Keys
    sales: Sales
    history: History
    trail: Trail
    programs: Programs

    @classmethod
    def on(cls, connection: Connection) -> Transaction:
        """Return the groups for a connection that has begun."""
        return cls(
            connection,
            Environments(connection),
            Keys(connection),
            Sales(connection),
            History(connection),
            Trail(connection),
            Programs(connection),
        )

    @property
    def applications(self) -> Applications:
        """The register's applications."""
        from keybench.journal.applications import Applications  # noqa: PLC0415 - see above

        return Applications(self.connection)

    @property
    def rotations(self) -> Rotations:
        """The rotations."""
        from keybench.journal.rotations import Rotations  # noqa: PLC0415 - see above

        return Rotations(self.connection)

    @property
    def key_plans(self) -> KeyPlans:
        """The keys that are to be added."""
        from keybench.journal.key_plans import KeyPlans  # noqa: PLC0415 - see above

        return KeyPlans(self.connection)

    @property
    def settings(self) -> Settings:
        """What people set."""
        from keybench.journal.settings import Settings  # noqa: PLC0415 - see above

        return Settings(self.connection)

    def erasing(self, text: Secret) -> Erasing:
        """What can be done to erase a text."""
        from keybench.journal.erasing import Erasing  # noqa: PLC0415 - see above

        return Erasing(self.connection, text)

    def key_uses(self, since: datetime) -> Sequence[KeyUse]:
        """Return what each key sold since a moment."""
        from keybench.journal.key_uses import key_uses  # noqa: PLC0415 - see above

        return key_uses(self.connection, since)


class Store:
    """An open journal; every call comes from the one thread that made it.

    Attributes:
        installation: This installation's identifier.
    """

    def __init__(self, engine: Engine, place: Path, installation: str) -> None:
        self.installation = installation
        self._engine = engine
        self._place = place
        self._reserve = Reserve(place)

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

    def write_sales(
        self, call: Callable[[Transaction], T], *, is_intent: bool = False, from_reserve: bool = False
    ) -> T:
        """Run a `call` that writes about sales, and keep the reserve as large as those under way need.

        Args:
            call: As in `run`; called again where the reserve is given up.
            is_intent: Fail where the reserve can't be as large.
            from_reserve: Give it up where the disk is full.

        Raises:
            JournalError: The database didn't do it, or there is no room for the reserve.
        """

        def with_reserve(transaction: Transaction) -> T:
            result = call(transaction)
            under_way = self._shrunk_to(transaction)
            if is_intent:
                with file_errors(self._place):
                    self._reserve.grow(under_way)
            else:
                with suppress(OSError):  # there will be room another time
                    self._reserve.grow(under_way)
            return result

        def without(transaction: Transaction) -> T:
            result = call(transaction)
            self._shrunk_to(transaction)
            return result

        try:
            return self.run(with_reserve, writes=True)
        except JournalUnwritable as error:
            if not from_reserve or error.reason not in NO_ROOM:
                raise
            failure = error
        with file_errors(self._place):
            for _ in self._reserve.give_up():
                try:
                    return self.run(without, writes=True)
                except JournalUnwritable as error:
                    failure = error
        raise failure

    def _shrunk_to(self, transaction: Transaction) -> int:
        """Make the reserve no larger than is needed; return how many sales are under way."""
        under_way = transaction.sales.count_unfinished()
        with suppress(OSError):  # it may be open in another program
            self._reserve.shrink(under_way)
        return under_way

    def copies(self) -> int:
        """Return how many copies of the journal from before an upgrade are beside it."""
        return len(copies_beside(self._place))

    def erase_text(self, text: Secret, line: Callable[[int], Activity]) -> Erasure:
        """Erase a text, in one transaction, and then what is left of it in the files.

        Raises:
            TextNotErasable: It can't be erased; nothing was.
            JournalError: The database didn't do it; nothing was erased.
        """
        from keybench.core.erasing import Erasure  # noqa: PLC0415 - see above

        copies = self.copies()
        places, number = self.run(lambda transaction: transaction.erasing(text).erase(line), writes=True)
        return Erasure(places, copies, number, self.sweep())

    def sweep(self) -> bool:
        """Leave nothing of what was erased in the files, nor a copy of the journal; tell whether it was done.

        What couldn't be done is tried again when the journal is opened.
        """
        from keybench.journal.erasing import note_swept  # noqa: PLC0415 - see above

        try:
            for copy in copies_beside(self._place):
                copy.unlink(missing_ok=True)
        except OSError:
            return False
        if not sweep(self._engine):
            return False
        try:
            self.run(lambda transaction: note_swept(transaction.connection), writes=True)
        except JournalError:
            return False
        return True

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()
