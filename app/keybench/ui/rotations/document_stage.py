"""Stage 5: the record as it will be saved, where it was put, and the end; what is saved and printed of a rotation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QTextBrowser

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.runtime.sandbox import shown_path
from keybench.runtime.saving import save
from keybench.runtime.system import this_system
from keybench.ui.record_pdf import draw, save_pdf
from keybench.ui.rotations.controller import RotationController
from keybench.ui.rotations.stage_view import Button, Content, StageView, Text, is_open
from keybench.ui.session import Notice
from keybench.ui.theme import keep_size
from keybench.ui.widgets.dialog import answered, ask_where
from keybench.ui.widgets.form import Form, text_field
from keybench.words.checklist import checklist_paper
from keybench.words.language import _
from keybench.words.paper import Paper
from keybench.words.record import paper_markdown, record_paper
from keybench.words.record_html import paper_html
from keybench.words.rotation_details import FINISHED_TEXT, SAVES_DRAFT
from keybench.words.rotations import record_line

_PAGE: Final = (_("Web page"), ".html")
_MARKDOWN: Final = (_("Markdown"), ".md")
_RECORD: Final = "rotation"
_PRINTING: Final = "PySide6.QtPrintSupport"


def record_preview(controller: RotationController, rotation: Rotation) -> str:
    """Return the record as HTML, for the screen."""
    return paper_html(_record(controller, rotation))


async def save_record(controller: RotationController, rotation: Rotation) -> Path | None:
    """Ask where to, save a rotation's record there, and return the file; None if that was left."""
    paper, name = _record(controller, rotation), _file_name(_RECORD, rotation)
    kinds = (_PAGE, _MARKDOWN)
    path = await ask_where(controller.window, title=_("Save the record"), name=name, kind="PDF", others=kinds)
    if path:
        await _save(path, paper)
        _report_saved(controller, path, "record")
    return path


async def save_checklist(controller: RotationController, rotation: Rotation) -> None:
    """Ask where to, and save a rotation's list of applications there."""
    paper, name = _checklist(controller, rotation), _file_name("applications", rotation)
    path = await ask_where(
        controller.window, title=_("Save the list"), name=name, kind="PDF", others=(_PAGE,)
    )
    if path:
        await _save(path, paper)
        _report_saved(controller, path, "list")


async def _save(path: Path, paper: Paper) -> None:
    match path.suffix.lower():
        case ".md":
            await save(path, paper_markdown(paper))
        case ".pdf":
            await save_pdf(path, paper)
        case _:
            await save(path, paper_html(paper))


def _record(controller: RotationController, rotation: Rotation) -> Paper:
    return record_paper(rotation, controller.environment, controller.session.console.clock.now())


def _checklist(controller: RotationController, rotation: Rotation) -> Paper:
    return checklist_paper(rotation, controller.environment, controller.session.console.clock.now())


def _report_saved(controller: RotationController, path: Path, topic: str) -> None:
    title = _("Saved {name}").format(name=path.name)
    text = _("The file is {path}.").format(path=shown_path(path))
    controller.session.notify(Notice("good", title, text, topic))


def _file_name(what: str, rotation: Rotation) -> str:
    """Return a file's name for something about the old key, without what file systems don't take.

    The record of a rotation that isn't finished is called a draft.
    """
    plain = "".join(c if c.isalnum() else "-" for c in rotation.old.name).strip("-")
    draft = "-draft" if rotation.is_open and what == _RECORD else ""
    return f"{what}-{plain or 'key'}{draft}.pdf"


def can_print() -> bool:
    """Tell whether this Qt can print; some systems' packages leave that part out."""
    return importlib.util.find_spec(_PRINTING) is not None


async def print_checklist(controller: RotationController, rotation: Rotation) -> None:
    text = _("This system can't print from here. Save the list, and print the file.")
    try:
        # It takes long to import, and most people never print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrinterInfo  # noqa: PLC0415 - see above
    except ImportError:  # the system's part of it, such as CUPS, isn't there
        controller.message.emit(text, "warning")
        return
    # Qt writes the file itself, which in a Flatpak would be gone with the sandbox.
    to_file = not this_system().in_flatpak
    if not (to_file or QPrinterInfo.availablePrinterNames()):
        controller.message.emit(text, "warning")
        return
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    dialog = QPrintDialog(printer, controller.window.window())
    dialog.setOption(QPrintDialog.PrintDialogOption.PrintToFile, to_file)
    try:
        agreed = await answered(dialog)
    finally:
        dialog.deleteLater()
    if agreed:
        draw(_checklist(controller, rotation), printer)


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
