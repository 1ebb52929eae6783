"""Waits until the window has been painted, so that nothing slow begins before there is anything to see."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

#: A window that is started minimised, or on a screen that is asleep, is never painted.
_LIMIT_S: Final = 1.0


class _PaintWatch(QObject):
    """Resolves `painted` when the watched window is painted for the first time."""

    def __init__(self) -> None:
        super().__init__()
        self.painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self.painted.done():
            self.painted.set_result(None)
        return super().eventFilter(watched, event)


async def show_first_frame(window: QWidget) -> None:
    """Show `window` and return when it has been painted, or after a second without that."""
    watch = _PaintWatch()
    window.installEventFilter(watch)
    try:
        window.show()
        with suppress(TimeoutError):
            await asyncio.wait_for(watch.painted, _LIMIT_S)
    finally:
        window.removeEventFilter(watch)
