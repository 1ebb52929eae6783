"""The chosen sale of the History page: what became of it, its timeline, and its exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QSizePolicy

from keybench.core.sales.forensics import Account
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, framed, in_column
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.labels import line
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.sales.actions import SaleActions
from keybench.ui.shared.sales.exchanges import Exchanges
from keybench.ui.shared.sales.outcome_card import OutcomeCard
from keybench.ui.shared.session import Place, Session
from keybench.words.language import _
from keybench.words.sales import card as sale_words
from keybench.words.sales.forensics import times_sentence
from keybench.words.sales.ticket import SaleRecord, place_line, ticket_text

EXCHANGES: Final = "exchanges"
OUTCOME: Final = "outcome"
#: The least height of the exchanges, in pixels at 13 px text.
_LEAST_PX: Final = 140


class SaleDetail(OutcomeCard):
    """One line with state, amount and place, and below it the exchanges or what became of the sale."""

    def __init__(self, session: Session, actions: SaleActions) -> None:
        self._told: SaleRecord | None = None
        self._is_read = False
        super().__init__(session, actions)
        self.setProperty("role", "")

    def show_empty(self, title: str, text: str = "", *, first_steps: bool = False) -> None:
        self._told = None
        self.exchanges.show_sale("", [])
        super().show_empty(title, text, first_steps=first_steps)
        self._refresh()

    def show_all(self, told: SaleRecord, *, is_read: bool, account: Account | None = None) -> None:
        """Show a sale with all that is known of it.

        Args:
            told: The sale.
            is_read: Whether its timeline and its exchanges were read. What isn't there before is only not
                known yet: it isn't called "not recorded", and isn't copied so.
            account: What went on while it was under way; None if that wasn't read.
        """
        self._told, self._is_read = told, is_read
        self.show_sale(told.sale, told.events, told.device, told.environment, account)
        where = sale_words.place(told.sale, told.device)
        self.where.setText(f"{where} · {place_line(told) if is_read else told.sale.key_name}")
        self.exchanges.show_sale(told.sale.reference, told.exchanges, told.sale.key_name)
        self._refresh()

    def words_of(self, account: Account) -> Sequence[str]:
        """Return what is said of what went on; here also how long each step took."""
        return [*super().words_of(account), times_sentence(account)]

    def _refresh(self) -> None:
        for action in (self.to_bench, self.to_ticket, self.to_bundle):
            action.refresh()
        self.to_bench.set_tip(
            _("Its environment was removed.") if self._told and not self._has_place() else ""
        )

    def _can_be_copied(self) -> bool:
        return self._told is not None and self._is_read

    def _has_place(self) -> bool:
        return bool(self._told and self._told.environment)

    def _on_bench(self) -> None:
        if self._told and self._told.environment:
            self._session.ask(Place("bench", self._told.environment, self._told.sale.reference))

    def _on_ticket(self) -> None:
        if self._told:
            words = _("The sale, its timeline and its requests, without keys.")
            self._session.copy(ticket_text(self._told), _("Copied for the ticket"), words)

    def _on_bundle(self) -> None:
        from keybench.ui.shared.bundle_dialog import save_bundle  # noqa: PLC0415 - few ever need it

        if self._told:
            work = save_bundle(self.window(), self._session, self._told.sale.reference)
            self._session.run("support bundle", work)

    def _show_tab(self) -> None:
        is_outcome = self.tabs.value == OUTCOME
        self.said.setVisible(is_outcome)
        for widget in (self.exchanges, self.exchanges.search):
            widget.setVisible(not is_outcome)

    def _lay_out(self) -> None:
        self.exchanges = Exchanges(self._session, saves=False)
        # What it would like doesn't count, or the detail would scroll while there is room enough.
        self.exchanges.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        keep_size(self.exchanges, least_height=_LEAST_PX)
        self.to_bench = Action(self, "sale.show", self._on_bench, self._has_place)
        self.to_ticket = Action(self, "sale.copy_ticket", self._on_ticket, self._can_be_copied)
        self.to_bundle = Action(self, "sale.bundle", self._on_bundle, self._can_be_copied)
        self.tabs = Segments(
            [(EXCHANGES, _("Exchanges")), (OUTCOME, _("Outcome"))], name=_("What is shown of the sale")
        )
        self.tabs.changed.connect(self._show_tab)
        own = map(ActionButton, (self.to_bench, self.to_ticket, self.exchanges.save))
        buttons = WrappingRow([*self.buttons, *own], whole=True)
        self._body = framed(
            in_column(
                WrappingRow([self.head, buttons], spread=True),
                WrappingRow([self.tabs, self.exchanges.search], spread=True),
                *(self.said, (self.exchanges, 1)),
            )
        )
        in_column(line(), self._nothing, (self._body, 1), within=self, spacing=10)
        self._show_tab()
