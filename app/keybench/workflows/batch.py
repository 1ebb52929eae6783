"""Carrying out many things: a few at once, in order, until all are done or somebody stops the batch."""

from __future__ import annotations

import asyncio
import enum
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from keybench.core.errors import KeybenchError
from keybench.core.ports import Clock

Item = TypeVar("Item")
Result = TypeVar("Result")


class RowState(enum.StrEnum):
    """How a row of a batch stands."""

    WAITING = "waiting"
    UNDER_WAY = "under_way"
    ENDED = "ended"
    FAILED = "failed"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class BatchRow(ABC, Generic[Item, Result]):
    """One item of a batch and what has become of it; `LEFT` if the batch was stopped before its turn."""

    item: Item
    state: RowState = RowState.WAITING
    result: Result | None = None
    error: KeybenchError | None = None

    @property
    @abstractmethod
    def end(self) -> Hashable:
        """What the row counts as, see `Batch.count`."""


Row = TypeVar("Row", bound=BatchRow[Any, Any])


class NotBegun(Exception):
    """Raised by what carries out a row if the batch was stopped before anything was done."""


class Batch(ABC, Generic[Row]):
    """A batch, which can be carried out once, `at_once` rows at a time, in order.

    `on_change` gets a row's index whenever it stands otherwise, and must not raise. Two rows with the same
    resource are never under way together. `trouble` is why no more were begun, if something failed that all
    need.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        clock: Clock,
        at_once: int,
        on_change: Callable[[int], None],
        resources: Sequence[Hashable],
    ) -> None:
        self.rows = list(rows)
        self.trouble: KeybenchError | None = None
        self.is_stopping = False
        self._clock = clock
        self._at_once = at_once
        self._on_change = on_change
        self._resources = resources
        self._waiting = dict(enumerate(resources))
        self._busy: set[Hashable] = set()
        self._states = Counter(row.state for row in self.rows)
        self._ends = Counter(row.end for row in self.rows)
        self._began: float | None = None
        self._ended: float | None = None

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def waiting(self) -> int:
        """How many rows have not begun."""
        return self._states[RowState.WAITING]

    @property
    def under_way(self) -> int:
        """How many rows are under way."""
        return self._states[RowState.UNDER_WAY]

    @property
    def left(self) -> int:
        """How many rows the batch was stopped before."""
        return self._states[RowState.LEFT]

    @property
    def done(self) -> int:
        """How many rows will not change any more."""
        return self.total - self.waiting - self.under_way

    def count(self, end: Hashable) -> int:
        """Return how many rows count as `end`."""
        return self._ends[end]

    @property
    def elapsed_s(self) -> float:
        """For how long it has gone on, or did, in seconds."""
        if self._began is None:
            return 0.0
        return (self._clock.monotonic() if self._ended is None else self._ended) - self._began

    @property
    def time_left_s(self) -> float | None:
        """About how long the rest takes, in seconds; None while that can't be told.

        What is under way counts as half done: of hundreds at once one ends first, and the others soon after.
        """
        if self.is_stopping or not self.done:
            return None
        done = self.done + self.under_way / 2
        return self.elapsed_s / done * (self.total - done)

    def stop(self) -> None:
        """Begin no more rows; those under way go on to their ends."""
        self.is_stopping = True

    async def carry_out(self) -> Sequence[Row]:
        """Carry out row by row and return how each ended, in order."""
        self._began = self._clock.monotonic()
        lanes = min(max(self._at_once, 1), self.total)
        ends = await asyncio.gather(*(self._lane() for _ in range(lanes)), return_exceptions=True)
        self._ended = self._clock.monotonic()
        for index, row in enumerate(self.rows):
            if row.state is RowState.WAITING:
                self._put(index, state=RowState.LEFT)
        for end in ends:  # only now, so that a fault in one lane leaves no row of another alone
            if isinstance(end, BaseException):
                raise end
        return tuple(self.rows)

    async def _lane(self) -> None:
        """Carry out one row after another; each busy resource has a lane that goes on with its next row."""
        while not self.is_stopping and (index := self._take()) is not None:
            self._put(index, state=RowState.UNDER_WAY)
            try:
                self._put(index, result=await self._carry_out_row(index), state=RowState.ENDED)
            except NotBegun:
                self._put(index, state=RowState.LEFT)
            except KeybenchError as error:
                if self._concerns_all(error):
                    self.trouble = error
                    self.stop()
                self._put(index, error=error, state=RowState.FAILED)
            self._busy.discard(self._resources[index])

    def _take(self) -> int | None:
        """Return the earliest row whose resource is free, and make that busy; None if there is none now."""
        index = next((row for row, resource in self._waiting.items() if resource not in self._busy), None)
        if index is not None:
            self._busy.add(self._waiting.pop(index))
        return index

    @abstractmethod
    async def _carry_out_row(self, index: int) -> object: ...

    @abstractmethod
    def _concerns_all(self, error: KeybenchError) -> bool:
        """Return whether what failed in one row would fail in all, so that no more are begun."""

    def _put(self, index: int, **changes: Any) -> None:
        before, after = self.rows[index], replace(self.rows[index], **changes)
        self._states.subtract([before.state])
        self._ends.subtract([before.end])
        self._states[after.state] += 1
        self._ends[after.end] += 1
        self.rows[index] = after
        self._on_change(index)
