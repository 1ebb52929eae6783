"""What a rotation is planned with: the new key's form, like the old one's, and the end of the overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.overlap import BusyTime, default_end, parse_busy_times, warnings
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.rotation_plans import differences
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.ui.keys.form import KeyForm
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.stage_view import column
from keybench.ui.session import Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form, Hint
from keybench.ui.widgets.labels import prose
from keybench.words.explain import explain
from keybench.words.rotations import overlap_warning


class PlanForm(Form):
    """The fields of a new key, and what is different from the old one.

    Args:
        controller: The page's.
        keys: The environment's keys: their names are taken.
    """

    def __init__(
        self, controller: RotationController, keys: Sequence[SecurityKey], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent=parent)
        self._controller = controller
        self._old: SecurityKey | KeyFacts | None = None
        # The value comes later, so the form is the one of a gateway that makes keys.
        self.form = KeyForm(replace(controller.facts, can_create_keys=True), keys)
        self.tick = QCheckBox("I want these differences")
        self._words = prose()
        self._box = self._differences_box()
        self.add(self.form)
        self.add(self._box)
        self.take(*self.form.fields)
        self.edited.connect(self._on_edited)

    @property
    def draft(self) -> KeyDraft:
        """What was entered."""
        return self.form.draft()

    @property
    def differs(self) -> bool:
        """Whether user, permission or kind are not the old key's."""
        return not self._box.isHidden()

    def load(self, old: SecurityKey | KeyFacts, draft: KeyDraft) -> None:
        """Show a plan for the replacement of `old`."""
        self._old = old
        self.tick.setChecked(False)
        box = self.form.user_box
        if box.findData(draft.username) < 0:  # the old key's user is known before the gateway lists them
            box.addItem(draft.username, draft.username)
        self.form.load(draft)
        self._on_edited()
        if self._controller.facts.can_list_users:
            name = f"users for a plan {id(self)}"
            self._controller.session.run(name, self._list_users(), self._users_failed, owner=self)

    def first_fault(self) -> QWidget | None:
        """Show why the plan can't be followed, and give the keyboard to what is to be corrected first."""
        fault = super().first_fault()
        if fault is None and self.differs and not self.tick.isChecked():
            self.tick.setFocus(Qt.FocusReason.OtherFocusReason)
            return self.tick
        return fault

    async def _list_users(self) -> None:
        users = await self._controller.session.console.add_key.users(self._controller.environment)
        self.form.offer_users(users, self.form.username.text)
        self._on_edited()

    def _users_failed(self, error: KeybenchError) -> None:
        username = self.form.username.text or (self._old.username if self._old else "")
        self.form.let_type_user(explain(error).title)
        self.form.user_box.setEditText(username)

    def _on_edited(self) -> None:
        if self._old is None:
            return
        found = differences(self._old, self.draft)
        lines = [f"{one.field}: {one.old} → {one.new or 'nothing'}" for one in found]
        text = "Not like the old key: " + "; ".join(lines) + "."
        if text != self._words.text():
            self.tick.setChecked(False)  # what was ticked were other differences
        self._words.setText(text)
        self._box.setVisible(bool(found))
        self.tick.setAccessibleDescription(text if found else "")

    def _differences_box(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "bar")
        box.setProperty("tone", "warning")
        layout = column(box, margins=(14, 10, 14, 10))
        layout.addWidget(self._words)
        layout.addWidget(self.tick)
        box.hide()
        return box


async def ask_plan(controller: RotationController, rotation: Rotation) -> KeyDraft | None:
    """Ask for another plan for a rotation's replacement and return it, or None if that was left."""
    form = PlanForm(controller, await controller.session.console.keys.listed(controller.environment))
    dialog = Dialog(controller.window, title="Change what is made", confirm="Change it", content=form)
    form.setMinimumWidth(scaled(400))
    if rotation.making:
        form.load(rotation.old, rotation.making.draft)
    return form.draft if await dialog.answer() else None


#: Read alike everywhere, and typed without a calendar.
_FORM: Final = "%Y-%m-%d %H:%M"
FORM_HINT: Final = "Year-month-day hour:minute, as 2026-11-22 14:00"
_DAYS: Final = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 7, Qt.Key.Key_PageDown: -7}
_LINES: Final = 2


class MomentEdit(QLineEdit):
    """Shows local time as ``2026-11-22 14:00``.

    Not Qt's own field for times: that one takes five presses of Tab, and tells readers nothing on the way.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)

    @property
    def local(self) -> datetime | None:
        """The moment as local time with its offset; None while the text isn't one."""
        try:
            return datetime.strptime(self.text().strip(), _FORM).astimezone()
        except (ValueError, OverflowError):  # overflow: a year that no clock of this system has
            return None

    def put(self, moment: datetime) -> None:
        """Show a moment, given with its offset."""
        self.setText(moment.astimezone().strftime(_FORM))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrow keys move it by a day, and the page keys by a week."""
        days = _DAYS.get(Qt.Key(event.key()), 0)
        local = self.local
        if days and local:
            self.put(local + timedelta(days=days))
        else:
            super().keyPressEvent(event)


class OverlapField(Field):
    """The planned end of an overlap, by the settings to begin with; it warns of weekends and busy times.

    Args:
        session: The window's; its settings say how long keys overlap and which times are busy.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._busy: tuple[BusyTime, ...] = ()
        self._moments = MomentEdit("Planned end of the overlap")
        super().__init__("Planned end of the overlap", self._moments, check=self._look_at, lines=_LINES)
        self.refresh()

    @property
    def moment(self) -> datetime:
        """What was entered, UTC; now if that isn't a moment, which is a fault of the field."""
        local = self._moments.local
        return local.astimezone(UTC) if local else self._session.console.clock.now()

    def put(self, moment: datetime) -> None:
        """Show a moment, whatever the settings propose."""
        self._moments.put(moment)

    async def read_settings(self) -> None:
        """Read what is usual and what is busy, and propose an end if none stands there."""
        settings = await self._session.administration.settings.read()
        self._busy = parse_busy_times(settings.busy_times)
        if not self._moments.text():
            self._moments.put(default_end(self._session.console.clock.now(), settings.overlap_days))
        self.refresh()

    def _look_at(self, _text: str) -> Hint:
        local = self._moments.local
        if local is None:
            return Hint(f"{FORM_HINT}.", "bad" if self._is_finished else "dim")
        found = [overlap_warning(one) for one in warnings(local, self._busy)]
        if local <= self._session.console.clock.now():
            found.insert(0, "This moment has passed: the old key is to be deleted at once.")
        return Hint(" ".join(found), "warning")
