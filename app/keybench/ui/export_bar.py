"""Exporting what was found: where to, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from keybench.core.errors import KeybenchError
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.dialog import ask_where
from keybench.ui.widgets.labels import button, label
from keybench.workflows.record_file import Progress

Wanted = TypeVar("Wanted")
_TOPIC: Final = "export"


@dataclass(frozen=True)
class Export(Generic[Wanted]):
    """What is exported.

    Attributes:
        one: What one of them is called (``sale``).
        many: What several are called; names the file that is proposed.
        wanted: Tells which, when a button is pressed.
        write: Writes them to a file that ends in ``.csv`` or ``.json`` and returns how many there were.
    """

    one: str
    many: str
    wanted: Callable[[], Wanted]
    write: Callable[[Wanted, Path, Progress], Coroutine[Any, Any, int]]

    @property
    def task(self) -> str:
        """What the export's task is called."""
        return f"export {self.many}"


class ExportBar(QWidget):
    """Two buttons; while an export is under way, its progress and Stop stand in their place.

    Args:
        session: Runs the export.
        export: What is exported, and how.
    """

    def __init__(self, session: Session, export: Export[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._export = export
        self.csv = button("Export CSV", self._on_csv)
        self.json = button("Export JSON", self._on_json)
        self.stop = button("Stop export", self._on_stop)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(scaled(160))
        self.progress.setAccessibleName("Export progress")
        self.figures = label("", "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.figures, self.progress, self.stop, self.csv, self.json):
            row.addWidget(widget)
        self._show_running(running=False)

    def _on_csv(self) -> None:
        self._start("csv", "Table")

    def _on_json(self) -> None:
        self._start("json", "JSON")

    def _start(self, ending: str, kind: str) -> None:
        work = self._ask_and_write(self._export.wanted(), ending, kind)
        self._session.run(self._export.task, work, self._on_error)

    async def _ask_and_write(self, wanted: Any, ending: str, kind: str) -> None:
        many = self._export.many
        path = await ask_where(self, title=f"Export {many}", name=f"{many}.{ending}", kind=kind)
        if path is not None:
            await self.write(wanted, path)

    async def write(self, wanted: Any, path: Path) -> None:
        """Write what is wanted to a file and tell how it went; cancelling leaves no file."""
        self._show_progress(0, 0)
        self._show_running(running=True)
        try:
            written = await self._export.write(wanted, path, self._show_progress)
        finally:
            self._show_running(running=False)
        what = self._export.one if written == 1 else self._export.many
        self._session.notify(Notice("good", f"Exported {written:,} {what}", f"They are in {path}.", _TOPIC))

    def _show_progress(self, written: int, total: int) -> None:
        # Qt shows a bar without an end for a range of nothing: so it stands until they are counted.
        self.progress.setRange(0, total)
        self.progress.setValue(written)
        self.figures.setText(f"{written:,} of {total:,}" if total else "Counting…")

    def _show_running(self, *, running: bool) -> None:
        had_focus = any(one.hasFocus() for one in (self.csv, self.json, self.stop))
        for widget in (self.progress, self.figures, self.stop):
            widget.setVisible(running)
        for one in (self.csv, self.json):
            one.setVisible(not running)
        if had_focus:
            (self.stop if running else self.csv).setFocus()

    def _on_stop(self) -> None:
        self._session.supervisor.cancel(self._export.task)
        self._session.notify(Notice("info", "Export stopped", "No file was written.", _TOPIC))

    def _on_error(self, error: KeybenchError) -> None:
        self._session.failed.emit(error)
