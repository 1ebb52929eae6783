"""Collects garbage on the window's thread alone.

Python looks for garbage on whichever thread happens to allocate. A widget or a timer that is found on a worker's
thread is deleted there, and Qt ends the program for that.
"""

from __future__ import annotations

import gc
from typing import Final

from PySide6.QtCore import QObject, QTimer

_EVERY_MS: Final = 1_000


class GarbageCollector(QObject):
    """Takes the collector's place, with its thresholds, for as long as the application lives."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        timer = QTimer(self, interval=_EVERY_MS)
        timer.timeout.connect(self.collect)
        timer.start()

    def collect(self) -> None:
        counts = gc.get_count()
        for generation, threshold in reversed(list(enumerate(gc.get_threshold()))):
            if counts[generation] > threshold:
                gc.collect(generation)
                return
