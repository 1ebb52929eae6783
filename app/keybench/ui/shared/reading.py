"""What a widget reads: requested as often as one likes, never twice at a time, until it could be read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer
from shiboken6 import isValid

from keybench.core.errors import JournalError, KeybenchError
from keybench.ui.shared.session import Session
from keybench.words.language import _

READING: Final = _("Reading the journal…")
UNREADABLE: Final = _("The journal couldn't be read.")
#: The topic of notices that are over once the journal can be read again.
UNREAD: Final = "journal unread"
#: How long a journal that couldn't be read is left alone, in seconds; it was waited for before.
_PAUSE_S: Final = 2.0
#: What takes longer than this shows that it is under way.
_SLOW_MS: Final = 300

T = TypeVar("T")


class Reading(Generic[T]):
    """Reads a value and shows it: one attempt at a time, no request lost, the latest wins.

    What the journal couldn't give, as it was busy, is read again after a pause until it is there. A person is
    told once. A failure that another attempt follows at once isn't told: it was about what isn't wanted now.

    Args:
        read: Returns the value; it looks at what is wanted each time it is called.
        show: Given the value, unless something else is wanted by then or its widget is gone.
        wanted: Tells what the value is of; the chosen environment if left out.
        say: Given words that stand in place of what is wanted while that isn't shown: `loading` if reading it
            takes longer than a moment, and that it couldn't be read. `Session.failed` tells why.
        on_error: Given what `read` raises; else `Session.failed` tells it.

    Attributes:
        shown: What `wanted` told of the value that is shown; None before the first.
        failed: Whether the last attempt failed.
    """

    def __init__(
        self,
        session: Session,
        name: str,
        read: Callable[[], Coroutine[Any, Any, T]],
        show: Callable[[T], object],
        *,
        wanted: Callable[[], object] | None = None,
        say: Callable[[str], object] | None = None,
        loading: str = READING,
        on_error: Callable[[KeybenchError], object] | None = None,
    ) -> None:
        self._session = session
        self._name = name
        self._read = read
        self._show = show
        self._wanted = wanted or (lambda: session.environment)
        self._on_error = on_error or session.failed.emit
        self._say = say
        self._loading = loading
        self.shown: object = None
        self._has_shown = False  # what is wanted may be None, too
        self._slow = QTimer(session, singleShot=True, interval=_SLOW_MS)
        self._slow.timeout.connect(self._tell_slow)
        self._turns = 0
        self._reading = False
        self._requested = False
        self.failed = False
        self._unread = False
        self._pausing = False
        self._tells = True

    def request(self) -> None:
        self._tells = True
        if self._say and not self._is_shown():  # else what is shown stays until it is newer
            self._slow.start()
        self._begin()

    def _begin(self) -> None:
        self._requested = True
        if not self._reading:
            self._turns += 1
            # A task's name is free again a moment after it ended, so each turn has its own.
            self._reading = self._session.run(f"{self._name} #{self._turns}", self._go())

    async def _go(self) -> None:
        try:
            while self._requested:
                self._requested = False
                wanted = self._wanted()
                try:
                    value = await self._read()
                except KeybenchError as error:
                    if not self._requested:
                        self._take(error)
                else:
                    if self._unread:
                        self._session.end_notice(UNREAD)
                    self.failed = self._unread = False
                    if self._has_widget() and wanted == self._wanted():
                        self._slow.stop()
                        self.shown, self._has_shown = wanted, True
                        self._show(value)
        finally:
            self._reading = False
            if self._requested:  # while this one failed
                self._begin()

    def _is_shown(self) -> bool:
        return self._has_shown and self._wanted() == self.shown

    def _tell_slow(self) -> None:
        if self._say and self._has_widget() and not self._is_shown():
            self._say(self._loading)

    def _take(self, error: KeybenchError) -> None:
        self._slow.stop()
        self.failed = True
        if isinstance(error, JournalError):
            self._unread = True
            if not self._pausing:
                self._pausing = self._session.run(f"{self._name}, again after #{self._turns}", self._again())
        if self._say and not self._is_shown():
            self._say(UNREADABLE)
        if self._tells:
            self._on_error(error)

    async def _again(self) -> None:
        await self._session.console.clock.sleep(_PAUSE_S)
        self._pausing = False
        if self._unread and self._has_widget():
            self._tells = False
            self._begin()

    def _has_widget(self) -> bool:
        owner = getattr(self._show, "__self__", None)
        return not isinstance(owner, QObject) or isValid(owner)
