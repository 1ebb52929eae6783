"""Testing many keys: a few at once, within each gateway's budget, until all are done or somebody stops it."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from keybench.core.environment import Environment
from keybench.core.errors import (
    Forbidden,
    GatewayError,
    JournalError,
    KeybenchError,
    KeyRefused,
    KeystoreError,
    KeystoreFailed,
    ValueDiffers,
    ValueLost,
    ValueTooLong,
)
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import KeyState
from keybench.workflows.budget import Budget
from keybench.workflows.keys import Keys

#: So many calls at a time are no burden on any gateway, and 2,000 keys still take minutes, not hours.
AT_ONCE: Final = 4
#: What concerns one key's entry alone; any other trouble of the keystore concerns all of them.
_OF_ONE_KEY: Final = (ValueLost, ValueDiffers, ValueTooLong, KeystoreFailed)


class TrialEnd(enum.StrEnum):
    """How a key's test ended."""

    WAITING = "waiting"
    UNDER_WAY = "under way"
    WORKING = "working"
    REFUSED = "refused"
    NO_VALUE = "no value"
    NO_ANSWER = "no answer"
    NOT_TESTED = "not tested"


@dataclass(slots=True)
class KeyTrial:
    """One key's test as it stands.

    Attributes:
        row: The key.
        end: How it stands.
        error: Why it isn't working; None where it is, or where it wasn't asked.
    """

    row: InventoryRow
    end: TrialEnd = TrialEnd.WAITING
    error: KeybenchError | None = None


class KeyTests:
    """One run, which can be carried out once. A key whose value was never here isn't asked about.

    Args:
        keys: The use case that each key goes through.
        budget_of: Gives an environment's budget of requests.
        rows: The keys.
        on_change: Told each key's place (from 0) whenever its test stands otherwise; it must not raise.

    Attributes:
        tests: How each stands, in the order of the keys.
        trouble: Why no more were tested, if keystore or journal failed.
    """

    def __init__(
        self,
        keys: Keys,
        budget_of: Callable[[Environment], Budget],
        rows: Sequence[InventoryRow],
        on_change: Callable[[int], None],
    ) -> None:
        self.tests = [KeyTrial(row) for row in rows]
        self.trouble: KeybenchError | None = None
        self._keys = keys
        self._budget_of = budget_of
        self._on_change = on_change
        self._next = 0
        self._stopping = False

    @property
    def total(self) -> int:
        """How many keys there are."""
        return len(self.tests)

    @property
    def done(self) -> int:
        """How many have ended."""
        return self.total - self.count(TrialEnd.WAITING) - self.count(TrialEnd.UNDER_WAY)

    @property
    def is_stopping(self) -> bool:
        """Whether no more are begun."""
        return self._stopping

    def count(self, end: TrialEnd) -> int:
        """Return how many stand so."""
        return sum(test.end is end for test in self.tests)

    def stop(self) -> None:
        """Begin no more; those under way are finished."""
        self._stopping = True

    async def carry_out(self) -> Sequence[KeyTrial]:
        """Test key by key and return how each ended."""
        lanes = min(AT_ONCE, self.total)
        ends = await asyncio.gather(*(self._lane() for _ in range(lanes)), return_exceptions=True)
        for place, test in enumerate(self.tests):
            if test.end is TrialEnd.WAITING:
                self._show(place, TrialEnd.NOT_TESTED)
        for end in ends:  # only now, so that a fault in one lane leaves no call of another alone
            if isinstance(end, BaseException):
                raise end
        return self.tests

    async def _lane(self) -> None:
        while not self._stopping and self._next < self.total:
            place, self._next = self._next, self._next + 1
            if self.tests[place].row.key.state is KeyState.NO_VALUE:
                self._show(place, TrialEnd.NO_VALUE)
            else:
                await self._test(place)

    async def _test(self, place: int) -> None:
        row = self.tests[place].row
        self._show(place, TrialEnd.UNDER_WAY)
        try:
            budget = self._budget_of(row.environment)
            async with budget.poll():
                await self._ask(place, budget)
        except KeybenchError as error:
            self._fail(place, error)

    async def _ask(self, place: int, budget: Budget) -> None:
        if self._stopping:  # while it waited for its turn
            self._show(place, TrialEnd.NOT_TESTED)
            return
        row = self.tests[place].row
        try:
            await self._keys.test(row.environment, row.key)
        except GatewayError as error:
            budget.answered(error)
            raise
        budget.answered(None)
        self._show(place, TrialEnd.WORKING)

    def _fail(self, place: int, error: KeybenchError) -> None:
        self.tests[place].error = error
        match error:
            case KeyRefused() | Forbidden() if not error.asks_to_wait:
                self._show(place, TrialEnd.REFUSED)
            case KeystoreError() if isinstance(error, _OF_ONE_KEY):
                self._show(place, TrialEnd.NO_VALUE)
            case KeystoreError() | JournalError():
                self.trouble = error
                self.stop()
                self._show(place, TrialEnd.NOT_TESTED)
            case _:
                self._show(place, TrialEnd.NO_ANSWER)

    def _show(self, place: int, end: TrialEnd) -> None:
        self.tests[place].end = end
        self._on_change(place)
