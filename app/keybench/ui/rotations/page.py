"""The Rotations page: the environment's rotations at the left, one of them at the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QStackedWidget, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import KeysChanged, RotationChanged
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.core.text import clean_text
from keybench.ui.kit.boxes import framed, in_column, in_row
from keybench.ui.kit.dialog import Dialog, confirm
from keybench.ui.kit.form import Field, Form, text_field
from keybench.ui.kit.labels import button, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import TOPIC, ask_rotation
from keybench.ui.rotations.rotation_view import RotationView
from keybench.ui.rotations.stage_view import WIDEST_PX
from keybench.ui.shared.attention import ROTATIONS, AttentionButton
from keybench.ui.shared.list_page import ListPage, search_field
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shared.signature import YOUR_NAME
from keybench.words.keys.revocation import USUAL_REASON, revocation_text, revocation_title
from keybench.words.language import _
from keybench.words.rotations.progress import names_line, standing_line, standing_tone, standing_word
from keybench.workflows.guard import refuse_values
from keybench.workflows.keys.revocation import effects_of_revoking

_COLUMNS: Final[tuple[Column[Rotation], ...]] = (
    Column("key", _("Key"), lambda one: one.old.name, hint=names_line, stretch=True),
    Column("standing", _("Standing"), standing_word, tone=standing_tone, hint=standing_line),
)


class RotationsPage(ListPage[Rotation]):
    """Both sides of the page; the open rotations come first, and of those the compromised ones."""

    is_page = True
    stale_after = (RotationChanged,)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        search = search_field(_("Find rotations"), _("Find a key"))
        table = Table(_("Rotations"), TableModel(_COLUMNS, lambda one: one.id), least_rows=2)
        super().__init__(session, "rotations", table, search, parent)
        #: What a person looks at; it is chosen again when it is listed again.
        self._chosen = ""
        self.controller = RotationController(session, self)
        self.name_edit = QLineEdit()
        self.name_edit.setAccessibleName(_("Your name"))
        self.view = RotationView(self.controller, self.take_as_compromised, self.revoke)
        self._welcome = self._make_welcome()
        self._right = QStackedWidget()
        self._right.addWidget(self._welcome)
        self._right.addWidget(self.view)
        hint = _("Begin to replace a key by a new one")
        self.new_button = button(_("New…"), self._on_new, hint=hint)
        name = Field(YOUR_NAME, self.name_edit, lines=0)
        overdue = AttentionButton(
            session, ROTATIONS, lambda: session.run("overdue rotation", self._show_overdue())
        )
        self.lay_out(
            title=_("Rotations"), actions=[self.new_button], below=[overdue, name], beside=self._right
        )
        self.name_edit.textChanged.connect(self._on_name)
        self.name_edit.editingFinished.connect(self._on_named)
        self.name_edit.setText(session.preferences.person)
        self.controller.name_wanted.connect(partial(self.name_edit.setFocus, Qt.FocusReason.OtherFocusReason))
        self.controller.shown_changed.connect(self._on_shown)
        session.environment_changed.connect(self._on_environment)
        if session.console.world.desk:  # what desks hold changes with their keys
            session.subscribe(self, {KeysChanged: self.on_event})

    # --- what others call -------------------------------------------------------------------

    def rotate(self, key: SecurityKey) -> None:
        """Begin a key's rotation, or show the one that is under way; the window goes to its environment."""
        self.session.run(f"rotate {key.id}", self._rotate(key))

    def take_as_compromised(self, key: SecurityKey) -> None:
        self.session.run(f"compromised {key.id}", self._take_as_compromised(key))

    def revoke(self, key: SecurityKey) -> None:
        """Ask, then have a key deleted at once, whatever stops working; its rotation shows how that goes."""
        self.session.run(f"revoke {key.id}", self._revoke(key))

    # --- the list ------------------------------------------------------------------------------------

    def wanted(self) -> str:
        return self.session.environment.id

    async def read(self) -> Sequence[Rotation]:
        await self.session.console.look_at_team()
        return _in_order(await self.controller.rotations.listed(self.session.environment.id))

    def show_rows(self, rows: Sequence[Rotation]) -> None:
        super().show_rows(rows)
        if self.session.console.team.is_shared and self.controller.id:  # what desks hold was read, too
            self.controller.show(self.controller.rotation)

    def show_row(self, row: Rotation | None) -> None:
        if row:
            self._chosen = row.id
        shown = self.controller.rotation if self.controller.id else None
        # What was read while a step was made is behind what the step returned; evidence is only added to.
        is_behind = row and shown and row.id == shown.id and len(row.evidence) < len(shown.evidence)
        if row != shown and not is_behind:
            self.controller.show(row)
        self._right.setCurrentWidget(self.view if row else self._welcome)

    def _on_shown(self, rotation: Rotation | None) -> None:
        if rotation and self.table.selected and self.table.selected.id == rotation.id:
            self.model.put([rotation])  # before the list is read again

    def show_words(self) -> None:
        super().show_words()
        if self.table.selected is None:
            first = next((one.id for one in self.model.items if one.is_open), "")
            self.table.select(self._chosen or first)

    def summary(self) -> str:
        return ""

    def empty_words(self) -> str:
        if self.model.items:
            return super().empty_words()
        return _("No rotation is under way here. Start one when a key is too old.")

    def showEvent(self, event: QShowEvent) -> None:
        """Read again, for another program may have gone on with one, and show the name that is known by now."""
        if self.session.preferences.has_person:  # it may have been given elsewhere meanwhile
            self.name_edit.setText(self.session.preferences.person)
        self.refresh()
        super().showEvent(event)

    def _on_environment(self, _environment: Environment) -> None:
        self._chosen = ""
        self.table.empty_text = self.loading_text
        self.model.show(())
        self.refresh()

    def _show_begun(self, rotation: Rotation) -> None:
        """Show a rotation with the keyboard at what is next, or tell of it if its environment isn't shown."""
        if rotation.environment_id != self.session.environment.id:
            title = _("The rotation of “{name}” has begun.").format(name=rotation.old.name)
            text = _("It is on the page Rotations of its environment.")
            self.session.notify(Notice("good", title, text, TOPIC))
            return
        self.search.clear()
        self._chosen = rotation.id
        self.show_rows(_in_order([rotation, *(one for one in self.model.items if one.id != rotation.id)]))
        self.table.select(rotation.id)
        self.view.look_at(stages.stage_of(rotation))
        self.view.begin()

    # --- a new one -----------------------------------------------------------------------------------

    def _on_new(self) -> None:
        self.session.run("new rotation", self._begin())

    async def _show_overdue(self) -> None:
        overdue = self.session.waiting.overdue if self.session.waiting else ()
        if not overdue:
            return
        ids = [one.id for one in overdue]
        after = ids.index(self.controller.id) + 1 if self.controller.id in ids else 0
        wanted = overdue[after % len(overdue)]
        await self._show_environment(wanted.environment_id)
        self._show_begun(await self.controller.rotations.one(wanted.id))

    async def _rotate(self, key: SecurityKey) -> None:
        await self._show_environment(key.environment_id)
        under_way = await self.controller.rotations.under_way(key)
        if under_way:
            self._show_begun(under_way)
        else:
            await self._begin(key)

    async def _begin(self, key: SecurityKey | None = None) -> None:
        environment = self.session.environment
        keys = await self.session.console.keys.listed(environment)
        if key and key.id not in {one.id for one in keys}:
            raise NotFound("key", key.name)  # no other one is to be rotated in its place
        rotations = await self.controller.rotations.listed(environment.id)
        if environment == self.session.environment and self.controller.signed():
            begun = await ask_rotation(self.controller, keys, rotations, key)
            if begun:
                self._show_begun(begun)

    async def _take_as_compromised(self, key: SecurityKey) -> None:
        """Ask whether a key is compromised, and begin its rotation as such or take the open one for that."""
        c = self.controller
        environment = await self._show_environment(key.environment_id)
        agreed = await confirm(
            self,
            title=_("Is “{name}” compromised?").format(name=key.name),
            text=_(
                "It counts as being in wrong hands from now on: it is rotated at once, and no overlap is "
                "waited for. Nothing is deleted yet, since the applications need a new key first. A list "
                "reminds of the access logs and of support. Not compromised… takes a false alarm back."
            ),
            confirm=_("It is compromised"),
            tone="danger",
        )
        if not agreed or not c.signed():
            return
        under_way = await c.rotations.under_way(key)
        if under_way:
            self._show_begun(await c.rotations.compromise(under_way.id, c.person))
            return
        names = [one.name for one in await self.session.console.keys.listed(environment)]
        rotation = await c.rotations.start(
            environment,
            key,
            c.rotations.proposed(key, names),
            reason=_("Compromised"),
            by=c.person,
            overlap_ends_at=self.session.console.clock.now(),
            compromised=True,
        )
        self._show_begun(rotation)

    async def _revoke(self, key: SecurityKey) -> None:
        c = self.controller
        environment = await self._show_environment(key.environment_id)
        if not c.signed():
            return
        effects = await effects_of_revoking(self.session.console, environment, key)
        reason = text_field(_("Reason"), USUAL_REASON)
        dialog = Dialog(
            self,
            title=revocation_title(key),
            text=revocation_text(key, environment, effects),
            confirm=_("Revoke now"),
            tone="danger",
            content=Form(reason),
        )
        if await dialog.answer():
            rotation = await c.rotations.revoke(environment, key, c.person, reason.text.strip())
            self._show_begun(rotation)
            self.view.deletion.carry_out(rotation)

    async def _show_environment(self, environment_id: str) -> Environment:
        """Have the window show an environment, and return it: a page may show keys of all of them."""
        environment = await self.session.console.calling.environment(environment_id)
        self.session.choose_environment(environment)
        return environment

    # --- who works here ------------------------------------------------------------------------------

    def _on_name(self, name: str) -> None:
        self.controller.person = name.strip()

    def _on_named(self) -> None:
        name = self.controller.person
        self.session.run("rotations name", self._remember(name), on_error=self._on_name_refused)

    async def _remember(self, name: str) -> None:
        await refuse_values(self.session.console.world, [("your name", name)])
        self.session.preferences.person = clean_text("your name", name, required=False)

    def _on_name_refused(self, error: KeybenchError) -> None:
        self.name_edit.clear()
        self.session.failed.emit(error)

    def _make_welcome(self) -> QFrame:
        text = prose(
            _(
                "A rotation replaces a key by a new one without an outage: make the new one, set it in every "
                "application, see each of them work, delete the old one and see it refused, and write down "
                "what was done. Every step is kept, so it can go on tomorrow."
            ),
            "dim",
        )
        keep_size(text, most_width=WIDEST_PX)
        inside = in_column(
            prose(_("Replace a key without an outage"), "title"),
            text,
            8,
            in_row(button(_("Begin a rotation…"), self._on_new, tone="primary"), None),
            None,
            margins=(16, 14, 16, 12),
        )
        return framed(inside, "panel")


def _in_order(rotations: Iterable[Rotation]) -> Sequence[Rotation]:
    return sorted(rotations, key=lambda one: (not one.is_open, not one.compromised))
