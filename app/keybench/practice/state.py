"""Everything the practice gateway remembers, opened together, and what a new installation begins with."""

import sqlite3
from pathlib import Path
from typing import Final

from keybench.practice.database import Facts, open_database
from keybench.practice.fleet import Device, Fleet
from keybench.practice.ledger import Ledger
from keybench.practice.people import Keys, Permission, User, Users
from keybench.practice.requestlog import RequestLog

_TILL: Final = frozenset({Permission.SELL, Permission.READ})
SEED_USERS: Final = (
    User("admin", "Account administrator", frozenset(Permission), enabled=True),
    User("counter1", "Counter one", _TILL, enabled=True),
    User("counter2", "Counter two", _TILL, enabled=True),
    User("reports", "Reporting (reads only)", frozenset({Permission.READ}), enabled=True),
    User("web", "Web shop (browser checkout)", frozenset({Permission.CHECKOUT}), enabled=True),
    User("frozen", "A user who has been disabled", _TILL, enabled=False),
)

_SEED_DEVICES: Final = (
    ("till-1", "Till 1", "P400", "PRA-0001", True),
    ("till-2", "Till 2", "P400", "PRA-0002", True),
    ("counter-1", "Counter 1", "M400", "PRA-0003", True),
    ("kiosk-1", "Kiosk", "UX300", "PRA-0004", True),
    ("offline-1", "Back office", "P400", "PRA-0005", False),
)
_A_WEEK: Final = 7 * 24 * 3600.0


class State:
    """The open state; close it when done."""

    def __init__(self, connection: sqlite3.Connection, now: float) -> None:
        self._connection = connection
        self.facts = Facts(connection)
        self.users = Users(connection)
        self.keys = Keys(connection, self.facts)
        self.fleet = Fleet(connection)
        self.ledger = Ledger(connection)
        self.log = RequestLog(connection)
        with connection:
            connection.execute("BEGIN")
            if self.facts.once("seeded"):
                self._seed(now)

    def _seed(self, now: float) -> None:
        for user in SEED_USERS:
            self.users.add(user)
        for device_id, nickname, model, serial, connected in _SEED_DEVICES:
            seen = now if connected else now - _A_WEEK
            device = Device(
                device_id, nickname, "Practice", model, serial, connected, seen, registered=now - _A_WEEK
            )
            self.fleet.add(device)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def open_state(path: Path | str, now: float) -> State:
    """Open the state at a path (or `:memory:`), seeding users and devices the first time.

    Raises:
        NewerStateError: it was written by a newer version.
        sqlite3.Error: it can't be opened or written.
    """
    return State(open_database(path), now)
