"""A countdown on the console's clock: ticks for the eye, and ends when the clock says so."""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from keybench.core.ports import Clock

#: Often enough that a second shown is never a second late.
TICK_MS: Final = 200


class Countdown(QObject):
    """Counts whole seconds down to nothing.

    The timer only makes it look and the clock decides: Qt's timers may be early, and tests move the clock.

    Signals:
        ticked: How many seconds are left, rounded up; told when it changes.
        ended: The time is over (not told by `stop`).
    """

    ticked = Signal(int)
    ended = Signal()

    def __init__(self, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._end: float | None = None
        self._shown = 0
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.look)

    @property
    def running(self) -> bool:
        """Whether it counts."""
        return self._end is not None

    def start(self, seconds: float) -> None:
        """Count down from `seconds`, anew if it was counting."""
        self._end = self._clock.monotonic() + seconds
        self._shown = 0
        self._timer.start()
        self.look()

    def stop(self) -> None:
        """Count no more, without a word; safe when it isn't counting."""
        self._end = None
        self._timer.stop()

    def look(self) -> None:
        """Look at the clock now and tell what has changed."""
        if self._end is None:
            return
        left = math.ceil(self._end - self._clock.monotonic())
        if left <= 0:
            self.stop()
            self.ended.emit()
        elif left != self._shown:
            self._shown = left
            self.ticked.emit(left)
