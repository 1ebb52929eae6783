"""The environment's devices as a table: their names, whether they are connected, their last sale here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from PySide6.QtCore import QObject

from keybench.core.ports import Device
from keybench.core.sale import Sale
from keybench.ui.sale.sales_table import outcome_text, outcome_tone
from keybench.ui.widgets.arranged_model import ArrangedModel
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.times import day_and_time

NICKNAME, IDENTIFIER, CONNECTION, LAST_SALE, OUTCOME = range(5)
_NONE: Final = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device and its last sale here, if any."""

    device: Device
    sale: Sale | None = None


class DevicesModel(ArrangedModel[DeviceLine]):
    """One environment's devices."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)
        self._sales: dict[str, Sale] = {}

    @property
    def devices(self) -> tuple[Device, ...]:
        """All devices, shown or not."""
        return tuple(line.device for line in self.items)

    def show_devices(self, devices: Sequence[Device]) -> None:
        """Show other devices."""
        self.show_items(DeviceLine(device, self._sales.get(device.id)) for device in devices)

    def show_sales(self, newest: Mapping[str, Sale]) -> None:
        """Show other last sales, by device."""
        self._sales = dict(newest)
        self.show_devices(self.devices)

    def take_in(self, sales: Iterable[Sale]) -> None:
        """Show sales that were made or moved on just now, where none newer is known."""
        changed = set()
        for sale in sales:
            known = self._sales.get(sale.device)
            if known is None or known.noted_at <= sale.noted_at:
                self._sales[sale.device] = sale
                changed.add(sale.device)
        lines = enumerate(self.items)
        self.put_items(
            {
                item: replace(line, sale=self._sales[line.device.id])
                for item, line in lines
                if line.device.id in changed
            }
        )

    def device(self, row: int) -> Device:
        """Return the device of a row."""
        return self.row(row).device


def connection_text(device: Device) -> str:
    """Return a device's connection as sign and word."""
    if not device.connection:
        return f"{_NONE} not known"
    return f"{'●' if device.connection == 'connected' else '○'} {device.connection}"


def _when(line: DeviceLine) -> tuple[bool, datetime | None]:
    return (line.sale is not None, line.sale.noted_at if line.sale else None)


_COLUMNS: Final[tuple[Column[DeviceLine], ...]] = (
    Column("Nickname", lambda line: line.device.nickname or _NONE),
    Column("Identifier", lambda line: line.device.id),
    Column("Connection", lambda line: connection_text(line.device)),
    Column(
        "Last sale here",
        lambda line: day_and_time(line.sale.noted_at) if line.sale else _NONE,
        sort=_when,
    ),
    Column(
        "Outcome",
        lambda line: outcome_text(line.sale) if line.sale else "",
        Look(tone=lambda line: outcome_tone(line.sale) if line.sale else ""),
    ),
)
