"""The Sale test panel: form, outcome, recent sales and exchanges, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QStackedWidget,
    QWidget,
)

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.events import OlderDeleted, SaleChanged
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Outcome, Sale, SaleMode
from keybench.ui.bench.sale_form import SaleForm
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.labels import label, set_tip
from keybench.ui.kit.page_frame import PageFrame, bring_into_sight
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.theme import scaled, theme
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.reading import READING, Reading
from keybench.ui.shared.sales.actions import SaleActions
from keybench.ui.shared.sales.exchanges import Exchanges
from keybench.ui.shared.sales.first_steps import TITLE
from keybench.ui.shared.sales.outcome_card import OutcomeCard
from keybench.ui.shared.sales.selection import SaleFeed, SelectedSale
from keybench.ui.shared.sales.table import LIMIT, RecentSales
from keybench.ui.shared.session import Session
from keybench.words.language import _

NO_SALE_YET: Final = _("No sale yet")
_WILL_STAND_HERE: Final = _("What becomes of a sale will stand here.")
FIRST_APPROVED: Final = _(
    "Your first approved sale. Next, try another amount, watch the tour, or add a gateway of your own."
)
_MODES: Final = (
    (SaleMode.ASYNCHRONOUS, _("Asynchronous")),
    (SaleMode.SYNCHRONOUS, _("Synchronous")),
    (SaleMode.CLASSIC, _("Classic")),
)
#: So many sales are in sight at the least, or the panel scrolls.
_LEAST_ROWS: Final = 2
#: Below this height, for 13 px text, the sales need the room more than some of what the card says.
_LOW_PX: Final = 720
_LOWEST_PX: Final = 600
#: From this height on, for 13 px text, the whole card stands above the exchanges.
_HIGH_PX: Final = 1000
_KEY_STEP, _DEVICE_STEP, _SEND_STEP = 1, 2, 3
_RECENT: Final = "recent"
_EXCHANGES: Final = "exchanges"


class _Below(QStackedWidget):
    """What is below the card; it takes the height that is left, whatever its pages would like."""

    def hasHeightForWidth(self) -> bool:
        """Return False, or the scroll area would make room for all that the pages would like."""
        return False

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.minimumHeight())


class SalePanel(QFrame):
    """Sends sales in the environment shown, and shows what becomes of them.

    Signals:
        first_step_changed: Another step is next to a first sale (1 to 3); 0 when there is none to lead to.
        key_wanted: A person wants to add a key.
    """

    first_step_changed = Signal(int)
    key_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setProperty("role", "panel")
        self.modes = Segments([(mode.value, text) for mode, text in _MODES], name=_("Way to sell"))
        self.form = SaleForm(session)
        self.actions_of_sale = SaleActions(session, self, may_repeat=True)
        self.card = OutcomeCard(session, self.actions_of_sale)
        self.views = Segments(
            [(_RECENT, _("Recent sales")), (_EXCHANGES, _("Exchanges"))], name=_("Below the outcome")
        )
        self.recent = RecentSales()
        self.recent.columns.keep(session.preferences, "bench/recent sales")
        self.recent.set_row_actions(self.actions_of_sale.of_row)
        self.exchanges = Exchanges(session)
        self._feed = SaleFeed(session, self)
        self.selection = SelectedSale(session, self._feed, self)
        self.selection.show_exchanges(shown=False)
        self._sales = Reading(
            session,
            "recent sales",
            lambda: session.console.recent_sales(session.environment.id, LIMIT),
            self._show_sales,
        )
        self._shown_in = session.environment.id
        self._loading = True
        self._is_whole = False
        self._first_step: int | None = None
        self._leads_on = False
        self._sent_here: set[str] = set()
        self._lay_out()
        self._connect()
        self.card.show_empty(READING)
        self.recent.show_loading()
        # The window comes first, and the loop may not be running yet.
        QTimer.singleShot(0, self, self.reload)

    # --- public slots --------------------------------------------------------------------------------

    def send(self) -> None:
        """Send the sale as entered, if the form is in sight; the same as pressing Send."""
        if not self.form.visibleRegion().isEmpty():
            self.form.submit()

    def use_key(self, key: SecurityKey | None) -> None:
        self.form.use_key(key)

    def show_sale(self, reference: str) -> None:
        row = self.recent.model().item(reference)
        self.selection.select(reference, row.sale if row else None)

    def refresh_devices(self) -> None:
        self.form.refresh_devices()

    def lead_on(self) -> None:
        self._leads_on = True
        self._show_progress()

    def show_whole(self, *, whole: bool) -> None:
        """Be as high as all that is in it, where the page around it scrolls; else scroll within."""
        self._is_whole = whole
        self._share_height()

    def reload(self) -> None:
        environment = self._session.environment
        self._offer_modes(environment)
        self.form.reload()
        self._sales.request()

    # --- inside --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._session.environment_changed.connect(self._on_environment)
        self.form.submitted.connect(self._on_submitted)
        self.views.changed.connect(self._on_view)
        theme().changed.connect(self._on_theme)
        self.recent.chosen.connect(self.show_sale)
        self.recent.opened.connect(self._on_opened)
        self._feed.sales_changed.connect(self._on_sales)
        self._session.subscribe(self, {OlderDeleted: lambda _event: self._sales.request()})
        self.selection.changed.connect(self._show_selection)
        self.card.first_steps.step_wanted.connect(self._on_step)
        self.form.devices_read.connect(self._on_devices)
        self.form.edited.connect(self._show_progress)
        self.form.keys_shown.connect(self._show_progress)
        self.actions_of_sale.noted.connect(self._on_noted)
        self.actions_of_sale.rejected.connect(self.form.show_error)

    def _on_environment(self, environment: Environment) -> None:
        if environment.id == self._shown_in:  # it was edited, and its sales are the same
            self.reload()
            return
        self._shown_in = environment.id
        self._loading = True
        self.selection.clear()
        self.recent.show_loading()
        self.reload()

    def _offer_modes(self, environment: Environment) -> None:
        offered = self._session.console.environments.facts(environment).modes
        for mode, _text in _MODES:
            button = self.modes.button(mode.value)
            button.setEnabled(mode in offered)
            set_tip(button, "" if mode in offered else _("This environment's gateway doesn't offer it."))
        if SaleMode(self.modes.value) not in offered and offered:
            self.modes.choose(offered[0].value)

    def _show_sales(self, sales: Sequence[Sale]) -> None:
        self._loading = False
        self.recent.read(sales)
        if sales and not self.selection.reference:
            self.show_sale(sales[0].reference)
        else:
            self._show_selection()

    def _on_sales(self, changes: list[SaleChanged]) -> None:
        here = self._session.environment.id
        newest = {change.sale.reference: change.sale for change in changes}
        self.recent.take_in([sale for sale in newest.values() if sale.environment_id == here])

    def _on_devices(self) -> None:
        self.recent.name_devices(self.form.device.nicknames)
        self._show_selection()

    def _on_submitted(self) -> None:
        draft = self.form.draft(self._session.environment, SaleMode(self.modes.value))
        self.actions_of_sale.send(draft, self._name_of(draft.device))

    def _on_noted(self, sale: Sale) -> None:
        self._sent_here.add(sale.reference)
        self.selection.select_new(sale)
        bring_into_sight(self.card)  # where its outcome will stand

    def _on_opened(self) -> None:
        self.views.choose(_EXCHANGES)
        self.exchanges.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_view(self, view: str) -> None:
        shown = self.exchanges if view == _EXCHANGES else self.recent
        self._below.setCurrentWidget(shown)
        self.exchanges.search.setVisible(shown is self.exchanges)
        self.selection.show_exchanges(shown=shown is self.exchanges)
        self._share_height()
        if shown is self.exchanges:
            bring_into_sight(shown)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def _on_theme(self) -> None:
        QTimer.singleShot(0, self, self._fit)  # once the new fonts have been measured

    def _fit(self) -> None:
        if content := self._scroll.widget():
            bar = self._scroll.verticalScrollBar().sizeHint().width()
            self._scroll.setMinimumWidth(content.minimumSizeHint().width() + bar)
        self.setMinimumWidth(self.minimumSizeHint().width())
        self._share_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._share_height()
        return super().eventFilter(watched, event)

    def _share_height(self) -> None:
        """Give what is below the card the height that is left, and let one thing scroll at most.

        That is the list of sales, or where even a few of them have no room, the panel with the whole list in it.
        """
        is_exchanges = self._below.currentWidget() is self.exchanges
        # On a low panel what one reads needs the room more than what the card says besides.
        self.card.show_brief(brief=is_exchanges and self.height() < scaled(_HIGH_PX))
        self.card.show_low(low=self.height() < scaled(_LOW_PX), lowest=self.height() < scaled(_LOWEST_PX))
        content = self._scroll.widget()
        inside = content.layout() if content else None
        if inside is None:
            return
        rows = self.recent.model().rowCount()
        whole = self.recent.height_for_rows(max(rows, _LEAST_ROWS))
        whole += self.recent.horizontalScrollBar().sizeHint().height()
        least = self.recent.height_for_rows(min(max(rows, 1), _LEAST_ROWS))
        if is_exchanges:
            least = whole = max(least, self.exchanges.minimumSizeHint().height())
        needed = inside.totalHeightForWidth(self._scroll.width()) - self._below.minimumHeight()
        fits = not self._is_whole and needed + least <= self._scroll.height()
        self._below.setMinimumHeight(least if fits else whole)
        self._scroll.setMinimumHeight(
            inside.totalHeightForWidth(self._scroll.width()) if self._is_whole else 0
        )

    def _show_selection(self) -> None:
        sale = self.selection.sale
        if sale is None:
            if self._loading or self.selection.reference:
                self.card.show_empty(READING)
            self._show_progress()
        else:
            device, here = self._name_of(sale.device), self._session.environment
            environment = here if sale.environment_id == here.id else None
            self.card.show_sale(sale, self.selection.events, device, environment, self.selection.account)
            self._go_to_step(0)
            self.card.show_next(FIRST_APPROVED if self._is_first_approved(sale) else "")
        self.recent.mark(self.selection.reference)
        key = sale.key_name if sale else ""
        self.exchanges.show_sale(self.selection.reference, self.selection.exchanges, key)

    def _is_first_approved(self, sale: Sale) -> bool:
        """Tell whether a sale is the first that was approved here, in practice and in this run."""
        sales = (row.sale for row in self.recent.model().items)
        approved = [one.reference for one in sales if one.outcome is Outcome.APPROVED]
        practice = self._session.environment.kind is EnvironmentKind.PRACTICE
        return practice and sale.reference in self._sent_here and approved == [sale.reference]

    def _show_progress(self) -> None:
        if self._loading:
            return
        if self.selection.sale is not None or self.selection.reference:
            self._go_to_step(0)
            return
        step = self.card.first_steps.show_progress(
            self._session.environment,
            has_key=bool(self.form.key.keys),
            device=self._name_of(self.form.device.device_id),
        )
        # The first practice sale begins with a key, and where keys are it is said how.
        practice = self._session.environment.kind is EnvironmentKind.PRACTICE
        if step == _KEY_STEP and practice:
            self.card.show_empty(NO_SALE_YET, _WILL_STAND_HERE)
        else:
            self.card.show_empty(TITLE, first_steps=True)
        self._go_to_step(step)
        if step == _SEND_STEP and self._leads_on and self.form.send.isEnabled():
            self._leads_on = False
            self._on_step(step)

    def _go_to_step(self, step: int) -> None:
        if step != self._first_step:
            self._first_step = step
            self.first_step_changed.emit(step)

    def _on_step(self, step: int) -> None:
        if step == _KEY_STEP:
            self.key_wanted.emit()
            return
        control = self.form.device.editor if step == _DEVICE_STEP else self.form.send
        control.setFocus(Qt.FocusReason.OtherFocusReason)
        bring_into_sight(self)

    def _name_of(self, device: str) -> str:
        return self.form.device.nicknames.get(device) or device

    def _lay_out(self) -> None:
        top = WrappingRow([label(_("Sale test"), "title"), self.modes], spread=True)
        self._below = _Below()
        self._below.addWidget(self.recent)
        self._below.addWidget(self.exchanges)
        self.exchanges.search.hide()
        self._scroll = PageFrame(self)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget(self._scroll.viewport())
        views = WrappingRow([self.views, self.exchanges.search], spread=True)
        in_column(top, self.form, self.card, views, (self._below, 1), within=content, spacing=6)
        self._scroll.hold(content)
        content.installEventFilter(self)
        in_column(self._scroll, within=self, margins=(16, 14, 16, 4))
