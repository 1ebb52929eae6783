"""Widgets side by side, which go on in a further line where there is little room or the text is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_SPACING: Final = 8


class WrappingRow(QWidget):
    """Widgets in a row that wraps.

    Args:
        widgets: From left to right.
        spread: Whether the last one stands at the right end of its line.
    """

    def __init__(self, widgets: Sequence[QWidget], *, spread: bool = False) -> None:
        super().__init__()
        self._widgets = tuple(widgets)
        self._spread = spread
        for widget in self._widgets:
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        """Return the height of as many lines as a width makes."""
        lines = self._lines(width)
        return sum(map(_height, lines)) + _SPACING * max(len(lines) - 1, 0)

    def sizeHint(self) -> QSize:
        """Return the size of one line."""
        shown = self._shown()
        return QSize(_width(shown), _height(shown))

    def minimumSizeHint(self) -> QSize:
        """Return the width of the widest widget, and the height that the present width makes."""
        widest = max((one.minimumSizeHint().width() for one in self._shown()), default=0)
        return QSize(widest, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the widgets for the new width."""
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place the widgets anew when one of them became another size, or came or went."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return super().event(event)

    def _shown(self) -> list[QWidget]:
        return [widget for widget in self._widgets if not widget.isHidden()]

    def _lines(self, width: int) -> list[list[QWidget]]:
        lines: list[list[QWidget]] = []
        for widget in self._shown():
            if lines and _width([*lines[-1], widget]) <= width:
                lines[-1].append(widget)
            else:
                lines.append([widget])
        return lines

    def _place(self) -> None:
        top = 0
        for line in self._lines(self.width()):
            height, left = _height(line), 0
            for widget in line:
                size = widget.sizeHint()
                wide = min(size.width(), self.width())
                if self._spread and widget is self._widgets[-1] and len(line) > 1:
                    left = self.width() - wide
                high = min(size.height(), height)
                widget.setGeometry(QRect(left, top + (height - high) // 2, wide, high))
                left += wide + _SPACING
            top += height + _SPACING


def _width(widgets: Sequence[QWidget]) -> int:
    return sum(widget.sizeHint().width() for widget in widgets) + _SPACING * max(len(widgets) - 1, 0)


def _height(widgets: Sequence[QWidget]) -> int:
    return max((widget.sizeHint().height() for widget in widgets), default=0)
