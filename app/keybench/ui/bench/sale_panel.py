"""The Sale test panel: form, outcome, recent sales and exchanges, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.events import OlderDeleted, SaleChanged
from keybench.core.sales.sale import Outcome, Sale, SaleMode
from keybench.ui.bench.sale_form import SaleForm
from keybench.ui.kit.boxes import WrappingRow, bring_into_sight, in_column
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.labels import label, set_tip
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
    "Your first approved sale. Next, try another amount, watch the tour (Help), or add a gateway of your own (Settings)."
)
_MODES: Final = (
    (SaleMode.ASYNCHRONOUS, _("Asynchronous")),
    (SaleMode.SYNCHRONOUS, _("Synchronous")),
    (SaleMode.CLASSIC, _("Classic")),
)
_KEY_STEP, _DEVICE_STEP, _SEND_STEP = 1, 2, 3
_RECENT: Final = "recent"
_EXCHANGES: Final = "exchanges"


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
        self._sales = Reading(
            session,
            "recent sales",
            lambda: session.console.recent_sales(session.environment.id, LIMIT),
            self._show_sales,
        )
        self._shown_in = session.environment.id
        self._loading = True
        self._leads_on = False
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

    def show_sale(self, reference: str) -> None:
        row = self.recent.model().item(reference)
        self.selection.select(reference, row.sale if row else None)

    def lead_on(self) -> None:
        self._leads_on = True
        self._show_progress()

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
        self.selection.select_new(sale)
        bring_into_sight(self.card)  # where its outcome will stand

    def _on_opened(self) -> None:
        self.views.choose(_EXCHANGES)
        self.exchanges.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_view(self, view: str) -> None:
        is_exchanges = view == _EXCHANGES
        self.recent.setHidden(is_exchanges)
        self.card.said.setHidden(is_exchanges)  # what one reads has its room
        for widget in (self.exchanges, self.exchanges.search):
            widget.setVisible(is_exchanges)
        if is_exchanges:
            bring_into_sight(self.exchanges)

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
            self.first_step_changed.emit(0)
            self.card.hint.show_text(FIRST_APPROVED if self._is_first_approved(sale) else "")
        self.recent.mark(self.selection.reference)
        key = sale.key_name if sale else ""
        self.exchanges.show_sale(self.selection.reference, self.selection.exchanges, key)

    def _is_first_approved(self, sale: Sale) -> bool:
        """Tell whether a sale is the first that was approved here, in practice."""
        sales = (row.sale for row in self.recent.model().items)
        approved = [one.reference for one in sales if one.outcome is Outcome.APPROVED]
        practice = self._session.environment.kind is EnvironmentKind.PRACTICE
        return practice and approved == [sale.reference]

    def _show_progress(self) -> None:
        if self._loading:
            return
        if self.selection.sale is not None or self.selection.reference:
            self.first_step_changed.emit(0)
            return
        step = self.card.first_steps.show_progress(
            self._session.environment,
            has_key=bool(self.form.key.keys),
            device=self._name_of(self.form.device.device_id),
        )
        # The first practice sale begins with a key, and where keys are it is said how; a lesson has steps itself.
        practice = self._session.environment.kind is EnvironmentKind.PRACTICE
        if (step == _KEY_STEP and practice) or self._session.room:
            self.card.show_empty(NO_SALE_YET, _WILL_STAND_HERE)
        else:
            self.card.show_empty(TITLE, first_steps=True)
        self.first_step_changed.emit(step)
        if step == _SEND_STEP and self._leads_on and self.form.send.isEnabled():
            self._leads_on = False
            self._on_step(step)

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
        self.exchanges.hide()
        self.exchanges.search.hide()
        views = WrappingRow([self.views, self.exchanges.search], spread=True)
        parts = top, self.form, self.card, views, (self.recent, 1), (self.exchanges, 1)
        in_column(*parts, within=self, margins=(16, 14, 16, 4), spacing=4)
