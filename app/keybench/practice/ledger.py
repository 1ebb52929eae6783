"""The payment requests as they are kept, and the questions a new sale asks of them."""

import sqlite3
from dataclasses import dataclass

from keybench.practice import amounts
from keybench.practice.amounts import Progress, Script


@dataclass(frozen=True, slots=True)
class PaymentRequest:
    """One sale on a device; times are in seconds since 1970, `speed` in device seconds a second."""

    id: str
    device_id: str
    order_id: str | None
    cents: int
    currency: str
    processor_id: str | None
    script: Script
    speed: float
    created: float
    key_id: str
    cancelled: float | None = None

    @property
    def ends(self) -> float:
        """Return the moment after which the status no longer changes if nobody cancels."""
        return self.created + self.script.ends_at / self.speed

    def progress(self, now: float) -> Progress:
        """Say where the sale stands at a moment."""
        cancelled_at = None if self.cancelled is None else (self.cancelled - self.created) * self.speed
        return amounts.progress(self.script, (now - self.created) * self.speed, cancelled_at)


class Ledger:
    """All payment requests of the account."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, request: PaymentRequest) -> None:
        """Keep a new request."""
        self._connection.execute(
            "INSERT INTO payment_request (id, device_id, order_id, cents, currency, processor_id,"
            " script, speed, created, ends, key_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(request.id, request.device_id, request.order_id, request.cents, request.currency),
                *(request.processor_id, request.script.name, request.speed),
                *(request.created, request.ends, request.key_id),
            ),
        )

    def cancel(self, request_id: str, now: float) -> None:
        """Note that the API cancelled a request."""
        query = "UPDATE payment_request SET cancelled = ? WHERE id = ? AND cancelled IS NULL"
        self._connection.execute(query, (now, request_id))

    def find(self, device_id: str, request_id: str) -> PaymentRequest | None:
        """Return a device's request by its identifier, or None."""
        query = "SELECT * FROM payment_request WHERE id = ? AND device_id = ?"
        row = self._connection.execute(query, (request_id, device_id)).fetchone()
        return None if row is None else _request(row)

    def by_id(self, request_id: str) -> PaymentRequest | None:
        """Return a request by its identifier alone, or None."""
        row = self._connection.execute("SELECT * FROM payment_request WHERE id = ?", (request_id,)).fetchone()
        return None if row is None else _request(row)

    def of_order(self, device_id: str, order_id: str) -> list[PaymentRequest]:
        """Return a device's requests for an order reference, oldest first."""
        query = "SELECT * FROM payment_request WHERE device_id = ? AND order_id = ? ORDER BY sequence"
        return [_request(row) for row in self._connection.execute(query, (device_id, order_id))]

    def busy(self, device_id: str, now: float) -> bool:
        """Say whether a device is at work on a sale."""
        query = "SELECT 1 FROM payment_request WHERE device_id = ? AND ends > ? AND cancelled IS NULL LIMIT 1"
        return self._connection.execute(query, (device_id, now)).fetchone() is not None

    def repeats(self, request: PaymentRequest, seconds: int) -> bool:
        """Say whether the same sale was approved or begun within the last `seconds`.

        The same means device, order reference, amount and currency: which card is held out is not known here.
        """
        query = (
            "SELECT * FROM payment_request WHERE device_id = ? AND order_id IS ? AND cents = ?"
            " AND currency = ? AND created >= ? AND cancelled IS NULL"
        )
        same = (request.device_id, request.order_id, request.cents, request.currency)
        rows = self._connection.execute(query, (*same, request.created - seconds))
        return any(earlier.script.result == amounts.APPROVED.result for earlier in map(_request, rows))

    def last_on(self, device_id: str) -> float | None:
        """Return when a device was last sold on, in seconds since 1970, or None if never."""
        query = "SELECT max(created) FROM payment_request WHERE device_id = ?"
        last: float | None = self._connection.execute(query, (device_id,)).fetchone()[0]
        return last


def _request(row: sqlite3.Row) -> PaymentRequest:
    return PaymentRequest(
        id=row["id"],
        device_id=row["device_id"],
        order_id=row["order_id"],
        cents=row["cents"],
        currency=row["currency"],
        processor_id=row["processor_id"],
        script=amounts.BY_NAME[row["script"]],
        speed=row["speed"],
        created=row["created"],
        key_id=row["key_id"],
        cancelled=row["cancelled"],
    )
