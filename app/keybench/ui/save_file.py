"""Asking a person where to save a file, without a nested event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QDir, QStandardPaths
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget


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
