"""The Inventory view: every environment's keys, found as one types, and what is done with those chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from PySide6.QtCore import QPoint, QTimer

from keybench.core.events import (
    ApplicationsChanged,
    DevicesChanged,
    EnvironmentsChanged,
    JournalStood,
    KeysChanged,
    RotationChanged,
    SaleChanged,
)
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.core.sales.sale import Mark
from keybench.ui.keys.contradictions import Contradictions
from keybench.ui.keys.importing import ImportView
from keybench.ui.keys.testing import KeyTestsBar
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.labels import button
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import scaled
from keybench.ui.shared.export_bar import ExportBar
from keybench.ui.shared.keys.card import KeyCard
from keybench.ui.shared.keys.columns import key_columns, words_of_row
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import Session
from keybench.words.language import _, ngettext, number
from keybench.words.team.edits import queued_words
from keybench.words.team.holdings import lacking_line

NO_KEYS: Final = _(
    "No keys yet. Add a New Key on the Bench, or import a list of the keys you have: descriptions only, "
    "never values."
)
NOTHING_FOUND: Final = _("No key matches. Search for fewer words.")
#: In a view lower than this, in pixels at 13 px text, the rows need the room more than some facts of the card.
_LOW_PX: Final = 600
_BUTTONS: Final = (
    *("key.describe", "key.give_value", "key.applications", "key.rotate", "key.diagnose"),
    "key.not_compromised",
)


class InventoryView(ListPage[InventoryRow]):
    """The view."""

    stale_after = (
        *(KeysChanged, ApplicationsChanged, EnvironmentsChanged, RotationChanged),
        *(DevicesChanged, JournalStood),  # for edits that contradict or are queued
    )

    def __init__(self, session: Session) -> None:
        model = TableModel(key_columns(session.console.clock.now), lambda row: row.key.id, words=words_of_row)
        search = search_field(
            _("Find keys"), _("Find by name, user, owner, environment, state, fingerprint…")
        )
        table = Table(_("Key inventory"), model, several=True)
        super().__init__(session, "keys/inventory", table, search)
        self._wanted_keys: Sequence[str] = ()
        self._lacking = ""
        self.test = Action(self, "keys.test", lambda: self.tests.test(table.selection), self._can_test)
        self.take = Action(self, "keys.import", self._on_import)
        Action(self, "keys.template", self._on_template)
        self.card = KeyCard(session, buttons=_BUTTONS, several=True)
        table.set_row_actions([self.test, *self.card.row_actions])
        table.addAction(self.card.rename_action)  # its shortcut works where the key is chosen, too
        self.columns = button(_("Columns"), self._on_columns)
        self.export = ExportBar(
            session,
            name="keys",
            title=_("Export keys"),
            wanted=self._shown,
            write=lambda rows, path, _progress: session.administration.inventory.export(path, rows),
            exported=lambda count: ngettext("Exported 1 key", "Exported {count} keys", count),
        )
        self.tests = KeyTestsBar(session, self.test)
        self.contradictions = Contradictions(session)
        self._paint = QTimer(self, singleShot=True, interval=0)
        self.lay_out(
            actions=[self.export, ActionButton(self.take)],
            tools=[search, self.columns],
            below=[self.contradictions, self.tests],
            detail=self.card,
        )
        self._paint.timeout.connect(lambda: table.setUpdatesEnabled(True))
        self.tests.running_changed.connect(self.test.refresh)
        table.opened.connect(self.card.describe_action.trigger)
        session.subscribe(self, {SaleChanged: self._on_sale})
        self.show_row(None)

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        self._wanted_keys = tuple(key.id for key in keys)
        self.search.clear()
        self._choose_wanted()

    @cached_property
    def taking(self) -> ImportView:
        """The preview of a list to import; most visits need none."""
        return ImportView(self.session, self)

    def show_low(self, *, low: bool) -> None:
        self.card.facts.show_low(low=low or self.height() < scaled(_LOW_PX))

    # --- reading -------------------------------------------------------------------------------------

    async def read(self) -> Sequence[InventoryRow]:
        """Return all keys; at first they are shown without what else is known of them."""
        inventory = self.session.administration.inventory
        self.contradictions.show_found(await inventory.contradictions())
        if not self.model.items:
            self.show_rows(await inventory.keys_alone())
        rows = await inventory.rows()
        self._lacking = lacking_line(self.session.console.team.lacking(rows))
        return rows

    def show_rows(self, rows: Sequence[InventoryRow]) -> None:
        # Taking thousands of rows in and painting them are two turns of the loop, so that none is long.
        self.table.setUpdatesEnabled(False)
        self._paint.start()
        super().show_rows(rows)
        self._choose_wanted()

    def _on_sale(self, changed: SaleChanged) -> None:
        if changed.event.mark in {Mark.ACCEPTED, Mark.OUTCOME} and changed.sale.was_sent:
            self.on_event(changed)

    def empty_words(self) -> str:
        return NOTHING_FOUND if self.model.items else NO_KEYS

    def summary(self) -> str:
        rows, shown = self.model.items, self.model.rowCount()
        if not rows:
            return ""
        keys = ngettext("1 key", "{count} keys", len(rows))
        environments = len({row.environment.id for row in rows})
        where = ngettext("one environment", "{count} environments", environments)
        text = _("{keys} in {where}").format(keys=keys, where=where)
        text += queued_words(self.session.console.world.journal.standing, [row.key.id for row in rows])
        if shown != len(rows):
            text = _("{text} · {number} found").format(text=text, number=number(shown))
        return f"{text} · {self._lacking}" if self._lacking else text

    def _choose_wanted(self) -> None:
        if self.model.items and self._wanted_keys and self.table.select_all_of(self._wanted_keys):
            self._wanted_keys = ()

    # --- choosing and doing --------------------------------------------------------------------------

    def show_row(self, row: InventoryRow | None) -> None:
        self.test.refresh()
        self.tests.show_chosen(self.table.selection)
        self.card.show_row(row)

    def _can_test(self) -> bool:
        return self.is_chosen() and not self.tests.is_running

    # --- files ---------------------------------------------------------------------------------------

    def _shown(self) -> Sequence[InventoryRow]:
        chosen = self.table.selection
        return chosen if len(chosen) > 1 else tuple(self.model.rows)

    def _on_import(self) -> None:
        self.taking.ask_file()

    def _on_template(self) -> None:
        self.taking.save_template()

    def _on_columns(self) -> None:
        self.table.columns.show_menu(self.columns.mapToGlobal(QPoint(0, self.columns.height())))
