"""Takes a list of keys over: asks which file, shows what it would bring, and carries it out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.input_errors import InputInvalid
from keybench.runtime.person import person_name
from keybench.ui.inventory.import_view import ImportView
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.words.explain import explain
from keybench.words.fields import field_sentence
from keybench.workflows.key_import import KeyImport

TASK: Final = "take over keys"
PERSON: Final = "person/name"
_CSV: Final = "CSV files (*.csv *.txt);;All files (*)"
_TOPIC: Final = "key list"


class KeyTaking(QObject):
    """Drives an `ImportView`, its `view`.

    Args:
        session: Whose journal.
        preferences: Remembers the person's name.

    Signals:
        reading: Whether a file is being read at present.
        planned: There is a list to be looked at.
        over: It was carried out, left, or can't be.
    """

    reading = Signal(bool)
    planned = Signal()
    over = Signal()

    def __init__(self, session: Session, preferences: Preferences) -> None:
        super().__init__()
        self._session = session
        self._preferences = preferences
        self._import = KeyImport(session.console.world)
        self.view = view = ImportView()
        view.take_asked.connect(self._on_take)
        view.left.connect(self._on_left)

    def ask_file(self, parent: QWidget) -> None:
        """Let a person choose a file."""
        dialog = QFileDialog(parent.window(), "Take over a list of keys")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(_CSV)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.use_file)
        dialog.open()

    def use_file(self, path: str) -> None:
        """Show what a file would bring; rows that name no environment go to the one that is shown."""
        self._session.run("read key list", self._read(Path(path)), self._on_error)

    async def _read(self, path: Path) -> None:
        self.reading.emit(True)
        try:
            plan = await self._import.read(path, self._session.environment)
        finally:
            self.reading.emit(False)
        self.view.show_plan(plan, self._preferences.text(PERSON) or person_name())
        self.planned.emit()

    def _on_take(self) -> None:
        self._session.run(TASK, self._take(), self._on_error)

    async def _take(self) -> None:
        plan, by = self.view.plan, self.view.by.text().strip()
        if plan is None:
            return
        self.view.show_progress((0, len(plan.rows)))
        try:
            count = await self._import.take_over(plan, by, self._show_progress)
        finally:
            self.view.show_progress(None)
        self._preferences.set_text(PERSON, by)
        keys = "one key" if count == 1 else f"{count:,} keys"
        text = "They have no values yet: give each its value to test it or to sell with it."
        self._session.notify(Notice("good", f"Took over {keys}", text, _TOPIC))
        self.over.emit()

    def _show_progress(self, done: int, total: int) -> None:
        self.view.show_progress((done, total))

    def _on_left(self) -> None:
        if TASK in self._session.supervisor.running:
            self._session.supervisor.cancel(TASK)
            text = "The keys that had been taken over by then are in the inventory."
            self._session.notify(Notice("info", "Stopped taking over", text, _TOPIC))
        self.over.emit()

    def _on_error(self, error: KeybenchError) -> None:
        if isinstance(error, InputInvalid):
            notice = Notice("bad", "This list can't be taken over", field_sentence(error), _TOPIC)
        else:
            said = explain(error)
            notice = Notice("bad", said.title, said.text, _TOPIC)
        self._session.notify(notice)
        self.over.emit()
