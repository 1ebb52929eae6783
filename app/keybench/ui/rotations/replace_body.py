"""Stage 2: the applications that use the key, each changed by somebody at some time, and how to change it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.ui.keys_page.application_dialog import ApplicationDialog
from keybench.ui.rotations.checklist import can_print, print_checklist, save_checklist
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.parts import WrappingRow, column
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.rotations.tables import ApplicationsTable
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.rotations import changed_by_words

_NO_INSTRUCTIONS: Final = "Nobody wrote down how to change it there."


class ReplaceBody(StageBody):
    """The list with its ticks; below it what is known of the chosen application."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.table = ApplicationsTable()
        self.table.selection_changed.connect(self._on_picked)
        self.table.opened.connect(self._toggle)
        self.changed_button = button("New key is set there", self._changed, tone="primary")
        self.back_button = button("Not changed after all", self._back)
        self.add_button = button("Add an application…", self._add)
        self.again_button = button(
            "Read the register again", self._refresh, hint="Take over what changed on the Keys page"
        )
        self.save_button = button("Save the list…", self._save)
        self.print_button = button("Print…", self._print)
        self._owner, self._place = prose(), prose(role="mono")
        self._instructions, self._when = prose(), prose()
        self._box = self._details()
        self._lay_out()

    def show_rotation(self, rotation: Rotation) -> None:
        """Show the applications as they stand."""
        self.table.show_rotation(rotation)
        goes_on = rotation.is_open and not stages.is_deleted(rotation.deletion)
        self.offer(self.add_button, shown=rotation.is_open, enabled=goes_on)
        self.offer(self.again_button, shown=rotation.is_open, enabled=goes_on)
        self.offer(self.save_button, enabled=bool(rotation.applications))
        self.offer(self.print_button, shown=can_print(), enabled=bool(rotation.applications))

    def begin(self) -> bool:
        """Give the keyboard to the list."""
        self.table.setFocus()
        return True

    def _on_picked(self) -> None:
        step = self.table.selected
        rotation = self.desk.rotation
        goes_on = rotation.is_open and not stages.is_deleted(rotation.deletion)
        has_key = rotation.replacement is not None
        self._box.setVisible(step is not None)
        changed = step is not None and step.changed_at is not None
        self.offer(self.changed_button, shown=not changed, enabled=goes_on and has_key and step is not None)
        self.offer(self.back_button, shown=changed, enabled=goes_on)
        if step:
            self._owner.setText(
                ", ".join(part for part in (step.owner, step.contact) if part) or "nobody named"
            )
            self._place.setText(step.place or "not written down")
            self._instructions.setText(step.instructions or _NO_INSTRUCTIONS)
            self._when.setText(changed_by_words(step))

    def _toggle(self) -> None:
        button = self.changed_button if not self.changed_button.isHidden() else self.back_button
        if button.isEnabled():
            button.click()

    def _changed(self) -> None:
        step = self.table.selected
        if step and self.desk.signed():
            use_case = self.desk.rotations.application_changed
            self.desk.step("Noting…", use_case, step.application_id, self.desk.person)

    def _back(self) -> None:
        step = self.table.selected
        if step and self.desk.signed():
            use_case = self.desk.rotations.application_not_changed
            self.desk.step("Noting…", use_case, step.application_id, self.desk.person)

    def _refresh(self) -> None:
        self.desk.step("Reading…", self.desk.rotations.refresh_applications)

    def _add(self) -> None:
        self.desk.run("question", self._ask_for_application(self.desk.rotation))

    async def _ask_for_application(self, asked: Rotation) -> None:
        environment, add = self.desk.environment, self.desk.session.administration.applications.add
        text = f"One that uses “{asked.old.name}”: a program, a till, a report."
        dialog = ApplicationDialog(self, title="Add an application", confirm="Add it", text=text)
        if await dialog.keep(lambda: add(environment, asked.old.key_id, **asdict(dialog.draft))):
            await self.desk.carried(asked, "Reading…", self.desk.rotations.refresh_applications)

    def _save(self) -> None:
        self.desk.run("question", save_checklist(self, self.desk, self.desk.rotation))

    def _print(self) -> None:
        self.desk.run("question", print_checklist(self, self.desk, self.desk.rotation))

    def _details(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "well")
        grid = QGridLayout(box)
        grid.setContentsMargins(14, 10, 14, 10)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        rows = (
            ("Owner", self._owner),
            ("Where", self._place),
            ("How to change it", self._instructions),
            ("Changed", self._when),
        )
        for number, (name, words) in enumerate(rows):
            grid.addWidget(label(name, "dim"), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, number, 1)
        return box

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("Applications that use this key", "heading"))
        layout.addWidget(self.table)
        layout.addWidget(self._box)
        layout.addWidget(WrappingRow((self.changed_button, self.back_button)))
        layout.addSpacing(8)
        row = (self.add_button, self.again_button, self.save_button, self.print_button)
        layout.addWidget(WrappingRow(row))
        layout.addStretch(1)
