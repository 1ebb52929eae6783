"""Widgets side by side, which go on in a further line where there is little room or the text is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStyle, QWidget

_SPACING: Final = 8
#: After these a widget in the row may ask for another size.
_CHANGING: Final = {
    QEvent.Type.LayoutRequest,
    QEvent.Type.Show,
    QEvent.Type.Polish,
    QEvent.Type.FontChange,
    QEvent.Type.StyleChange,
}

#: After these they have another place; nobody tells what changed unseen.
_PLACING: Final = {QEvent.Type.LayoutRequest, QEvent.Type.Show, QEvent.Type.LayoutDirectionChange}


class WrappingRow(QWidget):
    """Widgets in a row that wraps; it begins on the right where text is read from right to left.

    Args:
        spread: Whether the last one stands at the far end of the line, if all have room in one;
            unless its width is fixed, it becomes narrower for that.
        keep: The height that one of them or several need is kept free, whichever are shown.
    """

    def __init__(
        self,
        widgets: Sequence[QWidget],
        *,
        spread: bool = False,
        keep: QWidget | Sequence[QWidget] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._keep = (keep,) if isinstance(keep, QWidget) else tuple(keep)
        self._widgets = tuple(widgets)
        self._spread = spread
        self._heights: dict[int, int] = {}
        for widget in self._widgets:
            widget.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        if not self.isVisible():  # nobody tells then that a widget changed
            return self._measured(width)
        if width not in self._heights:
            self._heights[width] = self._measured(width)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        return QSize(_width(self._shown()), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        widest = max((one.minimumSizeHint().width() for one in self._shown()), default=0)
        return QSize(widest, self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
        if self.heightForWidth(self.width()) != self.height():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        if event.type() in _CHANGING:
            self._heights.clear()
        if event.type() in _PLACING:
            self.updateGeometry()
            self._place()
        return super().event(event)

    def _measured(self, width: int) -> int:
        return max(_lines_height(self._lines(width, each)) for each in (self._shown(), self._keep))

    def _shown(self) -> list[QWidget]:
        return [widget for widget in self._widgets if not widget.isHidden()]

    def _lines(self, width: int, shown: Sequence[QWidget]) -> list[list[QWidget]]:
        if self._spread and shown and _width(shown) - _spare(shown[-1]) <= width:
            return [list(shown)]
        lines: list[list[QWidget]] = []
        taken = 0
        for widget in shown:
            wide = widget.sizeHint().width()
            if lines and taken + _SPACING + wide <= width:
                lines[-1].append(widget)
                taken += _SPACING + wide
            else:
                lines.append([widget])
                taken = wide
        return lines

    def _place(self) -> None:
        top = 0
        lines = self._lines(self.width(), self._shown())
        for line in lines:
            height, left = _height(line), 0
            for widget in line:
                size = widget.sizeHint()
                wide = min(size.width(), self.width() - left if self._spread else self.width())
                if self._spread and widget is self._widgets[-1] and len(lines) == 1:
                    left = self.width() - wide
                high = min(size.height(), height)
                place = QRect(left, top + (height - high) // 2, wide, high)
                widget.setGeometry(QStyle.visualRect(self.layoutDirection(), self.rect(), place))
                left += wide + _SPACING
            top += height + _SPACING


def _width(widgets: Sequence[QWidget]) -> int:
    return sum(widget.sizeHint().width() for widget in widgets) + _SPACING * max(len(widgets) - 1, 0)


def _lines_height(lines: Sequence[Sequence[QWidget]]) -> int:
    return sum(map(_height, lines)) + _SPACING * max(len(lines) - 1, 0)


def _spare(widget: QWidget) -> int:
    if widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed:
        return 0
    return max(widget.sizeHint().width() - widget.minimumSizeHint().width(), 0)


def _height(widgets: Sequence[QWidget]) -> int:
    return max((widget.sizeHint().height() for widget in widgets), default=0)
