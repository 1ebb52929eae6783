"""Stage 5: the record as it will be saved, where it was put, and the end of the rotation."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QTextBrowser

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.saving import record_preview, save_record
from keybench.ui.rotations.stage_view import Button, Content, StageView, Text, is_open
from keybench.ui.theme import keep_size
from keybench.ui.widgets.form import Form, text_field
from keybench.words.language import _
from keybench.words.rotation_details import FINISHED_TEXT, SAVES_DRAFT
from keybench.words.rotations import record_line

_LEAST_PX: Final = 220


class DocumentStage(StageView):
    """What is left to do about the record, and the record as it will be saved."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        self._rotation_id = ""
        self._saved: set[str] = set()
        self.preview = QTextBrowser()
        self.preview.setAccessibleName(_("Record"))
        self.preview.setOpenLinks(False)
        self.preview.setTabChangesFocus(True)
        keep_size(self.preview, least_height=_LEAST_PX)
        self.location = text_field(
            _("Where the record is kept"), required=False, hint=_("Such as a folder, a wiki page, a ticket")
        )
        self._form = Form(self.location)
        self.build(
            Text(_("Record"), "heading"),
            Text(record_line, "dim"),
            Content(self._form, when=is_open),
            (
                Button(
                    _("Finish"),
                    self._finish,
                    shown=is_open,
                    enabled=_can_finish,
                    tone=lambda rotation: "primary" if _can_finish(rotation) else "plain",
                    hint=_("Ends the rotation; the record then says so"),
                ),
                Button(
                    _("Save the record"),
                    ask=self._save,
                    tone=self._save_tone,
                    hint=lambda rotation: SAVES_DRAFT if rotation.is_open else "",
                ),
            ),
            Content(self.preview, self._show_record, stretch=1),
        )

    def begin(self) -> bool:
        """Give the keyboard to what is next: to finish, then to save the record; else to the record."""
        if self.next_step is None:
            self.preview.setFocus()
            return True
        return super().begin()

    def _save_tone(self, rotation: Rotation) -> str:
        return "plain" if rotation.is_open or rotation.id in self._saved else "primary"

    def _show_record(self, rotation: Rotation) -> None:
        if rotation.id != self._rotation_id:
            self._rotation_id = rotation.id
            self.location.reset()
        at = self.preview.verticalScrollBar().value()
        self.preview.setHtml(record_preview(self.controller, rotation))
        self.preview.verticalScrollBar().setValue(at)

    async def _save(self, asked: Rotation) -> None:
        c = self.controller
        saved = await save_record(c, asked)
        is_shown = asked.id == self._rotation_id == c.id
        if saved and not asked.is_open:
            self._saved.add(asked.id)
            self.refresh()
        if saved and is_shown and not self.location.text.strip() and c.rotation.is_open:
            self.location.reset(str(saved))

    def _finish(self) -> None:
        c = self.controller
        if self._form.first_fault() is None and c.signed():
            location = self.location.text.strip()
            c.step(_("Finishing…"), c.rotations.document, c.person, location, done=FINISHED_TEXT)


def _can_finish(rotation: Rotation) -> bool:
    return rotation.is_open and stages.is_erased(rotation.deletion)
