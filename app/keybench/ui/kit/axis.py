"""What painted charts share: their font, and a horizontal axis from zero with ticks."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from keybench.ui.kit.theme import scaled, tokens
from keybench.words.formats import short
from keybench.words.language import _

_TICKS: Final = 5
_SECONDS: Final = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600)
_MINUTE_S: Final = 60


def chart_font(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(max(scaled(11), 8))
    return small


class Axis:
    """An axis from a place to another, in pixels; `end`, more than 0, is what stands at its end."""

    def __init__(self, start: float, stop: float, end: float) -> None:
        self.start, self.stop, self.end = start, stop, end

    def x(self, value: float) -> float:
        """Return where a value is; what lies beyond the end is at the end."""
        return self.start + (self.stop - self.start) * min(value / self.end, 1.0)

    def ticks(self, *, is_time: bool) -> list[tuple[float, str]]:
        """Return a few round values with their texts: of a time in seconds, or of a share in per cent."""
        steps = _SECONDS if is_time else (1, 2, 5, 10, 20, 25, 50)
        step = next((step for step in steps if self.end / step <= _TICKS), self.end / 2)
        values = [number * step for number in range(int(self.end / step + 1e-6) + 1)]
        return [(value, _time(value, step) if is_time else short(value)) for value in values]

    def paint(
        self,
        painter: QPainter,
        y: float,
        tick: float,
        *,
        is_time: bool,
        right: float,
        top: float | None = None,
    ) -> None:
        """Paint it at a height, its texts below, to end at `right`, and from `top` on a faint line above each tick."""
        colours, measure = tokens(), QFontMetricsF(painter.font())
        painter.setPen(QPen(QColor(colours.field_line), 1))
        painter.drawLine(QLineF(self.start, y, self.stop, y))
        for value, text in self.ticks(is_time=is_time):
            x, width = self.x(value), measure.horizontalAdvance(text)
            if top is not None:
                painter.setPen(QPen(QColor(colours.line), 1))
                painter.drawLine(QLineF(x, top, x, y))
            painter.setPen(QPen(QColor(colours.field_line), 1))
            painter.drawLine(QLineF(x, y, x, y + tick))
            painter.setPen(QColor(colours.dim))
            left = min(max(x - width / 2, 0.0), right - width)
            painter.drawText(QPointF(left, y + tick + measure.ascent() + 1), text)


def _time(time_s: float, step_s: float) -> str:
    if step_s >= _MINUTE_S:
        return _("{minutes} min").format(minutes=short(time_s / _MINUTE_S))
    return _("{seconds} s").format(seconds=short(time_s))
