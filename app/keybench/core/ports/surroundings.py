"""What surrounds a running program: the time, the practice gateway's process, other programs."""

from __future__ import annotations

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


class Owners(Protocol):
    """Which running programs there are, so that two of them don't follow one sale."""

    @property
    def me(self) -> str:
        """This program's name for as long as it runs; never used again."""
        ...

    def is_running(self, owner: str) -> bool:
        """Tell whether `owner` still runs."""
        ...
