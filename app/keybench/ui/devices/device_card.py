"""The card of a device below the list: what it is, when its outcomes come, what is remarkable, its face."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from keybench.core.devices.habit import Habit
from keybench.core.devices.report import DeviceReport
from keybench.ui.devices.face import DeviceFacePanel
from keybench.ui.devices.tables import DeviceLine
from keybench.ui.kit.actions import ActionButton
from keybench.ui.kit.axis import Axis, chart_font
from keybench.ui.kit.boxes import WrappingRow, framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import ElidedLabel, Identifier, Pill, line, prose, set_tip
from keybench.ui.kit.theme import keep_place, keep_size, scaled, set_role, theme, tokens
from keybench.ui.shared.session import Session
from keybench.words.devices.report import (
    habit_cell,
    habit_rank,
    habit_sentence,
    habit_sentences,
    habit_tone,
    needs_a_look,
    remark_sentence,
)
from keybench.words.devices.states import NEVER_ASKED, sold_lately, state_details
from keybench.words.language import _
from keybench.words.sales.polls import usually

_NONE: Final = _("No device chosen")
_HOW: Final = _("Choose a device above to see when the outcomes of its sales come.")
_UNKNOWN: Final = _("No sale that Keybench waited for tells yet when its outcomes come.")
#: From this width on, at 13 px text, the chart stands beside the words.
_BESIDE_PX: Final = 620
#: From this width on the device's face stands beside all else.
_FACE_BESIDE_PX: Final = 840


class DeviceCard(QFrame):
    """The card."""

    def __init__(self, session: Session, actions: Sequence[QAction]) -> None:
        super().__init__()
        # Each of one line, whatever is told, so that nothing moves from one device to the next.
        self.connection = ElidedLabel("", least=12)
        self.details = ElidedLabel("", "dim", least=12)
        self.lately = ElidedLabel("", "dim", least=12)
        self.name = ElidedLabel("", "strong", least=8)
        self.state = Pill()
        self.identifier = Identifier(_("Identifier of the device"), usual="T-0000-0000")
        keep_place(self.state)
        keep_place(self.identifier)
        self.habit = prose("", "dim", selectable=True)
        self.remark = prose("", selectable=True)
        self.chart = HabitChart()
        self._words = framed(in_column(self.details, self.lately, self.habit, self.remark, None, spacing=4))
        # As high as its longest words, so that nothing moves from one device to the next.
        keep_size(self._words, least_height=CHART_PX)
        both = in_row_or_column(
            (self._words, 3), (self.chart, 2), from_px=partial(scaled, _BESIDE_PX), spacing=24
        )
        head = in_row(self.name, self.state, (self.identifier, 1), spacing=12)
        buttons = WrappingRow([ActionButton(action) for action in actions])
        self.face = DeviceFacePanel(session, self)
        rest = in_column(head, self.connection, both, buttons, None)
        whole = in_row_or_column((rest, 1), self.face, from_px=partial(scaled, _FACE_BESIDE_PX), spacing=16)
        whole.setAlignment(self.face, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        in_column(line(), whole, within=self)

    def show_line(self, line: DeviceLine, others: Habit, told: tuple[str, str], now: datetime) -> None:
        """Show a device, and what is `told` of its state, with its tone."""
        report, (connection, tone) = line.report, told
        self.face.show_device(line.device.id)
        self.name.setText(line.device.nickname or line.device.id)
        self.identifier.show_identifier(line.device.id)
        self.connection.setText(connection or NEVER_ASKED)
        set_role(self.connection, "tone", tone)
        self.details.setText(state_details(line.state, now) if line.state else "")
        self.lately.setText(sold_lately(line.sales, now))
        for part in (self.identifier, self.details, self.lately):
            part.show()
        self.habit.setText(habit_sentence(report) if report else _UNKNOWN)
        self.chart.show_habit(report, others)
        tone = habit_tone(report)
        self._show_remark(habit_cell(report) if tone else "", remark_sentence(report) if report else "", tone)

    def show_all(self, remarkable: Sequence[DeviceLine], habit: Habit) -> None:
        self.face.show_device("")
        self.connection.setText("")
        for part in (self.identifier, self.details, self.lately):
            part.hide()
        self.name.setText(_NONE)
        self.habit.setText(_HOW)
        self.chart.show_all(habit)
        ranked = sorted(remarkable, key=lambda line: habit_rank(line.report))
        said = needs_a_look([line.device.nickname or line.device.id for line in ranked])
        self._show_remark("", said, "warning" if said else "")

    def _show_remark(self, state: str, sentence: str, tone: str) -> None:
        self.state.show_state(state, tone)
        self.state.setVisible(bool(state))
        self.remark.setText(sentence)
        set_role(self.remark, "tone", tone)


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
        start, stop = sorted((side, self.width() - side), reverse=self.isRightToLeft())
        axis = Axis(start, stop, max(usual_end_s, *near, 0.5) * 1.04)
        top = 0.0
        for number, (name, (least_s, most_s)) in enumerate(self._rows):
            painter.setPen(QColor(colours.dim))
            painter.drawText(
                QRectF(side, top, self.width() - 2 * side, text_px), Qt.AlignmentFlag.AlignLeft, name
            )
            left, right = sorted((axis.x(least_s), axis.x(most_s)))
            bar = QRectF(left, top + text_px + 1, max(right - left, 2), bar_px)
            painter.fillRect(bar, QColor(colours.line if number else colours.soft("accent")))
            if number == 0:
                painter.setPen(QPen(QColor(colours.accent), max(scaled(2), 1)))
                for sale_s in near:
                    x = axis.x(sale_s)
                    painter.drawLine(QLineF(x, bar.top() + 1, x, bar.bottom() - 1))
            top = bar.bottom() + scaled(4)
        axis.paint(painter, top, tick_px, is_time=True, right=self.width())
