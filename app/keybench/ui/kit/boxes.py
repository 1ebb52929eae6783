"""Widgets below or beside each other, in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from PySide6.QtCore import QRect, QSize, Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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

    def setGeometry(self, rect: QRect) -> None:
        is_row = rect.width() >= self._from_px()
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
    box.setContentsMargins(*margins)
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
