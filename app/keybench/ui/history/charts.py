"""The History page's charts: time to outcome and failed sales by device, hour or key, as picture and as table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.core.events import EnvironmentsChanged, OlderDeleted, SaleChanged
from keybench.core.sales.figures import By, Group
from keybench.core.sales.history import SaleFilter
from keybench.runtime.saving import Progress, save
from keybench.ui.history.chart_sheet import ChartRow, ChartSheet
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.labels import label
from keybench.ui.kit.page_frame import PageFrame
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.reading import READING, Reading
from keybench.ui.shared.session import Session
from keybench.words.formats import number
from keybench.words.language import _
from keybench.words.sales import charts as words
from keybench.workflows.sales import figures as sale_figures
from keybench.workflows.sales.figures import Charted
from keybench.workflows.sales.history import REMOVED

PICTURE, TABLE = "picture", "table"
#: Sales that end meanwhile are taken in together.
_GATHER_MS: Final = 2000


def _percentage(row: ChartRow) -> float:
    return -1.0 if row.figures.share is None else row.figures.share


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
        Column("share", _("Share"), lambda row: words.share(row.figures), right=True, sort=_percentage),
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
