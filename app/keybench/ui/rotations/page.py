"""The Rotations page: the environment's rotations at the left, one of them at the right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import KeysChanged, RotationChanged
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.rotations.rotation import Rotation
from keybench.core.text import clean_text
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.dialog import confirm
from keybench.ui.kit.labels import button, prose
from keybench.ui.kit.preferences import Preferences
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.cards import RotationList
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import ask_rotation, begun_notice
from keybench.ui.rotations.rotation_view import RotationView, ask_to_revoke
from keybench.ui.rotations.stage_view import WIDEST_PX
from keybench.ui.shared.reading import Reading
from keybench.ui.shared.session import Session
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.workflows.guard import refuse_values

_LIST_PX = 280
_MINUTE = timedelta(minutes=1)


class RotationsPage(QWidget):
    """Both sides of the page."""

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._session = session
        self._preferences = preferences
        self._rotations: Sequence[Rotation] = ()
        self.controller = RotationController(session, self)
        self.list = RotationList(self.controller, preferences.person)
        keep_size(self.list, most_width=_LIST_PX)
        self.view = RotationView(self.controller)
        self.welcome = self._welcome()
        self._right = QStackedWidget()
        self._right.addWidget(self.welcome)
        self._right.addWidget(self.view)
        in_row((self.list, 1), (self._right, 3), within=self, margins=(16, 16, 16, 16), spacing=16)
        self._reading = Reading(session, "rotations", self._read, self._show_read, on_unread=self._on_unread)
        self._minutes = QTimer(self, interval=int(_MINUTE.total_seconds() * 1000))
        self._connect()

    # --- what others call -------------------------------------------------------------------

    def rotate(self, key: SecurityKey) -> None:
        """Begin a key's rotation, or show the one that is under way; the window goes to its environment."""
        self._session.run(f"rotate {key.id}", self._rotate(key))

    def take_as_compromised(self, key: SecurityKey) -> None:
        self._session.run(f"compromised {key.id}", self._take_as_compromised(key))

    def revoke(self, key: SecurityKey) -> None:
        """Ask, then have a key deleted at once, whatever stops working; its rotation shows how that goes."""
        self._session.run(f"revoke {key.id}", self._revoke(key))

    # --- reading -------------------------------------------------------------------------------------

    async def _read(self) -> tuple[Sequence[Rotation], Sequence[SecurityKey]]:
        environment = self._session.environment
        rotations = await self.controller.rotations.listed(environment.id)
        return rotations, await self._session.console.keys.listed(environment)

    def _on_unread(self, error: KeybenchError) -> None:
        words = explain(error)
        said = _("The rotations can't be listed. {title} {text}")
        self.list.show_words(said.format(title=words.title, text=words.text).strip())

    def _show_read(self, read: tuple[Sequence[Rotation], Sequence[SecurityKey]]) -> None:
        rotations, keys = read
        # The open ones come first, and of those the compromised ones.
        self._rotations = sorted(rotations, key=lambda one: (not one.is_open, not one.compromised))
        self.controller.set_keys(keys)
        self.list.show_rotations(self._rotations)
        shown = self._find(self.controller.id) or next((one for one in self._rotations if one.is_open), None)
        if shown is None or shown.id != self.controller.id or shown != self.controller.rotation:
            self._show(shown)
        self.view.refresh_times()

    def _find(self, rotation_id: str) -> Rotation | None:
        return next((one for one in self._rotations if one.id == rotation_id), None)

    def _show(self, rotation: Rotation | None) -> None:
        self.controller.show(rotation)
        self.list.mark(self.controller.id)
        self._right.setCurrentWidget(self.view if rotation else self.welcome)

    def _show_begun(self, rotation: Rotation) -> None:
        """Show a rotation with the keyboard at what is next, or tell of it if its environment isn't shown."""
        if rotation.environment_id != self._session.environment.id:
            self._session.notify(begun_notice(rotation))
            return
        self._show(rotation)
        self._reading.request()
        self.view.begin()

    # --- a new one -----------------------------------------------------------------------------------

    def _on_new(self) -> None:
        self._session.run("new rotation", self._begin())

    def _on_overdue(self) -> None:
        self._session.run("overdue rotation", self._show_overdue())

    async def _show_overdue(self) -> None:
        overdue = self._session.waiting.overdue if self._session.waiting else ()
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
        environment = self._session.environment
        keys = await self._session.console.keys.listed(environment)
        if key and key.id not in {one.id for one in keys}:
            raise NotFound("key", key.name)  # no other one is to be rotated in its place
        rotations = await self.controller.rotations.listed(environment.id)
        if environment == self._session.environment and self.controller.signed():
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
                "A rotation begins at once for a new key with the same user, permission and kind. Nothing is deleted yet: the "
                "applications need the new key first. A list reminds of the access logs and of support."
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
        names = [one.name for one in await self._session.console.keys.listed(environment)]
        rotation = await c.rotations.start(
            environment,
            key,
            c.rotations.proposed(key, names),
            reason=_("Compromised"),
            by=c.person,
            overlap_ends_at=self._session.console.clock.now(),
            compromised=True,
        )
        self._show_begun(rotation)

    async def _revoke(self, key: SecurityKey) -> None:
        c = self.controller
        environment = await self._show_environment(key.environment_id)
        reason = await ask_to_revoke(c, environment, key) if c.signed() else ""
        if reason:
            rotation = await c.rotations.revoke(environment, key, c.person, reason)
            self._show_begun(rotation)
            self.view.deletion.carry_out(rotation)

    async def _show_environment(self, environment_id: str) -> Environment:
        """Have the window show an environment, and return it: a page may show keys of all of them."""
        environment = await self._session.console.calling.environment(environment_id)
        self._session.choose_environment(environment)
        return environment

    # --- what happens --------------------------------------------------------------------------------

    def _on_chosen(self, rotation_id: str) -> None:
        self._show(self._find(rotation_id))

    def _on_environment(self, _environment: Environment) -> None:
        self._rotations = ()
        self.list.show_loading()
        self._show(None)
        self._reading.request()

    def _on_rotation(self, event: RotationChanged) -> None:
        if event.environment_id == self._session.environment.id:
            self._reading.request()

    def _on_keys(self, event: KeysChanged) -> None:
        if event.environment_id == self._session.environment.id and self._rotations:
            self._reading.request()

    def _on_minute(self) -> None:
        self.list.show_rotations(self._rotations)
        self.view.refresh_times()

    def showEvent(self, event: QShowEvent) -> None:
        """Read again, for another program may have gone on with one, and show the name that is known by now."""
        super().showEvent(event)
        if self._preferences.has_person:  # it may have been given elsewhere meanwhile
            self.list.name_edit.setText(self._preferences.person)
        self._reading.request()

    def _on_named(self) -> None:
        self._session.run(
            "rotations name", self._remember(self.controller.person), on_error=self._on_name_refused
        )

    async def _remember(self, name: str) -> None:
        await refuse_values(self._session.console.world, [("your name", name)])
        self._preferences.person = clean_text("your name", name, required=False)

    def _on_name_refused(self, error: KeybenchError) -> None:
        self.list.name_edit.clear()
        self._session.failed.emit(error)

    def _on_name_wanted(self) -> None:
        self.list.name_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _connect(self) -> None:
        self.list.chosen.connect(self._on_chosen)
        self.list.new_asked.connect(self._on_new)
        self.list.overdue_asked.connect(self._on_overdue)
        self.list.name_edit.editingFinished.connect(self._on_named)
        self.controller.name_wanted.connect(self._on_name_wanted)
        self._session.environment_changed.connect(self._on_environment)
        self._session.locking.connect(self.view.clear_value)
        self._minutes.timeout.connect(self._on_minute)
        self._minutes.start()
        self._session.ending.connect(self.view.clear_value)
        self._session.subscribe(self, {RotationChanged: self._on_rotation, KeysChanged: self._on_keys})

    def _welcome(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "panel")
        text = prose(
            _(
                "A rotation replaces a key by a new one without an outage: make the new one, set it in every application, see "
                "each of them work, delete the old one and see it refused, and write down what was done. Every step is kept, so "
                "it can go on tomorrow."
            ),
            "dim",
        )
        keep_size(text, most_width=WIDEST_PX)
        in_column(
            prose(_("Replace a key without an outage"), "title"),
            text,
            8,
            in_row(button(_("Begin a rotation…"), self._on_new, tone="primary"), None),
            None,
            within=box,
            margins=(16, 14, 16, 12),
        )
        return box
