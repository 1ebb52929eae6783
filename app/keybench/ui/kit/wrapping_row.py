"""Widgets side by side, which go on in a further line where there is little room or the text is large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSizePolicy, QStyle, QWidget

_SPACING: Final = 8


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
    ) -> None:
        super().__init__()
        _Lines(self, widgets, (keep,) if isinstance(keep, QWidget) else keep, spread=spread)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)


class _Lines(QHBoxLayout):
    """Places what a wrapping row holds."""

    def __init__(
        self, row: QWidget, widgets: Sequence[QWidget], keep: Sequence[QWidget], *, spread: bool
    ) -> None:
        super().__init__(row)
        self._row, self._widgets, self._keep, self._spread = row, tuple(widgets), keep, spread
        self._heights: dict[int, int] = {}
        for widget in widgets:
            self.addWidget(widget)

    def hasHeightForWidth(self) -> bool:
        return True

    def invalidate(self) -> None:
        self._heights.clear()
        super().invalidate()

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:  # layouts ask often
            self._heights[width] = max(
                sum(map(_height, lines)) + _SPACING * max(len(lines) - 1, 0)
                for lines in (self._lines(width, self._shown()), self._lines(width, self._keep))
            )
        return self._heights[width]

    def minimumHeightForWidth(self, width: int) -> int:
        return self.heightForWidth(width)

    def sizeHint(self) -> QSize:
        return QSize(_width(self._shown()), self.heightForWidth(self._row.width()))

    def minimumSize(self) -> QSize:
        widest = max((one.minimumSizeHint().width() for one in self._shown()), default=0)
        return QSize(widest, self.heightForWidth(self._row.width()))

    def setGeometry(self, rect: QRect) -> None:
        QLayout.setGeometry(self, rect)
        top = rect.top()
        lines = self._lines(rect.width(), self._shown())
        for line in lines:
            height, left = _height(line), 0
            for widget in line:
                size = widget.sizeHint()
                wide = min(size.width(), rect.width() - left if self._spread else rect.width())
                if self._spread and widget is self._widgets[-1] and len(lines) == 1:
                    left = rect.width() - wide
                high = min(size.height(), height)
                place = QRect(rect.left() + left, top + (height - high) // 2, wide, high)
                widget.setGeometry(QStyle.visualRect(self._row.layoutDirection(), rect, place))
                left += wide + _SPACING
            top += height + _SPACING
        if self.heightForWidth(rect.width()) != rect.height():  # not every layout around it asks for that
            self._row.updateGeometry()

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


def _width(widgets: Sequence[QWidget]) -> int:
    return sum(widget.sizeHint().width() for widget in widgets) + _SPACING * max(len(widgets) - 1, 0)


def _spare(widget: QWidget) -> int:
    if widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed:
        return 0
    return max(widget.sizeHint().width() - widget.minimumSizeHint().width(), 0)


def _height(widgets: Sequence[QWidget]) -> int:
    return max((widget.sizeHint().height() for widget in widgets), default=0)
