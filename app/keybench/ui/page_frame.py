"""A frame that shows scroll bars where what it holds is larger than the window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class PageFrame(QScrollArea):
    """Gives a page or panel all the room there is, and scrolls where that is less than it needs."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def hold(self, content: QWidget) -> None:
        """Hold `content`, which was made as the viewport's child."""
        self.setWidget(content)
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)


def scroll_to(widget: QWidget) -> None:
    """Scroll every frame around a widget so far that it stands at the top, as far as that goes."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea) and (content := around.widget()):
            around.verticalScrollBar().setValue(widget.mapTo(content, QPoint()).y())
        around = around.parentWidget()
