"""Exporting what was found: where to, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from PySide6.QtWidgets import QProgressBar, QWidget

from keybench.runtime.saving import Progress
from keybench.ui.kit.boxes import in_row
from keybench.ui.kit.dialog import ask_where
from keybench.ui.kit.labels import button, label
from keybench.ui.kit.theme import keep_size
from keybench.ui.shared.session import Notice, Session
from keybench.words.formats import path_words
from keybench.words.language import _, number

Wanted = TypeVar("Wanted")
_TOPIC: Final = "export"
#: A file's ending, its button's text, and what such a file is called.
Kind = tuple[str, str, str]
USUAL_KINDS: Final[Sequence[Kind]] = (
    ("csv", _("Export CSV"), _("Table")),
    ("json", _("Export JSON"), "JSON"),
)


class ExportBar(QWidget, Generic[Wanted]):
    """A button for each kind of file; while an export is under way, its progress and Stop stand in their place.

    Args:
        name: What the file is called that is proposed, without its ending.
        named: What it is called for what is exported, if that says more.
        wanted: Tells what is exported, when a button is pressed.
        write: Writes that to a file with one of the endings and returns how many there were.
        exported: Returns the title of the notice that so many were exported.
    """

    def __init__(
        self,
        session: Session,
        *,
        name: str,
        named: Callable[[], str] | None = None,
        title: str,
        wanted: Callable[[], Wanted],
        write: Callable[[Wanted, Path, Progress], Coroutine[Any, Any, int]],
        exported: Callable[[int], str],
        kinds: Sequence[Kind] = USUAL_KINDS,
    ) -> None:
        super().__init__()
        self._session = session
        self._named = named or (lambda: name)
        self._title = title
        self._wanted = wanted
        self._write = write
        self._exported = exported
        self._task = f"export {name}"
        self.buttons = {
            ending: button(text, partial(self._on_wanted, ending, kind)) for ending, text, kind in kinds
        }
        self.stop = button(_("Stop export"), self._on_stop)
        self.progress = QProgressBar(textVisible=False)
        keep_size(self.progress, width=160)
        self.progress.setAccessibleName(_("Export progress"))
        self.figures = label("", "dim")
        in_row(self.figures, self.progress, self.stop, *self.buttons.values(), within=self)
        self._show_running(running=False)

    def _on_wanted(self, ending: str, kind: str) -> None:
        self._session.run(self._task, self._ask_and_write(self._wanted(), ending, kind))

    async def _ask_and_write(self, wanted: Wanted, ending: str, kind: str) -> None:
        path = await ask_where(self, title=self._title, name=f"{self._named()}.{ending}", kind=kind)
        if path is not None:
            await self.write(wanted, path)

    async def write(self, wanted: Wanted, path: Path) -> None:
        """Write what is wanted to a file and tell how it went; cancelling leaves no file."""
        self._show_progress(0, 0)
        self._show_running(running=True)
        try:
            written = await self._write(wanted, path, self._show_progress)
        finally:
            self._show_running(running=False)
        text = _("The file is {path}.").format(path=path_words(path))
        self._session.notify(Notice("good", self._exported(written), text, _TOPIC))

    def _show_progress(self, written: int, total: int) -> None:
        self.progress.setRange(0, max(total, 1))  # a range of nothing would move to and fro for ever
        self.progress.setValue(written)
        self.figures.setText(
            _("{written} of {total}").format(written=number(written), total=number(total))
            if total
            else _("Counting…")
        )

    def _show_running(self, *, running: bool) -> None:
        had_focus = any(one.hasFocus() for one in (*self.buttons.values(), self.stop))
        for widget in (self.progress, self.figures, self.stop):
            widget.setVisible(running)
        for one in self.buttons.values():
            one.setVisible(not running)
        if had_focus:
            (self.stop if running else next(iter(self.buttons.values()))).setFocus()

    def _on_stop(self) -> None:
        self._session.supervisor.cancel(self._task)
        self._session.notify(Notice("info", _("Export stopped"), _("No file was written."), _TOPIC))
