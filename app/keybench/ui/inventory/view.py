"""The Inventory view: every environment's keys, found as one types, and what is done with those chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.administration.view import KeysListView
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.inventory.card import KeyCard
from keybench.ui.inventory.columns import inventory_columns, words_of_row
from keybench.ui.inventory.dialogs import ask_owner_and_purpose, ask_value, value_words
from keybench.ui.inventory.importing import KeyTaking
from keybench.ui.inventory.testing import KeyTestsBar
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.labels import button
from keybench.ui.widgets.list_page import search_field
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.words.explain import explain
from keybench.workflows.record_file import Progress

NO_KEYS: Final = (
    "No keys yet. Add a New Key on the Bench, or take over a list of the keys you have: descriptions only, "
    "never values."
)
NOTHING_FOUND: Final = "No key matches. Look for fewer words."


class InventoryView(KeysListView[InventoryRow]):
    """The view.

    Args:
        session: What the window shares.
        preferences: Remembers who takes lists over.
    """

    stale_after = (KeysChanged, ApplicationsChanged, EnvironmentsChanged, RotationChanged)
    _columns_asked = Signal()
    _take_asked = Signal()

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        model = TableModel(inventory_columns(session.console.clock.now), _key, words=words_of_row)
        search = search_field("Find keys", "Find by name, user, owner, environment, state, fingerprint…")
        table = Table("Key inventory", model, several=True)
        super().__init__(session, "keys/inventory", table, search, parent)
        self._session = session
        self._preferences = preferences
        self._wanted_key = ""
        self.columns: QPushButton = button("Columns", self._columns_asked)
        self.take: QPushButton = button("Import…", self._take_asked)
        self.export = ExportBar(session, Export("key", "keys", self._shown, self._export))
        self.tests = KeyTestsBar(session)
        self.card = KeyCard()
        self._paint = QTimer(self, singleShot=True, interval=0)
        self.lay_out(
            title="Inventory",
            actions=[self.export, self.take],
            tools=[search, self.columns],
            below=[self.tests],
            detail=self.card,
        )
        self._paint.timeout.connect(self._on_paint)
        self._columns_asked.connect(self._on_columns)
        self._take_asked.connect(self._on_take)
        self.table.opened.connect(self._on_edit)
        self.tests.asked.connect(self._on_test)
        self.card.edit_asked.connect(self._on_edit)
        self.card.value_asked.connect(self._on_value)
        self.card.applications_asked.connect(self._on_applications)
        self.card.rotation_asked.connect(self._on_rotation)

    def show_key(self, key: SecurityKey) -> None:
        """Choose a key, as soon as it has been read."""
        self._wanted_key = key.id
        self.search.clear()
        self._choose_wanted()

    @cached_property
    def taking(self) -> KeyTaking:
        """What takes lists over; most visits need none."""
        taking = KeyTaking(self._session, self._preferences)
        taking.reading.connect(self._show_reading)
        taking.planned.connect(self._show_import)
        taking.over.connect(self._show_list)
        return taking

    def show_low(self, *, low: bool) -> None:
        """Show less of the key where there is little room."""
        self.card.show_low(low=low)

    # --- reading -------------------------------------------------------------------------------------

    async def read(self) -> Sequence[InventoryRow]:
        """Return all keys; at first they are shown without what else is known of them."""
        inventory = self._session.administration.inventory
        if not self.model.items:
            self.show_rows(await inventory.keys_alone())
        return await inventory.rows()

    def show_rows(self, rows: Sequence[InventoryRow]) -> None:
        """Show keys."""
        # Taking thousands of rows in and painting them are two turns of the loop, so that none is long.
        self.table.setUpdatesEnabled(False)
        self._paint.start()
        super().show_rows(rows)
        self._choose_wanted()

    def _on_paint(self) -> None:
        self.table.setUpdatesEnabled(True)

    def empty_words(self) -> str:
        """Return what is shown where no key is."""
        return NOTHING_FOUND if self.model.items else NO_KEYS

    def summary(self) -> str:
        """Return how many keys there are, and how many were found."""
        rows, shown = self.model.items, self.model.rowCount()
        count = len({row.environment.id for row in rows})
        keys = "1 key" if len(rows) == 1 else f"{len(rows):,} keys"
        where = "one environment" if count == 1 else f"{count:,} environments"
        found = "" if shown == len(rows) else f" · {shown:,} found"
        return f"{keys} in {where}{found}" if rows else ""

    def _choose_wanted(self) -> None:
        if self.model.number(self._wanted_key) >= 0:
            self.table.select(self._wanted_key)
            self._wanted_key = ""

    # --- choosing and doing --------------------------------------------------------------------------

    def show_row(self, row: InventoryRow | None) -> None:
        """Show the current key, and what can be done with those selected."""
        self.tests.show_chosen(self.table.selection)
        self.card.show_row(row, self._session.console.clock.now())

    def _on_test(self) -> None:
        self.tests.test(self.table.selection)

    def _on_edit(self) -> None:
        row = self.table.selected
        if row:
            self._session.run("edit key", self._edit(row), self._on_error)

    async def _edit(self, row: InventoryRow) -> None:
        await ask_owner_and_purpose(self, self._session, row)

    def _on_value(self) -> None:
        row = self.table.selected
        if row:
            self._session.run("give value", self._give(row), self._on_error)

    async def _give(self, row: InventoryRow) -> None:
        added = await ask_value(self, self._session, row)
        if added:
            title = f"“{added.key.name}” has a value"
            tone = "warning" if added.hint else "good"
            self._session.notify(Notice(tone, title, value_words(row.key, added), "value given"))

    def _on_applications(self) -> None:
        row = self.table.selected
        if row:
            self.view_asked.emit("Applications", row.key)

    def _on_rotation(self) -> None:
        row = self.table.selected
        if row:
            self._go_to(row.environment)
            self._session.rotation_wanted.emit(row.key, False)

    def _go_to(self, environment: Environment) -> None:
        self._session.choose_environment(environment)

    def _on_error(self, error: KeybenchError) -> None:
        said = explain(error)
        self._session.notify(Notice("bad", said.title, said.text, "inventory"))

    # --- files ---------------------------------------------------------------------------------------

    def _shown(self) -> Sequence[InventoryRow]:
        """Return what an export takes: the chosen keys if there are several, else all that are shown."""
        chosen = self.table.selection
        return chosen if len(chosen) > 1 else tuple(self.model.rows)

    async def _export(self, rows: Sequence[InventoryRow], path: Path, progress: Progress) -> int:
        return await self._session.administration.inventory.export(path, rows, progress)

    def _on_take(self) -> None:
        self.taking.ask_file(self)

    def _show_reading(self, reading: bool) -> None:  # noqa: FBT001 - the signal's own shape
        self.take.setText("Reading…" if reading else "Import…")
        self.take.setEnabled(not reading)

    def _show_import(self) -> None:
        self.show_instead(self.taking.view)
        if self.isVisible():
            self.taking.view.by.setFocus()

    def _show_list(self) -> None:
        self.show_instead(None)
        if self.isVisible():
            self.table.setFocus()

    def _on_columns(self) -> None:
        self.table.columns.show_menu(self.columns.mapToGlobal(QPoint(0, self.columns.height())))


def _key(row: InventoryRow) -> str:
    return row.key.id
