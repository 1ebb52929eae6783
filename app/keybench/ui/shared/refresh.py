"""Reading something again: requested as often as one likes, never twice at a time, until it could be read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from PySide6.QtCore import QObject
from shiboken6 import isValid

from keybench.core.errors import JournalError, KeybenchError
from keybench.ui.shared.session import Session

#: The topic of notices that are over once the journal can be read again.
UNREAD: Final = "journal unread"
#: How long a journal that couldn't be read is left alone, in seconds; it was waited for before.
_PAUSE_S: Final = 2.0


class Refresh:
    """Runs one reading at a time, and loses no request.

    What the journal couldn't give, as it was busy, is read again after a pause until it is there. A person is
    told once. A failure that another reading follows at once isn't told: it was about what isn't wanted now.

    Args:
        read: Reads and shows; it looks at what is wanted each time it is called. If it is a widget's method,
            the widget's end ends the attempts.
        on_error: Given what it raises; else `Session.failed` tells it.
    """

    def __init__(
        self,
        session: Session,
        name: str,
        read: Callable[[], Coroutine[Any, Any, None]],
        on_error: Callable[[KeybenchError], object] | None = None,
    ) -> None:
        self._session = session
        self._name = name
        self._read = read
        self._on_error = on_error or session.failed.emit
        self._turns = 0
        self._reading = False
        self._wanted = False
        self._failed = False
        self._pausing = False
        self._tells = True

    def request(self) -> None:
        self._tells = True
        self._begin()

    def _begin(self) -> None:
        self._wanted = True
        if not self._reading:
            self._turns += 1
            # A task's name is free again a moment after it ended, so each turn has its own.
            self._reading = self._session.run(f"{self._name} #{self._turns}", self._go())

    async def _go(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                try:
                    await self._read()
                except KeybenchError as error:
                    if not self._wanted:
                        self._take(error)
                else:
                    if self._failed:
                        self._session.end_notice(UNREAD)
                    self._failed = False
        finally:
            self._reading = False
            if self._wanted:  # requested while this one failed
                self._begin()

    def _take(self, error: KeybenchError) -> None:
        if isinstance(error, JournalError):
            self._failed = True
            if not self._pausing:
                self._pausing = self._session.run(f"{self._name}, again after #{self._turns}", self._again())
        if self._tells:
            self._on_error(error)

    async def _again(self) -> None:
        await self._session.console.clock.sleep(_PAUSE_S)
        self._pausing = False
        owner = getattr(self._read, "__self__", None)
        if self._failed and (not isinstance(owner, QObject) or isValid(owner)):
            self._tells = False
            self._begin()
