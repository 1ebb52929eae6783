"""The Inventory view: every environment's keys, found as one types, and what is done with those chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.administration.view import LOW_PX, KeysView
from keybench.ui.export_bar import Export, ExportBar
from keybench.ui.inventory.card import KeyCard
from keybench.ui.inventory.importing import KeyTaking
from keybench.ui.inventory.model import InventoryModel
from keybench.ui.inventory.questions import ask_owner_and_purpose, ask_value, value_words
from keybench.ui.inventory.table import InventoryTable
from keybench.ui.inventory.testing import KeyTestsBar
from keybench.ui.keys.labels import button, label
from keybench.ui.preferences import Preferences
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.elided import ElidedLabel
from keybench.words.explain import explain
from keybench.workflows.record_file import Progress

UNREADABLE: Final = "The journal couldn't be read."
NO_KEYS: Final = (
    "No keys yet. Add a New Key on the Bench, or take over a list of the keys you have: descriptions only, "
    "never values."
)
NOTHING_FOUND: Final = "No key matches. Look for fewer words."
#: Testing many keys changes several a second; reading them all for each would be waste.
_GATHER_MS: Final = 400


class InventoryView(KeysView):
    """The view.

    Args:
        session: What the window shares.
        preferences: Remembers the columns.
    """

    _columns_asked = Signal()
    _take_asked = Signal()

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preferences = preferences
        self._wanted_key = ""
        self.model = InventoryModel(self)
        self.table = InventoryTable(self.model, preferences)
        self.search = QLineEdit()
        self.search.setAccessibleName("Find keys")
        self.search.setPlaceholderText("Find by name, user, owner, environment, state, fingerprint…")
        self.search.setClearButtonEnabled(True)
        self.status = ElidedLabel()
        self.status.setProperty("role", "dim")
        self.columns: QPushButton = button("Columns", self._columns_asked)
        self.take: QPushButton = button("Import…", self._take_asked)
        self.export = ExportBar(session, Export("key", "keys", self._shown, self._export))
        self.tests = KeyTestsBar(session)
        self.card = KeyCard()
        self.views = QStackedWidget()
        self._reading = Renewal(session, "inventory", self._read)
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._paint = QTimer(self, singleShot=True, interval=0)
        self._lay_out()
        self._connect()
        session.subscribe(
            self,
            dict.fromkeys(
                (KeysChanged, ApplicationsChanged, EnvironmentsChanged, RotationChanged), self._on_changed
            ),
        )
        session.ending.connect(self.table.columns.remember)
        self._reading.ask()

    def show_key(self, key: SecurityKey) -> None:
        """Choose a key, as soon as it has been read."""
        self._wanted_key = key.id
        self.search.clear()
        self._choose_wanted()

    @cached_property
    def taking(self) -> KeyTaking:
        """What takes lists over; most visits need none."""
        taking = KeyTaking(self._session, self._preferences)
        self.views.addWidget(taking.view)
        taking.reading.connect(self._show_reading)
        taking.planned.connect(self._show_import)
        taking.over.connect(self._show_list)
        return taking

    def reload(self) -> None:
        """Read all keys again."""
        self._reading.ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave room for rows where the window is low."""
        super().resizeEvent(event)
        self.card.show_low(low=self.height() < scaled(LOW_PX))

    # --- reading -------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            inventory = self._session.administration.inventory
            if not self.model.items:
                self._show(await inventory.keys_alone())
            rows = await inventory.rows()
        except KeybenchError:
            self.table.empty_text = UNREADABLE
            self.status.setText(UNREADABLE)
            raise
        self._show(rows)
        self._on_chosen()

    def _show(self, rows: Sequence[InventoryRow]) -> None:
        # Taking thousands of rows in and painting them are two turns of the loop, so that none is long.
        self.table.setUpdatesEnabled(False)
        self._paint.start()
        self.model.show_inventory(rows, self._session.console.clock.now())
        self._tell(rows)
        self._choose_wanted()

    def _on_paint(self) -> None:
        self.table.setUpdatesEnabled(True)

    def _tell(self, rows: Sequence[InventoryRow]) -> None:
        self.table.empty_text = NOTHING_FOUND if rows else NO_KEYS
        self.table.setAccessibleDescription("" if self.model.rowCount() else self.table.empty_text)
        places = len({row.environment.id for row in rows})
        keys = "1 key" if len(rows) == 1 else f"{len(rows):,} keys"
        where = "one environment" if places == 1 else f"{places:,} environments"
        shown = self.model.rowCount()
        found = "" if shown == len(rows) else f" · {shown:,} found"
        self.status.setText(f"{keys} in {where}{found}" if rows else "")

    def _choose_wanted(self) -> None:
        if self._wanted_key and self.table.choose_key(self._wanted_key):
            self._wanted_key = ""

    def _on_changed(self, _event: object) -> None:
        if not self._gather.isActive():
            self._gather.start()

    # --- choosing and doing --------------------------------------------------------------------------

    def _on_search(self, text: str) -> None:
        self.model.look_for(text)
        self._tell(self.model.items)

    def _on_chosen(self) -> None:
        self.tests.show_chosen(self.table.chosen())
        self.card.show_row(self.table.current(), self._session.console.clock.now())

    def _on_test(self) -> None:
        self.tests.test(self.table.chosen())

    def _on_edit(self) -> None:
        row = self.table.current()
        if row:
            self._session.run("edit key", self._edit(row), self._on_error)

    async def _edit(self, row: InventoryRow) -> None:
        await ask_owner_and_purpose(self, self._session, row)

    def _on_value(self) -> None:
        row = self.table.current()
        if row:
            self._session.run("give value", self._give(row), self._on_error)

    async def _give(self, row: InventoryRow) -> None:
        added = await ask_value(self, self._session, row)
        if added:
            title = f"“{added.key.name}” has a value"
            tone = "warning" if added.hint else "good"
            self._session.notify(Notice(tone, title, value_words(row.key, added), "value given"))

    def _on_applications(self) -> None:
        row = self.table.current()
        if row:
            self.view_asked.emit("Applications", row.key)

    def _on_rotation(self) -> None:
        row = self.table.current()
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
        chosen = self.table.chosen()
        return chosen if len(chosen) > 1 else tuple(self.model.rows)

    async def _export(self, rows: Sequence[InventoryRow], path: Path, progress: Progress) -> int:
        return await self._session.administration.inventory.export(path, rows, progress)

    def _on_take(self) -> None:
        self.taking.ask_file(self)

    def _show_reading(self, reading: bool) -> None:  # noqa: FBT001 - the signal's own shape
        self.take.setText("Reading…" if reading else "Import…")
        self.take.setEnabled(not reading)

    def _show_import(self) -> None:
        self.views.setCurrentWidget(self.taking.view)
        if self.isVisible():
            self.taking.view.by.setFocus()

    def _show_list(self) -> None:
        self.views.setCurrentIndex(0)
        if self.isVisible():
            self.table.setFocus()

    def _on_columns(self) -> None:
        menu = self.table.columns.menu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.columns.mapToGlobal(QPoint(0, self.columns.height())))

    # --- inside --------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._gather.timeout.connect(self._reading.ask)
        self._paint.timeout.connect(self._on_paint)
        self._columns_asked.connect(self._on_columns)
        self._take_asked.connect(self._on_take)
        self.search.textChanged.connect(self._on_search)
        self.table.chosen_changed.connect(self._on_chosen)
        self.table.opened.connect(self._on_edit)
        self.tests.asked.connect(self._on_test)
        self.card.edit_asked.connect(self._on_edit)
        self.card.value_asked.connect(self._on_value)
        self.card.applications_asked.connect(self._on_applications)
        self.card.rotation_asked.connect(self._on_rotation)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label("Inventory", "title"))
        head.addWidget(self.status, 1)
        head.addWidget(self.export)
        head.addWidget(self.take)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        tools.addWidget(self.search, 1)
        tools.addWidget(self.columns)
        listing = QWidget()
        inside = QVBoxLayout(listing)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(12)
        inside.addLayout(head)
        inside.addLayout(tools)
        inside.addWidget(self.table, 1)
        inside.addWidget(self.tests)
        inside.addWidget(self.card)
        self.views.addWidget(listing)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.addWidget(self.views)
