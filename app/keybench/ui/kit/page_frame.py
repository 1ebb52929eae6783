"""A frame that shows scroll bars where what it holds is larger than the window."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

#: How much is seen above or below what is scrolled to.
_BESIDE_PX: Final = 12


class PageFrame(QScrollArea):
    """Gives its content all the room there is, and scrolls, also `sideways`, where that is less than it needs."""

    def __init__(
        self, parent: QWidget | None = None, *, content: QWidget | None = None, sideways: bool = True
    ) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if not sideways:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if content:
            self.hold(content)

    def hold(self, content: QWidget) -> None:
        self.setWidget(content)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)


def bring_into_sight(widget: QWidget, *, near_keyboard: bool = False) -> None:
    """Scroll every frame around a widget so far that it, or its beginning, is seen once all has its place.

    Near the keyboard, it does nothing unless that is in the widget by then.
    """
    QTimer.singleShot(0, widget, partial(_show, widget, near_keyboard=near_keyboard))


def _show(widget: QWidget, *, near_keyboard: bool) -> None:
    # Layouts that are still to be done would move it after it was scrolled to.
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    around, at = widget.parentWidget(), QApplication.focusWidget()
    if not widget.isVisible() or (near_keyboard and not (at and widget.isAncestorOf(at))):
        return
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget, 0, _BESIDE_PX)
            if widget.height() > around.viewport().height() and (content := around.widget()):
                around.verticalScrollBar().setValue(widget.mapTo(content, QPoint()).y())
        around = around.parentWidget()
