"""What's new: what changed for people, by version, and one notice of it after an upgrade."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from keybench import __version__
from keybench.runtime.data_folder import resource_path
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.ui.theme import keep_size, scaled, theme
from keybench.ui.widgets.dialog import Dialog
from keybench.words.language import _

_FILE: Final = "changes.md"
_SIZE_PX: Final = (520, 320)
_ABOVE_PX: Final = 16
_BETWEEN_PX: Final = 2
_VERSION: Final = "window/version"


class ChangesView(QTextBrowser):
    """Shows the changes; nothing in them leads anywhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("What's new"))
        self.setOpenLinks(False)
        self.setTabChangesFocus(True)
        width, height = _SIZE_PX
        keep_size(self, least_width=width, least_height=height)
        self.setMarkdown(changes())
        theme().changed.connect(self._set_apart)
        self._set_apart()

    def _set_apart(self) -> None:
        cursor = QTextCursor(self.document())
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            is_heading = bool(form.headingLevel())
            form.setTopMargin(scaled(_ABOVE_PX if is_heading and block.blockNumber() else _BETWEEN_PX))
            form.setBottomMargin(scaled(_BETWEEN_PX))
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
            block = block.next()


def changes() -> str:
    try:
        text = resource_path(_FILE).read_text("utf-8")
    except (OSError, ValueError):
        return _("What changed can't be read in this installation.")
    _title, _mark, versions = text.partition("\n## ")  # the dialog has a title of its own
    return re.sub("(?m)^## ", "### ", f"## {versions}")


async def show_changes(parent: QWidget) -> None:
    view = ChangesView()
    await Dialog(parent, title=_("What's new"), confirm=_("Close"), cancel="", content=view).answer()


def tell_of_upgrade(session: Session) -> None:
    """Say once, after an upgrade, that something is new; at the first start ever say nothing."""
    if was_upgraded(session.preferences):
        title = _("Keybench is now version {version}.").format(version=__version__)
        session.notify(Notice("info", title, _("What's new, in the Help menu, tells what changed.")))


def was_upgraded(preferences: Preferences) -> bool:
    """Return whether an older version was the last that ran, and remember that this one has."""
    last = preferences.text(_VERSION)
    preferences.set_text(_VERSION, __version__)
    # Version 0.1.0 left none.
    return _number(last) < _number(__version__) if last else preferences.was_there


def _number(version: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, version.split(".")))
    except ValueError:
        return (10**9,)
