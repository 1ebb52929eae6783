"""Everything the practice gateway remembers, in one SQLite file, and what a new installation begins with."""

import abc
import secrets
import sqlite3
import uuid
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from keybench.practice import amounts, carddata
from keybench.practice.amounts import PaymentRequest
from keybench.practice.database import open_database
from keybench.practice.keys import Permission, PracticeKey, User, digest, mentions_value, new_value


class RepeatedRequestError(Exception):
    """A key was already created for this request id; `key_id` is that key's."""

    def __init__(self, key_id: str) -> None:
        super().__init__(key_id)
        self.key_id = key_id


class Facts:
    """What is remembered about this installation: who it is, its salt, its last port."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.instance = self._settle("instance", str(uuid.uuid4()))
        self.salt = bytes.fromhex(self._settle("salt", secrets.token_hex(32)))

    def _settle(self, name: str, default: str) -> str:
        """Return a fact, storing `default` if there is none yet."""
        self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, ?)", (name, default))
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return str(row["value"])

    @property
    def last_port(self) -> int:
        """The port that was last served on; 0 if there was none."""
        return int(self._settle("last_port", "0"))

    @last_port.setter
    def last_port(self, port: int) -> None:
        self._connection.execute("INSERT OR REPLACE INTO fact VALUES ('last_port', ?)", (str(port),))

    def once(self, name: str) -> bool:
        """Return whether this is the first time that `name` is asked for on this installation."""
        added = self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, 'done')", (name,))
        return added.rowcount == 1


Record = TypeVar("Record")


class _Table(abc.ABC, Generic[Record]):
    """A table whose rows, selected by `query`, are read as records."""

    query: str

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @staticmethod
    @abc.abstractmethod
    def _record(row: sqlite3.Row) -> Record:
        """Return a row as a record."""

    def _select(self, which: str, *values: object) -> list[Record]:
        return [self._record(row) for row in self._connection.execute(f"{self.query} {which}", values)]

    def _first(self, which: str, *values: object) -> Record | None:
        return next(iter(self._select(which, *values)), None)

    def _run(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


class Users(_Table[User]):
    """The account's users."""

    query = "SELECT * FROM user"

    @staticmethod
    def _record(row: sqlite3.Row) -> User:
        permissions = frozenset(Permission(word) for word in row["permissions"].split(";") if word)
        return User(row["username"], row["full_name"], permissions, bool(row["enabled"]))

    def add(self, user: User) -> None:
        """Add a user; one that is there already stays as it is."""
        permissions = ";".join(sorted(user.permissions))
        self._run(
            "INSERT OR IGNORE INTO user VALUES (?, ?, ?, ?)",
            *(user.username, user.full_name, permissions, user.enabled),
        )

    def every(self) -> list[User]:
        """Return all users in the order they were added."""
        return self._select("ORDER BY rowid")

    def find(self, username: str) -> User | None:
        """Return a user by name, or None."""
        return self._first("WHERE username = ?", username)

    def set_enabled(self, username: str, *, enabled: bool) -> None:
        """Let a user's keys in, or shut them out."""
        self._run("UPDATE user SET enabled = ? WHERE username = ?", enabled, username)


class PracticeKeys(_Table[PracticeKey]):
    """The account's security keys; of a value only a keyed hash is stored."""

    query = "SELECT id, name, username, permission, kind, created FROM security_key"

    def __init__(self, connection: sqlite3.Connection, facts: Facts) -> None:
        super().__init__(connection)
        self._facts = facts

    @staticmethod
    def _record(row: sqlite3.Row) -> PracticeKey:
        return PracticeKey(*row)

    def create(
        self, name: str, username: str, permission: str, kind: str, now: float, request_id: str | None = None
    ) -> tuple[PracticeKey, str]:
        """Create a key; the value in the answer exists nowhere else.

        As in the portals known, names need not be unique. `request_id` is the caller's own mark, so that
        asking again creates no second key.
        """
        repeated = self._first("WHERE request_id = ?", request_id)
        if repeated is not None:
            raise RepeatedRequestError(repeated.id)
        key = PracticeKey(str(uuid.uuid4()), name, username, permission, kind, now)
        value = new_value(permission)
        self._run(
            "INSERT INTO security_key VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            *(key.id, name, username, permission, kind),
            *(self._facts.instance, digest(self._facts.salt, value), request_id, now),
        )
        return key, value

    def active(self) -> list[PracticeKey]:
        """Return the keys that are in force, oldest first."""
        return self._select("WHERE deleted IS NULL ORDER BY rowid")

    def delete(self, key_id: str, now: float) -> bool:
        """Delete an active key; return whether there was one."""
        query = "UPDATE security_key SET deleted = ? WHERE id = ? AND deleted IS NULL"
        return self._run(query, now, key_id).rowcount == 1

    def by_value(self, value: str, *, deleted: bool = False) -> PracticeKey | None:
        """Return the active key of this environment that has a value, or a deleted one that had; or None."""
        state = "NOT NULL" if deleted else "NULL"
        which = f"WHERE digest = ? AND environment = ? AND deleted IS {state}"
        return self._first(which, digest(self._facts.salt, value), self._facts.instance)


@dataclass(frozen=True, slots=True)
class PracticeDevice:
    """A cloud payment device; times are in seconds since 1970."""

    id: str
    nickname: str
    make: str
    model: str
    serial_number: str
    connected: bool
    last_connected: float
    registered: float

    @property
    def connection_status(self) -> str:
        """The service's word for whether the device is connected."""
        return "connected" if self.connected else "disconnected"


class Fleet(_Table[PracticeDevice]):
    """The devices, in the order they were registered."""

    query = "SELECT * FROM device"

    @staticmethod
    def _record(row: sqlite3.Row) -> PracticeDevice:
        return PracticeDevice(**{**row, "connected": bool(row["connected"])})

    def add(self, device: PracticeDevice) -> None:
        """Register a device under an identifier that is not in use."""
        self._run("INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *astuple(device))

    def every(self) -> list[PracticeDevice]:
        """Return all devices."""
        return self._select("ORDER BY rowid")

    def find(self, device_id: str) -> PracticeDevice | None:
        """Return a device by its identifier, or None."""
        return self._first("WHERE id = ?", device_id)

    def rename(self, device_id: str, nickname: str) -> None:
        """Give a device another nickname."""
        self._run("UPDATE device SET nickname = ? WHERE id = ?", nickname, device_id)

    def remove(self, device_id: str) -> None:
        """Take a device off the account; its payment requests stay."""
        self._run("DELETE FROM device WHERE id = ?", device_id)


class Ledger(_Table[PaymentRequest]):
    """All payment requests of the account."""

    query = (
        "SELECT id, device_id, order_id, cents, currency, processor_id, script, speed, created, key_id,"
        " cancelled FROM payment_request"
    )

    @staticmethod
    def _record(row: sqlite3.Row) -> PaymentRequest:
        return PaymentRequest(**{**row, "script": amounts.BY_NAME[row["script"]]})

    def add(self, request: PaymentRequest) -> None:
        """Store a new request."""
        self._run(
            "INSERT INTO payment_request (id, device_id, order_id, cents, currency, processor_id,"
            " script, speed, created, ends, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(request.id, request.device_id, request.order_id, request.cents, request.currency),
            *(request.processor_id, request.script.name, request.speed),
            *(request.created, request.ends, request.key_id),
        )

    def cancel(self, request_id: str, now: float) -> None:
        """Note that the API cancelled a request."""
        self._run(
            "UPDATE payment_request SET cancelled = ? WHERE id = ? AND cancelled IS NULL", now, request_id
        )

    def find(self, request_id: str) -> PaymentRequest | None:
        """Return a request by its identifier, or None."""
        return self._first("WHERE id = ?", request_id)

    def of_order(self, device_id: str, order_id: str) -> list[PaymentRequest]:
        """Return a device's requests for an order reference, oldest first."""
        return self._select("WHERE device_id = ? AND order_id = ? ORDER BY sequence", device_id, order_id)

    def holder(self, device_id: str, now: float) -> PaymentRequest | None:
        """Return the sale that a device is at work on, or None."""
        which = "WHERE device_id = ? AND ends > ? AND cancelled IS NULL LIMIT 1"
        return self._first(which, device_id, now)

    def repeats(self, request: PaymentRequest, seconds: int) -> bool:
        """Return whether the same sale was approved or begun within the last `seconds`.

        The same means device, order reference, amount and currency: which card is held out is not known here.
        """
        earlier = self._select(
            "WHERE device_id = ? AND order_id IS ? AND cents = ? AND currency = ? AND created >= ?"
            " AND cancelled IS NULL",
            *(request.device_id, request.order_id, request.cents, request.currency),
            request.created - seconds,
        )
        return any(sale.script.result is not None and sale.script.result.success for sale in earlier)

    def last_on(self, device_id: str) -> float | None:
        """Return when a device was last sold on, in seconds since 1970, or None if never."""
        query = "SELECT max(created) FROM payment_request WHERE device_id = ?"
        last: float | None = self._run(query, device_id).fetchone()[0]
        return last


KEPT_ENTRIES: Final = 20_000
NO_ANSWER: Final = 0


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One request.

    `time` is in seconds since 1970, `status` is 0 where the connection was closed instead, and `sequence`
    counts the entries without a gap from 1 on; 0 before it is stored.
    """

    time: float
    method: str
    path: str
    status: int
    key_id: str | None
    order_id: str | None
    sequence: int = 0


class RequestLog(_Table[LogEntry]):
    """The last 20,000 requests."""

    query = "SELECT time, method, path, status, key_id, order_id, sequence FROM request_log"

    @staticmethod
    def _record(row: sqlite3.Row) -> LogEntry:
        return LogEntry(*row)

    def add(self, entry: LogEntry) -> None:
        """Store an entry; a text in the form of a key's value or a card number is withheld."""
        cursor = self._run(
            "INSERT INTO request_log (time, method, path, status, key_id, order_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            *(entry.time, _harmless(entry.method), _harmless(entry.path), entry.status, entry.key_id),
            None if entry.order_id is None else _harmless(entry.order_id),
        )
        self._run("DELETE FROM request_log WHERE sequence <= ?", (cursor.lastrowid or 0) - KEPT_ENTRIES)

    def latest(self, limit: int) -> list[LogEntry]:
        """Return the last `limit` entries, newest first."""
        return self._select("ORDER BY sequence DESC LIMIT ?", limit)


def _harmless(text: str) -> str:
    return "(withheld)" if mentions_value(text) or carddata.holds_card_number(text) else text[:300]


_TILL: Final = frozenset({Permission.SELL, Permission.READ})
_SEED_USERS: Final = (
    User("admin", "Account administrator", frozenset(Permission), enabled=True),
    User("counter1", "Counter one", _TILL, enabled=True),
    User("counter2", "Counter two", _TILL, enabled=True),
    User("reports", "Reporting (reads only)", frozenset({Permission.READ}), enabled=True),
    User("web", "Web shop (browser checkout)", frozenset({Permission.CHECKOUT}), enabled=True),
    User("frozen", "A user who has been frozen", _TILL, enabled=False),
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
    """The open state, its users and devices seeded the first time; close it when done."""

    def __init__(self, path: Path | str, now: float) -> None:
        self._connection = open_database(path)
        self.facts = Facts(self._connection)
        self.users = Users(self._connection)
        self.keys = PracticeKeys(self._connection, self.facts)
        self.fleet = Fleet(self._connection)
        self.ledger = Ledger(self._connection)
        self.log = RequestLog(self._connection)
        with self._connection:
            self._connection.execute("BEGIN")
            if self.facts.once("seeded"):
                self._seed(now)

    def _seed(self, now: float) -> None:
        for user in _SEED_USERS:
            self.users.add(user)
        registered = now - _A_WEEK
        for device_id, nickname, model, serial, connected in _SEED_DEVICES:
            seen = now if connected else registered
            device = PracticeDevice(
                device_id, nickname, "Practice", model, serial, connected, seen, registered
            )
            self.fleet.add(device)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
