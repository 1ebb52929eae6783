"""The History page: every sale, found as one types, with the chosen one's card below."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import SaleChanged
from keybench.core.history import SaleFilter
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.history.filters import Filters
from keybench.ui.history.model import HistoryModel
from keybench.ui.history.table import HistoryTable
from keybench.ui.sale.details import Identifier
from keybench.ui.sale.feed import SaleFeed
from keybench.ui.sale.focus import SaleFocus
from keybench.ui.sale.labels import label
from keybench.ui.sale.next_poll import PollPlans
from keybench.ui.sale.outcome_card import OutcomeCard
from keybench.ui.sale.renewal import Renewal
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.session import Session
from keybench.ui.widgets.elided import ElidedLabel
from keybench.ui.widgets.list_and_card import ListAndCard
from keybench.workflows.history import PAGE
from keybench.workflows.record_file import Progress

SEARCHING: Final = "Searching…"
NO_SALE: Final = "No sale yet. Send one on the Bench: it is kept in the journal and listed here."
NO_MATCH: Final = (
    "No sale matches. Look for fewer words or other days, choose any outcome, or look in all environments."
)
UNREADABLE: Final = "The journal couldn't be read."
_CHOOSE: Final = "No sale chosen"
_HOW_TO_CHOOSE: Final = "Choose a sale above, and what became of it is shown here."
_PATIENCE_MS: Final = 300


class HistoryPage(QWidget):
    """Filters, table and card.

    Args:
        session: Whose journal.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._environments: dict[str, Environment] = {}
        self._nicknames: dict[tuple[str, str], str] = {}
        self._shown: SaleFilter | None = None
        self.filters = Filters()
        self.export = ExportBar(session, Export("sale", "sales", self._wanted, self._write))
        self.model = HistoryModel(self)
        self.table = HistoryTable(self.model)
        self.status = ElidedLabel(SEARCHING)
        self.status.setProperty("role", "dim")
        self._plans = PollPlans(session, self)
        self.actions_of_sale = SaleActions(session, self, may_repeat=False)
        self.card = OutcomeCard(session.console.clock, self._plans, self.actions_of_sale)
        self._feed = SaleFeed(session, self)
        self.focus = SaleFocus(session, self._feed, self)
        self._first = Renewal(session, "history", self._read_first)
        self._next = Renewal(session, "history, next page", self._read_next)
        self._slow = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._lay_out()
        self._connect()
        self.table.empty_text = SEARCHING
        self._show_focus()
        self.reload()

    def reload(self) -> None:
        """Look for the sales anew, for what the filters say now."""
        self._slow.start()
        self._first.ask()

    # --- reading -------------------------------------------------------------------------------------

    def _wanted(self) -> SaleFilter:
        return self.filters.wanted(self._session.environment.id)

    async def _write(self, wanted: SaleFilter, path: Path, progress: Progress) -> int:
        return await self._session.console.history.export(wanted, path, progress=progress)

    async def _read_first(self) -> None:
        wanted = self._wanted()
        try:
            await self._read_names()
            page = await self._session.console.history.page(wanted)
        except KeybenchError:
            self._slow.stop()
            self.table.empty_text = UNREADABLE
            self.status.setText(UNREADABLE)
            raise
        if wanted != self._wanted():
            return  # something else is looked for by now, and it has been asked for
        self._slow.stop()
        self._shown = wanted
        self.table.empty_text = self._words_for_none(wanted)
        self.model.name({one.id: one.name for one in self._environments.values()}, self._nicknames)
        self.table.show_environments(shown=wanted.environment_id is None)
        self.model.show_page(page, has_more=len(page) == PAGE)
        self._mark()
        self._tell()

    async def _read_next(self) -> None:
        wanted, after = self._shown, self.model.last_reference
        if wanted is None or not after or not self.model.has_more:
            return
        page = await self._session.console.history.page(wanted, after=after)
        if (wanted, after) == (self._shown, self.model.last_reference):
            self.model.add_page(page, has_more=len(page) == PAGE)
            self._tell()

    async def _read_names(self) -> None:
        console = self._session.console
        self._environments = {one.id: one for one in await console.environments.all()}
        self._nicknames = {
            (one.id, device.id): device.nickname
            for one in self._environments.values()
            for device in await console.keys.devices(one)
        }

    # --- what is shown -------------------------------------------------------------------------------

    def _words_for_none(self, wanted: SaleFilter) -> str:
        everything = SaleFilter(environment_id=wanted.environment_id)
        return NO_SALE if wanted == everything else NO_MATCH

    def _tell(self) -> None:
        count = self.model.rowCount()
        if self.filters.trouble:
            self.status.setText(self.filters.trouble)
        elif self.model.has_more:
            self.status.setText(f"The newest {count:,} are listed; scroll on for more.")
        else:
            self.status.setText("1 sale" if count == 1 else f"{count:,} sales")

    def _on_slow(self) -> None:
        self.status.setText(SEARCHING)

    def _on_filters(self) -> None:
        if self._wanted() == self._shown:
            self._tell()
        else:
            self.reload()

    def _on_environment(self, _environment: Environment) -> None:
        self._on_filters()

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        if self._shown is None:
            return
        for sale in {change.sale.reference: change.sale for change in changes}.values():
            nickname = self._nicknames.get((sale.environment_id, sale.device), "")
            if not self.model.renew(sale) and self._shown.matches(sale, nickname):
                self.model.insert(sale)
                self._tell()

    def _on_row(self, current: QModelIndex) -> None:
        if current.isValid():
            sale = self.model.row(current.row())
            if sale.reference != self.focus.reference:
                self.focus.show_reference(sale.reference, sale)

    def _on_opened(self, _index: QModelIndex) -> None:
        """Go to the chosen sale's identifiers, from where Tab leads on to what can be done about it."""
        for field in self.card.details.findChildren(Identifier):
            if field.accessibleName() == "Reference":
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _mark(self) -> None:
        """Mark the sale in focus again after its row has moved."""
        sale = self.focus.sale
        row = self.model.row_of(sale) if sale else None
        if row is not None:
            self.table.choose_row(row)

    def _show_focus(self) -> None:
        sale = self.focus.sale
        if sale is None:
            self.actions_of_sale.show_sale(None)
            self.card.show_empty(_CHOOSE, _HOW_TO_CHOOSE)
            return
        environment = self._environments.get(sale.environment_id)
        device = self.model.device_of(sale)
        self.actions_of_sale.show_sale(sale, self.focus.events, environment, device)
        self.card.show_sale(sale, self.focus.events, device, environment.kind if environment else None)

    # --- inside --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._session.environment_changed.connect(self._on_environment)
        self.filters.changed.connect(self._on_filters)
        self.model.more_wanted.connect(self._next.ask)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.table.opened.connect(self._on_opened)
        self._feed.sales_changed.connect(self._on_sales)
        self._feed.text_erased.connect(self.reload)
        self.focus.changed.connect(self._show_focus)
        self._slow.timeout.connect(self._on_slow)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(label("title", "History"))
        top.addWidget(self.status, 1)
        top.addWidget(self.export)
        splitter = ListAndCard(self.table, self.card, (460, 300))
        panel = QFrame()
        panel.setProperty("role", "panel")
        inside = QVBoxLayout(panel)
        inside.setContentsMargins(16, 14, 16, 16)
        inside.setSpacing(12)
        inside.addLayout(top)
        inside.addWidget(self.filters)
        inside.addWidget(splitter, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addWidget(panel)
