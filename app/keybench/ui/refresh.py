"""Reading something again: requested as often as one likes, and never twice at a time."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from keybench.ui.session import Session


class Refresh:
    """Runs one reading at a time, and loses no request.

    Args:
        session: Runs it.
        name: Names its tasks.
        read: Reads and shows; it looks at what is wanted each time it is called.
    """

    def __init__(self, session: Session, name: str, read: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._session = session
        self._name = name
        self._read = read
        self._turns = 0
        self._reading = False
        self._wanted = False

    def request(self) -> None:
        """Have it read, now or once more after the reading under way."""
        self._wanted = True
        if not self._reading:
            self._turns += 1
            # A task's name is free again a moment after it ended, so each turn has its own.
            self._reading = self._session.run(f"{self._name} #{self._turns}", self._go())

    async def _go(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                await self._read()
        finally:
            self._reading = False
            if self._wanted:  # requested while this one failed
                self.request()
