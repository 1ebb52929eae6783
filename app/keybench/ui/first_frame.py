"""Waits until the window has been painted, so that nothing slow begins before there is anything to see."""

from __future__ import annotations

import asyncio
from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

#: A window that is started minimised is never painted.
_LIMIT_S: Final = 1.0


class _PaintWatch(QObject):
    def __init__(self, window: QWidget, painted: asyncio.Future[None]) -> None:
        super().__init__(window)
        self._painted = painted
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and not self._painted.done():
            self._painted.set_result(None)
        return super().eventFilter(watched, event)


async def first_frame(window: QWidget) -> None:
    """Return when `window` has been painted for the first time, or after a second without that."""
    painted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    watch = _PaintWatch(window, painted)
    await asyncio.wait([painted], timeout=_LIMIT_S)
    window.removeEventFilter(watch)
    watch.deleteLater()
