"""How long the made-up merchant's devices take: as they always did, but for one that became slower."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from keybench.core.devices.state import DeviceState
from keybench.core.ports import Device
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent

COUNTERS: Final = ("counter-1", "counter-2", "kiosk-7", "till-outdoor-terrace-north-entrance-0042")
TILLS: Final = tuple(f"T-{number:04}" for number in range(1201, 1237))
#: The device that became slower, and for how many of its newest sales.
SLOWER: Final = TILLS[4]
_LATELY: Final = 9
_PLACES: Final = ("Bakery", "Garden bar", "Kiosk", "Ticket office", "Food court", "Shop")
_ACCEPTED_S: Final = 0.6
_BETWEEN_POLLS_S: Final = 1.5
_TEACHING: Final = (Outcome.APPROVED, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED)


def devices() -> list[Device]:
    """Return the devices of the account."""
    tills = [
        Device(
            till,
            f"{_PLACES[number % len(_PLACES)]} {number // len(_PLACES) + 1}",
            "disconnected" if number % 13 == 5 else "connected",
        )
        for number, till in enumerate(TILLS)
    ]
    return [*(Device(counter, "", "connected") for counter in COUNTERS), *tills]


def states(now: datetime) -> list[DeviceState]:
    """Return what the gateway told of the devices: most of it some minutes ago, some of it long ago."""
    return [
        DeviceState(
            device.id,
            now - timedelta(minutes=3 if number % 9 else 60 * number),
            nickname=device.nickname,
            is_connected=device.connection == "connected",
            connection=device.connection,
            battery_percent=None if number % 3 else 100 - number,
            network="shop floor",
            last_connected_at=now - timedelta(minutes=3 + 50 * (device.connection != "connected")),
            is_busy=number == 7,
        )
        for number, device in enumerate(devices())
    ]


def as_the_device_is(sale: Sale, newer: int) -> Sale:
    """Return a sale that is over as its device would have had it end, which has so many newer ones."""
    if sale.outcome not in _TEACHING:
        return sale
    slowed = 3.0 if sale.device == SLOWER and newer < _LATELY else 1.0
    took_s = 6.0 * slowed * math.exp(random.Random(sale.reference).gauss(0, 0.3))
    accepted = sale.noted_at + timedelta(seconds=_ACCEPTED_S)
    polls = int(took_s / _BETWEEN_POLLS_S) + 1
    return replace(sale, accepted_at=accepted, finished_at=accepted + timedelta(seconds=took_s), polls=polls)


def timeline(sale: Sale) -> Iterator[SaleEvent]:
    """Return what a sale that is over went through."""
    yield SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)
    if sale.accepted_at is None or sale.finished_at is None:
        return
    yield SaleEvent(sale.reference, sale.noted_at, Mark.SENT)
    yield SaleEvent(sale.reference, sale.accepted_at, Mark.ACCEPTED, "created", 0.3)
    for number in range(1, sale.polls):
        at = sale.accepted_at + timedelta(seconds=number * _BETWEEN_POLLS_S)
        yield SaleEvent(sale.reference, at, Mark.STATUS, "inFlight", 0.1)
    yield SaleEvent(sale.reference, sale.finished_at, Mark.OUTCOME, str(sale.outcome), 0.1)
