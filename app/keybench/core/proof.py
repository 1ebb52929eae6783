"""The same-permission proof: two keys meet the same calls, and the answers are compared."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Final

_UNKNOWN_KEY: Final = 401


class Expectation(enum.StrEnum):
    """What a call of the same-permission proof should meet."""

    ALLOWED = "allowed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ProofRow:
    """One call, made with both keys.

    Attributes:
        call: What was called, such as ``GET /api/v5/devices``.
        expected: What it should meet.
        old_status: The HTTP status with the old key.
        new_status: The HTTP status with the new one.
    """

    call: str
    expected: Expectation
    old_status: int
    new_status: int

    @property
    def same(self) -> bool:
        """Whether the gateway made no difference between the keys."""
        return self.old_status == self.new_status


@dataclass(frozen=True, slots=True)
class Proof:
    """The same-permission proof: what must be allowed and what must be refused, with both keys.

    Attributes:
        at: When it was made, UTC.
        rows: One a call; a contract may name one or two.
    """

    at: datetime
    rows: tuple[ProofRow, ...]

    @property
    def same(self) -> bool:
        """Whether both keys may do the same, as these calls show; no call or an unknown key shows nothing."""
        known = all(row.same and row.new_status != _UNKNOWN_KEY for row in self.rows)
        return bool(self.rows) and known
