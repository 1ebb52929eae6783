"""Widgets below or beside each other, in one call."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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
