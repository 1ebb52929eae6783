"""The charts as a picture: a row for each group, its times on one side, its failures on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QLineF, QMargins, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QImageWriter,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.sales.figures import Figures
from keybench.ui.kit.axis import Axis, chart_font
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.labels import label, prose
from keybench.ui.kit.theme import scaled, theme, tokens
from keybench.ui.kit.tokens import mix
from keybench.words.language import _
from keybench.words.sales import charts as words

#: More rows can't be taken in at a glance; the table has all.
MOST_ROWS: Final = 40
_ROW_PX: Final = 25
_BAR_PX: Final = 15
_BEAM_PX: Final = 7
#: The room of a plot's title and of its axis, and from which width on the plots stand side by side.
_TITLE_PX: Final = 28
_AXIS_PX: Final = 30
_WIDE_PX: Final = 720
_GAP_PX: Final = 12
_NAME_LIMIT: Final = 26
#: The room to the right of the longest line, for its figure.
_FOR_FIGURE: Final = 1.25


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A group with the name it is shown by."""

    name: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class _Bar:
    """A bar with its line and its figure; no value of too few sales."""

    value: float | None
    text: str
    span: tuple[float, float] | None = None

    @property
    def end(self) -> float:
        return max(self.value or 0.0, self.span[1] if self.span else 0.0)


class ChartSheet(QFrame):
    """Both charts with their title and what stands for what; as it is shown, it is exported."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("charts-sheet")
        self.setAccessibleName(_("Charts"))
        self.title = label("", "strong")
        self.about = prose("", "dim")
        self.canvas = Plots()
        legend = prose(words.legend(), "dim")
        in_column(self.title, self.about, legend, self.canvas, None, within=self, spacing=4)

    def show_rows(self, title: str, about: str, rows: Sequence[ChartRow]) -> None:
        """Show groups, those of `MOST_ROWS` that come first; `about` tells of which sales."""
        shown = rows[:MOST_ROWS]
        self.title.setText(title)
        self.about.setText(" ".join(filter(None, (about, words.rows_left_out(len(shown), len(rows))))))
        spoken = [words.spoken(row.name, row.figures) for row in shown]
        self.setAccessibleDescription("\n".join([title, about, *spoken]))
        self.canvas.show_rows(shown)

    def png(self) -> bytes:
        margin, ratio = scaled(16), self.devicePixelRatioF()
        size = self.size().grownBy(QMargins(margin, margin, margin, margin))
        picture = QImage(size * ratio, QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(tokens().panel))
        self.render(picture, QPoint(margin, margin), renderFlags=QWidget.RenderFlag.DrawChildren)
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"png")).write(picture)
        return bytes(buffer.data().data())


class Plots(QWidget):
    """The two plots, side by side where there is width, else one below the other."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Sequence[str] = ()
        self._times: Sequence[_Bar] = ()
        self._shares: Sequence[_Bar] = ()
        theme().changed.connect(self._fit)

    def show_rows(self, rows: Sequence[ChartRow]) -> None:
        self.names = [f"{_cut(row.name)} ({row.figures.sales:,})" for row in rows]
        self._times = [
            _Bar(row.figures.median_s, words.median(row.figures), row.figures.middle_s) for row in rows
        ]
        self._shares = [_share_bar(row.figures) for row in rows]
        self._fit()
        self.update()

    @property
    def names_px(self) -> float:
        measure = QFontMetricsF(chart_font(self.font()))
        return max(map(measure.horizontalAdvance, self.names), default=0.0) + scaled(_GAP_PX)

    @property
    def is_wide(self) -> bool:
        return self.width() >= scaled(_WIDE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.names:
            return
        colours, names_px = tokens(), self.names_px
        painter = QPainter(self)
        painter.setFont(chart_font(self.font()))
        if self.is_wide:
            plot_px = (self.width() - names_px - scaled(_GAP_PX)) / 2
            left, top = names_px + plot_px + scaled(_GAP_PX), 0.0
        else:
            plot_px = self.width() - names_px
            left, top = names_px, self.height() / 2
        self._paint_names(painter, 0.0)
        self._paint(painter, QPointF(names_px, 0), plot_px, words.TIME, self._times, colours.accent)
        if not self.is_wide:
            self._paint_names(painter, top)
        self._paint(painter, QPointF(left, top), plot_px, words.FAILURES, self._shares, colours.warning)
        painter.end()

    def _fit(self) -> None:
        one_px = scaled(_ROW_PX) * len(self.names) + scaled(_TITLE_PX) + scaled(_AXIS_PX)
        self.setFixedHeight((one_px if self.is_wide else 2 * one_px) if self.names else 0)

    def _paint_names(self, painter: QPainter, top: float) -> None:
        painter.setPen(QColor(tokens().dim))
        right = self.names_px - scaled(_GAP_PX) / 2
        for number, name in enumerate(self.names):
            room = QRectF(0, top + scaled(_TITLE_PX) + number * scaled(_ROW_PX), right, scaled(_ROW_PX))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def _paint(
        self, painter: QPainter, corner: QPointF, width: float, title: str, bars: Sequence[_Bar], colour: str
    ) -> None:
        colours, x, y = tokens(), corner.x(), corner.y()
        painter.setPen(QColor(colours.ink))
        painter.drawText(QRectF(x, y, width, scaled(_TITLE_PX)), Qt.AlignmentFlag.AlignCenter, title)
        most = max((bar.end for bar in bars), default=0.0) or 1.0
        axis, rows = Axis(x, x + width - 1, most * _FOR_FIGURE), y + scaled(_TITLE_PX)
        bottom = rows + len(bars) * scaled(_ROW_PX)
        axis.paint(painter, bottom, scaled(4), is_time=bars is self._times, right=x + width, top=rows)
        fill, half = QColor(mix(colour, colours.panel, 0.45)), scaled(_BEAM_PX) / 2
        for number, bar in enumerate(bars):
            middle = rows + (number + 0.5) * scaled(_ROW_PX)
            if bar.value is not None:
                painter.setPen(QColor(colour))
                painter.setBrush(fill)
                high = scaled(_BAR_PX)
                painter.drawRect(QRectF(x, middle - high / 2, axis.x(bar.value) - x, high))
            if bar.span:
                painter.setPen(QPen(QColor(colours.ink), 1))
                least, end = map(axis.x, bar.span)
                painter.drawLine(QLineF(least, middle, end, middle))
                for beam in (least, end):
                    painter.drawLine(QLineF(beam, middle - half, beam, middle + half))
            painter.setPen(QColor(colours.ink if bar.value is not None else colours.dim))
            begin = axis.x(bar.end) + scaled(4)
            room = QRectF(begin, middle - scaled(_ROW_PX) / 2, x + width - begin, scaled(_ROW_PX))
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, bar.text)


def _share_bar(figures: Figures) -> _Bar:
    return _Bar(None if figures.share is None else figures.share * 100, words.share(figures))


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LIMIT else f"{name[: _NAME_LIMIT - 1].rstrip()}…"
