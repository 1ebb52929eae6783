"""Tells when the computer's screen is locked, on each system in its own way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

_LOOK_MS: Final = 2_000


class ScreenLockWatch(QObject):
    """Watches the system's own lock.

    Linux announces it on D-Bus. Windows and macOS are looked at every two seconds: their announcements need a
    native window procedure or an Objective-C class, and a cover two seconds late hides no less, because the
    screen is locked by then.

    Signals:
        screen_locked: The screen was locked, or the computer is about to sleep.
    """

    screen_locked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._was_locked = False
        self._is_locked: Callable[[], bool] | None = None
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """Begin to watch."""
        if sys.platform == "win32":
            from keybench.ui.lock.screen_windows import is_screen_locked  # noqa: PLC0415 - this system's only

            self.poll(is_screen_locked)
        elif sys.platform == "darwin":
            from keybench.ui.lock.screen_macos import is_screen_locked  # noqa: PLC0415 - this system's only

            self.poll(is_screen_locked)
        else:
            from keybench.ui.lock.screen_dbus import DBusLockSignals  # noqa: PLC0415 - this system's only

            signals = DBusLockSignals(self)
            signals.locked.connect(self.screen_locked)
            signals.start()

    def poll(self, is_locked: Callable[[], bool]) -> None:
        """Ask `is_locked` every two seconds from now on."""
        self._is_locked = is_locked
        self._timer.start()

    def look(self) -> None:
        """Ask now, and tell if the screen was locked since the last time."""
        if self._is_locked is None:
            return
        locked = self._is_locked()
        if locked and not self._was_locked:
            self.screen_locked.emit()
        self._was_locked = locked
