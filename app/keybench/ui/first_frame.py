"""Waits until the window has been painted, so that nothing slow begins before there is anything to see."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

#: A window that is started minimised is never painted.
_LIMIT_MS: Final = 1000


class _PaintWatch(QObject):
    """Stops Qt's loop once the window has been painted."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            QTimer.singleShot(0, QApplication.exit)
        return super().eventFilter(watched, event)


def show_first_frame(app: QApplication, window: QWidget) -> None:
    """Show `window` and return when it has been painted for the first time, or after a second without that.

    Qt's loop runs here by itself, before there is an asyncio loop: importing that one alone would hold the
    first frame up by a quarter. It isn't nested in anything.
    """
    watch = _PaintWatch()
    window.installEventFilter(watch)
    limit = QTimer(singleShot=True, interval=_LIMIT_MS)
    limit.timeout.connect(app.exit)
    limit.start()
    window.show()
    app.exec()  # not nested: no loop and no coroutine runs yet, see above
    limit.stop()
    window.removeEventFilter(watch)
