"""What stands in the window's place while the data folder can't be opened: why, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.errors import JournalGone, KeybenchError
from keybench.runtime.data_folder import sign_of
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import PageFrame, framed, in_column, in_row
from keybench.ui.kit.dialog import ask_file
from keybench.ui.kit.labels import button, prose
from keybench.ui.kit.theme import keep_size
from keybench.ui.shell.log import LogDialog
from keybench.words.explain import explain
from keybench.words.language import _

_WIDEST_PX: Final = 720


class TroublePage(QWidget):
    """The reason in words, and buttons for the ways out; `other` opens another folder, if one will do."""

    def __init__(
        self, error: KeybenchError, again: Callable[[], object], other: Callable[[str], object] | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("page")
        words = explain(error)
        # As they are, so that a path can be copied.
        self.title = prose(words.title, "title", selectable=True)
        self.words = prose("\n\n".join(filter(None, (words.money, words.next))), selectable=True)
        self.again = button(_("Try again"), again, tone="primary")
        self._other = other
        self.other = button(_("Open another data folder…"), self._on_other)
        self.other.setVisible(other is not None)
        self._error, self._again = error, again
        self.empty = button(_("Start with an empty journal"), self._on_empty)
        self.empty.setVisible(isinstance(error, JournalGone))
        self.log = button(_("Log"), lambda: LogDialog(self).open())
        self.close_button = button(_("Close Keybench"), lambda: self.window().close())
        self._lay_out()
        announce(self, f"{words.title} {words.text}")

    def _lay_out(self) -> None:
        ways = in_row(self.again, self.empty, self.other, self.log, self.close_button, None)
        inside = in_column(self.title, self.words, ways, margins=(24, 20, 24, 20), spacing=12)
        panel = framed(inside, "panel")
        keep_size(panel, most_width=_WIDEST_PX)
        around = framed(in_column(panel, None, margins=(16, 16, 16, 16)))
        in_column(PageFrame(content=around), within=self)
        self.setFocusProxy(self.again)

    def _on_other(self) -> None:
        if self._other:
            ask_file(self, _("Open another data folder"), "", self._other)

    def _on_empty(self) -> None:
        if isinstance(self._error, JournalGone):
            with suppress(OSError):  # the same trouble is told again then
                sign_of(Path(self._error.path)).unlink(missing_ok=True)
        self._again()
