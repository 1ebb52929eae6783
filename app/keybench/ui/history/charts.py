"""The History page's charts: time to outcome and failed sales by device, hour or key, as picture and as table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QLineF, QMargins, QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QImageWriter,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from keybench.core.events import EnvironmentsChanged, OlderDeleted, SaleChanged
from keybench.core.sales.figures import By, Figures, Group
from keybench.core.sales.history import SaleFilter
from keybench.runtime.saving import Progress, save
from keybench.ui.kit.axis import Axis, chart_font
from keybench.ui.kit.boxes import PageFrame, WrappingRow, in_column, in_row_or_column
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.labels import WrappingLabel, label, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled, theme, tokens
from keybench.ui.kit.tokens import Tone, mix
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.reading import READING, Reading
from keybench.ui.shared.session import Session
from keybench.words.language import _, number
from keybench.words.sales import charts as words
from keybench.workflows.sales import figures as sale_figures
from keybench.workflows.sales.figures import Charted
from keybench.workflows.sales.history import REMOVED

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
        self.title = WrappingLabel("", "strong")
        self.about = prose("", "dim")
        self.times = Plot(words.TIME, "accent", is_time=True)
        self.failures = Plot(words.FAILURES, "warning", is_time=False)
        both = in_row_or_column(
            (self.times, 1), (self.failures, 1), from_px=partial(scaled, _WIDE_PX), spacing=_GAP_PX
        )
        legend = prose(words.legend(), "dim")
        in_column(self.title, self.about, legend, both, None, within=self, spacing=4)

    def show_rows(self, title: str, about: str, rows: Sequence[ChartRow]) -> None:
        """Show groups, those of `MOST_ROWS` that come first; `about` tells of which sales."""
        shown = rows[:MOST_ROWS]
        self.title.setText(title)
        self.about.setText(" ".join(filter(None, (about, words.rows_left_out(len(shown), len(rows))))))
        spoken = [words.spoken(row.name, row.figures) for row in shown]
        self.setAccessibleDescription("\n".join([title, about, *spoken]))
        names = [f"{_cut(row.name)} ({number(row.figures.sales)})" for row in shown]
        for plot, bar in ((self.times, _time_bar), (self.failures, _share_bar)):
            plot.show_bars([(name, bar(row.figures)) for name, row in zip(names, shown, strict=True)])

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


class Plot(QWidget):
    """Bars with a title above and an axis below, each with its name beside it."""

    def __init__(self, title: str, tone: Tone, *, is_time: bool) -> None:
        super().__init__()
        self._title, self._tone, self._is_time = title, tone, is_time
        self._bars: Sequence[tuple[str, _Bar]] = ()
        theme().changed.connect(self._fit)

    def show_bars(self, bars: Sequence[tuple[str, _Bar]]) -> None:
        self._bars = bars
        self._fit()
        self.update()

    def _fit(self) -> None:
        rows_px = scaled(_ROW_PX) * len(self._bars)
        self.setFixedHeight(rows_px + scaled(_TITLE_PX) + scaled(_AXIS_PX) if self._bars else 0)

    @property
    def names_px(self) -> float:
        measure = QFontMetricsF(chart_font(self.font()))
        return max((measure.horizontalAdvance(name) for name, _bar in self._bars), default=0.0) + scaled(
            _GAP_PX
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self._bars:
            return
        colours, x, row_px, is_mirrored = tokens(), self.names_px, scaled(_ROW_PX), self.isRightToLeft()
        right = self.width()

        def seen(left: float, top: float, wide: float, high: float) -> QRectF:
            """Return where a part is, which is mirrored where people read from right to left."""
            return QRectF(right - left - wide if is_mirrored else left, top, wide, high)

        colour, rows = colours.tone(self._tone), scaled(_TITLE_PX)
        painter = QPainter(self)
        painter.setFont(chart_font(self.font()))
        painter.setPen(QColor(colours.ink))
        painter.drawText(seen(x, 0, right - x, rows), Qt.AlignmentFlag.AlignCenter, self._title)
        most = max(bar.end for _name, bar in self._bars) or 1.0
        sides = (right - x, 1) if is_mirrored else (x, right - 1)
        axis, bottom = Axis(*sides, most * _FOR_FIGURE), rows + len(self._bars) * row_px
        axis.paint(painter, bottom, scaled(4), is_time=self._is_time, right=right, top=rows)
        side = Qt.AlignmentFlag.AlignVCenter
        for row, (name, bar) in enumerate(self._bars):
            top, middle = rows + row * row_px, rows + (row + 0.5) * row_px
            painter.setPen(QColor(colours.dim))
            room = seen(0, top, x - scaled(_GAP_PX) / 2, row_px)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | side, name)
            self._paint_bar(painter, bar, axis, middle, colour)
            painter.setPen(QColor(colours.ink if bar.value is not None else colours.dim))
            begin = abs(axis.x(bar.end) - axis.start) + x + scaled(4)
            painter.drawText(seen(begin, top, right - begin, row_px), side, bar.text)
        painter.end()

    def _paint_bar(self, painter: QPainter, bar: _Bar, axis: Axis, middle: float, colour: str) -> None:
        colours, high, half = tokens(), scaled(_BAR_PX), scaled(_BEAM_PX) / 2
        if bar.value is not None:
            painter.setPen(QColor(colour))
            painter.setBrush(QColor(mix(colour, colours.panel, 0.45)))
            wide = axis.x(bar.value) - axis.start
            painter.drawRect(QRectF(axis.start, middle - high / 2, wide, high).normalized())
        if bar.span:
            painter.setPen(QPen(QColor(colours.ink), 1))
            least, end = map(axis.x, bar.span)
            painter.drawLine(QLineF(least, middle, end, middle))
            for beam in (least, end):
                painter.drawLine(QLineF(beam, middle - half, beam, middle + half))


def _time_bar(figures: Figures) -> _Bar:
    return _Bar(figures.median_s, words.median(figures), figures.middle_s)


def _share_bar(figures: Figures) -> _Bar:
    return _Bar(None if figures.share is None else figures.share * 100, words.share(figures))


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_LIMIT else f"{name[: _NAME_LIMIT - 1].rstrip()}…"


PICTURE, TABLE = "picture", "table"
#: Sales that end meanwhile are taken in together.
_GATHER_MS: Final = 2000


def _time(row: ChartRow) -> float:
    return -1.0 if row.figures.median_s is None else row.figures.median_s


def columns() -> tuple[Column[ChartRow], ...]:
    return (
        Column("name", _("Name"), lambda row: row.name, stretch=True, bold=True),
        Column(
            "sales",
            _("Sales"),
            lambda row: number(row.figures.sales),
            right=True,
            sort=lambda row: row.figures.sales,
        ),
        Column("median", _("Median time"), lambda row: words.median(row.figures), right=True, sort=_time),
        Column("middle", _("Middle half"), lambda row: words.middle(row.figures), right=True, sort=_time),
        Column(
            "failed",
            _("Failed"),
            lambda row: number(row.figures.failed),
            right=True,
            sort=lambda row: row.figures.failed,
        ),
        Column(
            "share",
            _("Share"),
            lambda row: words.share(row.figures),
            right=True,
            sort=lambda row: -1.0 if row.figures.share is None else row.figures.share,
        ),
    )


class ChartsView(QWidget):
    """Charts of the sales that the page's filters find."""

    def __init__(
        self,
        session: Session,
        *,
        wanted: Callable[[], SaleFilter],
        about: Callable[[], str],
        named: Callable[[Group], str],
    ) -> None:
        super().__init__()
        self._session, self._wanted, self._about, self._named = session, wanted, about, named
        self._charted: Charted | None = None
        self._environments: Mapping[str, str] = {}
        self.by = Segments([(one.value, words.BY[one]) for one in By], _("Charts by"))
        self.form = Segments([(PICTURE, _("Picture")), (TABLE, _("Table"))], _("How charts are shown"))
        self.sheet = ChartSheet()
        self.table = Table(_("Figures of the charts"), TableModel(columns(), lambda row: row.figures.group))
        self.table.columns.keep(session.preferences, "chart columns")
        self.status = label(READING, "dim")
        self.status.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.export = ExportBar(
            session,
            name="charts",
            title=_("Export charts"),
            wanted=lambda: self._charted,
            write=self._write,
            exported=lambda _count: _("Exported the charts"),
            kinds=(("png", _("Export PNG"), _("Picture")), ("csv", _("Export CSV"), _("Table"))),
        )
        self._reading = Reading(
            session, "charts", self._read, self._show_read, wanted=self._key, say=self._say
        )
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self.refresh)
        self.by.changed.connect(self.refresh)
        self.form.changed.connect(self._show_form)
        session.subscribe(
            self,
            {
                SaleChanged: self._on_sale,
                OlderDeleted: lambda _event: self.refresh(),
                EnvironmentsChanged: lambda _event: self.refresh(),
            },
        )
        self._lay_out()

    def refresh(self) -> None:
        if self.isVisible():
            self._reading.request()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    # --- inside ------------------------------------------------------------------------------------------

    def _key(self) -> tuple[SaleFilter, By]:
        return self._wanted(), By(self.by.value)

    async def _read(self) -> tuple[Charted, Mapping[str, str]]:
        charted = await sale_figures.chart(self._session.console.history, *self._key())
        here = {one.group.environment_id for one in charted.figures}
        return charted, await self._session.console.world.environment_names(here)

    def _show_read(self, read: tuple[Charted, Mapping[str, str]]) -> None:
        charted, self._environments = read
        self._charted = charted
        rows = [ChartRow(self._name(one.group, charted), one) for one in charted.figures]
        about = f"{self._about()} · {words.sales_shown(charted.sales, is_all=charted.is_all)}"
        if any(row.figures.sales for row in rows):
            self.sheet.show_rows(words.title(charted.by), about, rows)
            self._scroll.setAccessibleDescription(self.sheet.accessibleDescription())
            self.table.model().show(rows)
            self._show_form(self.form.value)
        else:
            self.status.setText(words.NO_SALE)
            self._pages.setCurrentWidget(self.status)
        self.export.setEnabled(any(row.figures.sales for row in rows))

    def _name(self, group: Group, charted: Charted) -> str:
        if charted.by is By.HOUR:
            return words.hour(group.name)
        several = len({one.group.environment_id for one in charted.figures}) > 1
        name = self._named(group)
        return f"{name} · {self._environment(group)}" if several else name

    def _environment(self, group: Group) -> str:
        return self._environments.get(group.environment_id, REMOVED) if group.environment_id else ""

    def _show_form(self, form: str) -> None:
        if self._charted is not None:
            self._pages.setCurrentWidget(self._scroll if form == PICTURE else self.table)

    async def _write(self, charted: Charted | None, path: Path, _progress: Progress) -> int:
        if charted is None:
            return 0
        if path.suffix.lower() == ".png":
            await save(path, self.sheet.png())
            return len(charted.figures)
        return await sale_figures.export(charted, path, self._environment)

    def _say(self, words: str) -> None:
        self.status.setText(words)
        self._pages.setCurrentWidget(self.status)

    def _on_sale(self, change: SaleChanged) -> None:
        if change.sale.verdict and not self._gather.isActive():
            self._gather.start()

    def _lay_out(self) -> None:
        self._scroll = PageFrame(content=self.sheet, sideways=False)
        self._scroll.setAccessibleName(_("Charts"))
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # the arrow keys scroll
        self._pages = QStackedWidget()
        for widget in (self.status, self._scroll, self.table):
            self._pages.addWidget(widget)
        self.export.setEnabled(False)
        row = WrappingRow([self.by, self.form, self.export], spread=True)
        in_column(row, (self._pages, 1), within=self, spacing=10)
