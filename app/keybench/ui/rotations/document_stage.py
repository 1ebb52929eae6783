"""Stage 5: the record as it will be saved, where it was put, and the end; what is saved of a rotation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QTextBrowser

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.sandbox import shown_path
from keybench.runtime.saving import save
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.record_pdf import save_pdf
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, is_open
from keybench.ui.shared.session import Notice
from keybench.words.language import _
from keybench.words.paper import Paper
from keybench.words.paper_html import paper_html
from keybench.words.rotations.checklist import checklist_paper
from keybench.words.rotations.details import FINISHED_TEXT, SAVES_DRAFT
from keybench.words.rotations.progress import record_line
from keybench.words.rotations.record import paper_markdown, record_paper

_PAGE: Final = (_("Web page"), ".html")
_MARKDOWN: Final = (_("Markdown"), ".md")


async def save_checklist(controller: RotationController, rotation: Rotation) -> None:
    now = controller.session.console.clock.now()
    paper = checklist_paper(rotation, controller.environment, now)
    await _ask_and_save(controller, paper, _("Save the list"), _file_name("applications", rotation), (_PAGE,))


async def _ask_and_save(
    controller: RotationController, paper: Paper, title: str, name: str, others: Sequence[tuple[str, str]]
) -> Path | None:
    path = await ask_where(controller.window, title=title, name=name, kind="PDF", others=others)
    if path is None:
        return None
    match path.suffix.lower():
        case ".md":
            await save(path, paper_markdown(paper))
        case ".pdf":
            await save_pdf(path, paper)
        case _:
            await save(path, paper_html(paper))
    said, text = _("Saved {name}").format(name=path.name), _("The file is {path}.")
    controller.session.notify(Notice("good", said, text.format(path=shown_path(path)), title))
    return path


def _file_name(what: str, rotation: Rotation) -> str:
    """Return a file's name without what file systems don't take; an open rotation's record is a draft."""
    plain = "".join(c if c.isalnum() else "-" for c in rotation.old.name).strip("-")
    draft = "-draft" if rotation.is_open and what == "rotation" else ""
    return f"{what}-{plain or 'key'}{draft}.pdf"


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
            StageText(_("Record"), "heading"),
            StageText(record_line, "dim"),
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
        self.preview.setHtml(paper_html(self._record(rotation)))
        self.preview.verticalScrollBar().setValue(at)

    def _record(self, rotation: Rotation) -> Paper:
        c = self.controller
        return record_paper(rotation, c.environment, c.session.console.clock.now())

    async def _save(self, asked: Rotation) -> None:
        c, paper, name = self.controller, self._record(asked), _file_name("rotation", asked)
        saved = await _ask_and_save(c, paper, _("Save the record"), name, (_PAGE, _MARKDOWN))
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
