"""A device's habit as a small chart: when the outcomes of its sales come, beside those of the other devices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from keybench.core.devices.habit import Habit
from keybench.core.devices.report import DeviceReport
from keybench.ui.kit.axis import Axis, chart_font
from keybench.ui.kit.labels import set_tip
from keybench.ui.kit.theme import scaled, theme, tokens
from keybench.words.devices.report import habit_sentences
from keybench.words.language import _
from keybench.words.sales.polls import usually

_WIDTH_PX: Final = 300
_LEAST_WIDTH_PX: Final = 240
#: Its height.
CHART_PX: Final = 118
#: The axis ends behind the usual times, and shows single sales up to so many times that.
_BEYOND: Final = 2.0


class HabitChart(QWidget):
    """A bar from the shortest to the longest usual time, one below it for the others, the last sales as marks."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Habit of the device"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._rows: list[tuple[str, tuple[float, float]]] = []
        self._sales_s: Sequence[float] = ()
        self._said = ""
        theme().changed.connect(self.updateGeometry)

    def show_habit(self, report: DeviceReport | None, others: Habit) -> None:
        rows, sales_s = [], []
        if report and report.has_habit:
            rows = [(_("This device"), report.habit.usual_s), (_("Other devices"), others.usual_s)]
            sales_s = [one.middle_s for one in report.past_sales if math.isfinite(one.until_s)]
        self._show(rows, sales_s, habit_sentences(report, others))

    def show_all(self, habit: Habit) -> None:
        self._show([(_("All devices"), habit.usual_s)], (), usually(habit))

    def _show(
        self, rows: Sequence[tuple[str, tuple[float, float] | None]], sales_s: Sequence[float], said: str
    ) -> None:
        self._rows = [(name, usual_s) for name, usual_s in rows if usual_s]
        self._sales_s, self._said = sales_s, said
        self.setAccessibleDescription(said)
        set_tip(self, said if self._rows else "")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH_PX), scaled(CHART_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_LEAST_WIDTH_PX), scaled(CHART_PX))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(chart_font(self.font()))
        if self._rows:
            self._paint_rows(painter)
        else:
            painter.setPen(QColor(tokens().dim))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), int(flags), self._said)
        painter.end()

    def _paint_rows(self, painter: QPainter) -> None:
        colours, measure = tokens(), QFontMetricsF(painter.font())
        text_px, bar_px, tick_px = measure.height(), scaled(14), scaled(5)
        usual_end_s = max(most_s for _name, (_least_s, most_s) in self._rows)
        near = [one for one in self._sales_s if one <= usual_end_s * _BEYOND]
        side = measure.horizontalAdvance("000 s") / 2
        axis = Axis(side, self.width() - side, max(usual_end_s, *near, 0.5) * 1.04)
        top = 0.0
        for number, (name, (least_s, most_s)) in enumerate(self._rows):
            painter.setPen(QColor(colours.dim))
            painter.drawText(QPointF(axis.left, top + measure.ascent()), name)
            left, right = axis.x(least_s), axis.x(most_s)
            bar = QRectF(left, top + text_px + 1, max(right - left, 2), bar_px)
            painter.fillRect(bar, QColor(colours.line if number else colours.soft("accent")))
            if number == 0:
                painter.setPen(QPen(QColor(colours.accent), max(scaled(2), 1)))
                for sale_s in near:
                    x = axis.x(sale_s)
                    painter.drawLine(QLineF(x, bar.top() + 1, x, bar.bottom() - 1))
            top = bar.bottom() + scaled(4)
        axis.paint(painter, top, tick_px, is_time=True, right=self.width())
