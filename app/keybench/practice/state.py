"""Everything the practice gateway remembers, in one SQLite file, and what a new installation begins with."""

import secrets
import sqlite3
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

from keybench.practice import amounts
from keybench.practice.amounts import PaymentRequest
from keybench.practice.applications import PracticeApplications
from keybench.practice.database import StateTable, open_database
from keybench.practice.keys import TEST, Permission, PracticeKey, User, digest, mentions_value, new_value
from keybench.practice.saleorder import holds_card_number


class Facts:
    """What is remembered about this installation: who it is, its salt, and numbers such as its last port."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.instance = self._settle("instance", str(uuid.uuid4()))
        self.salt = bytes.fromhex(self._settle("salt", secrets.token_hex(32)))

    def _settle(self, name: str, default: str) -> str:
        """Return a fact, storing `default` if there is none yet."""
        self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, ?)", (name, default))
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return str(row["value"])

    def number(self, name: str) -> float:
        """Return a number that was noted; 0 if there was none."""
        return float(self._settle(name, "0"))

    def note(self, name: str, value: object) -> None:
        """Remember something under a name."""
        self._connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, str(value)))

    @property
    def unpaired_code(self) -> str:
        """The code that a device still in its box shows."""
        return self._settle("unpaired_code", _new_code())

    def open_another_box(self) -> None:
        """Show another code, since the box with the present one is opened."""
        self.note("unpaired_code", _new_code())

    def once(self, name: str) -> bool:
        """Return whether this is the first time that `name` is asked for on this installation."""
        added = self._connection.execute("INSERT OR IGNORE INTO fact VALUES (?, 'done')", (name,))
        return added.rowcount == 1


def _new_code() -> str:
    return f"T{10_000 + secrets.randbelow(90_000)}"


class Users(StateTable[User]):
    """The account's users."""

    name = "user"
    record = User
    key = "username"
    reads: ClassVar = {
        "permissions": lambda words: frozenset(Permission(word) for word in words.split(";") if word),
        "enabled": bool,
    }

    def put(self, user: User) -> None:
        """Add a user, or change the one of this name."""
        columns = {**asdict(user), "permissions": ";".join(sorted(user.permissions))}
        if not self._update("WHERE username = ?", user.username, **columns):
            self._insert(**columns)


class PracticeKeys(StateTable[PracticeKey]):
    """The account's security keys of either side, deleted or not; of a value only a keyed hash is stored."""

    name = "security_key"
    record = PracticeKey

    def __init__(self, connection: sqlite3.Connection, facts: Facts) -> None:
        super().__init__(connection)
        self._facts = facts

    def create(
        self,
        name: str,
        username: str,
        permission: str,
        kind: str,
        now: float,
        request_id: str | None = None,
        environment: str = TEST,
    ) -> tuple[PracticeKey, str]:
        """Create a key; the value in the answer exists nowhere else.

        As in the portals known, names need not be unique. `request_id` is the caller's mark, see `made_for`.
        """
        key = PracticeKey(str(uuid.uuid4()), name, username, permission, kind, now, environment)
        value = new_value(permission)
        self._insert(**asdict(key), digest=digest(self._facts.salt, value), request_id=request_id)
        return key, value

    def made_for(self, request_id: str | None) -> PracticeKey | None:
        """Return the key that was made at a request, so that asking again makes no second one."""
        return self._first("WHERE request_id = ?", request_id)

    def active(self, environment: str = TEST) -> list[PracticeKey]:
        """Return the keys of a side that are in force, oldest first."""
        return self._select("WHERE environment = ? AND deleted IS NULL ORDER BY rowid", environment)

    def delete(self, key_id: str, now: float, environment: str = TEST) -> bool:
        """Delete an active key of a side; return whether there was one."""
        which = "WHERE id = ? AND environment = ? AND deleted IS NULL"
        return self._update(which, key_id, environment, deleted=now)

    def by_value(self, value: str) -> PracticeKey | None:
        """Return the key of either side, deleted or not, that has a value; or None."""
        return self._first("WHERE digest = ?", digest(self._facts.salt, value))


@dataclass(frozen=True, slots=True)
class PracticeDevice:
    """A cloud payment device.

    Times are in seconds since 1970, `battery` in percent and `signal` of the Wi-Fi in dBm, None where they
    aren't known. `by_hand` leaves every sale to a person; `slow` is how many times as long it takes.
    """

    id: str
    nickname: str
    make: str
    model: str
    serial_number: str
    connected: bool
    last_connected: float
    registered: float
    battery: int | None = 87
    signal: int | None = -52
    by_hand: bool = False
    slow: float = 1.0

    @property
    def connection_status(self) -> str:
        """The service's word for whether the device is connected."""
        return "connected" if self.connected else "disconnected"


class Fleet(StateTable[PracticeDevice]):
    """The devices, in the order they were registered."""

    name = "device"
    record = PracticeDevice
    reads: ClassVar = {"connected": bool, "by_hand": bool}


class Ledger(StateTable[PaymentRequest]):
    """All payment requests of the account."""

    name = "payment_request"
    record = PaymentRequest
    reads: ClassVar = {"script": amounts.BY_NAME.__getitem__}

    def add(self, request: PaymentRequest) -> None:
        """Store a new request."""
        self._insert(**{**asdict(request), "script": request.script.name}, ends=request.ends)

    def cancel(self, request_id: str, now: float) -> None:
        """Note that the API cancelled a request."""
        self._update("WHERE id = ? AND cancelled IS NULL", request_id, cancelled=now, ends=now)

    def stop(self, request: PaymentRequest, how: str, now: float) -> None:
        """Note that a person stopped a sale: by the button `how`, or by pulling the plug."""
        ends = replace(request, stop=how, stopped=now).ends
        self._update("WHERE id = ? AND stop IS NULL", request.id, stop=how, stopped=now, ends=ends)

    def turn_back(self, seconds: float, now: float) -> None:
        """Keep sales as far as they are when time was set back by `seconds` to `now`."""
        self._run(
            "UPDATE payment_request SET created = created - ?1, ends = ends - ?1, cancelled = cancelled - ?1,"
            " stopped = stopped - ?1 WHERE ends > ?2",
            *(seconds, now),
        )

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
        results = (sale.plays.result for sale in earlier)
        return any(result is not None and result.success for result in results)

    def shown_on(self, device_id: str) -> PaymentRequest | None:
        """Return the last sale that a device was at work on, or None."""
        which = "WHERE device_id = ? AND script <> ? ORDER BY ends DESC LIMIT 1"
        return self._first(which, device_id, amounts.BUSY.name)

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
    counts the entries without a gap from 1 on; 0 before it is stored. `why` is a word for why it was answered
    so: "accepted" for a sale that was taken, "ok", or what a refusal is about. `caller` names a simulated
    application, and `request_id` is the payment request's.
    """

    time: float
    method: str
    path: str
    status: int
    key_id: str | None = None
    order_id: str | None = None
    why: str = ""
    key_name: str = ""
    caller: str = ""
    device_id: str = ""
    amount: str = ""
    request_id: str = ""
    sequence: int = 0


class RequestLog(StateTable[LogEntry]):
    """The last 20,000 requests."""

    name = "request_log"
    record = LogEntry

    def add(self, entry: LogEntry) -> None:
        """Store an entry; a text in the form of a key's value or a card number is withheld."""
        told = {name: _harmless(value) for name, value in asdict(entry).items()}
        cursor = self._insert(**{**told, "key_id": entry.key_id, "sequence": None})
        self._run("DELETE FROM request_log WHERE sequence <= ?", (cursor.lastrowid or 0) - KEPT_ENTRIES)

    def latest(self, limit: int, *, polls: bool = True) -> list[LogEntry]:
        """Return the last `limit` entries, newest first, with or without the polls that were answered."""
        return self._select(f"WHERE {_WHICH[polls]} ORDER BY sequence DESC LIMIT ?", limit)

    def after(self, sequence: int, limit: int, *, polls: bool = True) -> list[LogEntry]:
        """Return the first `limit` entries after one, oldest first."""
        which = f"WHERE sequence > ? AND {_WHICH[polls]} ORDER BY sequence LIMIT ?"
        return self._select(which, sequence, limit)


#: Which entries, with or without polls.
_WHICH: Final = {
    True: "true",
    False: "NOT (method = 'GET' AND request_id <> '' AND status BETWEEN 200 AND 299)",
}


def _harmless(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return "(withheld)" if mentions_value(value) or holds_card_number(value) else value[:300]


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
        self.applications = PracticeApplications(self._connection)
        with self._connection:
            self._connection.execute("BEGIN")
            if self.facts.once("seeded"):
                self._seed(now)

    def _seed(self, now: float) -> None:
        for user in _SEED_USERS:
            self.users.put(user)
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
