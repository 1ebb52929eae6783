"""The Applications view: the register of who uses which key; an entry that is removed can be put back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged
from keybench.core.keys.application import Application
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey, alike
from keybench.ui.keys.application_card import ApplicationCard, ApplicationRow, application_columns
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Form
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.keys.application_dialog import ApplicationDialog
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.session import Session
from keybench.ui.shared.signature import Signature
from keybench.words.formats import number
from keybench.words.language import _, ngettext
from keybench.workflows.keys.applications import draft_of

NONE: Final = _(
    "No application is known yet. Add the ones that use your keys: a rotation then lists each of them, with "
    "how to change it."
)
NONE_OF_KEY: Final = _(
    "No application is known to use this key. Add those that do, before the key is rotated."
)
NOTHING_FOUND: Final = _("No application matches. Search for fewer words.")


class ApplicationsView(ListPage[ApplicationRow]):
    """The view."""

    stale_after = (ApplicationsChanged, KeysChanged, EnvironmentsChanged)

    def __init__(self, session: Session) -> None:
        search = search_field(
            _("Find applications"), _("Find by name, key, owner, contact, place… or “no owner”")
        )
        table = Table(_("Applications"), TableModel(application_columns(session.console.clock.now), _id))
        super().__init__(session, "keys/applications", table, search)
        self._register = session.administration.applications
        self._keys: Sequence[InventoryRow] = ()
        self._key: SecurityKey | None = None
        self._all: Sequence[ApplicationRow] = ()
        self._removed: Application | None = None
        self.add = Action(self, "application.add", self._on_add, lambda: bool(self._keys))
        self.all = Action(self, "application.all", self._on_all)
        self.undo = Action(
            self, "application.undo", lambda: session.run("put application back", self._put_back())
        )
        self.edit = Action(
            self, "application.edit", self.running("edit application", self._edit), self.is_chosen
        )
        self.changed = Action(
            self, "application.changed", self.running("note changed", self._changed), self.is_chosen
        )
        self.seen = Action(self, "application.seen", self.running("note seen", self._seen), self.is_chosen)
        self.go_to_key = Action(self, "application.key", self._on_key, self._has_key)
        self.remove = Action(
            self, "application.remove", self.running("remove application", self._remove), self.is_chosen
        )
        self.row_actions = (self.edit, self.changed, self.seen, self.go_to_key, self.remove)
        table.set_row_actions(self.row_actions)
        self.undo_button = ActionButton(self.undo)
        self.undo_words = ElidedLabel("", "dim")
        self.card = ApplicationCard(self.row_actions[:-1], self.row_actions[-1:])
        self.lay_out(
            actions=[ActionButton(self.all), ActionButton(self.add, "primary")],
            tools=[search, self.undo_words, self.undo_button],
            detail=self.card,
        )
        self.all.setVisible(False)
        self._offer_undo(None)
        self.show_row(None)
        table.opened.connect(self.edit.trigger)

    def show_keys(self, keys: Sequence[SecurityKey]) -> None:
        """Show the applications of the first key."""
        self._key = keys[0]
        self.search.clear()
        self.show_rows(self._all)

    def show_low(self, *, low: bool) -> None:
        self.card.show_low(low=low)

    # --- reading -------------------------------------------------------------------------------------

    async def read(self) -> Sequence[ApplicationRow]:
        self._keys = await self.session.administration.inventory.keys_alone()
        applications = await self._register.listed()
        environments = await self.session.console.environments.all()
        keys = {row.key.id: row.key for row in self._keys}
        known = {one.id: one for one in environments}
        return [
            ApplicationRow(one, known[one.environment_id], keys.get(one.key_id))
            for one in applications
            if one.environment_id in known
        ]

    def show_rows(self, rows: Sequence[ApplicationRow]) -> None:
        self._all = rows
        known, key = alike(row.key for row in self._keys), self._key
        ids = known.get(key.id, {key.id}) if key else ()
        super().show_rows([row for row in rows if key is None or row.application.key_id in ids])

    def show_words(self) -> None:
        super().show_words()
        self.all.setVisible(self._key is not None)
        self.add.refresh()
        self.add.set_tip("" if self._keys else _("Add a New Key on the Bench first"))

    def summary(self) -> str:
        rows, shown = self.model.items, self.model.rowCount()
        count = ngettext("1 application", "{count:,} applications", len(rows))
        parts = [_("{count} of “{name}”").format(count=count, name=self._key.name) if self._key else count]
        if without := sum(not row.application.owner for row in rows):
            parts.append(_("{number} without an owner").format(number=number(without)))
        if lost := sum(row.key is None for row in rows):
            parts.append(_("{number} whose key was forgotten").format(number=number(lost)))
        if shown != len(rows):
            parts.append(_("{number} found").format(number=number(shown)))
        return " · ".join(parts)

    def empty_words(self) -> str:
        if self.model.items:
            return NOTHING_FOUND
        return NONE_OF_KEY if self._key else NONE

    def show_row(self, row: ApplicationRow | None) -> None:
        for action in self.row_actions:
            action.refresh()
        self.card.show_row(row, self.session.console.clock.now())

    # --- what is done --------------------------------------------------------------------------------

    def _has_key(self) -> bool:
        row = self.table.selected
        return row is not None and row.key is not None

    def _on_all(self) -> None:
        self._key = None
        self.show_rows(self._all)

    def _on_key(self) -> None:
        if row := self.table.selected:
            self.session.ask(ShowKeys("inventory", (row.key,) if row.key else ()))

    def _on_add(self) -> None:
        keys = [row for row in self._keys if self._key is None or row.key.id == self._key.id]
        if keys:
            self.session.run("add application", self._add(keys))

    async def _add(self, keys: Sequence[InventoryRow]) -> None:
        here = self.session.environment.id  # its keys come first
        keys = sorted(keys, key=lambda row: row.environment.id != here)
        dialog = ApplicationDialog(self, title=_("Add an application"), confirm=_("Add it"), keys=keys)

        async def add() -> Application:
            key = dialog.chosen
            return await self._register.add(key.environment, key.key.id, dialog.draft)

        if added := await dialog.keep(add):
            self.choose(added.id)

    async def _edit(self, row: ApplicationRow) -> None:
        application = row.application
        keys = [one for one in self._keys if one.environment.id == row.environment.id]
        if not keys:
            return
        dialog = ApplicationDialog(
            self,
            title=_("Edit “{name}”").format(name=application.name),
            confirm=_("Save"),
            keys=keys,
            draft=draft_of(application),
            key_id=application.key_id,
        )
        update = self._register.update
        if await dialog.keep(lambda: update(application, dialog.draft, key_id=dialog.chosen.key.id)):
            self.choose(application.id)

    async def _changed(self, row: ApplicationRow) -> None:
        text = _("The key “{key_name}” was set in “{name}” just now, and it was restarted.")
        await self._note(row, _("The key was changed"), text, self._register.note_changed)

    async def _seen(self, row: ApplicationRow) -> None:
        text = _("“{name}” works with the key “{key_name}”, and somebody has seen it.")
        await self._note(row, _("Seen working"), text, self._register.note_seen)

    async def _note(
        self,
        row: ApplicationRow,
        title: str,
        text: str,
        note: Callable[[Application, str], Awaitable[object]],
    ) -> None:
        text = text.format(key_name=row.key_name, name=row.application.name)
        signature = Signature(self.session.preferences)
        content = Form(*signature.fields) if signature.fields else None
        dialog = Dialog(self, title=title, text=text, confirm=_("Record it"), content=content)
        if await dialog.keep(lambda: note(row.application, signature.name)):
            signature.remember()

    async def _remove(self, row: ApplicationRow) -> None:
        await self._register.remove(row.application)
        self._offer_undo(row.application)

    async def _put_back(self) -> None:
        if removed := self._removed:
            await self._register.put_back(removed)
            self._offer_undo(None)
            self.choose(removed.id)

    def _offer_undo(self, removed: Application | None) -> None:
        had_focus = any(one.hasFocus() for one in (*self.card.buttons, self.undo_button))
        self._removed = removed
        self.undo_words.setText(_("Removed “{name}”.").format(name=removed.name) if removed else "")
        self.undo_words.setVisible(removed is not None)
        self.undo.setVisible(removed is not None)
        if had_focus:
            (self.undo_button if removed else self.table).setFocus()


def _id(row: ApplicationRow) -> str:
    return row.application.id
