"""The list of applications on paper: saved as a page or PDF, or sent to a printer where there can be one."""

from __future__ import annotations

import importlib.util
from typing import Final

from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QWidget

from keybench.core.rotation import Rotation
from keybench.ui.rotations.desk import Desk
from keybench.ui.rotations.record_files import checklist_name, save_page
from keybench.ui.session import Notice
from keybench.ui.widgets.dialog import answered, ask_where
from keybench.words.record_html import checklist_html

_OTHERS: Final = (("Web page", ".html"),)
_PRINTING: Final = "PySide6.QtPrintSupport"


def can_print() -> bool:
    """Tell whether this Qt can print; some systems' packages leave that part out."""
    return importlib.util.find_spec(_PRINTING) is not None


async def save_checklist(parent: QWidget, desk: Desk, rotation: Rotation) -> None:
    """Ask where to, and save a rotation's list of applications there.

    Raises:
        FileNotSaved: It can't be written.
    """
    html = checklist_html(rotation, desk.environment)
    name = checklist_name(rotation)
    path = await ask_where(parent, title="Save the list", name=name, kind="PDF", others=_OTHERS)
    if path:
        await save_page(path, html)
        desk.session.notify(Notice("good", f"Saved {path.name}", f"It is in {path.parent}.", "list"))


async def print_checklist(parent: QWidget, desk: Desk, rotation: Rotation) -> None:
    """Ask for a printer, and print a rotation's list of applications."""
    try:
        # It takes long to import, and most people never print.
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # noqa: PLC0415 - see above
    except ImportError:  # the system's part of it, such as CUPS, isn't there
        desk.said.emit("This system can't print from here. Save the list, and print the file.", "warning")
        return
    html = checklist_html(rotation, desk.environment)
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    dialog = QPrintDialog(printer, parent.window())
    try:
        agreed = await answered(dialog)
    finally:
        dialog.deleteLater()
    if agreed:
        document = QTextDocument()
        document.setHtml(html)
        document.print_(printer)
