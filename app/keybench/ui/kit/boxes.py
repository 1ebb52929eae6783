"""Layouts: widgets below or beside each other in one call, rows that wrap, frames that scroll, and edges to move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias, TypeVar

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QSplitterHandle,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from keybench.ui.kit.theme import scaled, tokens
from keybench.words.language import _

#: A part of a box, or one with its share of the room that is left; a number is a gap in pixels, and None takes the
#: room that is left.
Part: TypeAlias = QWidget | QLayout | tuple[QWidget | QLayout, int] | int | None
_Box = TypeVar("_Box", bound=QBoxLayout)


def in_column(
    *parts: Part,
    within: QWidget | None = None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = 8,
) -> QVBoxLayout:
    """Return a layout of parts below each other, which is `within`'s; spacing -1 is the style's."""
    return _filled(QVBoxLayout(), parts, within, margins, spacing)


def in_row(
    *parts: Part,
    within: QWidget | None = None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = 8,
) -> QHBoxLayout:
    """Return a layout of parts beside each other; as `in_column` otherwise."""
    return _filled(QHBoxLayout(), parts, within, margins, spacing)


class RowOrColumn(QBoxLayout):
    """A row from a width on, and a column where there is less; it can always become as narrow as the column.

    It is no row where its parts haven't room for that.

    Args:
        from_px: Returns the width, in pixels.

    Signals:
        turned: It is a row (True) or a column (False) now.
    """

    turned = Signal(bool)

    def __init__(self, from_px: Callable[[], int]) -> None:
        super().__init__(QBoxLayout.Direction.LeftToRight)
        self._from_px = from_px
        self._is_row: bool | None = None  # not laid out yet

    @property
    def is_row(self) -> bool:
        return bool(self._is_row)

    def minimumSize(self) -> QSize:
        margins = self.contentsMargins()
        widths = (
            item.minimumSize().width() for number in range(self.count()) if (item := self.itemAt(number))
        )
        width = max(widths, default=0) + margins.left() + margins.right()
        return QSize(width, super().minimumSize().height())

    def _least_of_row(self) -> int:
        items, margins = filter(None, map(self.itemAt, range(self.count()))), self.contentsMargins()
        widths = [item.minimumSize().width() for item in items if not item.isEmpty()]
        return sum(widths) + self.spacing() * (len(widths) - 1) + margins.left() + margins.right()

    def setGeometry(self, rect: QRect) -> None:
        is_row = rect.width() >= max(self._from_px(), self._least_of_row())
        if is_row is not self._is_row:
            self._is_row = is_row
            ways = QBoxLayout.Direction
            self.setDirection(ways.LeftToRight if is_row else ways.TopToBottom)
            self.turned.emit(is_row)
        super().setGeometry(rect)


def in_row_or_column(
    *parts: Part,
    from_px: Callable[[], int],
    within: QWidget | None = None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = 8,
) -> RowOrColumn:
    """Return a layout of parts beside each other from a width on, else below each other; as `in_column` otherwise."""
    return _filled(RowOrColumn(from_px), parts, within, margins, spacing)


def mirrored(start: int, top: int, end: int, bottom: int) -> tuple[int, int, int, int]:
    """Return margins as Qt takes them, left and right, from those where lines start and end."""
    left_first = QApplication.layoutDirection() is Qt.LayoutDirection.LeftToRight
    return (start, top, end, bottom) if left_first else (end, top, start, bottom)


def framed(layout: QLayout, role: str = "") -> QFrame:
    """Return a frame around a layout; its `role` is what the style sheet knows it by."""
    made = QFrame()
    made.setProperty("role", role)
    made.setLayout(layout)
    return made


def _filled(
    box: _Box,
    parts: tuple[Part, ...],
    within: QWidget | None,
    margins: tuple[int, int, int, int],
    spacing: int,
) -> _Box:
    if within is not None:
        within.setLayout(box)
    box.setContentsMargins(*mirrored(*margins))
    box.setSpacing(spacing)
    for part in parts:
        one, share = part if isinstance(part, tuple) else (part, 0)
        match one:
            case QWidget():
                box.addWidget(one, share)
            case QLayout():
                box.addLayout(one, share)
            case int():
                box.addSpacing(one)
            case None:
                box.addStretch(1)
    return box


#: Between what a wrapping row holds, and between its lines.
_BETWEEN_PX: Final = 8


class WrappingRow(QWidget):
    """Widgets in a row that wraps; it begins on the right where text is read from right to left.

    Args:
        spread: Whether the last one stands at the far end of the line, if all have room in one;
            unless its width is fixed, it becomes narrower for that.
        keep: The height that one of them or several need is kept free, whichever are shown.
        whole: Whether it wants one line of its own in a wrapping row around it before it wraps.
    """

    def __init__(
        self,
        widgets: Sequence[QWidget],
        *,
        spread: bool = False,
        keep: QWidget | Sequence[QWidget] = (),
        whole: bool = False,
    ) -> None:
        super().__init__()
        _Lines(self, widgets, (keep,) if isinstance(keep, QWidget) else keep, spread=spread)
        ways = QSizePolicy.Policy
        policy = QSizePolicy(ways.Fixed if whole else ways.Preferred, ways.Fixed)
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
                sum(_height(line, width) for line in lines) + _BETWEEN_PX * max(len(lines) - 1, 0)
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
            height, left = _height(line, rect.width()), 0
            for widget in line:
                size = widget.sizeHint()
                wide = min(size.width(), rect.width() - left if self._spread else rect.width())
                if self._spread and widget is self._widgets[-1] and len(lines) == 1:
                    left = rect.width() - wide
                high = min(_height((widget,), rect.width()), height)
                place = QRect(rect.left() + left, top + (height - high) // 2, wide, high)
                widget.setGeometry(QStyle.visualRect(self._row.layoutDirection(), rect, place))
                left += wide + _BETWEEN_PX
            top += height + _BETWEEN_PX
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
            if lines and taken + _BETWEEN_PX + wide <= width:
                lines[-1].append(widget)
                taken += _BETWEEN_PX + wide
            else:
                lines.append([widget])
                taken = wide
        return lines


def _width(widgets: Sequence[QWidget]) -> int:
    return sum(widget.sizeHint().width() for widget in widgets) + _BETWEEN_PX * max(len(widgets) - 1, 0)


def _spare(widget: QWidget) -> int:
    if widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed:
        return 0
    return max(widget.sizeHint().width() - widget.minimumSizeHint().width(), 0)


def _height(widgets: Sequence[QWidget], width: int) -> int:
    """Return the height of a line of some width; what wraps may be higher than its hint, and is alone in it then."""
    if widgets[0].hasHeightForWidth() and widgets[0].sizeHint().width() > width:
        return widgets[0].heightForWidth(width)
    return max(widget.sizeHint().height() for widget in widgets)


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
    QTimer.singleShot(0, widget, partial(_scroll_to, widget, near_keyboard=near_keyboard))


def _scroll_to(widget: QWidget, *, near_keyboard: bool) -> None:
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
