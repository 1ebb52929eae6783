"""Selling on many devices: a few at once, one at a time on each device, every sale as any other is sold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from keybench.core.csv_lists import MOST_BYTES, DeviceList, DeviceRow, read_device_list
from keybench.core.errors import JournalError, KeybenchError
from keybench.core.input_errors import DeviceListInvalid
from keybench.core.ports import Clock
from keybench.core.sales.sale import Outcome, Sale, SaleDraft, SaleMode
from keybench.runtime.file_system import read_file
from keybench.workflows.batch import Batch, BatchRow, RowState
from keybench.workflows.sales.sell import Sell

AT_ONCE: Final = 5
MOST_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class RowResult(BatchRow[DeviceRow, Sale]):
    """A device to sell on and what has become of its sale."""

    @property
    def row(self) -> DeviceRow:
        """What was to be sold."""
        return self.item

    @property
    def sale(self) -> Sale | None:
        """Its sale, once there is one; after an error, what became of it couldn't be kept."""
        return self.result

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None while it hasn't; a row that was never sent is *not sent*.

        One that is under way in another program's hands is unknown to this one.
        """
        match self.state:
            case RowState.ENDED if self.sale:
                return self.sale.outcome or Outcome.UNKNOWN
            case RowState.FAILED:
                return Outcome.UNKNOWN if self.sale else Outcome.NOT_SENT
            case RowState.LEFT:
                return Outcome.NOT_SENT
            case _:
                return None

    @property
    def end(self) -> Outcome | None:
        """The outcome; those that were left aren't counted as not sent."""
        return None if self.state is RowState.LEFT else self.outcome


class SaleBatch(Batch[RowResult]):
    """Sales on many devices. Only a journal that fails stops it: what can't be noted must not be sent."""

    def __init__(
        self,
        sell: Sell,
        clock: Clock,
        rows: Sequence[DeviceRow],
        on_change: Callable[[int], None],
        *,
        environment_id: str,
        key_id: str,
        at_once: int = AT_ONCE,
        mode: SaleMode = SaleMode.ASYNCHRONOUS,
        confirmed: bool = False,
    ) -> None:
        lanes, devices = min(at_once, MOST_AT_ONCE), [row.device for row in rows]
        super().__init__(map(RowResult, rows), clock, lanes, on_change, devices)
        self._sell = sell
        self._environment_id = environment_id
        self._key_id = key_id
        self._mode = mode
        self._confirmed = confirmed

    async def check(self) -> None:
        """Do nothing if the batch may begin."""
        highest = max((row.item for row in self.rows), key=lambda row: row.money.amount)
        await self._sell.check(self._draft(highest))

    def _draft(self, row: DeviceRow) -> SaleDraft:
        return SaleDraft(
            self._environment_id,
            self._key_id,
            row.device,
            row.money.figure,
            row.money.currency,
            self._mode,
            confirmed=self._confirmed,
        )

    async def _carry_out_row(self, index: int) -> Sale:
        noted = await self._sell.note(self._draft(self.rows[index].item))
        self._put(index, result=noted)
        return await self._sell.carry_out(noted)

    def _concerns_all(self, error: KeybenchError) -> bool:
        return isinstance(error, JournalError)


def read_device_file(path: Path, amount: str, currency: str) -> DeviceList:
    """Read a list of devices; it blocks."""
    data = read_file(path, MOST_BYTES, DeviceListInvalid(DeviceListInvalid.UNREADABLE))
    return read_device_list(data, amount=amount, currency=currency)
