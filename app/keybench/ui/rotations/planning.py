"""Begins a rotation: which key, why, what the new one is to be, and until when both are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLineEdit, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import NameTaken
from keybench.core.overlap import default_end
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.rotation_plans import differences
from keybench.core.security_key import KeyDraft, SecurityKey, alike
from keybench.ui.keys.form import KeyForm
from keybench.ui.page_frame import PageFrame
from keybench.ui.rotations.controller import RotationController
from keybench.ui.session import Notice, Session
from keybench.ui.theme import keep_size, scaled
from keybench.ui.widgets.boxes import in_column, in_row
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form, Hint, text_field
from keybench.ui.widgets.labels import MessageLabel, button, label, prose
from keybench.words.explain import explain
from keybench.words.language import _
from keybench.words.rotation_details import NAME_WANTED, overlap_warning


class PlanForm(Form):
    """The fields of a new key, and what is different from the old one.

    Args:
        keys: The environment's keys: their names are taken.
    """

    def __init__(self, controller: RotationController, keys: Sequence[SecurityKey]) -> None:
        super().__init__()
        self._controller = controller
        self._old: SecurityKey | KeyFacts | None = None
        # The value comes later, so the form is the one of a gateway that makes keys.
        self.form = KeyForm(replace(controller.facts, can_create_keys=True), keys)
        self.tick = QCheckBox(_("I want these differences"))
        self._words = prose()
        self._box = self._differences_box()
        self.add(self.form)
        self.add(self._box)
        self.take(*self.form.fields)
        self.edited.connect(self._on_edited)

    @property
    def draft(self) -> KeyDraft:
        return self.form.draft()

    @property
    def differs(self) -> bool:
        return not self._box.isHidden()

    def load(self, old: SecurityKey | KeyFacts, draft: KeyDraft) -> None:
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
        self.form.let_type_user(explain(error).title, username)

    def _on_edited(self) -> None:
        if self._old is None:
            return
        found = differences(self._old, self.draft)
        nothing = _("nothing")
        lines = [f"{one.field}: {one.old} → {one.new or nothing}" for one in found]
        text = _("Not like the old key: {differences}.").format(differences="; ".join(lines))
        if text != self._words.text():
            self.tick.setChecked(False)  # what was ticked were other differences
        self._words.setText(text)
        self._box.setVisible(bool(found))
        self.tick.setAccessibleDescription(text if found else "")

    def _differences_box(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "bar")
        box.setProperty("tone", "warning")
        in_column(self._words, self.tick, within=box, margins=(14, 10, 14, 10))
        box.hide()
        return box


async def ask_plan(controller: RotationController, rotation: Rotation) -> KeyDraft | None:
    """Ask for another plan for a rotation's replacement and return it, or None if that was left."""
    form = PlanForm(controller, await controller.session.console.keys.listed(controller.environment))
    dialog = Dialog(controller.window, title=_("Change what is made"), confirm=_("Change it"), content=form)
    keep_size(form, least_width=400)
    if rotation.making:
        form.load(rotation.old, rotation.making.draft)
    return form.draft if await dialog.answer() else None


#: Read alike everywhere, and typed without a calendar.
_FORM: Final = "%Y-%m-%d %H:%M"
FORM_HINT: Final = _("Year-month-day hour:minute, as 2026-11-22 14:00")
_DAYS: Final = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 7, Qt.Key.Key_PageDown: -7}
_LINES: Final = 2


class MomentEdit(QLineEdit):
    """Shows local time as ``2026-11-22 14:00``.

    Not Qt's own field for times: that one takes five presses of Tab, and tells readers nothing on the way.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)

    @property
    def local(self) -> datetime | None:
        """The moment as local time with its offset; None while the text isn't one."""
        try:
            return datetime.strptime(self.text().strip(), _FORM).astimezone()
        except (ValueError, OverflowError, OSError):  # the last two: a year that this system doesn't know
            return None

    def put(self, moment: datetime) -> None:
        self.setText(moment.astimezone().strftime(_FORM))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        days = _DAYS.get(Qt.Key(event.key()), 0)
        local = self.local
        if days and local:
            self.put(local + timedelta(days=days))
        else:
            super().keyPressEvent(event)


class OverlapField(Field):
    """The planned end of an overlap, by the settings to begin with; it warns of weekends."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._moments = MomentEdit(_("Planned end of the overlap"))
        super().__init__(_("Planned end of the overlap"), self._moments, check=self._look_at, lines=_LINES)
        self.refresh()

    @property
    def moment(self) -> datetime:
        """What was entered, UTC; now if that isn't a moment, which is a fault of the field."""
        local = self._moments.local
        return local.astimezone(UTC) if local else self._session.console.clock.now()

    def put(self, moment: datetime) -> None:
        self._moments.put(moment)

    async def read_settings(self) -> None:
        settings = await self._session.administration.settings.read()
        if not self._moments.text():
            now = self._session.console.clock.now().astimezone()
            self._moments.put(default_end(now, settings.overlap_days))
        self.refresh()

    def _look_at(self, _text: str) -> Hint:
        local = self._moments.local
        if local is None:
            return Hint(f"{FORM_HINT}.", "bad" if self._is_finished else "dim")
        found = overlap_warning(local)
        if local <= self._session.console.clock.now():
            passed = _("This moment has passed: the old key is to be deleted at once.")
            found = f"{passed} {found}".rstrip()
        return Hint(found, "warning")


_USUAL = _("Regular rotation")
_NO_KEY = _(
    "Every key here is being rotated already, or there is none. Add a New Key on the Bench makes one."
)

#: From this width on, at 13 px text, both keys stand beside each other.
_BESIDE_PX: Final = 540


def begun_notice(rotation: Rotation) -> Notice:
    title = _("The rotation of “{name}” has begun.").format(name=rotation.old.name)
    return Notice("good", title, _("It is on the page Rotations of its environment."), "rotation begun")


class StartView(QFrame):
    """The form of a new rotation. It is made again each time.

    Args:
        rotations: Its rotations; a key with an open one isn't offered.

    Signals:
        started: It is begun (a `Rotation`).
    """

    left = Signal()
    started = Signal(object)

    def __init__(
        self, controller: RotationController, keys: Sequence[SecurityKey], rotations: Sequence[Rotation]
    ) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._controller = controller
        self._environment = controller.environment
        self._busy = False
        self._over = False
        self._names = [key.name for key in keys]
        same = alike(keys)
        under_way = {
            one for rotation in rotations if rotation.is_open for one in same.get(rotation.old.key_id, ())
        }
        self._keys = {key.id: key for key in keys if key.id not in under_way}
        self.key_box = ComboBox()
        for key in self._keys.values():
            self.key_box.addItem(_choice(key), key.id)
        self.key_box.setPlaceholderText(_("No key"))
        self.key_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.key_box.setCurrentIndex(-1)
        self.key_box.setEnabled(bool(self._keys))
        self.reason = text_field(_("Reason"), _USUAL, hint=_("Such as: older than a year, a colleague left"))
        self.overlap = OverlapField(controller.session)
        self.form = Form(
            Field(_("Key"), self.key_box, "" if self._keys else _NO_KEY), self.reason, self.overlap
        )
        self.plan = PlanForm(controller, keys)
        self.start_button = button(_("Start rotation"), self.start, tone="primary")
        self.cancel_button = button(_("Cancel"), self.left.emit)
        self.message = MessageLabel(2)
        self._old_side, self._new_side = QWidget(), QWidget()
        self._lay_out()
        self.key_box.currentIndexChanged.connect(self._on_key)
        self._offer()

    @property
    def key(self) -> SecurityKey | None:
        return self._keys.get(str(self.key_box.currentData() or ""))

    def begin(self, key_id: str = "") -> None:
        """Choose a key by id, or the first one, and give the keyboard to what is to be entered next."""
        name = f"overlap settings {id(self)}"
        self._controller.session.run(name, self.overlap.read_settings(), owner=self)
        row = self.key_box.findData(key_id) if key_id else -1
        self.key_box.setCurrentIndex(row if row >= 0 else (0 if self._keys else -1))
        first = self.reason.editor if row >= 0 else self.key_box
        if self.isVisible():
            # As Tab does, so that typing replaces what stands there.
            first.setFocus(Qt.FocusReason.TabFocusReason)

    def start(self) -> None:
        """Check what was entered and begin; a fault gets the keyboard instead."""
        key = self.key
        if key is None or self._busy:
            return
        if fault := self.form.first_fault() or self.plan.first_fault():
            if fault is self.plan.tick:
                self.message.say(_("Tick that you want the differences to the old key."), "bad")
            return
        if self._controller.person:
            self._busy = True
            self._offer()
            self.message.say(_("Starting…"), "dim")
            work = self._start(key, self.plan.draft, self.reason.text.strip(), self.overlap.moment)
            self._controller.session.run(f"start rotation {id(self)}", work, on_error=self._failed)
        else:
            self.message.say(NAME_WANTED, "bad")
            self._controller.name_wanted.emit()

    def leave(self) -> None:
        self._over = True

    async def _start(self, key: SecurityKey, draft: KeyDraft, reason: str, ends_at: datetime) -> None:
        rotation = await self._controller.rotations.start(
            self._environment, key, draft, reason=reason, by=self._controller.person, overlap_ends_at=ends_at
        )
        if self._over:
            self._controller.session.notify(begun_notice(rotation))
        else:
            self.started.emit(rotation)

    def _failed(self, error: KeybenchError) -> None:
        words = explain(error)
        if self._over:
            self._controller.session.notify(
                Notice(
                    "bad",
                    _("The rotation was not begun. {title}").format(title=words.title),
                    words.text,
                    "rotation begun",
                )
            )
            return
        self._busy = False
        self._offer()
        if isinstance(error, NameTaken):
            self.plan.show_error(error)
            self.message.say("", "")
            return
        self.message.say(f"{words.title} {words.text}".strip(), "bad")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._busy:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(wide=self.width() >= scaled(_BESIDE_PX))

    def _arrange(self, *, wide: bool) -> None:
        self._grid.addWidget(self._old_side, 0, 0)
        self._grid.addWidget(self._new_side, *((0, 1) if wide else (1, 0)))
        for number in range(2):
            self._grid.setColumnStretch(number, 1 if wide or number == 0 else 0)
        self._grid.setHorizontalSpacing(24 if wide else 0)

    def _on_key(self) -> None:
        key = self.key
        if key:
            self.plan.load(key, self._controller.rotations.proposed(key, self._names))
        self._offer()

    def _offer(self) -> None:
        ready = not self._busy and self.key is not None
        self.start_button.setEnabled(ready)
        self.cancel_button.setEnabled(not self._busy)
        self.plan.setEnabled(ready)

    def _lay_out(self) -> None:
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(24)
        self._grid.setVerticalSpacing(16)
        in_column(label(_("The old key"), "heading"), self.form, None, within=self._old_side)
        in_column(label(_("The new key"), "heading"), self.plan, None, within=self._new_side)
        self._arrange(wide=True)
        scroll = PageFrame()
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.hold(inside)
        in_column(
            label(_("New rotation"), "title"),
            (scroll, 1),
            in_row((self.message, 1), self.cancel_button, self.start_button),
            within=self,
            margins=(16, 14, 16, 12),
            spacing=12,
        )


def _choice(key: SecurityKey) -> str:
    leaked = _(" · compromised") if key.compromised else ""
    return f"{key.name} · {key.kind} · {key.username}{leaked}"
