"""Dismissed findings: somebody wrote down why one may stay until a day, and then it is told again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A finding that may stay for a while, as the journal keeps it.

    Attributes:
        finding: Which, see `Finding.identity`.
        reason: Why, in the person's words.
        until: From when on it is told again, UTC.
        by: Who dismissed it.
        at: When, UTC.
    """

    finding: str
    reason: str
    until: datetime
    by: str
    at: datetime
