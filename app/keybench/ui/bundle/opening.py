"""Opening a support bundle from elsewhere: its page, in the browser."""

from __future__ import annotations

import tempfile
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from keybench.core.bundle import PAGE
from keybench.core.errors import FileNotSaved
from keybench.runtime.worker import run_in_thread
from keybench.ui.session import Notice, Session
from keybench.words.bundle_page import bundle_page
from keybench.words.language import _
from keybench.workflows.bundle import Bundles


async def open_bundle(session: Session, path: Path) -> None:
    """Show what a bundle's file tells on a page of our own making, never the one that came with it."""
    _documents, page = await Bundles(session.console, bundle_page).open(path)
    shown = await run_in_thread("keybench bundle", partial(_put, f"{path.stem}.html", page))
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(shown))):
        title = _("Opened {name} in the browser").format(name=path.name)
        text = _("If nothing shows there, unpack the file and open {page}.").format(page=PAGE)
        session.notify(Notice("info", title, text, topic="bundle"))
    else:
        title = _("No browser could be opened.")
        text = _("Unpack the file and open {page} in any browser.").format(page=PAGE)
        session.notify(Notice("bad", title, text, topic="bundle"))


def _put(name: str, page: str) -> Path:
    shown = Path(tempfile.gettempdir(), name)
    try:
        shown = Path(_folder().name, name)
        shown.write_bytes(page.encode("utf-8", "replace"))
    except OSError as error:
        raise FileNotSaved(str(shown), error.strerror or type(error).__name__) from None
    return shown


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that only this person can read, and that goes with the program."""
    return tempfile.TemporaryDirectory(prefix="keybench-", ignore_cleanup_errors=True)
