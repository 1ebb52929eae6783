"""The Rotations page: the environment's rotations at the left, one of them or a new one at the right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import KeysChanged, RotationChanged
from keybench.core.input_errors import NotFound
from keybench.core.rotation import Rotation
from keybench.core.security_key import SecurityKey
from keybench.core.text import clean_text
from keybench.ui.preferences import Preferences
from keybench.ui.refresh import Refresh
from keybench.ui.rotations.cards import RotationList
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.planning import StartView, begun_notice
from keybench.ui.rotations.rotation_view import RotationView, ask_to_revoke
from keybench.ui.rotations.stage_view import WIDEST_PX
from keybench.ui.session import Session
from keybench.ui.theme import keep_size, scaled
from keybench.ui.widgets.boxes import in_column, in_row
from keybench.ui.widgets.dialog import confirm
from keybench.ui.widgets.labels import button, prose
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.words.rotation_details import LEAKED_TEXT, WELCOME
from keybench.workflows.guard import refuse_values

_LIST_PX = 280
_LEAST_LIST_PX = 180
_LIST_SHARE = 0.25
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
        self.view = RotationView(self.controller)
        self.start: StartView | None = None
        self.welcome = self._welcome()
        self._right = QStackedWidget()
        self._reading = Refresh(session, "rotations", self._read)
        self._minutes = QTimer(self, interval=int(_MINUTE.total_seconds() * 1000))
        self._lay_out()
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

    async def _read(self) -> None:
        environment = self._session.environment
        try:
            rotations = await self.controller.rotations.listed(environment.id)
            keys = await self._session.console.keys.listed(environment)
        except KeybenchError as error:
            words = explain(error)
            self.list.show_trouble(
                _("The rotations can't be listed. {title} {text}")
                .format(title=words.title, text=words.text)
                .strip()
            )
            return
        if environment != self._session.environment:
            return
        self._rotations = rotations
        self.controller.set_keys(keys)
        self._show_list()
        self._show_chosen()
        self.view.refresh_times()

    def _show_list(self) -> None:
        self.list.show_rotations(self._rotations)

    def _show_chosen(self) -> None:
        """Show the chosen one as it is stored now; the first open one if none is chosen yet."""
        if self.start is not None:
            return
        shown = next((one for one in self._rotations if one.id == self.controller.id), None)
        if shown is None:
            shown = next((one for one in self._rotations if one.id in self.list.cards and one.is_open), None)
            first = next(iter(self.list.cards), "")
            shown = next((one for one in self._rotations if one.id == first and one.is_open), shown)
        if shown is None or shown.id != self.controller.id or shown != self.controller.rotation:
            self._show(shown)

    def _show(self, rotation: Rotation | None) -> None:
        self.controller.show(rotation)
        self.list.mark(self.controller.id)
        self._right.setCurrentWidget(self.view if rotation else self.welcome)

    # --- a new one -----------------------------------------------------------------------------------

    def _on_new(self) -> None:
        self._session.run("new rotation", self._begin(None))

    def _on_overdue(self) -> None:
        self._session.run("overdue rotation", self._show_overdue())

    async def _show_overdue(self) -> None:
        overdue = self._session.waiting.overdue if self._session.waiting else ()
        if not overdue:
            return
        ids = [one.id for one in overdue]
        after = ids.index(self.controller.id) + 1 if self.controller.id in ids else 0
        wanted = overdue[after % len(overdue)]
        for environment in await self._session.console.environments.all():
            if environment.id == wanted.environment_id:
                self._session.choose_environment(environment)
        self._rotations = await self.controller.rotations.listed(wanted.environment_id)
        self._leave_start()
        self._show_list()
        self._show(next((one for one in self._rotations if one.id == wanted.id), None))
        self.view.begin()

    async def _rotate(self, key: SecurityKey) -> None:
        await self._show_environment_of(key)
        await self._begin(key)

    async def _begin(self, key: SecurityKey | None) -> None:
        environment, key_id = self._session.environment, key.id if key else ""
        keys = await self._session.console.keys.listed(environment)
        if key and key_id not in {one.id for one in keys}:
            raise NotFound("key", key.name)  # no other one is to be rotated in its place
        self._rotations = await self.controller.rotations.listed(environment.id)
        under_way = await self.controller.rotations.under_way(key) if key else None
        if environment != self._session.environment:
            return
        if under_way:
            self._leave_start()
            self._show_list()
            self._show(under_way)
            self.view.begin()
            return
        self._leave_start()
        self.start = StartView(self.controller, keys, self._rotations)
        self.start.left.connect(self._on_left)
        self.start.started.connect(self._on_started)
        self._right.addWidget(self.start)
        self._right.setCurrentWidget(self.start)
        self.list.mark("")
        self.start.begin(key_id)

    async def _take_as_compromised(self, key: SecurityKey) -> None:
        environment = await self._show_environment_of(key)
        rotation = await self._ask_leaked(environment, key)
        if rotation is None:
            return
        if environment == self._session.environment:
            self._on_started(rotation)
        else:
            self._session.notify(begun_notice(rotation))

    async def _ask_leaked(self, environment: Environment, key: SecurityKey) -> Rotation | None:
        """Ask whether a key is compromised, and begin its rotation as such or take the open one for that."""
        c = self.controller
        agreed = await confirm(
            self,
            title=_("Is “{name}” compromised?").format(name=key.name),
            text=LEAKED_TEXT,
            confirm=_("It is compromised"),
            tone="danger",
        )
        if not agreed or not c.signed():
            return None
        under_way = await c.rotations.under_way(key)
        if under_way:
            return await c.rotations.compromise(under_way.id, c.person)
        names = [one.name for one in await self._session.console.keys.listed(environment)]
        return await c.rotations.start(
            environment,
            key,
            c.rotations.proposed(key, names),
            reason=_("Compromised"),
            by=c.person,
            overlap_ends_at=self._session.console.clock.now(),
            compromised=True,
        )

    async def _revoke(self, key: SecurityKey) -> None:
        c = self.controller
        environment = await self._show_environment_of(key)
        if not c.signed():
            return
        reason = await ask_to_revoke(c, environment, key)
        if not reason:
            return
        rotation = await c.rotations.revoke(environment, key, c.person, reason)
        if environment == self._session.environment:
            self._on_started(rotation)
        else:
            self._session.notify(begun_notice(rotation))
        self.view.deletion.carry_out(rotation)

    async def _show_environment_of(self, key: SecurityKey) -> Environment:
        """Have the window show a key's environment, and return it.

        The key may come from a page that shows those of all environments.
        """
        for environment in await self._session.console.environments.all():
            if environment.id == key.environment_id:
                self._session.choose_environment(environment)
                return environment
        raise NotFound("key", key.name)

    def _on_started(self, rotation: Rotation) -> None:
        self._leave_start()
        self._show(rotation)
        self._reading.request()
        self.view.begin()

    def _on_left(self) -> None:
        self._leave_start()
        self._show_chosen()
        self._right.setCurrentWidget(self.view if self.controller.id else self.welcome)
        self.list.mark(self.controller.id)
        self.list.new_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_start(self) -> None:
        if self.start is not None:
            self.start.leave()
            self._right.removeWidget(self.start)
            self.start.hide()
            self.start.deleteLater()
            self.start = None

    # --- what happens --------------------------------------------------------------------------------

    def _on_chosen(self, rotation_id: str) -> None:
        self._leave_start()
        self._show(next((one for one in self._rotations if one.id == rotation_id), None))

    def _on_environment(self, _environment: Environment) -> None:
        self._leave_start()
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
        self._show_list()
        self.view.refresh_times()

    def showEvent(self, event: QShowEvent) -> None:
        """Read again, for another program may have gone on with one, and show the name that is known by now."""
        super().showEvent(event)
        if self._preferences.has_person:  # it may have been given elsewhere meanwhile
            self.list.name_edit.setText(self._preferences.person)
        self._reading.request()

    def _on_named(self, name: str) -> None:
        self._session.run("rotations name", self._remember(name), on_error=self._on_name_refused)

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
        self.list.named.connect(self._on_named)
        self.controller.name_wanted.connect(self._on_name_wanted)
        self._session.environment_changed.connect(self._on_environment)
        self._session.locking.connect(self.view.clear_value)
        self._minutes.timeout.connect(self._on_minute)
        self._minutes.start()
        self._session.ending.connect(self.view.clear_value)
        self._session.subscribe(self, {RotationChanged: self._on_rotation, KeysChanged: self._on_keys})

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        share = max(
            scaled(_LEAST_LIST_PX), self.list.minimumSizeHint().width(), round(self.width() * _LIST_SHARE)
        )
        self.list.setFixedWidth(min(max(scaled(_LIST_PX), self.list.minimumSizeHint().width()), share))

    def _welcome(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "panel")
        text = prose(WELCOME, "dim")
        keep_size(text, most_width=WIDEST_PX)
        in_column(
            prose(_("Replace a key without an outage"), "title"),
            text,
            8,
            in_row(button(_("Start rotation"), self._on_new, tone="primary"), None),
            None,
            within=box,
            margins=(16, 14, 16, 12),
        )
        return box

    def _lay_out(self) -> None:
        self._right.addWidget(self.welcome)
        self._right.addWidget(self.view)
        in_row(self.list, (self._right, 1), within=self, margins=(16, 16, 16, 16), spacing=16)
