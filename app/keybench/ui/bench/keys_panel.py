"""The Security Keys panel: the environment's keys with the chosen one's card, or how to get one; and Add a New Key in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, KeysChanged, KeySettled, RotationChanged, SaleChanged
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyDraft, KeyKind, SecurityKey
from keybench.core.sales.sale import Mark
from keybench.ui.bench.settling import settled_notice
from keybench.ui.kit.boxes import framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.shared.keys.card import KeyCard
from keybench.ui.shared.keys.columns import bench_columns, words_of_row
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.sales.first_steps import TITLE, FirstSteps
from keybench.ui.shared.session import Session, ShowKeys
from keybench.words.language import _, ngettext, number
from keybench.workflows.keys.add import AddedKey

if TYPE_CHECKING:
    from keybench.ui.bench.add_key import AddKeyView

_MINUTE_MS: Final = 60_000
#: The register is read so long after the keys were first asked for: it imports what a start has no time for.
_LATER_MS: Final = 1500
_BUTTONS: Final = (
    *("key.test", "key.reveal", "key.copy", "key.give_value", "key.rotate", "key.diagnose"),
    "key.not_compromised",
)
#: In a panel lower than this, in pixels at 13 px text, the rows of the table need the room more than some facts.
_LOW_PX: Final = 720
#: From which width of the table on, in pixels at 13 px text, a column is shown unless a person decides otherwise.
#: None comes or goes with what the rows say; the card below the table has it all.
_SHOWN_FROM: Final = {"username": 490, "kind": 430, "used": 310}
_ALL: Final = "all"
#: What the filter needs beside the kinds, in pixels at 13 px text; with less, each has a line of its own.
_FILTER_PX: Final = 130
_NONE_OF_KIND: Final = {
    KeyKind.PRIVATE.value: _("No private keys. They are for servers and tills, and only they can sell."),
    KeyKind.PUBLIC.value: _("No public keys. They are for web pages and apps, and can't sell."),
}


class KeysPanel(ListPage[InventoryRow]):
    """The inventory of the environment the window shows.

    Attributes:
        find_elsewhere: Returns the field that is searched where somebody works beside the panel; None for its own.

    Signals:
        key_chosen: Another key is chosen, or what is known of it may have changed (a `SecurityKey` or None).
        loaded: The keys are listed, or why they can't be is shown.
        first_added: The key of a first sale was added here.
    """

    key_chosen = Signal(object)
    loaded = Signal()
    first_added = Signal()

    stale_after: ClassVar[tuple[type[Any], ...]] = (KeysChanged, RotationChanged, ApplicationsChanged)
    loading_text = _("Loading the keys…")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        model = TableModel(
            bench_columns(session.console.clock.now), lambda row: row.key.id, words=words_of_row
        )
        table = Table(_("Security keys"), model)
        table.columns.show_from(_SHOWN_FROM)
        table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        search = search_field(_("Filter keys"), _("Filter by name, user, purpose, fingerprint…"))
        super().__init__(session, "bench/security keys", table, search, parent)
        self.find_elsewhere: Callable[[], QLineEdit | None] = lambda: None
        self._all: Sequence[InventoryRow] = ()
        self._chosen: InventoryRow | None = None
        self._drafts: dict[str, KeyDraft] = {}
        self.adding: AddKeyView | None = None
        self._added: AddedKey | None = None
        self._first_step = 0
        self.add_button = button(_("Add a New Key"), self.add_new_key, tone="primary")
        choices = (_ALL, _("All")), (KeyKind.PRIVATE.value, _("Private")), (KeyKind.PUBLIC.value, _("Public"))
        self.kinds = Segments(choices, _("Kind of the keys shown"))
        self.finder = framed(in_row_or_column((search, 1), self.kinds, from_px=self._one_line_px))
        self.details = KeyCard(session, self, buttons=_BUTTONS)
        table.set_row_actions(self.details.row_actions)
        table.addAction(self.details.rename_action)  # its shortcut works where the key is chosen, too
        self.no_keys = NoKeys(session)
        self.no_keys.steps.step_wanted.connect(self.add_new_key)
        self.lay_out(
            title=_("Security Keys"),
            actions=[self.add_button],
            tools=[self.finder],
            below=[self.details, self.no_keys],
            actions_first=True,
        )
        self._show_keys(are_there=True)
        self.show_row(None)
        self._register_soon = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._register_soon.timeout.connect(self.refresh)
        self._register_soon.start()
        minute = QTimer(self, interval=_MINUTE_MS)
        minute.timeout.connect(self.refresh_times)
        minute.start()
        self.kinds.changed.connect(self._show_kind)
        table.opened.connect(self.details.focus_buttons)
        self.details.report.came.connect(self._on_report)
        session.environment_changed.connect(self._on_environment)
        session.ending.connect(self._on_ending)
        session.subscribe(self, {KeySettled: self._on_settled, SaleChanged: self._on_sale})

    @property
    def key(self) -> SecurityKey | None:
        """The chosen key."""
        return self._chosen.key if self._chosen else None

    @property
    def keys(self) -> list[SecurityKey]:
        """All keys, shown or not."""
        return [row.key for row in self._all]

    def show_first_step(self, step: int) -> None:
        """Lead to a first sale.

        Args:
            step: The step that is next: 1 is to add a key; 0 where there is nothing to lead to.
        """
        self._first_step = step
        self.no_keys.show_first(first=self._is_first)
        # One primary button, where the next step is.
        set_role(self.add_button, "tone", "plain" if step > 1 else "primary")

    @property
    def _is_first(self) -> bool:
        return self._first_step == 1 and self.session.environment.kind is EnvironmentKind.PRACTICE

    def refresh_times(self) -> None:
        self.table.viewport().update()
        self.refresh()

    def field_to_find_in(self) -> QLineEdit:
        return self.find_elsewhere() or self.search

    # --- the list ------------------------------------------------------------------------------------

    def wanted(self) -> Environment:
        return self.session.environment

    async def read(self) -> Sequence[InventoryRow]:
        """Return the keys, at first without what the register says of them."""
        environment = self.session.environment
        if self._register_soon.isActive():
            keys = await self.session.console.keys.listed(environment)
            return [InventoryRow(key, environment) for key in keys]
        return await self.session.administration.inventory.rows(environment)

    def show_rows(self, rows: Sequence[InventoryRow]) -> None:
        self._all = rows
        self._show_kind()
        self._show_keys(are_there=bool(rows))
        if self._chosen is None:
            self._choose_usual()
        if self.adding:
            self.adding.form.know_keys(self.keys)
        self.loaded.emit()

    def _show_kind(self) -> None:
        kind = self.kinds.value
        super().show_rows([row for row in self._all if kind in {_ALL, row.key.kind}])

    def show_words(self) -> None:
        super().show_words()
        if self.key and self.table.selected is None:
            self.table.select(self.key.id)

    def _choose_usual(self) -> None:
        """Choose the key near by where the chosen one went; at first the one that was sold with, if it is sound."""
        near, rows = self.table.currentIndex().row(), self.model.rows
        if near < 0:
            sold_with = self.session.preferences.of_sale(self.session.environment.id, "key")
            near = next((at for at, row in enumerate(rows) if row.key.id == sold_with), 0)
            near = 0 if rows and rows[near].key.compromised else near
        if rows:
            self.table.select_row(near)

    def _show_keys(self, *, are_there: bool) -> None:
        """Show the keys, or how to get one; without keys there is nothing to look for."""
        if not are_there:
            facts = self.session.console.environments.facts(self.session.environment)
            self.no_keys.show_gateway(can_create=facts.can_create_keys)
        for one in (self.finder, self.table, self.details):
            one.setVisible(are_there)
        self.no_keys.setVisible(not are_there)

    def on_error(self, error: KeybenchError) -> None:
        super().on_error(error)
        self.loaded.emit()

    def show_row(self, row: InventoryRow | None) -> None:
        """Show a key's card; one that is filtered away stays chosen."""
        if row is None and self.key:
            row = next((one for one in self._all if one.key.id == self.key.id), None)
        self._chosen = row
        self.details.show_row(row)
        self.key_chosen.emit(row.key if row else None)
        self._greet()

    def show_low(self, *, low: bool) -> None:
        self.details.facts.show_low(low=low or self.height() < scaled(_LOW_PX))

    def summary(self) -> str:
        """Return how many keys there are, and how many of them are shown."""
        count, shown = len(self._all), self.model.rowCount()
        if not count:
            return ""
        if shown == count:
            return ngettext("1 key", "{count} keys", count)
        return _("{shown} of {count}").format(shown=number(shown), count=number(count))

    def empty_words(self) -> str:
        if not self._all:
            return ""
        return _("No key matches the filter.") if self.model.items else _NONE_OF_KIND[self.kinds.value]

    def _one_line_px(self) -> int:
        return self.kinds.sizeHint().width() + 8 + scaled(_FILTER_PX)

    # --- what happens elsewhere ----------------------------------------------------------------------

    def _on_environment(self, _environment: Environment) -> None:
        if self.adding:
            self.adding.leave(keep_draft=True)
        self.no_keys.show_first(first=self._is_first)
        self._all = ()  # nothing of the keys before
        self.model.show(())
        self._show_keys(are_there=True)
        self.status.setText("")
        self.table.empty_text = self.loading_text
        self.refresh()

    def on_event(self, event: object) -> None:
        if not isinstance(event, KeysChanged):
            super().on_event(event)
        elif event.environment_id == self.session.environment.id:
            self.refresh()

    def _on_sale(self, changed: SaleChanged) -> None:
        if changed.event.mark in {Mark.ACCEPTED, Mark.OUTCOME} and changed.sale.was_sent:
            self.on_event(changed)

    def _on_settled(self, event: KeySettled) -> None:
        settled = event.settled
        was_asked = settled.key or settled.plan.making.asked_at
        if was_asked and not (self.adding and self.adding.take_settled(settled)):
            self.session.notify(settled_notice(settled))

    def _on_ending(self) -> None:
        if self.adding:
            self.adding.form.value.reset()

    def _on_report(self) -> None:
        """Keep the chosen key in sight: what the card reports takes its room from the table."""
        QTimer.singleShot(0, self.table, lambda: self.table.scrollTo(self.table.currentIndex()))

    # --- Add a New Key -------------------------------------------------------------------------------

    def add_new_key(self, *_how: object) -> None:
        if self.adding:
            self.adding.begin()
            return
        from keybench.ui.bench.add_key import AddKeyView  # noqa: PLC0415 - a start adds nothing

        self.details.value.hide_value()
        draft = self._drafts.get(self.session.environment.id)
        view = self.adding = AddKeyView(self.session, self.keys, draft, is_first=self._is_first)
        view.left.connect(self._on_left)
        view.added.connect(self._on_added)
        self.show_instead(view)
        view.begin()

    def _on_left(self, draft: KeyDraft | None) -> None:
        if self._close_adding(draft):
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_added(self, added: AddedKey) -> None:
        is_first = self._is_first
        if self._close_adding(None):
            self.search.clear()
            self.kinds.choose(_ALL)
            self._added = None if is_first else added
            self.choose(added.key.id)
            self.refresh()
            self._greet()
        if is_first:
            self.first_added.emit()

    def _close_adding(self, draft: KeyDraft | None) -> bool:
        """Go back to the list, with what was typed kept if that is wanted; tell whether it was open."""
        view, self.adding = self.adding, None
        if view is None:
            return False
        self._drafts.pop(view.environment.id, None)
        if draft:
            self._drafts[view.environment.id] = draft
        self.show_instead(None)
        view.deleteLater()
        return True

    def _greet(self) -> None:
        key = self.key
        if not self._added or not key or key.id != self._added.key.id:
            return
        pasted = not self._added.key.gateway_id
        self._added = None
        if self.isVisible():  # on another page somebody types by now
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        if pasted:
            self.details.test()
            self.details.offer_to_clear(key)


_ASKED: Final = (
    (_("Key Name"), _("Such as the till or the program that uses it; one key for each.")),
    (_("Username"), _("The key gets every permission of this user.")),
    (_("Kind"), _("Private for servers and tills, which sell. Public for web pages and apps, which can't.")),
)


class NoKeys(QWidget):
    """Says how a key is made here, what one is asked for, and where a list of keys is imported."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._lead = prose("")
        self.steps = FirstSteps(session)
        self._first, self._usual = QWidget(), QWidget()
        in_column(label(TITLE, "strong"), self.steps, within=self._first, spacing=0)
        asked = QGridLayout()
        asked.setHorizontalSpacing(16)
        asked.setColumnStretch(1, 1)
        for row, (title, text) in enumerate(_ASKED):
            asked.addWidget(label(title, "strong"), row, 0, Qt.AlignmentFlag.AlignTop)
            asked.addWidget(prose(text, "dim"), row, 1)
        to_import = prose(
            _("Is there a list of your keys already? Import it, and give them their values."), "dim"
        )
        go = button(_("Go to Import"), lambda: session.ask(ShowKeys("inventory")))
        in_column(
            label(_("No keys yet"), "strong"),
            self._lead,
            prose(_("You are asked for:"), "dim"),
            asked,
            to_import,
            in_row(go, None),
            within=self._usual,
            spacing=12,
        )
        in_column(self._first, self._usual, None, within=self, margins=(0, 8, 0, 0), spacing=0)
        self._first.hide()

    def show_gateway(self, *, can_create: bool) -> None:
        self._lead.setText(
            _("Add a New Key has this gateway create one.")
            if can_create
            else _(
                "Create one in the portal, then bring its value here with Add a New Key. It is kept in your "
                "keystore and nowhere else."
            )
        )

    def show_first(self, *, first: bool) -> None:
        """Show the steps to a first sale instead, or what is usual again."""
        if first:
            self.steps.show_progress(self._session.environment, has_key=False, device="")
        self._first.setVisible(first)
        self._usual.setVisible(not first)
