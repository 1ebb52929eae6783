"""The PySide6 in use doesn't lose references: 6.12.0 did on Python 3.11, and the interpreter died of it."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication

TIMES = 500
#: Room for what the interpreter itself does meanwhile; a leak of one reference each would be 500.
DRIFT = 50


class Emitter(QObject):
    """Emits, and takes events in Python."""

    told = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.heard = 0
        self.told.connect(self.on_told)

    def on_told(self) -> None:
        self.heard += 1

    def event(self, event: QEvent) -> bool:
        return super().event(event)


def test_none_and_true_keep_their_references(qapp: QApplication) -> None:
    emitter = Emitter()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(TIMES):
        emitter.told.emit()
        QCoreApplication.sendEvent(emitter, QEvent(QEvent.Type.User))
    after = sys.getrefcount(None), sys.getrefcount(True)
    assert emitter.heard == TIMES
    assert abs(after[0] - before[0]) < DRIFT
    assert abs(after[1] - before[1]) < DRIFT
