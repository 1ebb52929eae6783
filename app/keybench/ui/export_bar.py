"""Exporting what was found: where to, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from keybench.runtime.saving import Progress
from keybench.ui.session import Notice, Session
from keybench.ui.theme import keep_size
from keybench.ui.widgets.dialog import ask_where
from keybench.ui.widgets.labels import button, label
from keybench.words.language import _

Wanted = TypeVar("Wanted")
_TOPIC: Final = "export"


class ExportBar(QWidget, Generic[Wanted]):
    """Two buttons; while an export is under way, its progress and Stop stand in their place.

    Args:
        session: Runs the export.
        name: What the file is called that is proposed, without its ending.
        title: The title of the dialog that asks for the file.
        wanted: Tells what is exported, when a button is pressed.
        write: Writes that to a file that ends in ``.csv`` or ``.json`` and returns how many there were.
        exported: Returns the title of the notice that so many were exported.
    """

    def __init__(
        self,
        session: Session,
        *,
        name: str,
        title: str,
        wanted: Callable[[], Wanted],
        write: Callable[[Wanted, Path, Progress], Coroutine[Any, Any, int]],
        exported: Callable[[int], str],
    ) -> None:
        super().__init__()
        self._session = session
        self._name = name
        self._title = title
        self._wanted = wanted
        self._write = write
        self._exported = exported
        self._task = f"export {name}"
        self.csv = button(_("Export CSV"), self._on_csv)
        self.json = button(_("Export JSON"), self._on_json)
        self.stop = button(_("Stop export"), self._on_stop)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        keep_size(self.progress, width=160)
        self.progress.setAccessibleName(_("Export progress"))
        self.figures = label("", "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.figures, self.progress, self.stop, self.csv, self.json):
            row.addWidget(widget)
        self._show_running(running=False)

    def _on_csv(self) -> None:
        self._session.run(self._task, self._ask_and_write(self._wanted(), "csv", _("Table")))

    def _on_json(self) -> None:
        self._session.run(self._task, self._ask_and_write(self._wanted(), "json", "JSON"))

    async def _ask_and_write(self, wanted: Wanted, ending: str, kind: str) -> None:
        path = await ask_where(self, title=self._title, name=f"{self._name}.{ending}", kind=kind)
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
        self._session.notify(
            Notice("good", self._exported(written), _("The file is {path}.").format(path=path), _TOPIC)
        )

    def _show_progress(self, written: int, total: int) -> None:
        # Qt shows a bar without an end for a range of nothing: so it stands until they are counted.
        self.progress.setRange(0, total)
        self.progress.setValue(written)
        self.figures.setText(
            _("{written:,} of {total:,}").format(written=written, total=total) if total else _("Counting…")
        )

    def _show_running(self, *, running: bool) -> None:
        had_focus = any(one.hasFocus() for one in (self.csv, self.json, self.stop))
        for widget in (self.progress, self.figures, self.stop):
            widget.setVisible(running)
        for one in (self.csv, self.json):
            one.setVisible(not running)
        if had_focus:
            (self.stop if running else self.csv).setFocus()

    def _on_stop(self) -> None:
        self._session.supervisor.cancel(self._task)
        self._session.notify(Notice("info", _("Export stopped"), _("No file was written."), _TOPIC))
