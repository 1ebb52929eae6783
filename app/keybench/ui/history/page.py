"""The History page: every sale, found as one types, with the chosen one's card below."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from keybench.core.environments.environment import Environment, marking
from keybench.core.events import DevicesChanged, EnvironmentsChanged, OlderDeleted, SaleChanged
from keybench.core.sales.figures import Group
from keybench.core.sales.history import SaleFilter, start_of
from keybench.core.sales.sale import Outcome, Sale
from keybench.ui.history.charts import ChartsView
from keybench.ui.history.detail import EXCHANGES, SaleDetail
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.attention import HISTORY as HISTORY_COUNT
from keybench.ui.shared.attention import AttentionButton
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.filters import ALL_ENVIRONMENTS, EnvironmentBox, Filters
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.sales.actions import SaleActions
from keybench.ui.shared.sales.selection import SaleFeed, SelectedSale
from keybench.ui.shared.sales.table import HISTORY, SaleRow
from keybench.ui.shared.session import Session
from keybench.words.formats import day
from keybench.words.language import _, ngettext, number
from keybench.words.sales.ticket import SaleRecord
from keybench.workflows.sales.history import PAGE, REMOVED

SEARCHING: Final = _("Searching…")
NO_SALE: Final = _("No sale yet. Send one on the Bench: it is kept in the journal and listed here.")
NO_MATCH: Final = _(
    "No sale matches. Find fewer words, or choose other days, any outcome or all environments."
)
SALES, CHARTS = "sales", "charts"
_CHOOSE: Final = _("No sale chosen")
_HOW_TO_CHOOSE: Final = _(
    "Choose a sale above. Its timeline, its requests and the gateway's answers are shown here."
)
_DETAIL_PX: Final = 260
#: From which width of the table on, in pixels at 13 px text, a column that the detail has too leaves the names enough.
_SHOWN_FROM: Final = {"took": 968, "transaction": 1048}


def sales_words(count: int) -> str:
    return ngettext("1 sale", "{count} sales", count)


class HistoryPage(ListPage[SaleRow]):
    """Filters, table and card."""

    is_page = True
    page_size = PAGE
    searches_rows = False
    loading_text = SEARCHING
    stale_after = (OlderDeleted, EnvironmentsChanged)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.where = EnvironmentBox()
        self.filters = Filters(
            search_field(_("Find"), _("Find a device, key, amount, reference or transaction")),
            self.where,
            outcomes=True,
            today=lambda: session.console.clock.now().astimezone().date(),
        )
        table = Table(_("Sales"), TableModel(HISTORY, lambda row: row.reference))
        table.columns.show_from(_SHOWN_FROM)
        super().__init__(session, "history", table, self.filters.text, parent)
        self._environments: dict[str, Environment] = {}
        self._names: dict[str, str] = {}
        self._nicknames: Mapping[tuple[str, str], str] = {}
        self._fingerprints: dict[str, str] = {}
        #: The sale that a person chose; it is chosen again when it is listed again.
        self._wanted = ""
        self._counted: tuple[object, int, int] | None = None
        self._counting = Reading(
            session, "count of sales", self._count, self._show_counts, wanted=lambda: self.shown
        )
        self._naming = Reading(session, "names of devices", self._read_nicknames, self._show_nicknames)
        self.export = ExportBar(
            session,
            name="sales",
            named=self._named,
            title=_("Export sales"),
            wanted=self.wanted,
            write=lambda wanted, path, progress: session.console.history.export(
                wanted, path, progress=progress
            ),
            exported=lambda count: ngettext("Exported 1 sale", "Exported {count} sales", count),
        )
        self.views = Segments([(SALES, _("Sales")), (CHARTS, _("Charts"))], _("View of the history"))
        self.charts: ChartsView | None = None
        self.actions_of_sale = SaleActions(session, self, may_repeat=False)
        self.card = SaleDetail(session, self.actions_of_sale)
        own = (self.card.to_bench, self.card.to_ticket, self.card.exchanges.save, self.card.to_bundle)
        table.set_row_actions([*own, *self.actions_of_sale.of_row])
        self._feed = SaleFeed(session, self)
        self.selection = SelectedSale(session, self._feed, self)
        self.lay_out(
            title=_("History"),
            actions=[self.views, AttentionButton(session, HISTORY_COUNT, self.show_unknown), self.export],
            tools=[self.filters],
            detail=self.card,
            heights=(280, 440),
        )
        self.edge.setStretchFactor(0, 2)
        self.edge.setStretchFactor(1, 3)
        if below := self.edge.widget(1):  # or the detail would scroll where the page can
            keep_size(below, least_height=_DETAIL_PX)
        self._connect_parts()
        self._show_selection()

    # --- reading -------------------------------------------------------------------------------------

    def wanted(self) -> SaleFilter:
        filters = self.filters
        return SaleFilter(
            text=filters.text.text(),
            environment_id=filters.environment_id(self.session.environment),
            state=filters.state,
            since=filters.begin,
            until=filters.end,
        )

    def _named(self) -> str:
        """Return what a file of these sales is called: by its days, if any were chosen."""
        return " ".join(["sales", *dict.fromkeys(one.isoformat() for one in self.filters.days or ())])

    async def read(self) -> Sequence[SaleRow]:
        wanted = self.wanted()
        console = self.session.console
        self._environments = {one.id: one for one in await console.environments.all()}
        self._nicknames = await self._read_nicknames()
        self.where.show_environments(self._environments.values())
        keys = await console.world.journal.all_keys()
        self._fingerprints = {key.id: key.fingerprint for key in keys}
        return await self._rows(await console.history.page(wanted))

    async def _read_nicknames(self) -> Mapping[tuple[str, str], str]:
        return {
            (one.id, device.id): device.nickname
            for one in self._environments.values()
            for device in await self.session.console.devices.listed(one)
        }

    def _show_nicknames(self, nicknames: Mapping[tuple[str, str], str]) -> None:
        """Find and name the sales again where a device is called otherwise than when they were read."""
        if nicknames != self._nicknames:
            self.on_event(None)

    async def read_after(self, last: SaleRow) -> Sequence[SaleRow]:
        page = await self.session.console.history.page(self.wanted(), after=last.reference)
        return await self._rows(page)

    async def _rows(self, sales: Sequence[Sale]) -> Sequence[SaleRow]:
        world = self.session.console.world
        self._names = await world.environment_names(sale.environment_id for sale in sales)
        return [self._row(sale) for sale in sales]

    def show_rows(self, rows: Sequence[SaleRow]) -> None:
        super().show_rows(rows)
        self._counting.request()
        wanted = self._wanted
        if not self.table.select(wanted) and rows:
            self.table.select_row(0)  # else what is done with the card would be done with a sale not in sight
        self._wanted = wanted

    def _row(self, sale: Sale) -> SaleRow:
        nickname = self._nicknames.get((sale.environment_id, sale.device), "")
        place = self._environments.get(sale.environment_id)
        year = self.session.console.clock.now().astimezone().year
        return SaleRow(sale, nickname, self._names.get(sale.environment_id, REMOVED), place, year)

    async def _count(self) -> tuple[SaleFilter, int, int] | None:
        """Return what is shown, how many sales that finds, and how many there are."""
        wanted, history = self.shown, self.session.console.history
        if not isinstance(wanted, SaleFilter):
            return None
        total = await history.count(SaleFilter())
        everything = wanted == SaleFilter()
        found = total if everything or not self.model.has_more else await history.count(wanted)
        return wanted, found, total

    def _show_counts(self, counted: tuple[SaleFilter, int, int] | None) -> None:
        if counted:
            self._counted = counted
            self.show_words()

    def show_unknown(self) -> None:
        filters = self.filters
        self.views.choose(SALES)
        filters.clear()
        self.where.choose("")
        filters.outcome.setCurrentIndex(filters.outcome.findData(Outcome.UNKNOWN.value))
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- charts --------------------------------------------------------------------------------------

    def _on_view(self, view: str) -> None:
        self.export.setVisible(view == SALES)
        if view == SALES:
            self.show_below(None)
            return
        if self.charts is None:
            self.charts = ChartsView(
                self.session, wanted=self.wanted, about=self._about, named=self._named_group
            )
            self.filters.changed.connect(self.charts.refresh)
        self.show_below(self.charts)

    def _about(self) -> str:
        where = self._environments.get(self.where.value)
        place = marking(where) if where else ALL_ENVIRONMENTS
        if self.filters.days is None:
            return place
        since, until = (day(start_of(one)) for one in self.filters.days)
        return _("{place} · {since} to {until}").format(place=place, since=since, until=until)

    def _named_group(self, group: Group) -> str:
        return self._nicknames.get((group.environment_id, group.id)) or group.name

    # --- what is shown -------------------------------------------------------------------------------

    def empty_words(self) -> str:
        wanted = self.wanted()
        return NO_SALE if wanted == SaleFilter(environment_id=wanted.environment_id) else NO_MATCH

    def summary(self) -> str:
        count = self.model.rowCount()
        if self.filters.trouble:
            return self.filters.trouble
        if self._counted is None or self._counted[0] != self.shown:
            return "" if self.model.has_more else sales_words(count)
        _wanted, found, total = self._counted
        if not self.model.has_more:
            found = count
        if self.shown == SaleFilter():
            return sales_words(max(total, found))
        return ngettext("{found} of 1 sale", "{found} of {count} sales", total).format(found=number(found))

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
        if shown != self.wanted():  # today is another day by now
            self.look_again()

    def _insert(self, row: SaleRow) -> None:
        """List a sale by its time, unless that is behind all that are here and more are to come."""
        rows = list(self.model.items)
        at = bisect_left(rows, -row.sale.noted_at.timestamp(), key=lambda one: -one.sale.noted_at.timestamp())
        if at < len(rows) or not self.model.has_more:
            rows.insert(at, row)
            kept = rows[: max(PAGE, len(rows) - 1, at + 1)]  # the oldest can be read again
            self.model.show(kept, has_more=self.model.has_more or len(kept) < len(rows))
        self._counting.request()

    def show_row(self, row: SaleRow | None) -> None:
        """Show the card of a sale; the card stays while none is listed."""
        if row:
            self._wanted = row.reference
        if row and row.reference != self.selection.reference:
            self.selection.select(row.reference, row.sale)

    def showEvent(self, event: QShowEvent) -> None:
        """Look again if what is searched for is something else by now, as today is on the next day."""
        super().showEvent(event)
        if self.shown is not None:
            self.look_again()

    def _on_opened(self) -> None:
        """Go to the chosen sale's exchanges, from where the arrow keys lead through them."""
        if self.selection.exchanges or not self.selection.events:  # they are still being read
            self.card.tabs.choose(EXCHANGES)
            self.card.exchanges.text.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.card.tabs.setFocus(Qt.FocusReason.OtherFocusReason)

    def field_to_find_in(self) -> QLineEdit:
        at: QWidget | None = QApplication.focusWidget()
        exchanges = self.card.exchanges
        is_there = at is not None and (exchanges.isAncestorOf(at) or exchanges.search.isAncestorOf(at))
        return exchanges.search.field if is_there else self.search

    def _show_selection(self) -> None:
        sale = self.selection.sale
        if sale is None:
            self.card.show_empty(_CHOOSE, _HOW_TO_CHOOSE)
            return
        environment = self._environments.get(sale.environment_id)
        self.card.show_all(
            SaleRecord(
                sale,
                self.selection.events,
                self.selection.exchanges,
                self._row(sale).device_name,
                environment,
                self._fingerprints.get(sale.key_id, ""),
            ),
            is_read=self.selection.is_read,
            account=self.selection.account,
        )

    def _connect_parts(self) -> None:
        self.views.changed.connect(self._on_view)
        self.filters.changed.connect(self.look_again)
        self.table.opened.connect(self._on_opened)
        self._feed.sales_changed.connect(self._on_sales)
        self.session.subscribe(self, {DevicesChanged: lambda _event: self._naming.request()})
        self.selection.changed.connect(self._show_selection)
