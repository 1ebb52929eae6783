"""What surrounds a running program: the time, the practice gateway's process, other programs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time, so that tests can move it."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds` on the monotonic clock."""
        ...


class Practice(Protocol):
    """The practice gateway's process."""

    @property
    def base_url(self) -> str:
        """Where it is; empty while it isn't up."""
        ...

    async def ensure(self) -> str:
        """Return its base URL, starting it if it isn't up.

        Raises:
            PracticeUnavailable: It can't be started.
        """
        ...

    async def stop(self) -> None:
        """Stop the process if this program started it; safe to call twice."""
        ...


@dataclass(frozen=True, slots=True)
class RunningProgram:
    """A Keybench program that works on the journal, as the journal knows it.

    Attributes:
        id: Its name; never used again.
        computer: Where it runs: the computer and, where programs don't all see each other, which part of it.
        process: Its process's number there.
        began_at: When that process began, UTC, so that another of the same number isn't taken for it.
        renewed_at: When it last said that it runs, UTC.
    """

    id: str
    computer: str
    process: int
    began_at: datetime
    renewed_at: datetime


class Owners(Protocol):
    """Which running programs there are, so that two of them don't follow one sale.

    Every method may raise a JournalError.
    """

    @property
    def me(self) -> str:
        """This program's name for as long as it runs; never used again."""
        ...

    async def ended(self, owners: Collection[str]) -> frozenset[str]:
        """Return those of `owners` that don't run any more, the empty name for nobody included."""
        ...
