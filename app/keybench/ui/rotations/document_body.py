"""Stage 5: the record as it will be saved, where it was put, and the end of the rotation."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QTextBrowser

from keybench.core.rotation import Rotation
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.parts import WrappingRow, column
from keybench.ui.rotations.record_files import record_preview, save_record
from keybench.ui.rotations.stage_body import StageBody
from keybench.ui.theme import scaled, set_role
from keybench.ui.widgets.form import text_field
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.formats import day_and_time
from keybench.words.rotations import DRAFT, FINISHED_TEXT

_LEAST_PX: Final = 220


class DocumentBody(StageBody):
    """A preview of the record with what is left to do about it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._words = prose(role="dim")
        self.preview = QTextBrowser()
        self.preview.setAccessibleName("Record")
        self.preview.setOpenLinks(False)
        self.preview.setTabChangesFocus(True)
        self.preview.setMinimumHeight(scaled(_LEAST_PX))
        self.place = text_field(
            "Where the record is kept", required=False, hint="Such as a folder, a wiki page, a ticket"
        )
        self.finish_button = button(
            "Finish", self._finish, tone="primary", hint="Ends the rotation; the record then says so"
        )
        self.save_button = button("Save the record", self._save)
        self._rotation_id = ""
        self._lay_out()

    def show_rotation(self, rotation: Rotation) -> None:
        """Show the record as it would be saved now."""
        if rotation.id != self._rotation_id:
            self._rotation_id = rotation.id
            self.place.reset()
        at = self.preview.verticalScrollBar().value()
        self.preview.setHtml(record_preview(self.desk, rotation))
        self.preview.verticalScrollBar().setValue(at)
        done = rotation.documentation
        self._words.setText(
            f"Documented {day_and_time(done.at)} by {done.by}{f': {done.place}' if done.place else ''}."
            if done
            else f"Abandoned: {rotation.abandon_reason}"
            if rotation.abandoned_at
            else DRAFT
        )
        erased = rotation.deletion is not None and rotation.deletion.erased_at is not None
        self.place.setVisible(rotation.is_open)
        self.offer(self.finish_button, shown=rotation.is_open, enabled=erased)
        set_role(self.save_button, "tone", "plain" if rotation.is_open else "primary")
        self.offer(self.save_button)

    def begin(self) -> bool:
        """Give the keyboard to the record."""
        self.preview.setFocus()
        return True

    def _save(self) -> None:
        self.desk.run("question", self._ask_where(self.desk.rotation))

    async def _ask_where(self, rotation: Rotation) -> None:
        saved = await save_record(self, self.desk, rotation)
        is_shown = rotation.id == self._rotation_id == self.desk.id
        if saved and is_shown and not self.place.text.strip() and self.desk.rotation.is_open:
            self.place.reset(str(saved))

    def _finish(self) -> None:
        if not self.place.fault and self.desk.signed():
            given = (self.desk.person, self.place.text.strip())
            self.desk.step("Finishing…", self.desk.rotations.document, *given, said=FINISHED_TEXT)

    def _lay_out(self) -> None:
        layout = column(self)
        layout.addWidget(label("Record", "heading"))
        layout.addWidget(self._words)
        layout.addWidget(self.preview, 1)
        layout.addWidget(self.place)
        layout.addWidget(WrappingRow((self.finish_button, self.save_button)))
