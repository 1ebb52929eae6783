"""The Security Keys panel: the table with the chosen key's card below it, and Add a New Key in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QStackedLayout, QWidget

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, KeysChanged, KeySettled, RotationChanged, SaleChanged
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.sales.sale import Mark
from keybench.ui.bench.keys_table import KeyFinder, KeyTable
from keybench.ui.bench.no_keys import NoKeys
from keybench.ui.bench.settling import settled_notice
from keybench.ui.kit.boxes import in_column
from keybench.ui.kit.form import error_text
from keybench.ui.kit.labels import button, label, prose
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.ui.shared.keys.card import KeyCard
from keybench.ui.shared.list_page import lead_to_rows
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.formats import number
from keybench.words.language import _, ngettext
from keybench.workflows.keys.add import AddedKey

if TYPE_CHECKING:
    from keybench.ui.bench.add_key import AddKeyView

_MINUTE_MS: Final = 60_000
#: The register is read so long after the keys were first asked for.
_LATER_MS: Final = 1500
#: Many sales at once are shown together.
_GATHER_MS: Final = 500
_BUTTONS: Final = (
    *("key.test", "key.reveal", "key.copy", "key.give_value", "key.rotate", "key.diagnose"),
    "key.not_compromised",
)
#: In a panel lower than this, in pixels at 13 px text, the rows of the table need the room more than some facts.
_LOW_PX: Final = 720


class KeysPanel(QFrame):
    """The keys of the environment the window shows.

    Signals:
        key_chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
        loaded: The keys are listed, or why they can't be is shown.
        first_added: The key of a first sale was added here.
    """

    key_chosen = Signal(object)
    loaded = Signal()
    first_added = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._session = session
        self._clock = session.console.clock
        self._listing = Reading(
            session,
            f"list keys for panel {id(self)}",
            self._read,
            self._show_rows,
            on_unread=self._on_load_error,
            on_slow=self._on_slow,
        )
        self._wanted = ""
        self._drafts: dict[str, KeyDraft] = {}
        self._adding: AddKeyView | None = None
        self._added: AddedKey | None = None
        self._first_step = 0
        self.add_button = button(_("Add a New Key"), self.add_new_key, tone="primary")
        self._title = label(_("Security Keys"), "title")
        self._count = label("", "dim")
        # From the outside in: each time a widget gets another parent, Qt looks up the style of all within it.
        # And from the top down: Tab goes from one to the next as they came here.
        self._list = QWidget(self)
        self._head = WrappingRow((self._title, self._count, self.add_button), spread=True, parent=self._list)
        self.finder = KeyFinder(self._list)
        self.filter: QLineEdit = self.finder.filter
        self._states = QWidget(self._list)
        self._both = QWidget(self._states)
        self.table = KeyTable(session.preferences, self._clock.now, self._both)
        self.details = KeyCard(session, self._both, buttons=_BUTTONS)
        self.table.set_row_actions(self.details.row_actions)
        self.table.addAction(self.details.rename_action)  # its shortcut works where the key is chosen, too
        self._empty = NoKeys(session)
        self._empty.steps.step_wanted.connect(self.add_new_key)
        self._words: QLabel = prose("", "dim")
        # Reading the register imports what a start has no time for.
        self._with_register = False
        self._register_soon = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._register_soon.timeout.connect(self._load_register)
        self._register_soon.start()
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._gather.timeout.connect(self.load)
        self._lay_out()
        self.filter.textChanged.connect(self.table.search)
        lead_to_rows(self.filter, self.table)
        self.finder.kind_changed.connect(self._on_kind)
        self.table.chosen.connect(self._on_chosen)
        self.table.opened.connect(self.details.focus_buttons)
        self.table.model().changed.connect(self._show_count)
        self.details.report.came.connect(self.table.keep_in_sight)
        self.details.forgotten.connect(self._on_forgotten)
        self._minute = QTimer(self, interval=_MINUTE_MS)
        self._minute.timeout.connect(self.refresh_times)
        self._minute.start()
        session.environment_changed.connect(self._on_environment)
        session.ending.connect(self._on_ending)
        session.subscribe(
            self,
            {
                KeysChanged: self._on_keys_changed,
                KeySettled: self._on_settled,
                RotationChanged: self._on_register_changed,
                ApplicationsChanged: self._on_register_changed,
                SaleChanged: self._on_sale,
            },
        )
        self._show_loading()
        # The window is built before the loop runs; the first turn of the loop loads the keys.
        QTimer.singleShot(0, self, self.load)

    @property
    def adding(self) -> AddKeyView | None:
        return self._adding

    @property
    def words(self) -> str:
        """What stands in place of the table; empty while it is shown."""
        if not self._empty.isHidden():
            return self._empty.words
        return "" if self._words.isHidden() else self._words.text()

    def add_new_key(self, *_how: object) -> None:
        if self._adding:
            self._adding.begin()
            return
        from keybench.ui.bench.add_key import AddKeyView  # noqa: PLC0415 - a start adds nothing

        self.details.value.hide_value()
        environment = self._session.environment
        view = AddKeyView(
            self._session, self.table.keys, self._drafts.get(environment.id), is_first=self._is_first
        )
        view.left.connect(self._on_left)
        view.added.connect(self._on_added)
        self._adding = view
        self._pages.addWidget(view)
        self._pages.setCurrentWidget(view)
        view.begin()

    def show_first_step(self, step: int) -> None:
        """Lead to a first sale.

        Args:
            step: The step that is next: 1 is to add a key; 0 where there is nothing to lead to.
        """
        self._first_step = step
        self._empty.show_first(first=self._is_first)
        # One primary button, where the next step is.
        set_role(self.add_button, "tone", "plain" if step > 1 else "primary")

    @property
    def _is_first(self) -> bool:
        return self._first_step == 1 and self._session.environment.kind is EnvironmentKind.PRACTICE

    def choose(self, key_id: str) -> None:
        self._wanted = key_id
        if any(key.id == key_id for key in self.table.keys):
            self._wanted = ""
            self.table.choose(key_id)

    def refresh_times(self) -> None:
        self.table.refresh_times()
        self.details.refresh_times()
        self._on_register_changed()

    def load(self) -> None:
        self._listing.request()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_register_changed()

    # --- the list ------------------------------------------------------------------------------------

    def _show_loading(self) -> None:
        """Show nothing of the keys before; say that they are being loaded if that takes long."""
        self.table.show_rows(())
        self._show_words("")

    def _on_slow(self) -> None:
        self._words.setText(_("Loading the keys…"))

    async def _read(self) -> Sequence[InventoryRow]:
        """Return the keys, at first without what the register says of them."""
        environment = self._session.environment
        if self._with_register:
            return await self._session.administration.inventory.rows(environment)
        return [
            InventoryRow(key, environment) for key in await self._session.console.keys.listed(environment)
        ]

    def _show_rows(self, rows: Sequence[InventoryRow]) -> None:
        environment, keys = self._session.environment, [row.key for row in rows]
        self.table.show_rows(rows)
        if keys:
            self._show_state(self._both)
            self.choose(self._wanted)
            if self.table.key is None:  # the one that is sold with, if that is told as usual
                sold_with = self._session.preferences.of_sale(environment.id, "key")
                self.table.choose(next((k.id for k in keys if k.id == sold_with and not k.compromised), ""))
            if self.table.key is None:
                self.table.choose_first()
        else:
            facts = self._session.console.environments.facts(environment)
            self._empty.show_gateway(can_create=facts.can_create_keys)
            self._show_state(self._empty)
        if self._adding:
            self._adding.form.know_keys(keys)
        self.loaded.emit()

    def _on_load_error(self, error: KeybenchError) -> None:
        self._show_words(_("The keys can't be listed. {error_text}").format(error_text=error_text(error)))
        self.loaded.emit()

    def _show_words(self, text: str) -> None:
        self._words.setText(text)
        self._show_state(self._words)

    def _show_state(self, state: QWidget) -> None:
        """Show the table, or what there is to say instead of it; without keys there is nothing to look for."""
        for one in (self._both, self._empty, self._words):
            one.setVisible(one is state)
        self.finder.setHidden(state is self._empty)
        self._show_count()

    def _show_count(self) -> None:
        """Show how many keys there are, and how many of them are shown; tell if the chosen one isn't."""
        chosen = self.table.key
        self.details.head.show_listed(listed=not chosen or self.table.model().number(chosen.id) >= 0)
        count, shown = len(self.table.keys), self.table.model().rowCount()
        words = number(count) if count else ""
        if shown != count:
            words = _("{shown} of {count}").format(shown=number(shown), count=number(count))
        self._count.setText(words)
        spoken = ngettext("{words} key", "{words} keys", count).format(words=words)
        self._count.setAccessibleName(spoken if words else "")

    def _on_kind(self, kind: KeyKind | None) -> None:
        self.table.show_kind(kind)

    def _on_chosen(self, row: InventoryRow | None) -> None:
        self.details.show_row(row)
        self.key_chosen.emit(row.key if row else None)
        self._greet()

    def _on_forgotten(self, key_id: str) -> None:
        self.choose(self.table.neighbour(key_id))

    # --- what happens elsewhere ----------------------------------------------------------------------

    def _on_environment(self, _environment: Environment) -> None:
        if self._adding:
            self._adding.leave(keep_draft=True)
        self._empty.show_first(first=self._is_first)
        self._with_register = False
        self._register_soon.start()
        self._show_loading()
        self.load()

    def _on_keys_changed(self, event: KeysChanged) -> None:
        if event.environment_id == self._session.environment.id:
            self.load()

    def _load_register(self) -> None:
        self._with_register = True
        self.load()

    def _on_register_changed(self, *_event: object) -> None:
        if self._with_register:
            self.load()

    def _on_sale(self, changed: SaleChanged) -> None:
        if changed.event.mark in {Mark.ACCEPTED, Mark.OUTCOME} and changed.sale.was_sent:
            self._gather.start()

    def _on_settled(self, event: KeySettled) -> None:
        settled = event.settled
        was_asked = settled.key or settled.plan.making.asked_at
        if was_asked and not (self._adding and self._adding.take_settled(settled)):
            self._session.notify(settled_notice(settled))

    def _on_ending(self) -> None:
        if self._adding:
            self._adding.form.value.reset()

    # --- Add a New Key -------------------------------------------------------------------------------

    def _on_left(self, draft: KeyDraft | None) -> None:
        if self._close_adding(draft):
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_added(self, added: AddedKey) -> None:
        is_first = self._is_first
        if self._close_adding(None):
            self.finder.clear()
            self._added = None if is_first else added
            self.choose(added.key.id)
            self.load()
            self._greet()
        if is_first:
            self.first_added.emit()

    def _close_adding(self, draft: KeyDraft | None) -> bool:
        """Go back to the list, with what was typed kept if that is wanted; tell whether it was open."""
        view, self._adding = self._adding, None
        if view is None:
            return False
        self._drafts.pop(view.environment.id, None)
        if draft:
            self._drafts[view.environment.id] = draft
        self._pages.setCurrentWidget(self._list)
        self._pages.removeWidget(view)
        view.deleteLater()
        return True

    def _greet(self) -> None:
        key = self.table.key
        if not self._added or not key or key.id != self._added.key.id:
            return
        pasted = not self._added.key.gateway_id
        self._added = None
        if self.isVisible():  # on another page somebody types by now
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        if pasted:
            self.details.test()
            self.details.offer_to_clear(key)

    # --- layout --------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.details.facts.show_low(low=self.height() < scaled(_LOW_PX))

    def _lay_out(self) -> None:
        in_column((self.table, 1), self.details, within=self._both, spacing=12)
        # No stack, which is as high as the highest.
        in_column(self._both, self._empty, self._words, within=self._states)
        in_column(self._head, self.finder, (self._states, 1), within=self._list, spacing=12)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._list)
        in_column(self._pages, within=self, margins=(16, 14, 16, 16))
