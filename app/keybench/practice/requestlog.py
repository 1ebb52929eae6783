"""The log of requests that were answered or dropped: who asked for what, when, and never with which value."""

import sqlite3
from dataclasses import dataclass
from typing import Final

from keybench.practice import carddata, keyvalues

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
    if keyvalues.mentions_value(text) or carddata.holds_card_number(text):
        return WITHHELD
    return text[:300]
