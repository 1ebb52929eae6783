"""The lower end of an open rotation: why not yet, what was said last, the overlap, the old key's deletion."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation, Stage
from keybench.ui.rotations.deleting import Deleting
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.ending import Ending
from keybench.ui.rotations.parts import WhyNot, WrappingRow, column, row_of
from keybench.ui.widgets.labels import MessageLabel, button, explain_button
from keybench.words.rotations import delete_bar

_LINES = 2


class Footer(QWidget):
    """The same under every stage, so that nothing jumps between them."""

    def __init__(self, desk: Desk, deleting: Deleting, ending: Ending) -> None:
        super().__init__()
        self._desk = desk
        self._reason = ""
        self.anyway_button = button("Delete it anyway…", deleting.delete_anyway)
        self.why_not = WhyNot("The old key can't be deleted yet.", self.anyway_button)
        self.message = MessageLabel(_LINES)
        self.extend_button = button("Extend overlap…", ending.extend)
        self.end_button = button("End now", ending.end_now)
        self.compromised_button = button("Compromised", ending.compromise)
        self.abandon_button = button("Abandon…", ending.abandon)
        self.delete_button = button("Delete the old key", deleting.delete, tone="danger")
        self._lay_out()
        desk.said.connect(self.message.say)
        desk.busy_changed.connect(self._on_busy)

    def show_rotation(self, rotation: Rotation, stage: Stage | None) -> None:
        """Show what can be done with the rotation while a stage is looked at; None for the list of a leak."""
        self._reason = delete_bar(rotation)
        at_the_end = stage in {Stage.TEST, Stage.DELETE} or stages.stage_of(rotation) is Stage.DELETE
        asked = rotation.deletion is not None
        barred = rotation.is_open and not asked and bool(self._reason)
        self.why_not.show_reason(self._reason if barred and at_the_end else "")
        self.anyway_button.setVisible(rotation.replacement is not None)
        before = rotation.is_open and not stages.is_deleted(rotation.deletion)
        for one in (self.extend_button, self.end_button):
            one.setVisible(before)
        self.compromised_button.setVisible(rotation.is_open and not rotation.compromised)
        self.abandon_button.setVisible(stages.can_abandon(rotation))
        self.delete_button.setVisible(rotation.is_open and not asked)
        explain_button(self.delete_button, self._reason)
        self._on_busy("")

    def _on_busy(self, _doing: str) -> None:
        idle = not self._desk.busy
        for one in (
            self.anyway_button,
            self.extend_button,
            self.end_button,
            self.compromised_button,
            self.abandon_button,
        ):
            one.setEnabled(idle)
        self.delete_button.setEnabled(idle and not self._reason)
        if self._desk.busy:
            self.message.say(self._desk.busy, "dim")
        elif self.message.property("tone") == "dim":
            self.message.say("", "")

    def _lay_out(self) -> None:
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        left = WrappingRow(
            (self.extend_button, self.end_button, self.compromised_button, self.abandon_button)
        )
        layout = column(self)
        layout.addWidget(self.why_not)
        layout.addWidget(self.message)
        row = row_of(left, self.delete_button)
        row.setStretch(0, 1)
        row.setAlignment(self.delete_button, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(row)
