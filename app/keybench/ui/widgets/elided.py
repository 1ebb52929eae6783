"""A label that cuts its text short where there is no room, and keeps the whole of it for who asks."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QStyle, QStyleOption, QStylePainter, QWidget

SHORTEST = 4
"""How many average characters stay at the least."""


class ElidedLabel(QLabel):
    """A label of one line; what is cut shows as its tool tip."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        """Be content with a few characters."""
        metrics = self.fontMetrics()
        width = min(SHORTEST * metrics.averageCharWidth(), self.sizeHint().width())
        return QSize(width, super().minimumSizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint as much of the text as fits."""
        painter = QStylePainter(self)
        option = QStyleOption()
        option.initFrom(self)
        room = self.contentsRect()
        shown = self._cut(room.width())
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option)
        alignment = int(self.alignment() | Qt.AlignmentFlag.AlignVCenter)
        painter.drawItemText(room, alignment, self.palette(), self.isEnabled(), shown, self.foregroundRole())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer the whole text as a tool tip while it is cut."""
        super().resizeEvent(event)
        whole = self._cut(self.contentsRect().width()) == self.text()
        self.setToolTip("" if whole else self.text())

    def _cut(self, width: int) -> str:
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
