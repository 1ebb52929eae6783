"""A heartbeat on the window's loop: the gaps between its beats tell how long the loop ever stood still."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer

#: Short against what is looked for; each beat costs, too.
BEAT_MS = 4


class Heartbeat:
    """Beats every 4 ms and keeps the time between beats, in milliseconds."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self._since = QElapsedTimer()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)

    @property
    def worst_ms(self) -> float:
        """The longest gap."""
        return max(self.gaps)

    @property
    def p99_ms(self) -> float:
        """The gap that one beat in a hundred exceeds."""
        return sorted(self.gaps)[int(len(self.gaps) * 0.99)]

    def start(self) -> None:
        """Begin to beat."""
        self._since.start()
        self._timer.start()

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    def _beat(self) -> None:
        self.gaps.append(self._since.nsecsElapsed() / 1e6)
        self._since.restart()
