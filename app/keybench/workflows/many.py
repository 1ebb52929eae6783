"""Selling on many devices: a few at once, one at a time on each device, every sale as any other is sold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.csv_lists import DeviceRow
from keybench.core.errors import JournalError, KeybenchError
from keybench.core.ports import Clock
from keybench.core.run_account import RowResult, RunAccount, Turns
from keybench.core.sale import SaleDraft, SaleMode
from keybench.workflows.sell import Sell

AT_ONCE: Final = 5
MOST_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class ManyOrder:
    """What a run is asked to sell.

    Attributes:
        environment_id: Where.
        key_id: With which key.
        rows: One sale each, in the order to begin them.
        at_once: How many sales may be under way at a time.
        mode: How to sell.
        confirmed: Whether a person has confirmed the whole of it (live only).
    """

    environment_id: str
    key_id: str
    rows: Sequence[DeviceRow]
    at_once: int = AT_ONCE
    mode: SaleMode = SaleMode.ASYNCHRONOUS
    confirmed: bool = False

    def draft(self, row: DeviceRow) -> SaleDraft:
        """Return the sale of one row as a person would ask for it."""
        return SaleDraft(
            self.environment_id,
            self.key_id,
            row.device,
            row.money.figure,
            row.money.currency,
            self.mode,
            confirmed=self.confirmed,
        )


class ManyRun:
    """One run, which can be carried out once.

    Args:
        sell: The use case that each row goes through.
        clock: Measures the run.
        order: What to sell.
        on_change: Told each row's place (from 0) whenever it stands otherwise; it must not raise.

    Attributes:
        account: How it stands.
        trouble: Why no more sales were begun, if the journal failed.
    """

    def __init__(self, sell: Sell, clock: Clock, order: ManyOrder, on_change: Callable[[int], None]) -> None:
        self.account = RunAccount(order.rows)
        self.trouble: JournalError | None = None
        self._sell = sell
        self._clock = clock
        self._order = order
        self._on_change = on_change
        self._turns = Turns([row.device for row in order.rows])
        self._stopping = False
        self._began: float | None = None
        self._ended: float | None = None

    @property
    def is_stopping(self) -> bool:
        """Whether no more sales are begun."""
        return self._stopping

    @property
    def elapsed_s(self) -> float:
        """For how long it has gone on, or did, in seconds."""
        if self._began is None:
            return 0.0
        return (self._clock.monotonic() if self._ended is None else self._ended) - self._began

    @property
    def time_left_s(self) -> float | None:
        """About how long the rest takes, in seconds; None while that can't be told."""
        return None if self._stopping else self.account.time_left_s(self.elapsed_s)

    def stop(self) -> None:
        """Begin no more sales; those under way go on to their ends."""
        self._stopping = True

    async def check(self) -> None:
        """Do nothing if the run may begin.

        Raises:
            InputInvalid: It can't be sold so: the key, the way to sell, live, or the highest amount.
        """
        highest = max(self._order.rows, key=lambda row: row.money.amount)
        await self._sell.check(self._order.draft(highest))

    async def carry_out(self) -> Sequence[RowResult]:
        """Sell row by row and return how each ended, in their order.

        A row that fails leaves the others alone; only a journal that fails stops the run, as `stop` does,
        because a sale that can't be noted must not be sent.
        """
        self._began = self._clock.monotonic()
        lanes = min(max(self._order.at_once, 1), MOST_AT_ONCE, self.account.total)
        ends = await asyncio.gather(*(self._lane() for _ in range(lanes)), return_exceptions=True)
        self._ended = self._clock.monotonic()
        for index in self.account.leave():
            self._on_change(index)
        for end in ends:  # only now, so that a fault in one lane leaves no sale of another alone
            if isinstance(end, BaseException):
                raise end
        return self.account.results

    async def _lane(self) -> None:
        """Carry out one sale after another.

        Who finds no device free can go: each busy device has a lane of its own, and that goes on with the
        device's next row.
        """
        while not self._stopping and (index := self._turns.take()) is not None:
            await self._carry(index)
            self._turns.give_back(index)

    async def _carry(self, index: int) -> None:
        self.account.begin(index)
        self._on_change(index)
        try:
            noted = await self._sell.note(self._order.draft(self.account.result(index).row))
            self.account.noted(index, noted)
            self._on_change(index)
            self.account.end(index, await self._sell.carry_out(noted))
        except JournalError as error:
            self.trouble = error
            self.stop()
            self.account.fail(index, error)
        except KeybenchError as error:
            self.account.fail(index, error)
        self._on_change(index)
