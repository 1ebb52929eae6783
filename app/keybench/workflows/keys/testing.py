"""Testing many keys: a few at once, within each gateway's rate limit."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

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
from keybench.core.input_errors import NotFound
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.reasons import Reason
from keybench.workflows.batch import Batch, BatchRow, NotBegun, RowState
from keybench.workflows.console import Console

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


_BEFORE_THE_END: Final = {
    RowState.WAITING: TrialEnd.WAITING,
    RowState.UNDER_WAY: TrialEnd.UNDER_WAY,
    RowState.LEFT: TrialEnd.NOT_TESTED,
}


@dataclass(frozen=True, slots=True)
class KeyTrial(BatchRow[InventoryRow, SecurityKey]):
    """One key's test; without an error and a result it has no value here, so it wasn't called with."""

    @property
    def end(self) -> TrialEnd:
        """How it stands."""
        if self.state in _BEFORE_THE_END:
            return _BEFORE_THE_END[self.state]
        match self.error:
            case None:
                return TrialEnd.WORKING if self.result else TrialEnd.NO_VALUE
            case KeyRefused() | Forbidden() if not self.error.asks_to_wait:
                return TrialEnd.REFUSED
            case KeystoreError() if isinstance(self.error, _OF_ONE_KEY):
                return TrialEnd.NO_VALUE
            case KeystoreError() | JournalError() | NotFound():
                return TrialEnd.NOT_TESTED
            case _:
                return TrialEnd.NO_ANSWER


class KeyTests(Batch[KeyTrial]):
    """Tests of many keys. A key whose value was never here isn't asked about."""

    def __init__(
        self, console: Console, rows: Sequence[InventoryRow], on_change: Callable[[int], None]
    ) -> None:
        super().__init__(map(KeyTrial, rows), console.clock, AT_ONCE, on_change, range(len(rows)))
        self._console = console
        self._astray: set[str] = set()

    async def _carry_out_row(self, index: int) -> SecurityKey | None:
        row = self.rows[index].item
        if row.key.state is KeyState.NO_VALUE:
            return None
        limit = await self._console.calling.limit(row.environment)
        async with limit.poll():
            if self.is_stopping or row.environment.id in self._astray:
                raise NotBegun
            try:
                tested = await self._console.keys.test(row.environment, row.key)
            except GatewayError as error:
                limit.answered(error)
                if error.reason in {Reason.NOT_THE_GATEWAYS, Reason.REDIRECT}:
                    self._astray.add(row.environment.id)  # no further key goes there
                raise
            limit.answered(None)
            return tested

    def _concerns_all(self, error: KeybenchError) -> bool:
        return isinstance(error, KeystoreError | JournalError) and not isinstance(error, _OF_ONE_KEY)
