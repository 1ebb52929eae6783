"""What the replacement will be: prefilled like the old key, with the differences shown and to be ticked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.rotation_plans import differences
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.ui.keys.form import KeyForm
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.parts import column
from keybench.ui.theme import scaled
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Form
from keybench.ui.widgets.labels import prose
from keybench.words.explain import explain


class PlanForm(Form):
    """The fields of a new key, and what is different from the old one.

    Args:
        desk: What the page shares.
        keys: The environment's keys: their names are taken.
    """

    def __init__(self, desk: Desk, keys: Sequence[SecurityKey], parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._desk = desk
        self._old: SecurityKey | KeyFacts | None = None
        # The value comes later, so the form is the one of a gateway that makes keys.
        self.form = KeyForm(replace(desk.facts, can_create_keys=True), keys)
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
        if self._desk.facts.can_list_users:
            name = f"users for a plan {id(self)}"
            self._desk.session.run(name, self._list_users(), self._users_failed, owner=self)

    def first_fault(self) -> QWidget | None:
        """Show why the plan can't be followed, and give the keyboard to what is to be corrected first."""
        fault = super().first_fault()
        if fault is None and self.differs and not self.tick.isChecked():
            self.tick.setFocus(Qt.FocusReason.OtherFocusReason)
            return self.tick
        return fault

    async def _list_users(self) -> None:
        users = await self._desk.session.console.add_key.users(self._desk.environment)
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


async def ask_plan(parent: QWidget, desk: Desk, rotation: Rotation) -> KeyDraft | None:
    """Ask for another plan for a rotation's replacement and return it, or None if that was left."""
    form = PlanForm(desk, await desk.session.console.keys.listed(desk.environment))
    dialog = Dialog(parent, title="Change what is made", confirm="Change it", content=form)
    form.setMinimumWidth(scaled(400))
    if rotation.making:
        form.load(rotation.old, rotation.making.draft)
    return form.draft if await dialog.answer() else None
