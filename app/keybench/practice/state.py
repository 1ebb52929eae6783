"""Everything the practice gateway remembers, opened together, and what a new installation begins with."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.practice import carddata
from keybench.practice.database import Facts, open_database
from keybench.practice.ledger import Ledger
from keybench.practice.people import Keys, Permission, User, Users, mentions_value


@dataclass(frozen=True, slots=True)
class Device:
    """A cloud payment device; times are in seconds since 1970."""

    id: str
    nickname: str
    make: str
    model: str
    serial_number: str
    connected: bool
    last_connected: float
    registered: float


class Fleet:
    """The devices, in the order they were registered."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, device: Device) -> None:
        """Register a device under an identifier that is not in use."""
        self._connection.execute(
            "INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(device.id, device.nickname, device.make, device.model, device.serial_number),
                *(device.connected, device.last_connected, device.registered),
            ),
        )

    def every(self) -> list[Device]:
        """Return all devices."""
        return [_device(row) for row in self._connection.execute("SELECT * FROM device ORDER BY rowid")]

    def find(self, device_id: str) -> Device | None:
        """Return a device by its identifier, or None."""
        row = self._connection.execute("SELECT * FROM device WHERE id = ?", (device_id,)).fetchone()
        return None if row is None else _device(row)

    def remove(self, device_id: str) -> None:
        """Take a device off the account; its payment requests stay."""
        self._connection.execute("DELETE FROM device WHERE id = ?", (device_id,))


def _device(row: sqlite3.Row) -> Device:
    return Device(
        id=row["id"],
        nickname=row["nickname"],
        make=row["make"],
        model=row["model"],
        serial_number=row["serial_number"],
        connected=bool(row["connected"]),
        last_connected=row["last_connected"],
        registered=row["registered"],
    )


KEPT_ENTRIES: Final = 20_000
NO_ANSWER: Final = 0
WITHHELD: Final = "(withheld)"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One request.

    `time` is in seconds since 1970, `status` is 0 where the connection was closed instead, and `sequence`
    counts the entries without a gap from 1 on; 0 before it is kept.
    """

    time: float
    method: str
    path: str
    status: int
    key_id: str | None
    order_id: str | None
    sequence: int = 0


class RequestLog:
    """The last 20,000 requests."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, entry: LogEntry) -> None:
        """Keep an entry; a text in the form of a key's value or a card number is withheld."""
        order_id = None if entry.order_id is None else _harmless(entry.order_id)
        cursor = self._connection.execute(
            "INSERT INTO request_log (time, method, path, status, key_id, order_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (entry.time, entry.method, _harmless(entry.path), entry.status, entry.key_id, order_id),
        )
        oldest = (cursor.lastrowid or 0) - KEPT_ENTRIES
        self._connection.execute("DELETE FROM request_log WHERE sequence <= ?", (oldest,))

    def latest(self, limit: int) -> list[LogEntry]:
        """Return the last `limit` entries, newest first."""
        query = (
            "SELECT time, method, path, status, key_id, order_id, sequence FROM request_log"
            " ORDER BY sequence DESC LIMIT ?"
        )
        return [LogEntry(*row) for row in self._connection.execute(query, (limit,))]


def _harmless(text: str) -> str:
    if mentions_value(text) or carddata.holds_card_number(text):
        return WITHHELD
    return text[:300]


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
