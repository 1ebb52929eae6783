"""The History page: every sale, found as one types, with the chosen one's card below."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.events import SaleChanged
from keybench.core.history import SaleFilter
from keybench.core.sale import Sale
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.history.filters import Filters
from keybench.ui.sale.details import Identifier
from keybench.ui.sale.feed import SaleFeed
from keybench.ui.sale.focus import SaleFocus
from keybench.ui.sale.next_poll import PollPlans
from keybench.ui.sale.outcome_card import OutcomeCard
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.sale.sales_table import HISTORY, SaleRow
from keybench.ui.session import Session
from keybench.ui.widgets.list_page import ListPage
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.workflows.history import PAGE
from keybench.workflows.record_file import Progress

SEARCHING: Final = "Searching…"
NO_SALE: Final = "No sale yet. Send one on the Bench: it is kept in the journal and listed here."
NO_MATCH: Final = (
    "No sale matches. Look for fewer words or other days, choose any outcome, or look in all environments."
)
_REMOVED: Final = "removed"
_CHOOSE: Final = "No sale chosen"
_HOW_TO_CHOOSE: Final = "Choose a sale above, and what became of it is shown here."


class HistoryPage(ListPage[SaleRow]):
    """Filters, table and card.

    Args:
        session: Whose journal.
    """

    is_page = True
    page_size = PAGE
    searches_rows = False
    loading_text = SEARCHING

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.filters = Filters()
        table = Table("Sales", TableModel(HISTORY, lambda row: row.reference))
        super().__init__(session, "history", table, self.filters.text, parent)
        self._session = session
        self._environments: dict[str, Environment] = {}
        self._nicknames: dict[tuple[str, str], str] = {}
        self.export = ExportBar(session, Export("sale", "sales", self.wanted, self._write))
        self._plans = PollPlans(session, self)
        self.actions_of_sale = SaleActions(session, self, may_repeat=False)
        self.card = OutcomeCard(session.console.clock, self._plans, self.actions_of_sale)
        self._feed = SaleFeed(session, self)
        self.focus = SaleFocus(session, self._feed, self)
        self.lay_out(
            title="History",
            actions=[self.export],
            tools=[self.filters],
            detail=self.card,
            heights=(460, 300),
        )
        self._connect_parts()
        self._show_focus()

    # --- reading -------------------------------------------------------------------------------------

    def wanted(self) -> SaleFilter:
        """Return what the filters say now."""
        return self.filters.wanted(self._session.environment.id)

    async def _write(self, wanted: SaleFilter, path: Path, progress: Progress) -> int:
        return await self._session.console.history.export(wanted, path, progress=progress)

    async def read(self) -> Sequence[SaleRow]:
        """Return the newest sales that match."""
        wanted = self.wanted()
        console = self._session.console
        self._environments = {one.id: one for one in await console.environments.all()}
        self._nicknames = {
            (one.id, device.id): device.nickname
            for one in self._environments.values()
            for device in await console.keys.devices(one)
        }
        return [self._row(sale) for sale in await console.history.page(wanted)]

    async def read_after(self, last: SaleRow) -> Sequence[SaleRow]:
        """Return the next older ones."""
        page = await self._session.console.history.page(self.wanted(), after=last.reference)
        return [self._row(sale) for sale in page]

    def show_rows(self, rows: Sequence[SaleRow]) -> None:
        """Show sales, with their environments where there can be more than one."""
        everywhere = self.wanted().environment_id is None
        self.table.columns.set_available("environment", available=everywhere)
        super().show_rows(rows)

    def _row(self, sale: Sale) -> SaleRow:
        environment = self._environments.get(sale.environment_id)
        nickname = self._nicknames.get((sale.environment_id, sale.device), "")
        return SaleRow(sale, nickname, environment.name if environment else _REMOVED)

    async def _read_names(self) -> None:
        console = self._session.console
        self._environments = {one.id: one for one in await console.environments.all()}
        self._nicknames = {
            (one.id, device.id): device.nickname
            for one in self._environments.values()
            for device in await console.keys.devices(one)
        }

    # --- what is shown -------------------------------------------------------------------------------

    def empty_words(self) -> str:
        """Return what is shown where no sale is."""
        wanted = self.wanted()
        return NO_SALE if wanted == SaleFilter(environment_id=wanted.environment_id) else NO_MATCH

    def summary(self) -> str:
        """Return how many sales are listed, or what is wrong with a day."""
        count = self.model.rowCount()
        if self.filters.trouble:
            return self.filters.trouble
        if self.model.has_more:
            return f"The newest {count:,} are listed; scroll on for more."
        return "1 sale" if count == 1 else f"{count:,} sales"

    def _on_environment(self, _environment: Environment) -> None:
        self.look_again()

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        shown = self.shown
        if not isinstance(shown, SaleFilter):
            return
        for sale in {change.sale.reference: change.sale for change in changes}.values():
            row = self._row(sale)
            if self.model.item(sale.reference):
                self.model.put([row])
            elif shown.matches(sale, row.device):
                self._insert(row)
                self.show_words()

    def _insert(self, row: SaleRow) -> None:
        """List a sale by its time, unless that is behind all that are here and more are to come."""
        rows = list(self.model.items)
        at = bisect_left(rows, -row.sale.noted_at.timestamp(), key=lambda one: -one.sale.noted_at.timestamp())
        if at < len(rows) or not self.model.has_more:
            rows.insert(at, row)
            self.model.show(rows, has_more=self.model.has_more)

    def show_row(self, row: SaleRow | None) -> None:
        """Show the card of a sale; the card stays when it is filtered away."""
        if row and row.reference != self.focus.reference:
            self.focus.show_reference(row.reference, row.sale)

    def _on_opened(self) -> None:
        """Go to the chosen sale's identifiers, from where Tab leads on to what can be done about it."""
        for field in self.card.details.findChildren(Identifier):
            if field.accessibleName() == "Reference":
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_focus(self) -> None:
        sale = self.focus.sale
        if sale is None:
            self.actions_of_sale.show_sale(None)
            self.card.show_empty(_CHOOSE, _HOW_TO_CHOOSE)
            return
        environment = self._environments.get(sale.environment_id)
        device = self._row(sale).device_name
        self.actions_of_sale.show_sale(sale, self.focus.events, environment, device)
        self.card.show_sale(sale, self.focus.events, device, environment.kind if environment else None)

    def _connect_parts(self) -> None:
        self._session.environment_changed.connect(self._on_environment)
        self.filters.changed.connect(self.look_again)
        self.table.opened.connect(self._on_opened)
        self._feed.sales_changed.connect(self._on_sales)
        self._feed.text_erased.connect(self.refresh)
        self.focus.changed.connect(self._show_focus)
