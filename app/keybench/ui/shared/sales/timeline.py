"""The timeline of the selected sale, painted: a line that grows, a dot for each event, gaps, labels below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from keybench.ui.kit import theme
from keybench.ui.kit.labels import literal
from keybench.ui.kit.tokens import TONES, Tone
from keybench.ui.shared.sales.timeline_layout import (
    Gap,
    Look,
    Point,
    TimelineLabel,
    TimelineLayout,
    describe,
    lay_out,
    span_s,
)
from keybench.words.language import _

#: Lengths for 13 px text, in pixels: the side margin, and the middles of line and labels from the top.
_SIDE: Final = 20
_LINE: Final = 11
_LABELS: Final = 28
_HEIGHT: Final = 37
_DOT: Final = 5.5
_FINE: Final = 4.0
_END: Final = 9.0
_NEAR: Final = 12.0
_GAP: Final = 14


class Timeline(QWidget):
    """Shows points over the seconds since a sale was noted.

    Time runs as the language is read. It is laid out from left to right, and mirrored as it is painted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._points: tuple[Point, ...] = ()
        self._gaps: tuple[Gap, ...] = ()
        self._elapsed_s = 0.0
        self._finished = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(_("Timeline"))

    def show_points(
        self,
        points: Sequence[Point],
        elapsed_s: float,
        *,
        finished: bool,
        gaps: Sequence[Gap] = (),
    ) -> None:
        if (tuple(points), tuple(gaps)) != (self._points, self._gaps):
            self._points, self._gaps = tuple(points), tuple(gaps)
            self.setAccessibleDescription(describe(points, gaps))
        self._finished = finished
        self.set_elapsed(elapsed_s)

    def set_elapsed(self, elapsed_s: float) -> None:
        latest_s = self._points[-1].at_s if self._points else 0.0
        self._elapsed_s = max(elapsed_s, latest_s)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.scaled(420), self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.scaled(200), theme.scaled(_HEIGHT))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            layout = self.laid_out()
            at = self._seen_at(event.pos().x())
            dots = zip(self._points, layout.dots, strict=True)
            near = [point.words for point, x in dots if abs(x - at) <= _NEAR]
            gaps = zip(self._gaps, layout.gaps, strict=True)
            near += [gap.words for gap, (left, right) in gaps if left <= at <= right]
            QToolTip.showText(event.globalPos(), literal("\n".join(near)), self)
            return True
        return super().event(event)

    def laid_out(self) -> TimelineLayout:
        end_s = span_s(self._elapsed_s, finished=self._finished)
        elapsed_s = min(self._elapsed_s, end_s) if not self._finished else end_s
        side = theme.scaled(_SIDE)
        metrics = QFontMetricsF(self._small_font())
        right, measure = self.width() - side, metrics.horizontalAdvance
        return lay_out(self._points, side, right, elapsed_s, end_s, measure, self._gaps)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._small_font())
        layout = self.laid_out()
        self._paint_line(painter, layout)
        self._paint_gaps(painter, layout)
        size = _crowded(layout.dots)
        for point, x in zip(self._points, layout.dots, strict=True):
            self._paint_dot(painter, point, x, size)
        for label in layout.labels:
            self._paint_label(painter, label)
        painter.end()

    def _seen_at(self, x: float) -> float:
        """Return where a place in the layout is on the screen, or the other way round."""
        return self.width() - x if self.isRightToLeft() else x

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(theme.scaled(11))
        return font

    def _paint_line(self, painter: QPainter, layout: TimelineLayout) -> None:
        colours, y, side = theme.tokens(), theme.scaled(_LINE), theme.scaled(_SIDE)
        if not self._points:
            return
        for end, colour in ((self.width() - side, colours.line), (layout.now, colours.accent)):
            painter.setPen(
                QPen(QColor(colour), theme.scaled(4), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
            )
            painter.drawLine(QPointF(self._seen_at(side), y), QPointF(self._seen_at(end), y))

    def _paint_gaps(self, painter: QPainter, layout: TimelineLayout) -> None:
        colours, high = theme.tokens(), theme.scaled(_GAP)
        for start, end in layout.gaps:
            left, right = sorted((self._seen_at(start), self._seen_at(end)))
            room = QRectF(left, theme.scaled(_LINE) - high / 2, max(right - left, 2.0), high)
            painter.fillRect(room, QColor(colours.soft("warning")))
            painter.fillRect(room, QBrush(QColor(colours.warning), Qt.BrushStyle.BDiagPattern))

    def _paint_dot(self, painter: QPainter, point: Point, x: float, size: float) -> None:
        colours = theme.tokens()
        centre = QPointF(self._seen_at(x), theme.scaled(_LINE))
        colour = _colour(point)
        if point.look is Look.OUTCOME:
            _paint_sign(painter, centre, theme.scaled(_END), colour, point.shape)
            return
        filled = point.look is Look.STEP
        radius = size - (0 if filled else 1)
        painter.setPen(Qt.PenStyle.NoPen if filled else QPen(colour, 2 if size > _FINE else 1.2))
        painter.setBrush(colour if filled else QColor(colours.panel))
        if point.look is Look.TROUBLE:
            # A diamond: trouble isn't told by its colour alone.
            corner = theme.scaled(_DOT) * 1.2
            painter.drawPolygon([
                centre + QPointF(0, -corner), centre + QPointF(corner, 0),
                centre + QPointF(0, corner), centre + QPointF(-corner, 0),
            ])  # fmt: skip
            return
        painter.drawEllipse(centre, radius, radius)

    def _paint_label(self, painter: QPainter, label: TimelineLabel) -> None:
        point, height = self._points[label.point], theme.scaled(18)
        left = min(self._seen_at(label.left), self._seen_at(label.right))
        room = QRectF(left - 2, theme.scaled(_LABELS) - height / 2, label.right - label.left + 4, height)
        painter.setPen(_colour(point) if point.tone else QColor(theme.tokens().dim))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, label.text)


def _crowded(dots: Sequence[float]) -> float:
    """Return the dots' radius: the usual one, or a smaller one that leaves gaps between many dots."""
    nearest = min((after - before for before, after in pairwise(dots)), default=_DOT * 4)
    return float(max(min(theme.scaled(_DOT), nearest / 2 - 1), 2.0))


def _colour(point: Point) -> QColor:
    colours = theme.tokens()
    tone: Tone = next((tone for tone in TONES if tone == point.tone), "accent")
    return QColor(colours.tone(tone))


def _paint_sign(painter: QPainter, centre: QPointF, radius: float, colour: QColor, sign: str) -> None:
    """Paint an outcome's sign in a full circle with a rim that sets it off from the line."""
    colours = theme.tokens()
    painter.setPen(QPen(QColor(colours.panel), 2))
    painter.setBrush(colour)
    painter.drawEllipse(centre, radius, radius)
    font = QFont(painter.font())
    painter.save()
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(colours.on_tone))
    box = QRectF(centre.x() - radius, centre.y() - radius, radius * 2, radius * 2)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sign)
    painter.restore()
