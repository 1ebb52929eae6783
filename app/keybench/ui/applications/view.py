"""The Applications view: the register of who uses which key; an entry that is removed can be put back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from keybench.core.application import Application
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.administration.view import LOW_PX, KeysView
from keybench.ui.applications.actions import RegisterActions
from keybench.ui.applications.card import ApplicationCard
from keybench.ui.applications.model import ApplicationRow, ApplicationsModel
from keybench.ui.inventory.columns import ColumnsMemory, Layout
from keybench.ui.keys.labels import button, label
from keybench.ui.preferences import Preferences
from keybench.ui.sale.renewal import Renewal
from keybench.ui.session import Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.elided import ElidedLabel
from keybench.ui.widgets.plain import set_tip
from keybench.ui.widgets.table import Table

READING: Final = "Reading the journal…"
UNREADABLE: Final = "The journal couldn't be read."
NONE: Final = (
    "No application is known yet. Add the ones that use your keys: a rotation then lists each of them, with "
    "how to change it."
)
NONE_OF_KEY: Final = "No application is known to use this key. Add those that do, before the key is rotated."
NOTHING_FOUND: Final = "No application matches. Look for fewer words."
_COLUMNS: Final = Layout(
    {
        "Application": 180,
        "Key": 150,
        "Environment": 168,
        "Owner": 120,
        "Contact": 150,
        "Where the key is set": 200,
        "Changed": 150,
        "Seen working": 150,
    }
)


class ApplicationsView(KeysView):
    """The view.

    Args:
        session: What the window shares.
        preferences: Remembers the columns and the person's name.
    """

    _add_asked = Signal()
    _all_asked = Signal()
    _undo_asked = Signal()

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preferences = preferences
        self._register = session.administration.applications
        self._keys: Sequence[InventoryRow] = ()
        self._key: SecurityKey | None = None
        self._wanted = ""
        self.model = ApplicationsModel(self)
        self.table = Table("Applications", stretch=-1, empty_text=READING)
        self.table.setModel(self.model)
        self.columns = ColumnsMemory(self.table, preferences, "keys/applications columns", _COLUMNS)
        self.search = QLineEdit()
        self.search.setAccessibleName("Find applications")
        self.search.setPlaceholderText("Find by name, key, owner, contact, place… or “no owner”")
        self.search.setClearButtonEnabled(True)
        self.status = ElidedLabel()
        self.status.setProperty("role", "dim")
        self.add: QPushButton = button("Add an application…", self._add_asked, tone="primary")
        self.all: QPushButton = button("Show those of all keys", self._all_asked)
        self.undo: QPushButton = button("Undo", self._undo_asked)
        self.undo_words = ElidedLabel()
        self.undo_words.setProperty("role", "dim")
        self.card = ApplicationCard()
        self._actions = RegisterActions(session, preferences, self)
        self._reading = Renewal(session, "applications", self._read)
        self._lay_out()
        self._connect()
        session.subscribe(
            self, dict.fromkeys((ApplicationsChanged, KeysChanged, EnvironmentsChanged), self._on_changed)
        )
        session.ending.connect(self.columns.remember)
        self._reading.ask()

    def show_key(self, key: SecurityKey) -> None:
        """Show one key's applications alone."""
        self._key = key
        self.search.clear()
        self.model.show_only(key.id)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave room for rows where the window is low."""
        super().resizeEvent(event)
        self.card.show_low(low=self.height() < scaled(LOW_PX))

    # --- reading -------------------------------------------------------------------------------------

    async def _read(self) -> None:
        administration = self._session.administration
        try:
            self._keys = await administration.inventory.keys_alone()
            applications = await self._register.everywhere()
            environments = await self._session.console.environments.all()
        except KeybenchError:
            self.table.empty_text = UNREADABLE
            self.status.setText(UNREADABLE)
            raise
        keys = {row.key.id: row.key for row in self._keys}
        places = {one.id: one for one in environments}
        rows = [
            ApplicationRow(one, places[one.environment_id], keys.get(one.key_id))
            for one in applications
            if one.environment_id in places
        ]
        wanted = self._wanted or self._chosen_id()
        self.model.show_register(rows, self._session.console.clock.now())
        self._choose(wanted)
        self._tell()
        self._on_row()

    def _chosen_id(self) -> str:
        row = self.chosen()
        return row.application.id if row else ""

    def _choose(self, application_id: str) -> None:
        for number, row in enumerate(self.model.rows):
            if row.application.id == application_id:
                self.table.choose_row(number)
                self._wanted = ""

    def _tell(self) -> None:
        count, without = self.model.count, self.model.without_owner
        of_key = f" of “{self._key.name}”" if self._key else ""
        told = f"{'1 application' if count == 1 else f'{count:,} applications'}{of_key}"
        told += f" · {without:,} without an owner" if without else ""
        told += f" · {lost:,} whose key was forgotten" if (lost := self.model.without_key) else ""
        if (shown := self.model.rowCount()) != count:
            told += f" · {shown:,} found"
        self.status.setText(told)
        self.all.setVisible(self._key is not None)
        none = NONE_OF_KEY if self._key else NONE
        self.table.empty_text = NOTHING_FOUND if count else none
        self.table.setAccessibleDescription("" if shown else self.table.empty_text)
        self.add.setEnabled(bool(self._keys))
        set_tip(self.add, "" if self._keys else "Add a New Key on the Bench first")

    def chosen(self) -> ApplicationRow | None:
        """Return the chosen entry."""
        row = self.table.current_row()
        return self.model.row(row) if row >= 0 else None

    # --- what is done --------------------------------------------------------------------------------

    def _on_add(self) -> None:
        self._actions.add([row for row in self._keys if self._key is None or row.key.id == self._key.id])

    def _on_edit(self) -> None:
        if row := self.chosen():
            here = [one for one in self._keys if one.environment.id == row.environment.id]
            self._actions.edit(row, here)

    def _on_key_changed(self) -> None:
        if row := self.chosen():
            self._actions.note_changed(row)

    def _on_seen(self) -> None:
        if row := self.chosen():
            self._actions.note_seen(row)

    def _on_remove(self) -> None:
        if row := self.chosen():
            self._actions.remove(row)

    def _on_removed(self, application: Application | None) -> None:
        had_focus = self.card.remove.hasFocus() or self.undo.hasFocus()
        self.undo_words.setText(f"Removed “{application.name}”." if application else "")
        for widget in (self.undo, self.undo_words):
            widget.setVisible(application is not None)
        if had_focus:
            (self.undo if application else self.table).setFocus()

    def _on_kept(self, application_id: str) -> None:
        self._wanted = application_id
        self._choose(application_id)

    # --- inside --------------------------------------------------------------------------------------

    def _on_changed(self, _event: object) -> None:
        self._reading.ask()

    def _on_search(self, text: str) -> None:
        self.model.look_for(text)
        self._tell()
        self._on_row()

    def _on_row(self) -> None:
        self.card.show_row(self.chosen(), self._session.console.clock.now())

    def _on_all(self) -> None:
        self._key = None
        self.model.show_only("")
        self._tell()

    def _on_show_key(self) -> None:
        row = self.chosen()
        if row:
            self.view_asked.emit("Inventory", row.key)

    def _connect(self) -> None:
        self._add_asked.connect(self._on_add)
        self._all_asked.connect(self._on_all)
        self._undo_asked.connect(self._actions.undo)
        self._actions.removed.connect(self._on_removed)
        self._actions.kept.connect(self._on_kept)
        self.search.textChanged.connect(self._on_search)
        self.table.selectionModel().selectionChanged.connect(self._on_row)
        self.table.opened.connect(self._on_edit)
        self.card.edit_asked.connect(self._on_edit)
        self.card.changed_asked.connect(self._on_key_changed)
        self.card.seen_asked.connect(self._on_seen)
        self.card.key_asked.connect(self._on_show_key)
        self.card.remove_asked.connect(self._on_remove)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(label("Applications", "title"))
        head.addWidget(self.status, 1)
        head.addWidget(self.all)
        head.addWidget(self.add)
        undo = QHBoxLayout()
        undo.setSpacing(8)
        undo.addWidget(self.search, 1)
        undo.addWidget(self.undo_words)
        undo.addWidget(self.undo)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addLayout(undo)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.card)
        for widget in (self.undo, self.undo_words, self.all):
            widget.hide()
