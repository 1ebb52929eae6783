"""How long the made-up merchant's devices take: most as they always did, some not."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from keybench.core.devices.habit import USUAL
from keybench.core.devices.state import DeviceState
from keybench.core.ports import Device
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, Verdict

COUNTERS: Final = ("counter-1", "counter-2", "kiosk-7", "till-outdoor-terrace-north-entrance-0042")
TILLS: Final = tuple(f"T-{number:04}" for number in range(1201, 1237))
#: The devices that are unlike themselves or others, and for how many of their newest sales.
SLOWER, _MISSING, _SLOW, _DECLINING = TILLS[4], TILLS[11], TILLS[23], TILLS[30]
_LATELY: Final = {SLOWER: 9, _MISSING: 3, _DECLINING: 14}
_PLACES: Final = ("Bakery", "Garden bar", "Kiosk", "Ticket office", "Food court", "Shop")
_ACCEPTED_S: Final = 0.6
_DEADLINE_S: Final = 330.0
_TEACHING: Final = (Outcome.APPROVED, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED)


def devices() -> list[Device]:
    """Return the devices of the account."""
    tills = [
        Device(till, f"{_PLACES[number % len(_PLACES)]} {number // len(_PLACES) + 1}", _connection(number))
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


def _connection(number: int) -> str:
    return "disconnected" if number % 13 == 5 else "connected"


def as_the_device_is(sale: Sale, newer: int) -> Sale:
    """Return a sale that is over as its device would have had it end.

    Args:
        sale: As it ended anywhere.
        newer: How many newer sales the device has.
    """
    if sale.outcome not in _TEACHING or sale.verdict is None:
        return sale
    lately = newer < _LATELY.get(sale.device, 0)
    verdict, took_s = sale.verdict, _took_s(sale, lately=lately)
    if lately and sale.device == _MISSING:
        verdict, took_s = Verdict(Outcome.UNKNOWN, Reason.DEADLINE), _DEADLINE_S
    elif lately and sale.device == _DECLINING and newer % 5:
        verdict = Verdict(Outcome.DECLINED, status=200)
    accepted = sale.noted_at + timedelta(seconds=_ACCEPTED_S)
    polls = len(list(_polls(took_s)))
    finished = accepted + timedelta(seconds=took_s)
    return replace(sale, accepted_at=accepted, finished_at=finished, verdict=verdict, polls=polls)


def _took_s(sale: Sale, *, lately: bool) -> float:
    chance, own = random.Random(sale.reference), random.Random(sale.device)
    if sale.device == "kiosk-7":  # a tap, or chip and PIN
        return (2.2 if chance.random() < 0.6 else 13.0) * math.exp(chance.gauss(0, 0.12))
    usual_s = 6.0 * math.exp(own.gauss(0, 0.15)) * (3.4 if sale.device == _SLOW else 1.0)
    factor = 3.0 if lately and sale.device == SLOWER else 1.0
    return usual_s * factor * math.exp(chance.gauss(0, 0.3))


def _polls(took_s: float) -> Iterator[float]:
    """Return when a sale that took so long was polled, in seconds since it was accepted, its end the last."""
    at_s = USUAL.next_look(0.0, 0.05)
    while at_s < took_s:
        yield at_s
        at_s = min(USUAL.next_look(at_s, 0.05), at_s + 20.0)
    yield took_s + 0.2


def timeline(sale: Sale) -> Iterator[SaleEvent]:
    """Return what a sale that is over went through."""
    yield SaleEvent(sale.reference, sale.noted_at, Mark.NOTED)
    if sale.accepted_at is None or sale.finished_at is None:
        return
    yield SaleEvent(sale.reference, sale.noted_at, Mark.SENT)
    yield SaleEvent(sale.reference, sale.accepted_at, Mark.ACCEPTED, "created", 0.3)
    *before, last_s = _polls((sale.finished_at - sale.accepted_at).total_seconds())
    for at_s in before:
        yield SaleEvent(
            sale.reference, sale.accepted_at + timedelta(seconds=at_s), Mark.STATUS, "inFlight", 0.1
        )
    if sale.outcome in _TEACHING:
        seen = sale.accepted_at + timedelta(seconds=last_s)
        yield SaleEvent(sale.reference, seen, Mark.OUTCOME, str(sale.outcome), 0.1)
