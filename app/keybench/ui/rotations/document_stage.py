"""Stage 5: the record as it will be saved, where it was put, and the end."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QTextBrowser

from keybench.core.rotations import stages
from keybench.core.rotations.rotation import Rotation
from keybench.runtime.saving import save
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.theme import keep_size
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.stage_view import Button, Content, StageText, StageView, is_open
from keybench.ui.shared.paper_pdf import pdf_of
from keybench.ui.shared.session import Notice
from keybench.words.formats import path_words
from keybench.words.language import _
from keybench.words.paper import Paper, paper_html
from keybench.words.rotations.record import paper_markdown, record_paper

_LEAST_PX: Final = 220
_OTHERS: Final = ((_("Web page"), ".html"), (_("Markdown"), ".md"))


class DocumentStage(StageView):
    """What is left to do about the record, and the record as it will be saved."""

    def __init__(self, controller: RotationController) -> None:
        super().__init__(controller)
        self._shown: Rotation | None = None
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
            StageText(
                _(
                    "The record as it stands. It has names, fingerprints and what was seen, never a value. Say "
                    "where it will be kept, and finish: then the record says so. Save it after that and put it "
                    "there."
                ),
                "dim",
                when=is_open,
            ),
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
                    tone=lambda rotation: "plain" if rotation.is_open else "primary",
                    hint=lambda rotation: (
                        _("Saves a draft: the record is complete when the rotation is finished.")
                        if rotation.is_open
                        else ""
                    ),
                ),
            ),
            Content(self.preview, self._show_record, stretch=1),
        )

    def begin(self) -> bool:
        if self.next_step is None:
            self.preview.setFocus()
            return True
        return super().begin()

    def _show_record(self, rotation: Rotation) -> None:
        if rotation == self._shown:
            return  # what a person has marked or scrolled to stays
        if self._shown is None or rotation.id != self._shown.id:
            self.location.reset()
        self._shown = rotation
        at = self.preview.verticalScrollBar().value()
        self.preview.setHtml(paper_html(self._record(rotation)))
        self.preview.verticalScrollBar().setValue(at)

    def _record(self, rotation: Rotation) -> Paper:
        c = self.controller
        return record_paper(rotation, c.environment, c.session.console.clock.now())

    async def _save(self, asked: Rotation) -> None:
        c, title = self.controller, _("Save the record")
        paper = self._record(asked)
        path = await ask_where(c.window, title=title, name=_file_name(asked), kind="PDF", others=_OTHERS)
        if path is None:
            return
        match path.suffix.lower():
            case ".md":
                await save(path, paper_markdown(paper))
            case ".pdf":
                await save(path, pdf_of(paper))
            case _:
                await save(path, paper_html(paper))
        said, text = _("Saved {name}").format(name=path.name), _("The file is {path}.")
        c.session.notify(Notice("good", said, text.format(path=path_words(path)), title))
        if asked.id == c.id and c.rotation.is_open and not self.location.text.strip():
            self.location.reset(str(path))

    def _finish(self) -> None:
        c = self.controller
        if self._form.first_fault() is None and c.signed():
            location = self.location.text.strip()
            c.step(
                _("Finishing…"),
                c.rotations.document,
                c.person,
                location,
                done=_("Finished. Save the record now; it stays readable here."),
            )


def _file_name(rotation: Rotation) -> str:
    """Return a name without what file systems don't take; an open rotation's record is a draft."""
    plain = "".join(c if c.isalnum() else "-" for c in rotation.old.name).strip("-")
    draft = "-draft" if rotation.is_open else ""
    return f"rotation-{plain or 'key'}{draft}.pdf"


def _can_finish(rotation: Rotation) -> bool:
    return rotation.is_open and stages.is_erased(rotation.deletion)
