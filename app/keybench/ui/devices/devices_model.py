"""The environment's devices as a table: their names, whether they are connected, their last sale here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.ports import Device
from keybench.core.sale import Sale
from keybench.ui.devices.cells import Cell, CellModel
from keybench.ui.sale.sales_model import outcome_text, outcome_tone
from keybench.words.times import day_and_time

NICKNAME, IDENTIFIER, CONNECTION, LAST_SALE, OUTCOME = range(5)
_HEADERS: Final = ("Nickname", "Identifier", "Connection", "Last sale here", "Outcome")
_NONE: Final = "\N{EN DASH}"


class DevicesModel(CellModel):
    """One environment's devices."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_HEADERS, parent)
        self._devices: tuple[Device, ...] = ()
        self._sales: dict[str, Sale] = {}

    @property
    def devices(self) -> tuple[Device, ...]:
        """All devices, shown or not."""
        return self._devices

    def show_devices(self, devices: Sequence[Device]) -> None:
        """Show other devices."""
        self._devices = tuple(devices)
        self.renew()

    def show_sales(self, newest: Mapping[str, Sale]) -> None:
        """Show other last sales, by device."""
        self._sales = dict(newest)
        self.renew()

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Show sales that were made or moved on just now, where none newer is known."""
        changed = set()
        for sale in sales:
            known = self._sales.get(sale.device)
            if known is None or known.noted_at <= sale.noted_at:
                self._sales[sale.device] = sale
                changed.add(sale.device)
        self.renew_items(item for item, device in enumerate(self._devices) if device.id in changed)

    def device(self, row: int) -> Device:
        """Return the device of a row."""
        return self._devices[self.item(row)]

    def item_count(self) -> int:
        """Return how many devices there are."""
        return len(self._devices)

    def cells(self, item: int) -> tuple[Cell, ...]:
        """Return what is known of a device."""
        device = self._devices[item]
        sale = self._sales.get(device.id)
        return (
            Cell(device.nickname or _NONE),
            Cell(device.id),
            Cell(connection_text(device)),
            Cell(day_and_time(sale.noted_at) if sale else _NONE, key=_when(sale)),
            Cell(outcome_text(sale), tone=outcome_tone(sale)) if sale else Cell(""),
        )


def connection_text(device: Device) -> str:
    """Return a device's connection as sign and word."""
    if not device.connection:
        return f"{_NONE} not known"
    return f"{'●' if device.connection == 'connected' else '○'} {device.connection}"


def _when(sale: Sale | None) -> tuple[bool, datetime | None]:
    return (sale is not None, sale.noted_at) if sale else (False, None)
