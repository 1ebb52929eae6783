"""A splitter whose edge the keyboard moves, too."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle

from keybench.ui.kit.theme import scaled, tokens
from keybench.words.language import _

_STEP_PX: Final = 24
#: How the keys move an edge, in steps; which two count depends on how it lies.
_MOVES: Final = {
    (Qt.Orientation.Horizontal, Qt.Key.Key_Left): -1,
    (Qt.Orientation.Horizontal, Qt.Key.Key_Right): 1,
    (Qt.Orientation.Vertical, Qt.Key.Key_Up): -1,
    (Qt.Orientation.Vertical, Qt.Key.Key_Down): 1,
}


class Splitter(QSplitter):
    """Tab comes to its edges, and the arrow keys move them."""

    def createHandle(self) -> QSplitterHandle:
        return _Edge(self.orientation(), self)


class _Edge(QSplitterHandle):
    """An edge that shows when it has the keyboard."""

    def __init__(self, orientation: Qt.Orientation, parent: QSplitter) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(_("Edge between the parts"))
        self.setAccessibleDescription(_("The arrow keys move it"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _MOVES.get((self.orientation(), Qt.Key(event.key())))
        if step is None:
            super().keyPressEvent(event)
            return
        at = self.y()
        if self.orientation() is Qt.Orientation.Horizontal:
            at = self.x() + self.width() if self.isRightToLeft() else self.x()
        self.moveSplitter(at + step * scaled(_STEP_PX))

    def event(self, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            self.update()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            middle = self.rect().center()
            painter = QPainter(self)
            painter.setPen(QColor(tokens().accent))
            if self.orientation() is Qt.Orientation.Horizontal:
                painter.drawLine(middle.x(), 0, middle.x(), self.height())
            else:
                painter.drawLine(0, middle.y(), self.width(), middle.y())
            painter.end()
