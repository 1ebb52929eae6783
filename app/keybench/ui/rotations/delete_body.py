"""Stage 4: the old key's end in four steps, each with when and by whom, and what to do for the next one."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QProgressBar, QWidget

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Deletion, Rotation
from keybench.ui.rotations.deleting import Deleting
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.parts import WrappingRow, column
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.widgets.labels import button, label, line, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.formats import day_and_time
from keybench.words.rotations import DELETE_IN_PORTAL, NOT_ASKED

_STEPS: Final = ("Asked for", "Deleted", "Seen to be refused", "Value erased here")


class DeleteBody(StageBody):
    """The four steps, and the buttons of the one that is due."""

    def __init__(self, desk: Desk, deleting: Deleting) -> None:
        super().__init__(desk)
        self._deleting = deleting
        self._pills = [Pill() for _step in _STEPS]
        self._words = [prose() for _step in _STEPS]
        self._intro = prose(NOT_ASKED, "dim")
        self._progress = QProgressBar()
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName("Asking until the old key is refused")
        self.progress_line = prose(role="dim")
        self._guide_words = prose()
        self.portal_button = button("Open the portal", self.open_portal)
        self.deleted_button = button("I have deleted it", deleting.deleted_in_portal, tone="primary")
        self.again_button = button("Go on with the deletion", deleting.finish, tone="primary")
        self.wait_button = button("Ask until it is refused", deleting.wait, tone="primary")
        self.stop_button = button("Stop asking", deleting.stop_waiting)
        self.take_button = button("Take as refused…", deleting.take_as_refused)
        self.undo_button = button("Undo", deleting.undo, hint="Take the wish to delete back")
        self._guide = self._guide_box()
        self._lay_out()
        deleting.waiting_changed.connect(self._on_waiting)
        deleting.tried.connect(self._on_try)

    def show_rotation(self, rotation: Rotation) -> None:
        """Show how far the old key is gone, and what comes next."""
        deletion = rotation.deletion
        for number, words in enumerate(_words(deletion)):
            done = bool(words)
            self._pills[number].show_state("✓ done" if done else "to do", "good" if done else "dim")
            self._words[number].setText(words)
        self._intro.setVisible(deletion is None and rotation.is_open)
        is_open = rotation.is_open and deletion is not None
        deleted = stages.is_deleted(deletion)
        refused = deletion is not None and deletion.refused_at is not None
        erased = deletion is not None and deletion.erased_at is not None
        by_gateway = self._deleting.by_gateway
        waiting = self._deleting.waiting
        self._guide_words.setText(DELETE_IN_PORTAL.format(name=rotation.old.name))
        self._guide.setVisible(is_open and not deleted and not by_gateway)
        self.offer(self.deleted_button)
        left = is_open and ((not deleted and by_gateway) or (refused and not erased))
        self.offer(self.again_button, shown=left)
        unseen = is_open and deleted and not refused
        self.offer(self.wait_button, shown=unseen and not waiting)
        self.stop_button.setVisible(unseen and waiting)
        self.take_button.setVisible(unseen)
        self.offer(self.undo_button, shown=stages.can_undo_deletion(rotation))
        self._show_progress(waiting=unseen and waiting)

    def _on_try(self, rotation_id: str, text: str) -> None:
        if rotation_id == self.desk.id:
            self.progress_line.setText(text)

    def _on_waiting(self, _waiting: bool) -> None:  # noqa: FBT001 - the signal's own form
        if self.desk.id:
            self.show_rotation(self.desk.rotation)

    def _show_progress(self, *, waiting: bool) -> None:
        self._progress.setVisible(waiting)
        self.progress_line.setVisible(waiting)
        if waiting and not self.progress_line.text():
            self.progress_line.setText("Asking the gateway with the old key until it refuses it…")
        if not waiting:
            self.progress_line.clear()

    def _guide_box(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "well")
        layout = column(box, margins=(14, 10, 14, 10))
        layout.addWidget(self._guide_words)
        layout.addWidget(WrappingRow((self.portal_button, self.deleted_button)))
        return box

    def _steps(self) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(2, 1)
        for number, name in enumerate(_STEPS):
            row = number * 2
            grid.setRowMinimumHeight(row, self.fontMetrics().lineSpacing() * 2)
            grid.addWidget(self._pills[number], row, 0, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(label(name, "strong"), row, 1, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(self._words[number], row, 2, Qt.AlignmentFlag.AlignVCenter)
            grid.addWidget(line(), row + 1, 0, 1, 3)
        return box

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("The old key's end", "heading"))
        layout.addWidget(self._intro)
        layout.addWidget(self._steps())
        layout.addWidget(self._guide)
        layout.addWidget(self._progress)
        layout.addWidget(self.progress_line)
        row = (self.again_button, self.wait_button, self.stop_button, self.take_button, self.undo_button)
        layout.addWidget(WrappingRow(row))
        layout.addStretch(1)


def _words(deletion: Deletion | None) -> tuple[str, str, str, str]:
    """Return what is known of each step; empty for one that isn't done."""
    if deletion is None:
        return "", "", "", ""
    asked = f"{day_and_time(deletion.asked_at)}, {deletion.by}"
    if deletion.override:
        asked += f" · before everything was seen working: {deletion.override}"
    deleted = refused = erased = ""
    if deletion.deleted_at:
        where = "in the portal" if deletion.in_portal else "by the gateway"
        deleted = f"{day_and_time(deletion.deleted_at)}, {where}"
    if deletion.refused_at:
        how = f"status {deletion.refused_status}" if deletion.refused_status else "taken as refused"
        note = f": {deletion.refused_note}" if deletion.refused_note else ""
        refused = f"{day_and_time(deletion.refused_at)}, {how}{note}"
    if deletion.erased_at:
        erased = day_and_time(deletion.erased_at)
    return asked, deleted, refused, erased
