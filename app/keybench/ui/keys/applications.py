"""The Applications view: the register of who uses which key; an entry that is removed can be put back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from keybench.core.environments.environment import Environment
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, JournalStood, KeysChanged
from keybench.core.keys.application import Application
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey, alike
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, in_column, in_row
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Form
from keybench.ui.kit.labels import ElidedLabel, Pill, line
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_place, set_role
from keybench.ui.shared.environment_cells import environment_column, environment_words
from keybench.ui.shared.keys.columns import LONG_AGO
from keybench.ui.shared.keys.dialogs import ApplicationDialog
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import Session, ShowKeys
from keybench.ui.shared.signature import Signature
from keybench.words.formats import ago
from keybench.words.language import _, ngettext, number
from keybench.words.team.edits import queued_words
from keybench.workflows.keys.applications import draft_of

NO_OWNER: Final = _("no owner")
FORGOTTEN: Final = _("forgotten")


@dataclass(frozen=True, slots=True)
class ApplicationRow:
    """An application with the key it uses."""

    application: Application
    environment: Environment
    key: SecurityKey | None

    @property
    def key_name(self) -> str:
        return self.key.name if self.key else FORGOTTEN

    @property
    def owner(self) -> str:
        return self.application.owner or NO_OWNER


def when_words(then: datetime | None, who: str, now: datetime, never: str) -> str:
    """Return how long ago something was and who did it, or `never`."""
    if then is None:
        return never
    return f"{ago(then, now)}, {who}" if who else ago(then, now)


def application_columns(now: Callable[[], datetime]) -> tuple[Column[ApplicationRow], ...]:
    """Return the columns; `now` tells how long ago something was."""

    def changed(row: ApplicationRow) -> str:
        return when_words(row.application.changed_at, row.application.changed_by, now(), _("not known"))

    def seen(row: ApplicationRow) -> str:
        return when_words(row.application.seen_working_at, row.application.seen_by, now(), _("never"))

    return (
        Column("name", _("Application"), lambda row: row.application.name, bold=True, stretch=True),
        Column("key", _("Key"), lambda row: row.key_name, ink=lambda row: "" if row.key else "warning"),
        environment_column(),
        Column(
            "owner",
            _("Owner"),
            lambda row: row.owner,
            ink=lambda row: "" if row.application.owner else "warning",
            empty=NO_OWNER,
        ),
        Column("contact", _("Contact"), lambda row: row.application.contact, empty=""),
        Column("where", _("Where the key is set"), lambda row: row.application.place, empty=""),
        Column(
            "changed",
            _("Changed"),
            changed,
            sort=lambda row: row.application.changed_at or LONG_AGO,
        ),
        Column(
            "seen",
            _("Seen working"),
            seen,
            sort=lambda row: row.application.seen_working_at or LONG_AGO,
        ),
    )


_NONE_CHOSEN: Final = _("No application chosen")
_HOW: Final = _("Choose an application above, and how its key is changed there is shown here.")
_NO_STEPS: Final = _("Nobody has written down yet how its key is changed there. Edit it to add that.")
_LINES: Final = 3
_FEW_LINES: Final = 1


class ApplicationCard(QFrame):
    """Name, owner and key, a line of facts, how its key is changed there, and buttons, some `apart` on the right."""

    def __init__(self, actions: Sequence[QAction], apart: Sequence[QAction]) -> None:
        super().__init__()
        self.name = ElidedLabel("", "strong", least=12)
        self.owner = Pill()
        self.owner.setMinimumHeight(Pill("x", "good").sizeHint().height())
        self.place = ElidedLabel("", "dim", least=8)
        self.facts = ElidedLabel("", "dim", least=12)
        self.steps = QPlainTextEdit(readOnly=True)
        self.steps.setAccessibleName(_("How to change it there and restart"))
        self.steps.setTabChangesFocus(True)
        keep_place(self.steps)  # the card is as high without an application
        top = in_row((self.name, 2), self.owner, (self.place, 3), spacing=12)
        self.buttons = [ActionButton(action) for action in (*actions, *apart)]
        at_end = WrappingRow(self.buttons[len(actions) :], whole=True)
        buttons = WrappingRow([*self.buttons[: len(actions)], at_end], spread=True)
        in_column(line(), top, self.facts, self.steps, buttons, within=self)
        self.show_low(low=False)

    def show_row(self, row: ApplicationRow | None, now: datetime) -> None:
        self.steps.setVisible(row is not None)
        if row is None:
            self._show_head(_NONE_CHOSEN, "", "dim", "")
            self.facts.setText(_HOW)
            self.steps.setPlainText("")
            return
        application = row.application
        place = _("its key was forgotten: edit it to name another")
        if row.key:
            place = _("uses {name} in {environment_words}").format(
                name=row.key.name, environment_words=environment_words(row)
            )
        is_live = row.environment.is_live and row.key is not None
        tone = "dim" if application.owner else "warning"
        self._show_head(application.name, row.owner, tone, place, live=is_live)
        self.owner.setAccessibleName(_("Owner: {value}").format(value=application.owner or _("none")))
        changed = when_words(application.changed_at, application.changed_by, now, "")
        seen = when_words(application.seen_working_at, application.seen_by, now, "")
        facts = (
            _("Key set in {place}").format(place=application.place)
            if application.place
            else _("Location unknown"),
            _("changed {when}").format(when=changed) if changed else _("last change unknown"),
            _("seen working {when}").format(when=seen) if seen else _("never seen working"),
        )
        self.facts.setText(" · ".join(facts))
        self.steps.setPlainText(application.instructions or _NO_STEPS)

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have the facts."""
        self.facts.setVisible(not low)
        lines = _FEW_LINES if low else _LINES
        self.steps.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 20)

    def _show_head(self, name: str, owner: str, tone: str, place: str, *, live: bool = False) -> None:
        self.name.setText(name)
        self.owner.show_state(owner, tone)
        self.place.setText(place)
        set_role(self.place, "tone", "live" if live else "")


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

    stale_after = (ApplicationsChanged, KeysChanged, EnvironmentsChanged, JournalStood)

    def __init__(self, session: Session) -> None:
        search = search_field(
            _("Find applications"), _("Find by name, key, owner, contact, place… or “no owner”")
        )
        columns = application_columns(session.console.clock.now)
        table = Table(_("Applications"), TableModel(columns, lambda row: row.application.id))
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
        count = ngettext("1 application", "{count} applications", len(rows))
        parts = [_("{count} of “{name}”").format(count=count, name=self._key.name) if self._key else count]
        if without := sum(not row.application.owner for row in rows):
            parts.append(_("{number} without an owner").format(number=number(without)))
        if lost := sum(row.key is None for row in rows):
            parts.append(_("{number} whose key was forgotten").format(number=number(lost)))
        if shown != len(rows):
            parts.append(_("{number} found").format(number=number(shown)))
        standing = self.session.console.world.journal.standing
        return " · ".join(parts) + queued_words(standing, [row.application.id for row in rows])

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
        self.undo_words.show_text(_("Removed “{name}”.").format(name=removed.name) if removed else "")
        self.undo.setVisible(removed is not None)
        if had_focus:
            (self.undo_button if removed else self.table).setFocus()
