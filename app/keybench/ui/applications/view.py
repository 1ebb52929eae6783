"""The Applications view: the register of who uses which key; an entry that is removed can be put back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from keybench.core.application import Application
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.administration.view import KeysListView
from keybench.ui.applications.actions import RegisterActions
from keybench.ui.applications.card import ApplicationCard
from keybench.ui.applications.columns import ApplicationRow, application_columns
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.widgets.labels import ElidedLabel, button, set_tip
from keybench.ui.widgets.list_page import search_field
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel

NONE: Final = (
    "No application is known yet. Add the ones that use your keys: a rotation then lists each of them, with "
    "how to change it."
)
NONE_OF_KEY: Final = "No application is known to use this key. Add those that do, before the key is rotated."
NOTHING_FOUND: Final = "No application matches. Look for fewer words."


class ApplicationsView(KeysListView[ApplicationRow]):
    """The view.

    Args:
        session: What the window shares.
        preferences: Remembers the person's name.
    """

    stale_after = (ApplicationsChanged, KeysChanged, EnvironmentsChanged)
    _add_asked = Signal()
    _all_asked = Signal()
    _undo_asked = Signal()

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        search = search_field("Find applications", "Find by name, key, owner, contact, place… or “no owner”")
        table = Table("Applications", TableModel(application_columns(session.console.clock.now), _id))
        super().__init__(session, "keys/applications", table, search, parent)
        self._session = session
        self._register = session.administration.applications
        self._keys: Sequence[InventoryRow] = ()
        self._key: SecurityKey | None = None
        self._all: Sequence[ApplicationRow] = ()
        self._wanted_id = ""
        self.add: QPushButton = button("Add an application…", self._add_asked, tone="primary")
        self.all: QPushButton = button("Show those of all keys", self._all_asked)
        self.undo: QPushButton = button("Undo", self._undo_asked)
        self.undo_words = ElidedLabel("", "dim")
        self.card = ApplicationCard()
        self._actions = RegisterActions(session, preferences, self)
        self.lay_out(
            title="Applications",
            actions=[self.all, self.add],
            tools=[search, self.undo_words, self.undo],
            detail=self.card,
        )
        for widget in (self.undo, self.undo_words, self.all):
            widget.hide()
        self._connect_parts()

    def show_key(self, key: SecurityKey) -> None:
        """Show one key's applications alone."""
        self._key = key
        self.search.clear()
        self.show_rows(self._all)

    def show_low(self, *, low: bool) -> None:
        """Show less of the application where there is little room."""
        self.card.show_low(low=low)

    # --- reading -------------------------------------------------------------------------------------

    async def read(self) -> Sequence[ApplicationRow]:
        """Return the register's entries."""
        self._keys = await self._session.administration.inventory.keys_alone()
        applications = await self._register.everywhere()
        environments = await self._session.console.environments.all()
        keys = {row.key.id: row.key for row in self._keys}
        known = {one.id: one for one in environments}
        return [
            ApplicationRow(one, known[one.environment_id], keys.get(one.key_id))
            for one in applications
            if one.environment_id in known
        ]

    def show_rows(self, rows: Sequence[ApplicationRow]) -> None:
        """Show the entries of all keys, or of the one that is wanted."""
        self._all = rows
        key = self._key
        super().show_rows([row for row in rows if key is None or row.application.key_id == key.id])
        self._choose_wanted()

    def show_words(self) -> None:
        """Say how many there are, and offer what can be done with all of them."""
        super().show_words()
        self.all.setVisible(self._key is not None)
        self.add.setEnabled(bool(self._keys))
        set_tip(self.add, "" if self._keys else "Add a New Key on the Bench first")

    def summary(self) -> str:
        """Return how many there are, and of how many something is missing."""
        rows, shown = self.model.items, self.model.rowCount()
        count, without = len(rows), sum(not row.application.owner for row in rows)
        of_key = f" of “{self._key.name}”" if self._key else ""
        text = f"{'1 application' if count == 1 else f'{count:,} applications'}{of_key}"
        text += f" · {without:,} without an owner" if without else ""
        lost = sum(row.key is None for row in rows)
        text += f" · {lost:,} whose key was forgotten" if lost else ""
        return text if shown == count else f"{text} · {shown:,} found"

    def empty_words(self) -> str:
        """Return what is shown where no application is."""
        if self.model.items:
            return NOTHING_FOUND
        return NONE_OF_KEY if self._key else NONE

    def show_row(self, row: ApplicationRow | None) -> None:
        """Show the selected entry."""
        self.card.show_row(row, self._session.console.clock.now())

    def _choose_wanted(self) -> None:
        if self.model.number(self._wanted_id) >= 0:
            self.table.select(self._wanted_id)
            self._wanted_id = ""

    def chosen(self) -> ApplicationRow | None:
        """Return the selected entry."""
        return self.table.selected

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
        self._wanted_id = application_id
        self._choose_wanted()

    def _on_all(self) -> None:
        self._key = None
        self.show_rows(self._all)

    def _on_show_key(self) -> None:
        row = self.chosen()
        if row:
            self.view_asked.emit("Inventory", row.key)

    def _connect_parts(self) -> None:
        self._add_asked.connect(self._on_add)
        self._all_asked.connect(self._on_all)
        self._undo_asked.connect(self._actions.undo)
        self._actions.removed.connect(self._on_removed)
        self._actions.kept.connect(self._on_kept)
        self.table.opened.connect(self._on_edit)
        self.card.edit_asked.connect(self._on_edit)
        self.card.changed_asked.connect(self._on_key_changed)
        self.card.seen_asked.connect(self._on_seen)
        self.card.key_asked.connect(self._on_show_key)
        self.card.remove_asked.connect(self._on_remove)


def _id(row: ApplicationRow) -> str:
    return row.application.id
