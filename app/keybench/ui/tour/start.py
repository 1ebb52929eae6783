"""Starts the tour beside the window: in a window and a data folder of its own, so nothing here changes."""

from __future__ import annotations

from PySide6.QtCore import QProcess

from keybench.runtime.data_folder import own_command
from keybench.ui.session import Notice
from keybench.ui.theme import theme
from keybench.words.language import _


def start_tour() -> Notice:
    """Start the tour in the window's colours, and return what to tell of it."""
    look = "dark" if theme().tokens.dark else "light"
    program, *words = own_command("tour", "--stay", "--look", look)
    started, _process = QProcess.startDetached(program, words, "")
    if not started:
        return Notice("bad", _("The tour couldn't be started."), topic="tour")
    return Notice(
        "good",
        _("The tour opens in a window of its own."),
        _("It plays with keys and sales of its own. Nothing here changes."),
        topic="tour",
    )
