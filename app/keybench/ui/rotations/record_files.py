"""The record of a rotation on screen and in files: Markdown, HTML or PDF, by the ending that is chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from keybench.core.rotation import Rotation
from keybench.runtime.saving import save
from keybench.ui.record_pdf import save_pdf
from keybench.ui.rotations.desk import Desk
from keybench.ui.session import Notice
from keybench.ui.widgets.dialog import ask_where
from keybench.words.record import record_markdown
from keybench.words.record_html import record_html

_OTHERS = (("Web page", ".html"), ("Markdown", ".md"))


def record_preview(desk: Desk, rotation: Rotation) -> str:
    """Return the record as HTML, for the screen."""
    return record_html(rotation, desk.environment, desk.session.console.clock.now())


async def save_record(parent: QWidget, desk: Desk, rotation: Rotation) -> Path | None:
    """Ask where to, save a rotation's record there, and return the file; None if that was left.

    Raises:
        FileNotSaved: It can't be written.
    """
    environment, now = desk.environment, desk.session.console.clock.now()
    path = await ask_where(
        parent,
        title="Save the record",
        name=_file_name(rotation.old.name, "rotation"),
        kind="PDF",
        others=_OTHERS,
    )
    if path is None:
        return None
    if path.suffix.lower() == ".md":
        await save(path, record_markdown(rotation, environment, now))
    else:
        await save_page(path, record_html(rotation, environment, now))
    desk.session.notify(Notice("good", f"Saved {path.name}", f"It is in {path.parent}.", "record"))
    return path


async def save_page(path: Path, html: str) -> None:
    """Save HTML as a page or, where the name ends in ``.pdf``, as PDF.

    Raises:
        FileNotSaved: It can't be written.
    """
    if path.suffix.lower() == ".pdf":
        await save_pdf(path, html)
    else:
        await save(path, html)


def _file_name(key: str, what: str) -> str:
    """Return a file's name for something about a key, without what file systems don't take."""
    plain = "".join(c if c.isalnum() else "-" for c in key).strip("-")
    return f"{what}-{plain or 'key'}.pdf"


def checklist_name(rotation: Rotation) -> str:
    """Return the name that is proposed for the list of applications."""
    return _file_name(rotation.old.name, "applications")
