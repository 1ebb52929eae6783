"""The record of a rotation and its list of applications, in files and on paper."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from keybench.core.rotation import Rotation
from keybench.runtime.sandbox import shown_path
from keybench.runtime.saving import save
from keybench.runtime.system import this_system
from keybench.ui.record_pdf import draw, save_pdf
from keybench.ui.rotations.controller import RotationController
from keybench.ui.session import Notice
from keybench.ui.widgets.dialog import answered, ask_where
from keybench.words.checklist import checklist_paper
from keybench.words.language import _
from keybench.words.paper import Paper
from keybench.words.record import paper_markdown, record_paper
from keybench.words.record_html import paper_html

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
