"""The books of a run over many devices: which row is next, how each stands, how long the rest may take."""

from __future__ import annotations

import enum
import heapq
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from keybench.core.csv_lists import DeviceRow
from keybench.core.errors import KeybenchError
from keybench.core.sale import Outcome, Sale


class RowState(enum.StrEnum):
    """How a row of a run stands."""

    WAITING = "waiting"
    UNDER_WAY = "under_way"
    ENDED = "ended"
    FAILED = "failed"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class RowResult:
    """A row and what has become of it.

    Attributes:
        state: `LEFT` if the run was stopped before its turn.
        error: Why there is no sale, or why what became of it couldn't be kept.
    """

    row: DeviceRow
    state: RowState = RowState.WAITING
    sale: Sale | None = None
    error: KeybenchError | None = None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended, or None while it hasn't; a row that was never sent is *not sent*."""
        match self.state:
            case RowState.ENDED if self.sale:
                return self.sale.outcome
            case RowState.FAILED:
                return Outcome.UNKNOWN if self.sale else Outcome.NOT_SENT
            case RowState.LEFT:
                return Outcome.NOT_SENT
            case _:
                return None


class Turns:
    """Whose turn it is: rows in their order, but never two of one device at a time.

    Args:
        devices: Each row's device.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = devices
        self._waiting: dict[str, deque[int]] = {}
        for index, device in enumerate(devices):
            self._waiting.setdefault(device, deque()).append(index)
        # The first waiting row of each device that is free, the earliest row on top.
        self._ready = [rows[0] for rows in self._waiting.values()]
        heapq.heapify(self._ready)

    def take(self) -> int | None:
        """Return the earliest row whose device is free, and make that busy; None if there is none now."""
        if not self._ready:
            return None
        index = heapq.heappop(self._ready)
        self._waiting[self._devices[index]].popleft()
        return index

    def give_back(self, index: int) -> None:
        """Make the device of a row that has ended free again."""
        rows = self._waiting[self._devices[index]]
        if rows:
            heapq.heappush(self._ready, rows[0])


class RunAccount:
    """How a run stands.

    Args:
        rows: What is to be sold, in order.
    """

    def __init__(self, rows: Sequence[DeviceRow]) -> None:
        self._results = [RowResult(row) for row in rows]
        self._outcomes: Counter[Outcome] = Counter()
        self._states: Counter[RowState] = Counter({RowState.WAITING: len(rows)})

    @property
    def results(self) -> Sequence[RowResult]:
        """Every row, in order."""
        return tuple(self._results)

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self._results)

    @property
    def done(self) -> int:
        """How many rows will not change any more."""
        return self.total - self._states[RowState.WAITING] - self._states[RowState.UNDER_WAY]

    @property
    def under_way(self) -> int:
        """How many sales are under way."""
        return self._states[RowState.UNDER_WAY]

    @property
    def waiting(self) -> int:
        """How many rows have not begun."""
        return self._states[RowState.WAITING]

    @property
    def left(self) -> int:
        """How many rows the run was stopped before."""
        return self._states[RowState.LEFT]

    def count(self, outcome: Outcome) -> int:
        """Return how many rows ended so; those that were left aren't counted."""
        return self._outcomes[outcome]

    def result(self, index: int) -> RowResult:
        """Return how a row stands."""
        return self._results[index]

    def begin(self, index: int) -> None:
        """Count a row as under way."""
        self._put(index, replace(self._results[index], state=RowState.UNDER_WAY))

    def noted(self, index: int, sale: Sale) -> None:
        """Remember the sale of a row under way."""
        self._put(index, replace(self._results[index], sale=sale))

    def end(self, index: int, sale: Sale) -> None:
        """Count a row whose sale has its outcome."""
        self._finish(index, replace(self._results[index], state=RowState.ENDED, sale=sale))

    def fail(self, index: int, error: KeybenchError) -> None:
        """Count a row that came to nothing, or whose end couldn't be kept."""
        self._finish(index, replace(self._results[index], state=RowState.FAILED, error=error))

    def leave(self) -> list[int]:
        """Count every row still waiting as left, and return which they are."""
        waiting = [i for i, result in enumerate(self._results) if result.state is RowState.WAITING]
        for index in waiting:
            self._put(index, replace(self._results[index], state=RowState.LEFT))
        return waiting

    def time_left_s(self, elapsed_s: float) -> float | None:
        """Return about how long the rest takes, in seconds, or None before any row has ended.

        Args:
            elapsed_s: For how long the run has gone on.
        """
        if not self.done:
            return None
        return elapsed_s / self.done * (self.total - self.done)

    def _finish(self, index: int, result: RowResult) -> None:
        self._put(index, result)
        if result.outcome:
            self._outcomes[result.outcome] += 1

    def _put(self, index: int, result: RowResult) -> None:
        self._states[self._results[index].state] -= 1
        self._states[result.state] += 1
        self._results[index] = result
