"""The account's cloud payment devices as they are kept."""

import sqlite3
from dataclasses import dataclass


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
