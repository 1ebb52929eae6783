"""Puts lock, screen and idleness together for one window."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut, QWindow
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow

from keybench.ui.lock.idle import IdleWatch
from keybench.ui.lock.lock import Lock, Why
from keybench.ui.lock.screen import ScreenLockWatch
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session

_IDLE: Final = "lock/idle_minutes"
_KEYS: Final = "Ctrl+L"
_SHORTCUT: Final = "lock from a question"
#: What a person can choose, in minutes; 0 never locks by itself.
IDLE_MINUTES: Final = (0, 5, 15, 30)


def idle_minutes(preferences: Preferences) -> int:
    """Return after how many minutes without use the window locks itself; 0 for never."""
    text = preferences.text(_IDLE, "0")
    minutes = int(text) if text.isdecimal() else 0
    return minutes if minutes in IDLE_MINUTES else 0


def set_idle_minutes(preferences: Preferences, minutes: int) -> None:
    """Remember after how many minutes without use the window locks itself; 0 for never."""
    preferences.set_text(_IDLE, str(minutes))


class Keeper(QObject):
    """Locks a window when it is asked to, with the screen, and when nobody uses it.

    Args:
        window: What to lock.
        session: Asks for it (`lock_asked`), and tells when the choice of idle time changed.
        preferences: Remembers that choice.
    """

    def __init__(self, window: QMainWindow, session: Session, preferences: Preferences) -> None:
        super().__init__(window)
        self._preferences = preferences
        self.lock = Lock(window, session)
        self.screen = ScreenLockWatch(self)
        self.screen.screen_locked.connect(self._on_screen)
        self.idle = IdleWatch(session.console.clock, self)
        self.idle.idle.connect(self._on_idle)
        session.lock_asked.connect(self._on_asked)
        session.idle_lock_changed.connect(self._on_choice)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._on_focus)
        self._on_choice()

    def watch_screen(self) -> None:
        """Begin to lock with the screen."""
        self.screen.start()

    def _on_focus(self, _window: QWindow | None) -> None:
        """Let a question that is being asked be locked away, too: it keeps the window's own keys from it."""
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog) and dialog.findChild(QShortcut, _SHORTCUT) is None:
            shortcut = QShortcut(QKeySequence(_KEYS), dialog)
            shortcut.setObjectName(_SHORTCUT)
            shortcut.activated.connect(self._on_asked)

    def _on_choice(self) -> None:
        self.idle.watch(idle_minutes(self._preferences))

    def _on_asked(self) -> None:
        self.lock.lock(Why.ASKED)

    def _on_screen(self) -> None:
        self.lock.lock(Why.SCREEN)

    def _on_idle(self) -> None:
        self.lock.lock(Why.IDLE)
