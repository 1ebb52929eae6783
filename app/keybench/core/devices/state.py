"""What a gateway told of one device at a moment: what it didn't tell, or told two ways, is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

#: A state that is older than this is asked for anew before a sale.
FRESH: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class DeviceState:
    """The state of a cloud payment device, as its gateway told it; None or an empty text where it didn't.

    `connection` is the gateway's own word, `network` what the device is connected by, `last_sale_at` when a
    sale last began on it, whoever sold, and `busy_with` the payment request that holds it.
    """

    device_id: str
    read_at: datetime
    nickname: str = ""
    is_connected: bool | None = None
    connection: str = ""
    battery_percent: int | None = None
    network: str = ""
    last_connected_at: datetime | None = None
    last_sale_at: datetime | None = None
    is_busy: bool | None = None
    busy_with: str = ""

    def age(self, now: datetime) -> timedelta:
        """Return how old it is; nothing where the clock was set back since."""
        return max(now - self.read_at, timedelta(0))

    def is_fresh(self, now: datetime) -> bool:
        """Tell whether it needn't be asked for again before a sale."""
        return now >= self.read_at and self.age(now) <= FRESH
