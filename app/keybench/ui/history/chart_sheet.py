"""The charts as a picture, drawn by pyqtgraph: a row for each group, its times on one side, its failures on the other.

This is the one importer of pyqtgraph. It is imported when the charts are opened, for it takes a third of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMargins, QPoint, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from keybench.core.sale_figures import Figures
from keybench.ui.theme import scaled, theme, tokens
from keybench.ui.tokens import mix
from keybench.ui.widgets.labels import label, prose
from keybench.words import charts as words
from keybench.words.language import _

#: More rows can't be taken in at a glance; the table has all.
MOST_ROWS: Final = 40
_ROW_PX: Final = 25
#: The room of a plot's title and its axis, and from which width on the plots stand side by side.
_AROUND_PX: Final = 66
_WIDE_PX: Final = 720
_TEXT_PX: Final = 11
_NAME_LIMIT: Final = 26
_BAR: Final = 0.6
_BEAM: Final = 0.3
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
    span: tuple[float, float] | None
    text: str


class ChartSheet(QFrame):
    """Both charts with their title and what stands for what; as it is shown, it is exported."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("charts-sheet")
        self.setAccessibleName(_("Charts"))
        self.title = label("", "strong")
        self.about = prose("", "dim")
        self.legend = prose(words.legend(), "dim")
        self._rows: Sequence[ChartRow] = ()
        self._is_wide: bool | None = None
        self.canvas = pg.GraphicsLayoutWidget()
        self.canvas.setFrameShape(QFrame.Shape.NoFrame)
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The wheel is for the page: there is nothing to zoom into.
        self.canvas.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in (self.title, self.about, self.legend, self.canvas):
            layout.addWidget(widget)
        layout.addStretch(1)
        theme().changed.connect(self._draw)

    def show_rows(self, title: str, about: str, rows: Sequence[ChartRow]) -> None:
        """Show groups, those of `MOST_ROWS` that come first.

        Args:
            title: What is shown.
            about: Of which sales.
            rows: The groups.
        """
        shown = rows[:MOST_ROWS]
        self.title.setText(title)
        self.about.setText(" ".join(filter(None, (about, words.rows_left_out(len(shown), len(rows))))))
        spoken = [words.spoken(row.name, row.figures) for row in shown]
        self.setAccessibleDescription("\n".join([title, about, *spoken]))
        self._rows = shown
        self._draw()

    def png(self) -> bytes:
        """Return it as a picture, on its own ground and with a margin."""
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the plots side by side where there is width."""
        super().resizeEvent(event)
        if self._is_wide is not None and (self.width() >= scaled(_WIDE_PX)) != self._is_wide:
            self._draw()

    # --- drawing ----------------------------------------------------------------------------------------

    def _draw(self) -> None:
        self._is_wide = self.width() >= scaled(_WIDE_PX)
        self.canvas.clear()
        self.canvas.setBackground(tokens().panel)
        if not self._rows:
            self.canvas.setFixedHeight(0)
            return
        names = [f"{_cut(row.name)} ({row.figures.sales:,})" for row in self._rows]
        times = [
            _Bar(row.figures.median_s, row.figures.middle_s, words.median(row.figures)) for row in self._rows
        ]
        shares = [_share_bar(row.figures) for row in self._rows]
        colours = tokens()
        first = self._plot(0, 0, words.TIME, names, times, colours.accent)
        second = self._plot(
            *((0, 1) if self._is_wide else (1, 0)),
            words.FAILURES,
            names,
            shares,
            colours.warning,
        )
        measure = QFontMetricsF(_font())
        width = max(map(measure.horizontalAdvance, names)) + scaled(12)
        for plot in (first, second):
            plot.getAxis("left").setWidth(width)
        if self._is_wide:
            second.getAxis("left").setStyle(showValues=False)
            second.getAxis("left").setWidth(scaled(8))
        one_px = scaled(_ROW_PX) * len(self._rows) + scaled(_AROUND_PX)
        self.canvas.setFixedHeight(one_px if self._is_wide else 2 * one_px)

    def _plot(
        self, row: int, column: int, title: str, names: Sequence[str], bars: Sequence[_Bar], colour: str
    ) -> pg.PlotItem:
        colours, font = tokens(), _font()
        plot = self.canvas.addPlot(row=row, col=column)
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=False, y=False)
        plot.invertY()
        plot.setTitle(title, color=colours.ink, size=f"{font.pixelSize()}px")
        most = max(
            [bar.span[1] for bar in bars if bar.span] + [bar.value for bar in bars if bar.value], default=1.0
        )
        end = max(most, 1e-3) * _FOR_FIGURE
        plot.setRange(xRange=(0, end), yRange=(-0.6, len(bars) - 0.4), padding=0)
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setTextPen(QPen(QColor(colours.dim)))
            axis.setPen(QPen(QColor(colours.field_line)))
            axis.setTickFont(font)
            axis.enableAutoSIPrefix(False)
            axis.setZValue(-1)
        plot.getAxis("left").setTicks([list(enumerate(names))])
        plot.getAxis("left").setStyle(tickLength=0)
        plot.getAxis("bottom").setGrid(40)
        self._add_bars(plot, bars, colour)
        for number, bar in enumerate(bars):
            text = pg.TextItem(
                bar.text, color=colours.ink if bar.value is not None else colours.dim, anchor=(0, 0.5)
            )
            text.setFont(font)
            text.setPos(max(bar.span[1] if bar.span else 0.0, bar.value or 0.0), number)
            plot.addItem(text, ignoreBounds=True)
        return plot

    def _add_bars(self, plot: pg.PlotItem, bars: Sequence[_Bar], colour: str) -> None:
        told = [
            (number, bar.value, bar.span)
            for number, bar in enumerate(bars)
            if bar.value is not None and bar.span
        ]
        if not told:
            return
        at = np.array([number for number, _value, _span in told], dtype=float)
        values = np.array([value for _number, value, _span in told], dtype=float)
        least = np.array([span[0] for _number, _value, span in told], dtype=float)
        most = np.array([span[1] for _number, _value, span in told], dtype=float)
        fill = QColor(mix(colour, tokens().panel, 0.45))
        plot.addItem(pg.BarGraphItem(x0=0, y=at, width=values, height=_BAR, brush=fill, pen=pg.mkPen(colour)))
        line = QPen(QColor(tokens().ink))
        line.setCosmetic(True)
        plot.addItem(
            pg.ErrorBarItem(x=values, y=at, left=values - least, right=most - values, beam=_BEAM, pen=line)
        )


def _share_bar(figures: Figures) -> _Bar:
    span = figures.share_span
    percent = None if figures.share is None else figures.share * 100
    return _Bar(percent, (span[0] * 100, span[1] * 100) if span else None, words.share(figures))


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LIMIT else f"{name[: _NAME_LIMIT - 1].rstrip()}…"


def _font() -> QFont:
    font = QFont()
    font.setPixelSize(scaled(_TEXT_PX))
    return font
