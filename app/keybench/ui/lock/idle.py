"""Tells when nobody has used the window for a while."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from keybench.core.ports import Clock

_LOOK_MS: Final = 5_000
_USES: Final = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.WindowActivate,
    }
)


class IdleWatch(QObject):
    """Looks at the clock now and then; it listens to the application only while there is a limit.

    Signals:
        idle: Nobody used the window for as long as was chosen; told once until it is used again.
    """

    idle = Signal()

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._limit_s = 0.0
        self._used_at = clock.monotonic()
        self._told = False
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def watch(self, minutes: int) -> None:
        """Tell after `minutes` without use from now on; never for 0."""
        self._limit_s = minutes * 60.0
        self._used()
        app = QApplication.instance()
        if app is None:
            return
        app.removeEventFilter(self)
        if minutes:
            app.installEventFilter(self)
            self._timer.start()
        else:
            self._timer.stop()

    def look(self) -> None:
        """Look at the clock now."""
        if self._limit_s and not self._told and self._clock.monotonic() - self._used_at >= self._limit_s:
            self._told = True
            self.idle.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note that the window is used; nothing is held back."""
        if event.type() in _USES:
            self._used()
        return super().eventFilter(watched, event)

    def _used(self) -> None:
        self._used_at = self._clock.monotonic()
        self._told = False
