"""The History page: every sale, found as one types, with the chosen one's card below."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.events import EnvironmentsChanged, SaleChanged, TextErased
from keybench.core.history import SaleFilter
from keybench.core.sale import Outcome, Sale
from keybench.runtime.saving import Progress
from keybench.ui.attention import HISTORY as HISTORY_COUNT
from keybench.ui.attention import AttentionButton
from keybench.ui.export_bar import ExportBar
from keybench.ui.history.filters import EVERYWHERE, HERE, Filters
from keybench.ui.sale.outcome_card import OutcomeCard
from keybench.ui.sale.sale_actions import SaleActions
from keybench.ui.sale.sales_table import HISTORY, SaleRow
from keybench.ui.sale.selection import SaleFeed, SelectedSale
from keybench.ui.session import Session
from keybench.ui.widgets.labels import Identifier
from keybench.ui.widgets.list_page import ListPage, search_field
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.words.formats import number
from keybench.words.language import _, ngettext
from keybench.workflows.history import PAGE, REMOVED

SEARCHING: Final = _("Searching…")
NO_SALE: Final = _("No sale yet. Send one on the Bench: it is kept in the journal and listed here.")
NO_MATCH: Final = _(
    "No sale matches. Look for fewer words or other days, choose any outcome, or look in all environments."
)
_CHOOSE: Final = _("No sale chosen")
_HOW_TO_CHOOSE: Final = _("Choose a sale above, and what became of it is shown here.")


class HistoryPage(ListPage[SaleRow]):
    """Filters, table and card.

    Args:
        session: Whose journal.
    """

    is_page = True
    page_size = PAGE
    searches_rows = False
    loading_text = SEARCHING
    stale_after = (TextErased, EnvironmentsChanged)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        where = Segments([(HERE, _("This environment")), (EVERYWHERE, _("All"))], name=_("Sales of"))
        self.filters = Filters(
            search_field(_("Find"), _("Find device, key or reference")), where, outcomes=True
        )
        table = Table(_("Sales"), TableModel(HISTORY, lambda row: row.reference))
        super().__init__(session, "history", table, self.filters.text, parent)
        self._environments: dict[str, Environment] = {}
        self._names: dict[str, str] = {}
        self._nicknames: dict[tuple[str, str], str] = {}
        self.export = ExportBar(
            session,
            name="sales",
            title=_("Export sales"),
            wanted=self.wanted,
            write=self._write,
            exported=lambda count: ngettext("Exported 1 sale", "Exported {count:,} sales", count).format(
                count=count
            ),
        )
        self.actions_of_sale = SaleActions(session, self, may_repeat=False)
        table.set_row_actions(self.actions_of_sale.of_row)
        self.card = OutcomeCard(session, self.actions_of_sale)
        self._feed = SaleFeed(session, self)
        self.selection = SelectedSale(session, self._feed, self)
        self.lay_out(
            title=_("History"),
            actions=[AttentionButton(session, HISTORY_COUNT, self.show_unknown), self.export],
            tools=[self.filters],
            detail=self.card,
            heights=(460, 300),
        )
        self._connect_parts()
        self._show_selection()

    # --- reading -------------------------------------------------------------------------------------

    def wanted(self) -> SaleFilter:
        """Return what the filters say now."""
        filters = self.filters
        return SaleFilter(
            text=filters.text.text(),
            environment_id=filters.environment_id(self.session.environment),
            state=filters.state,
            since=filters.begin,
            until=filters.end,
        )

    async def _write(self, wanted: SaleFilter, path: Path, progress: Progress) -> int:
        return await self.session.console.history.export(wanted, path, progress=progress)

    async def read(self) -> Sequence[SaleRow]:
        """Return the newest sales that match."""
        wanted = self.wanted()
        console = self.session.console
        self._environments = {one.id: one for one in await console.environments.all()}
        self._nicknames = {
            (one.id, device.id): device.nickname
            for one in self._environments.values()
            for device in await console.keys.devices(one)
        }
        return await self._rows(await console.history.page(wanted))

    async def read_after(self, last: SaleRow) -> Sequence[SaleRow]:
        """Return the next older ones."""
        page = await self.session.console.history.page(self.wanted(), after=last.reference)
        return await self._rows(page)

    async def _rows(self, sales: Sequence[Sale]) -> Sequence[SaleRow]:
        world = self.session.console.world
        self._names = await world.environment_names(sale.environment_id for sale in sales)
        return [self._row(sale) for sale in sales]

    def show_rows(self, rows: Sequence[SaleRow]) -> None:
        """Show sales, with their environments where there can be more than one."""
        everywhere = self.wanted().environment_id is None
        self.table.columns.set_available("environment", available=everywhere)
        super().show_rows(rows)
        if self.table.selected is None:  # the card's sale was filtered away, and may be listed again
            self.table.select(self.selection.reference)

    def _row(self, sale: Sale) -> SaleRow:
        nickname = self._nicknames.get((sale.environment_id, sale.device), "")
        return SaleRow(sale, nickname, self._names.get(sale.environment_id, REMOVED))

    def show_unknown(self) -> None:
        """Search for the unknown sales of all environments."""
        filters = self.filters
        filters.clear()
        filters.where.choose(EVERYWHERE)
        filters.outcome.setCurrentIndex(filters.outcome.findData(Outcome.UNKNOWN.value))
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

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
            return _("The newest {number} are listed; scroll on for more.").format(number=number(count))
        return ngettext("1 sale", "{count:,} sales", count).format(count=count)

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
        if row and row.reference != self.selection.reference:
            self.selection.select(row.reference, row.sale)

    def _on_opened(self) -> None:
        """Go to the chosen sale's identifiers, from where Tab leads on to what can be done about it."""
        for field in self.card.details.findChildren(Identifier):
            if field.text() == self.selection.reference:
                field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_selection(self) -> None:
        sale = self.selection.sale
        if sale is None:
            self.card.show_empty(_CHOOSE, _HOW_TO_CHOOSE)
            return
        environment = self._environments.get(sale.environment_id)
        device = self._row(sale).device_name
        self.card.show_sale(sale, self.selection.events, device, environment)

    def _connect_parts(self) -> None:
        self.session.environment_changed.connect(self._on_environment)
        self.filters.changed.connect(self.look_again)
        self.table.opened.connect(self._on_opened)
        self._feed.sales_changed.connect(self._on_sales)
        self.selection.changed.connect(self._show_selection)
