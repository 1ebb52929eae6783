"""A device's habit as a small curve: when the outcomes of its sales come, beside those of the other devices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench.core.device_report import DeviceReport
from keybench.core.distribution import Distribution
from keybench.core.habit import UNTAUGHT, Habit
from keybench.ui.theme import scaled, theme, tokens
from keybench.ui.widgets.axis import Axis, chart_font
from keybench.ui.widgets.labels import set_tip
from keybench.words.devices import curve_sentences
from keybench.words.language import _
from keybench.words.polls import usually

_WIDTH_PX: Final = 300
_LEAST_WIDTH_PX: Final = 240
#: Its height.
CURVE_PX: Final = 118
#: The curve is drawn through so many points, each the mean of its neighbours: steps are no news.
_POINTS: Final = 72
_SMOOTHED: Final = 3
#: The axis ends behind this part of the outcomes, and shows single sales up to so many times that.
_MOST: Final = 0.97
_BEYOND: Final = 2.0


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is drawn, in seconds and shares of the height.

    Attributes:
        name: Whose habit it is.
        end_s: Where the axis ends.
        sales_s: When the last sales ended, the newest last; infinity for never.
    """

    name: str
    end_s: float
    own: Sequence[float]
    others: Sequence[float]
    usual_s: tuple[float, float]
    sales_s: Sequence[float]


class HabitCurve(QWidget):
    """The curve, with an axis in seconds, the usual times marked, and the last sales as marks on the axis."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Habit of the device"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._drawing: _Drawing | None = None
        self._why_not = ""
        theme().changed.connect(self.updateGeometry)

    def show_habit(self, report: DeviceReport | None, others: Habit) -> None:
        """Show a device's habit beside that of the others; None for a device of which nothing is known."""
        drawing = None
        if report and report.has_habit:
            sales_s = [one.middle_s if math.isfinite(one.until_s) else math.inf for one in report.lessons]
            drawing = _drawing(_("This device"), report.habit, others, sales_s)
        self._show(drawing, curve_sentences(report, others))

    def show_all(self, habit: Habit) -> None:
        drawing = _drawing(_("All devices"), habit, UNTAUGHT, [])
        self._show(drawing, usually(habit) if drawing else "")

    def _show(self, drawing: _Drawing | None, said: str) -> None:
        self._drawing, self._why_not = drawing, "" if drawing else said
        self.setAccessibleDescription(said)
        set_tip(self, said if drawing else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH_PX), scaled(CURVE_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_LEAST_WIDTH_PX), scaled(CURVE_PX))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(chart_font(self.font()))
        if self._drawing:
            _Sheet(painter, QRectF(self.rect()), self._drawing).draw()
        elif self._why_not:
            painter.setPen(QColor(tokens().dim))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), int(flags), self._why_not)
        painter.end()


class _Sheet:
    """Draws the parts of a curve: from the top the legend, the curves, the axis with its marks, the times."""

    def __init__(self, painter: QPainter, room: QRectF, drawing: _Drawing) -> None:
        self._painter = painter
        self._drawing = drawing
        self._metrics = QFontMetricsF(painter.font())
        line = self._metrics.height()
        self._mark = scaled(7)
        side = self._metrics.horizontalAdvance("000 s") / 2
        self._plot = room.adjusted(side / 2, line + scaled(6), -side, -line - scaled(4) - self._mark)
        self._room = room
        self._axis = Axis(self._plot.left(), self._plot.right(), drawing.end_s)

    def draw(self) -> None:
        colours, drawing = tokens(), self._drawing
        self._usual()
        if drawing.others:
            self._painter.setPen(QPen(QColor(colours.faint), max(scaled(1.5), 1)))
            self._painter.setBrush(Qt.BrushStyle.NoBrush)
            self._painter.drawPath(self._path(drawing.others))
        self._painter.setPen(QPen(QColor(colours.accent), max(scaled(2), 1)))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPath(self._path(drawing.own))
        self._axis.paint(
            self._painter, self._plot.bottom(), self._mark, is_time=True, right=self._room.right()
        )
        self._sales()
        self._legend()

    def _path(self, heights: Sequence[float]) -> QPainterPath:
        step = self._plot.width() / (len(heights) - 1)
        points = [
            QPointF(self._plot.left() + number * step, self._plot.bottom() - height * self._plot.height())
            for number, height in enumerate(heights)
        ]
        path = QPainterPath(points[0])
        for one, following in itertools.pairwise(points[1:]):
            path.quadTo(one, (one + following) / 2)
        path.lineTo(points[-1])
        return path

    def _usual(self) -> None:
        colours, (least_s, most_s) = tokens(), self._drawing.usual_s
        below = self._path(self._drawing.own)
        below.lineTo(self._plot.bottomRight())
        below.lineTo(self._plot.bottomLeft())
        below.closeSubpath()
        left, right = self._axis.x(least_s), self._axis.x(most_s)
        self._painter.save()
        self._painter.setClipRect(QRectF(left, self._plot.top(), max(right - left, 2), self._plot.height()))
        self._painter.fillPath(below, QColor(colours.soft("accent")))
        self._painter.restore()
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(colours.accent))
        thick = max(scaled(3), 2)
        self._painter.drawRect(QRectF(left, self._plot.bottom() - thick, max(right - left, thick), thick))

    def _sales(self) -> None:
        """Mark the last sales on the axis: each a short line, the newest an arrow's head."""
        if not self._drawing.sales_s:
            return
        colours, bottom = tokens(), self._plot.bottom()
        self._painter.setPen(QPen(QColor(colours.dim), max(scaled(1), 1)))
        for time_s in self._drawing.sales_s[:-1]:
            if time_s <= self._drawing.end_s:
                x = self._axis.x(time_s)
                self._painter.drawLine(QLineF(x, bottom + 1, x, bottom + self._mark * 0.7))
        newest_s = self._drawing.sales_s[-1]
        if newest_s <= self._drawing.end_s:
            self._head(self._axis.x(newest_s), bottom + 1)
        else:  # somewhere behind the end of the axis
            self._head(bottom, -self._plot.right() - self._mark - 2, turned=90)

    def _head(self, x: float, y: float, *, turned: float = 0.0) -> None:
        half, high = self._mark * 0.6, self._mark
        self._painter.save()
        self._painter.rotate(turned)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(tokens().ink))
        self._painter.drawPolygon(
            QPolygonF([QPointF(x, y), QPointF(x + half, y + high), QPointF(x - half, y + high)])
        )
        self._painter.restore()

    def _legend(self) -> None:
        colours, x = tokens(), self._plot.left()
        y, length = self._metrics.ascent(), scaled(12)
        lines = [(self._drawing.name, colours.accent)]
        if self._drawing.others:
            lines.append((_("Other devices"), colours.faint))
        for text, colour in lines:
            self._painter.setPen(QPen(QColor(colour), max(scaled(2), 1)))
            middle = y - self._metrics.xHeight() / 2
            self._painter.drawLine(QLineF(x, middle, x + length, middle))
            x = self._word(x + length + scaled(4), y, text)
        newest, begin = _("Newest sale"), x + self._mark * 1.2 + scaled(4)
        if self._drawing.sales_s and begin + self._metrics.horizontalAdvance(newest) <= self._room.right():
            self._head(x + self._mark * 0.6, y - self._metrics.xHeight() / 2 - self._mark / 2)
            self._word(begin, y, newest)

    def _word(self, x: float, y: float, text: str) -> float:
        self._painter.setPen(QColor(tokens().dim))
        self._painter.drawText(QPointF(x, y), text)
        return x + self._metrics.horizontalAdvance(text) + scaled(12)


def _drawing(name: str, habit: Habit, others: Habit, sales_s: Sequence[float]) -> _Drawing | None:
    """Return what is drawn of a habit; None where too little is known."""
    seen, usual_s = habit.seen, habit.usual_s
    if seen is None or usual_s is None:
        return None
    usual_end_s = max(seen.time(_MOST), others.seen.time(_MOST) if others.seen else 0.0)
    latest_s = max((one for one in sales_s if one <= usual_end_s * _BEYOND), default=0.0)
    end_s = max(usual_end_s, latest_s, 0.5) * 1.04
    own, beside = _densities(seen, end_s), _densities(others.seen, end_s) if others.seen else []
    # The others give way where they are far narrower: it is the device that is looked at.
    most = max(*own, min(max(beside, default=0.0), 3 * max(own)))
    return _Drawing(
        name,
        end_s,
        [height / most for height in own],
        [min(height / most, 1.0) for height in beside],
        usual_s,
        sales_s,
    )


def _densities(distribution: Distribution, end_s: float) -> list[float]:
    shares = [distribution.share(end_s * number / _POINTS) for number in range(_POINTS + 1)]
    found = [0.0, *(after - before for before, after in itertools.pairwise(shares)), 0.0]
    for _round in range(_SMOOTHED):
        padded = [found[0], *found, found[-1]]
        found = [(padded[at - 1] + 2 * padded[at] + padded[at + 1]) / 4 for at in range(1, len(padded) - 1)]
    return found
