"""Exporting what was found: where to, how far it is, and a way to stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QDir, QStandardPaths
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QProgressBar, QPushButton, QWidget

from keybench.core.errors import KeybenchError
from keybench.ui.session import Notice, Session
from keybench.ui.theme import scaled
from keybench.ui.widgets.plain import PlainLabel
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
        self.csv = _button("Export CSV")
        self.json = _button("Export JSON")
        self.stop = _button("Stop export")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(scaled(160))
        self.progress.setAccessibleName("Export progress")
        self.figures = PlainLabel()
        self.figures.setProperty("role", "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for widget in (self.figures, self.progress, self.stop, self.csv, self.json):
            row.addWidget(widget)
        self.csv.clicked.connect(self._on_csv)
        self.json.clicked.connect(self._on_json)
        self.stop.clicked.connect(self._on_stop)
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
        had_focus = any(button.hasFocus() for button in (self.csv, self.json, self.stop))
        for widget in (self.progress, self.figures, self.stop):
            widget.setVisible(running)
        for button in (self.csv, self.json):
            button.setVisible(not running)
        if had_focus:
            (self.stop if running else self.csv).setFocus()

    def _on_stop(self) -> None:
        self._session.supervisor.cancel(self._export.task)
        self._session.notify(Notice("info", "Export stopped", "No file was written.", _TOPIC))

    def _on_error(self, error: KeybenchError) -> None:
        self._session.failed.emit(error)


def _button(name: str) -> QPushButton:
    button = QPushButton(name)
    button.setAccessibleName(name)
    return button


class SaveQuestion(QFileDialog):
    """The system's dialog for a file to be saved, modal to its parent's window.

    Args:
        parent: Whose window.
        title: What is saved.
        name: The file's name, to begin with; its ending is the usual one.
        kind: The kind of file, such as ``HTTP archive``.
        others: Other kinds it can be saved as, each with its ending.
    """

    def __init__(
        self, parent: QWidget, *, title: str, name: str, kind: str, others: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__(parent, title)
        kinds = [(kind, Path(name).suffix), *others]
        self._endings = {f"{one} (*{ending})": ending for one, ending in kinds}
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters([*self._endings, "Any file (*)"])
        self.setDefaultSuffix(kinds[0][1].removeprefix("."))
        self.filterSelected.connect(self._on_kind)
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        self.setDirectory(documents if QDir(documents).exists() else QDir.homePath())
        self.selectFile(name)
        self.answer: asyncio.Future[Path | None] = asyncio.get_running_loop().create_future()
        self.finished.connect(self._on_finished)

    def _on_kind(self, chosen: str) -> None:
        """End the name as the kind that was chosen does, where the person gives no ending."""
        if chosen in self._endings:
            self.setDefaultSuffix(self._endings[chosen].removeprefix("."))

    def _on_finished(self, result: int) -> None:
        """Hand the file to whoever waits for it; none if the dialog was left."""
        if not self.answer.done():
            files = self.selectedFiles() if result == QDialog.DialogCode.Accepted else []
            self.answer.set_result(Path(files[0]) if files else None)


async def ask_where(
    parent: QWidget, *, title: str, name: str, kind: str, others: Sequence[tuple[str, str]] = ()
) -> Path | None:
    """Ask where to save a file and return its path, or None if the person left it.

    The dialog asks before an existing file is replaced. If the waiting task is cancelled, it goes away.
    The arguments are those of `SaveQuestion`; the path's ending says which kind was chosen.
    """
    question = SaveQuestion(parent.window(), title=title, name=name, kind=kind, others=others)
    question.open()
    try:
        return await question.answer
    finally:
        question.close()
        question.deleteLater()
