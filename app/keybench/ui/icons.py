"""Line icons drawn in the colours in force, and the shapes that mark an environment."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QBuffer, QByteArray, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImageReader, QPainter, QPixmap, QPolygonF

from keybench.core.environment import EnvironmentKind
from keybench.runtime.resources import resource_path
from keybench.ui.tokens import Tokens, tone_of_kind

# Pixmaps are drawn this many times larger, so that they stay sharp on dense screens.
_DENSITY = 3


@lru_cache(maxsize=64)
def _drawing(name: str) -> str:
    return resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")


def _canvas(size: int) -> QPixmap:
    pixmap = QPixmap(size * _DENSITY, size * _DENSITY)
    pixmap.setDevicePixelRatio(_DENSITY)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


@lru_cache(maxsize=64)
@lru_cache(maxsize=128)
def line_pixmap(name: str, colour: str, size: int) -> QPixmap:
    """Return the drawing ``resources/icons/NAME.svg`` in `colour`, `size` pixels square."""
    # Through Qt's image plugin: importing the QtSvg module would take 25 ms of the window's first frame.
    drawing = QBuffer()
    drawing.setData(QByteArray(_drawing(name).replace("currentColor", colour).encode()))
    reader = QImageReader(drawing, QByteArray(b"svg"))
    reader.setScaledSize(QSize(size * _DENSITY, size * _DENSITY))
    pixmap = QPixmap.fromImageReader(reader)
    pixmap.setDevicePixelRatio(_DENSITY)
    return pixmap


def mark_pixmap(kind: EnvironmentKind, tokens: Tokens, size: int) -> QPixmap:
    """Return an environment's mark: a disc for practice, a diamond for test, a triangle for live."""
    pixmap = _canvas(size)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.tone(tone_of_kind(kind))))
    side, half = float(size), size / 2
    if kind is EnvironmentKind.PRACTICE:
        painter.drawEllipse(QRectF(side * 0.08, side * 0.08, side * 0.84, side * 0.84))
    elif kind is EnvironmentKind.TEST:
        corners = [QPointF(half, 0), QPointF(side, half), QPointF(half, side), QPointF(0, half)]
        painter.drawPolygon(QPolygonF(corners))
    else:
        corners = [QPointF(half, side * 0.04), QPointF(side, side * 0.94), QPointF(0, side * 0.94)]
        painter.drawPolygon(QPolygonF(corners))
    painter.end()
    return pixmap


def mark_character(kind: EnvironmentKind) -> str:
    """Return the mark as a character, for titles and exports."""
    return {EnvironmentKind.PRACTICE: "●", EnvironmentKind.TEST: "◆", EnvironmentKind.LIVE: "▲"}[kind]
