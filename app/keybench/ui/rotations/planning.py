"""What a rotation is begun with and what its new key is to be: the forms, and the dialogs that ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.keys.key import KeyDraft, SecurityKey, alike
from keybench.core.rotations.plans import default_end, differences
from keybench.core.rotations.rotation import KeyFacts, Rotation
from keybench.ui.kit.choosers import ComboBox
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Field, Form, Hint, text_field
from keybench.ui.kit.labels import MessageLabel
from keybench.ui.kit.theme import keep_size, scaled
from keybench.ui.rotations.controller import RotationController
from keybench.ui.shared.keys.form import KeyForm
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import change, full_day
from keybench.words.keys.states import kind_word
from keybench.words.language import _


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
        self.difference = MessageLabel(2)
        self.add(self.difference)
        self.add(self.form)
        self.take(*self.form.fields)
        self.edited.connect(self._on_edited)

    @property
    def draft(self) -> KeyDraft:
        return self.form.draft()

    def load(self, old: SecurityKey | KeyFacts, draft: KeyDraft) -> None:
        self._old = old
        box = self.form.user_box
        if box.findData(draft.username) < 0:  # the old key's user is known before the gateway lists them
            box.addItem(draft.username, draft.username)
        self.form.load(draft)
        self._on_edited()
        c, username = self._controller, self.form.username
        if c.facts.can_list_users:
            self.form.list_users(
                c.session, c.environment, lambda _users: username.text, lambda: username.text or old.username
            )

    def _on_edited(self) -> None:
        if self._old is None:
            return
        nothing = _("nothing")
        found = differences(self._old, self.draft)
        lines = "; ".join(f"{one.field}: {change(one.old, one.new or nothing)}" for one in found)
        text = _("Not like the old key: {differences}.").format(differences=lines) if found else ""
        if text != self.difference.text():
            self.difference.say(text, "warning")


async def ask_plan(controller: RotationController, rotation: Rotation) -> KeyDraft | None:
    form = PlanForm(controller, await controller.session.console.keys.listed(controller.environment))
    dialog = Dialog(controller.window, title=_("Change what is made"), confirm=_("Change it"), content=form)
    keep_size(form, least_width=400)
    if rotation.making:
        form.load(rotation.old, rotation.making.draft)
    return form.draft if await dialog.answer() else None


#: Read alike everywhere, and typed without a calendar.
_FORM: Final = "%Y-%m-%d %H:%M"
_FORM_HINT: Final = _("Year-month-day hour:minute, as 2026-11-22 14:00.")


class OverlapField(Field):
    """The planned end of an overlap in local time, as ``2026-11-22 14:00``; by the settings to begin with.

    Not Qt's own field for times: that one takes five presses of Tab, and tells readers nothing on the way.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._line = QLineEdit()
        super().__init__(_("Planned end of the overlap"), self._line, check=self._look_at, lines=2)
        self.refresh()

    @property
    def moment(self) -> datetime:
        """What was entered, UTC; now if that isn't a moment, which is a fault of the field."""
        return (self._entered() or self._session.console.clock.now()).astimezone(UTC)

    def put(self, moment: datetime) -> None:
        self._line.setText(moment.astimezone().strftime(_FORM))

    async def read_settings(self) -> None:
        settings = await self._session.administration.settings.read()
        if not self._line.text():
            self.put(default_end(self._session.console.clock.now().astimezone(), settings.overlap_days))
        self.refresh()

    def _entered(self) -> datetime | None:
        try:
            return datetime.strptime(self._line.text().strip(), _FORM).astimezone()
        except (ValueError, OverflowError, OSError):  # the last two: a year that this system doesn't know
            return None

    def _look_at(self, _text: str) -> Hint:
        entered = self._entered()
        if entered is None:
            return Hint(_FORM_HINT, "bad" if self._is_finished else "dim")
        if entered <= self._session.console.clock.now():
            return Hint(_("This moment has passed: the old key is to be deleted at once."), "warning")
        return Hint(full_day(entered), "dim")


_USUAL = _("Regular rotation")
_NO_KEY = _(
    "Every key here is being rotated already, or there is none. Add a New Key on the Bench makes one."
)
TOPIC: Final = "rotation begun"
_LEAST_PX: Final = 716
#: On a screen that is less wide, for 13 px text, the new key stands below.
_WIDE_PX: Final = 900


class RotationForm(Form):
    """What a rotation is begun with: at the left which key, why and until when, at the right the new key."""

    def __init__(
        self, controller: RotationController, keys: Sequence[SecurityKey], free: Sequence[SecurityKey]
    ) -> None:
        super().__init__()
        self._controller = controller
        self._names = [key.name for key in keys]
        self._free = {key.id: key for key in free}
        self.key_box = ComboBox()
        for key in free:
            self.key_box.addItem(_choice(key), key.id)
        self.key_box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.reason = text_field(_("Reason"), _USUAL, hint=_("Such as: older than a year, a colleague left"))
        self.overlap = OverlapField(controller.session)
        old, self.plan = (
            Form(Field(_("Key"), self.key_box), self.reason, self.overlap),
            PlanForm(controller, keys),
        )
        if controller.window.screen().availableSize().width() >= scaled(_WIDE_PX):
            self.add(old, self.plan)
            keep_size(self, least_width=_LEAST_PX)
        else:
            self.add(old)
            self.add(self.plan)
        self.take(*old.fields, *self.plan.fields)
        self.key_box.currentIndexChanged.connect(self._on_key)
        self._on_key()

    @property
    def key(self) -> SecurityKey:
        return self._free[self.key_box.currentData()]

    def first_fault(self) -> QWidget | None:
        return super().first_fault() or self.plan.first_fault()

    def _on_key(self) -> None:
        self.plan.load(self.key, self._controller.rotations.proposed(self.key, self._names))


async def ask_rotation(
    controller: RotationController,
    keys: Sequence[SecurityKey],
    rotations: Sequence[Rotation],
    key: SecurityKey | None = None,
) -> Rotation | None:
    """Ask what a rotation is to be, of any key without an open one, and begin it; None if that was left."""
    c, environment, same = controller, controller.environment, alike(keys)
    taken = {one for each in rotations if each.is_open for one in same.get(each.old.key_id, ())}
    free = [one for one in keys if one.id not in taken]
    if not free:
        c.session.notify(Notice("info", _("There is no key to rotate."), _NO_KEY, TOPIC))
        return None
    form = RotationForm(c, keys, free)
    if key:
        form.key_box.setCurrentIndex(form.key_box.findData(key.id))
    await form.overlap.read_settings()
    dialog = Dialog(c.window, title=_("New rotation"), confirm=_("Start rotation"), content=form)
    if key:
        form.reason.editor.setFocus(Qt.FocusReason.TabFocusReason)  # typing replaces what stands there
    return await dialog.keep(
        lambda: c.rotations.start(
            environment,
            form.key,
            form.plan.draft,
            reason=form.reason.text.strip(),
            by=c.person,
            overlap_ends_at=form.overlap.moment,
        )
    )


def _choice(key: SecurityKey) -> str:
    leaked = _(" · compromised") if key.compromised else ""
    return f"{key.name} · {kind_word(key.kind)} · {key.username}{leaked}"
