"""A support bundle from elsewhere: its sales, timelines, requests and answers, to read only."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.bundle import Bundle, BundleSale
from keybench.ui.bundle.save_dialog import LINE_COLUMNS, lines_of
from keybench.ui.history.detail import SaleDetail
from keybench.ui.page_frame import PageFrame
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.sale.sales_table import HISTORY, SaleRow
from keybench.ui.session import Session
from keybench.ui.theme import scaled, theme
from keybench.ui.widgets.dialog import answered
from keybench.ui.widgets.labels import button, prose
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import Column, TableModel
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.bundle import READ_ONLY, headline, place_words, summary, taken_out_words
from keybench.words.language import _
from keybench.words.ticket import Told
from keybench.workflows.bundle import Bundles

SALES: Final = "sales"
FACTS: Final = "facts"
TAKEN_OUT: Final = "taken out"
_WIDTH_PX: Final = 960
_HEIGHT_PX: Final = 640
_ROWS: Final = (3, 6)
_SHARE_OF_SCREEN: Final = 0.9
#: Columns that the detail has too; without them the names are in sight.
_IN_DETAIL: Final = ("took", "transaction")
_FACT_COLUMNS: Final = (
    Column[tuple[int, str, str]](
        "name", _("Fact"), lambda fact: fact[1], bold=True, sort=lambda fact: fact[0]
    ),
    Column[tuple[int, str, str]]("text", _("What the bundle says"), lambda fact: fact[2], stretch=True),
)


class _NoActions(SaleActions):
    """Offers nothing that could be sent: the sale isn't of this console."""

    def _refresh(self) -> None:
        for action in (self.cancel, self.look_up, self.check, self.again):
            action.setVisible(False)
            action.setEnabled(False)
        self.copy.refresh()


class BundleViewer(QDialog):
    """Shows a bundle in a window of its own.

    Args:
        parent: Over whose window.
        session: Shows sales as the History page does; nothing is read from its journal or sent.
        bundle: What is shown.
        name: The file's name.
    """

    def __init__(self, parent: QWidget, session: Session, bundle: Bundle, name: str) -> None:
        super().__init__(parent.window())
        self._bundle = bundle
        self.setWindowTitle(_("{name}: support bundle, read only").format(name=name))
        self.setAccessibleName(_("Support bundle, read only"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._told = {sale.reference: sale for sale in bundle.sales}
        self.sales = Table(_("Sales of the bundle"), TableModel(HISTORY, lambda row: row.reference))
        for column in _IN_DETAIL:
            self.sales.columns.set_room(column, enough=False)
        self.detail = SaleDetail(session, _NoActions(session, self, may_repeat=False))
        for action in (self.detail.to_bench, self.detail.exchanges.save, self.detail.to_bundle):
            action.setVisible(False)
        facts = Table(
            _("Facts of the bundle"), TableModel(_FACT_COLUMNS, lambda fact: fact[0]), sortable=False
        )
        facts.model().show(
            [(index, *fact) for index, fact in enumerate([*summary(bundle), *place_words(bundle)])]
        )
        taken_out = Table(_("Taken out"), TableModel(LINE_COLUMNS, lambda line: line.number))
        taken_out.model().show(lines_of(taken_out_words(bundle)))
        self.tabs = Segments(
            [(SALES, _("Sales")), (FACTS, _("Facts and diagnosis")), (TAKEN_OUT, _("Left out"))],
            name=_("What is shown of the bundle"),
        )
        self.tabs.changed.connect(self._on_tab)
        self.pages = QStackedWidget()
        for page in (self._sales_page(), facts, taken_out):
            self.pages.addWidget(page)
        self.close_button = button(_("Close"), self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(8)
        layout.addWidget(prose(headline(bundle), "title"))
        layout.addWidget(prose(READ_ONLY, "strong", tone="warning"))
        layout.addWidget(WrappingRow([self.tabs, self.close_button], spread=True))
        layout.addWidget(self.pages, 1)
        self.sales.selection_changed.connect(self._on_selected)
        session.locking.connect(self.reject)
        session.ending.connect(self.reject)
        theme().changed.connect(self._fit)
        self._fit()
        self._fill(session)

    def _sales_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.sales, 2)
        layout.addWidget(self.detail, 3)
        frame = PageFrame()
        frame.hold(page)
        return frame

    def _fill(self, session: Session) -> None:
        year = session.console.clock.now().astimezone().year
        rows = []
        for told in self._bundle.sales:
            nickname = self._bundle.nickname(told)
            place = self._bundle.environment(told.environment)
            name = nickname if nickname != told.device else ""
            rows.append(SaleRow(told.sale(), name, told.environment, place, year))
        self.sales.model().show(rows)
        if rows:
            self.sales.select_row(0)
        else:
            self.detail.show_empty(_("No sale is in this bundle"))

    def _on_selected(self) -> None:
        row = self.sales.selected
        told = self._told.get(row.reference) if row else None
        if told:
            self.detail.show_all(self._story(told), is_read=told.is_told)

    def _story(self, told: BundleSale) -> Told:
        bundle = self._bundle
        return Told(
            told.sale(),
            told.timeline(),
            bundle.exchanges_of(told),
            bundle.nickname(told),
            bundle.environment(told.environment),
            bundle.fingerprint(told),
        )

    def _on_tab(self) -> None:
        self.pages.setCurrentIndex((SALES, FACTS, TAKEN_OUT).index(self.tabs.value))

    def _fit(self) -> None:
        room = self.screen().availableSize() * _SHARE_OF_SCREEN
        self.resize(min(scaled(_WIDTH_PX), room.width()), min(scaled(_HEIGHT_PX), room.height()))


async def show_bundle(parent: QWidget, session: Session, path: Path) -> None:
    """Open a bundle's file and show it until it is closed.

    Raises:
        BundleInvalid: It isn't one.
    """
    bundle = await Bundles(session.console, lambda _bundle: "").open(path)
    viewer = BundleViewer(parent, session, bundle, path.name)
    try:
        await answered(viewer)
    finally:
        viewer.deleteLater()
