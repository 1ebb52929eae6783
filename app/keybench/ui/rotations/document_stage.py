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
from keybench.words.rotation_details import FINISHED_TEXT
from keybench.words.rotations import record_line

_LEAST_PX: Final = 220


class DocumentStage(StageView):
    """A preview of the record with what is left to do about it."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        self._rotation_id = ""
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
            Content(self.preview, self._show_record, stretch=1),
            Content(self._form, when=is_open),
            (
                Button(
                    _("Finish"),
                    self._finish,
                    shown=is_open,
                    enabled=lambda rotation: stages.is_erased(rotation.deletion),
                    tone="primary",
                    hint=_("Ends the rotation; the record then says so"),
                ),
                Button(
                    _("Save the record"),
                    ask=self._save,
                    tone=lambda rotation: "plain" if rotation.is_open else "primary",
                ),
            ),
        )

    def begin(self) -> bool:
        """Give the keyboard to the record."""
        self.preview.setFocus()
        return True

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
        if saved and is_shown and not self.location.text.strip() and c.rotation.is_open:
            self.location.reset(str(saved))

    def _finish(self) -> None:
        c = self.controller
        if self._form.first_fault() is None and c.signed():
            location = self.location.text.strip()
            c.step(_("Finishing…"), c.rotations.document, c.person, location, done=FINISHED_TEXT)
