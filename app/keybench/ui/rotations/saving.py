"""The record of a rotation and its list of applications, in files and on paper."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Final

from PySide6.QtGui import QTextDocument

from keybench.core.rotation import Rotation
from keybench.runtime.saving import save
from keybench.ui.record_pdf import save_pdf
from keybench.ui.rotations.controller import RotationController
from keybench.ui.session import Notice
from keybench.ui.widgets.dialog import answered, ask_where
from keybench.words.language import _
from keybench.words.record import record_markdown
from keybench.words.record_html import checklist_html, record_html

_PAGE: Final = (_("Web page"), ".html")
_MARKDOWN: Final = (_("Markdown"), ".md")
_PRINTING: Final = "PySide6.QtPrintSupport"


def record_preview(controller: RotationController, rotation: Rotation) -> str:
    """Return the record as HTML, for the screen."""
    return record_html(rotation, controller.environment, controller.session.console.clock.now())


async def save_record(controller: RotationController, rotation: Rotation) -> Path | None:
    """Ask where to, save a rotation's record there, and return the file; None if that was left.

    Raises:
        FileNotSaved: It can't be written.
    """
    environment, now = controller.environment, controller.session.console.clock.now()
    name, kinds = _file_name("rotation", rotation), (_PAGE, _MARKDOWN)
    path = await ask_where(controller.window, title=_("Save the record"), name=name, kind="PDF", others=kinds)
    if path is None:
        return None
    if path.suffix.lower() == ".md":
        await save(path, record_markdown(rotation, environment, now))
    else:
        await _save_page(path, record_html(rotation, environment, now))
    _report_saved(controller, path, "record")
    return path


async def save_checklist(controller: RotationController, rotation: Rotation) -> None:
    """Ask where to, and save a rotation's list of applications there.

    Raises:
        FileNotSaved: It can't be written.
    """
    html, name = checklist_html(rotation, controller.environment), _file_name("applications", rotation)
    path = await ask_where(
        controller.window, title=_("Save the list"), name=name, kind="PDF", others=(_PAGE,)
    )
    if path:
        await _save_page(path, html)
        _report_saved(controller, path, "list")


async def _save_page(path: Path, html: str) -> None:
    if path.suffix.lower() == ".pdf":
        await save_pdf(path, html)
    else:
        await save(path, html)


def _report_saved(controller: RotationController, path: Path, topic: str) -> None:
    title = _("Saved {name}").format(name=path.name)
    text = _("It is in {folder}.").format(folder=path.parent)
    controller.session.notify(Notice("good", title, text, topic))


def _file_name(what: str, rotation: Rotation) -> str:
    """Return a file's name for something about the old key, without what file systems don't take."""
    plain = "".join(c if c.isalnum() else "-" for c in rotation.old.name).strip("-")
    return f"{what}-{plain or 'key'}.pdf"


def can_print() -> bool:
    """Tell whether this Qt can print; some systems' packages leave that part out."""
    return importlib.util.find_spec(_PRINTING) is not None


async def print_checklist(controller: RotationController, rotation: Rotation) -> None:
    """Ask for a printer, and print a rotation's list of applications."""
    try:
        # It takes long to import, and most people never print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415 - see above
    except ImportError:  # the system's part of it, such as CUPS, isn't there
        text = _("This system can't print from here. Save the list, and print the file.")
        controller.message.emit(text, "warning")
        return
    html = checklist_html(rotation, controller.environment)
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    dialog = QPrintDialog(printer, controller.window.window())
    try:
        agreed = await answered(dialog)
    finally:
        dialog.deleteLater()
    if agreed:
        document = QTextDocument()
        document.setHtml(html)
        document.print_(printer)
