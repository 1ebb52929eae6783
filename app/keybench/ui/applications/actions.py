"""What is done with the register's entries: asked where something has to be known, undone where it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from keybench.core.application import Application
from keybench.core.errors import KeybenchError
from keybench.core.inventory import InventoryRow
from keybench.runtime.data_folder import person_name
from keybench.ui.applications.columns import ApplicationRow
from keybench.ui.applications.dialog import ApplicationDialog
from keybench.ui.preferences import Preferences
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Form, text_field
from keybench.words.explain import explain
from keybench.workflows.applications import draft_of

_PERSON: Final = "person/name"


class RegisterActions(QObject):
    """Carries out what a view's buttons ask for.

    Args:
        session: Whose register.
        preferences: Remembers the person's name.
        view: Over whose window questions are asked.

    Signals:
        removed: An entry was removed (an `Application`) and can be put back, or nothing can any more (None).
        kept: An entry is there anew (its identifier).
    """

    removed = Signal(object)
    kept = Signal(str)

    def __init__(self, session: Session, preferences: Preferences, view: QWidget) -> None:
        super().__init__(view)
        self._session = session
        self._preferences = preferences
        self._view = view
        self._register = session.administration.applications
        self._last: Application | None = None

    def add(self, keys: Sequence[InventoryRow]) -> None:
        """Ask for an application that uses one of these keys, and add it."""
        if keys:
            self._session.run("add application", self._add(keys), self._on_error)

    def edit(self, row: ApplicationRow, keys: Sequence[InventoryRow]) -> None:
        """Ask what is to be known of an application from now on, and which of these keys it uses."""
        if keys:
            self._session.run("edit application", self._edit(row, keys), self._on_error)

    def note_changed(self, row: ApplicationRow) -> None:
        """Ask who has just set the key there."""
        self._session.run("note changed", self._note(row, is_change=True), self._on_error)

    def note_seen(self, row: ApplicationRow) -> None:
        """Ask who sees it working."""
        self._session.run("note seen", self._note(row, is_change=False), self._on_error)

    def remove(self, row: ApplicationRow) -> None:
        """Remove an entry, without a question: `undo` puts it back."""
        self._session.run("remove application", self._remove(row.application), self._on_error)

    def undo(self) -> None:
        """Put the entry back that was removed last."""
        if self._last:
            self._session.run("put application back", self._put_back(self._last), self._on_error)

    async def _add(self, keys: Sequence[InventoryRow]) -> None:
        dialog = ApplicationDialog(self._view, title="Add an application", confirm="Add it", keys=keys)

        async def add() -> Application:
            key = dialog.chosen
            return await self._register.add(key.environment, key.key.id, **asdict(dialog.draft))

        if added := await dialog.keep(add):
            self.kept.emit(added.id)

    async def _edit(self, row: ApplicationRow, keys: Sequence[InventoryRow]) -> None:
        dialog = ApplicationDialog(
            self._view,
            title=f"Edit “{row.application.name}”",
            confirm="Keep it",
            keys=keys,
            draft=draft_of(row.application),
            key_id=row.application.key_id,
        )
        update = self._register.update
        if await dialog.keep(lambda: update(row.application, dialog.draft, key_id=dialog.chosen.key.id)):
            self.kept.emit(row.application.id)

    async def _note(self, row: ApplicationRow, *, is_change: bool) -> None:
        name, key = row.application.name, row.key_name
        changed = f"The key “{key}” was set in “{name}” just now, and it was restarted."
        seen = f"“{name}” works with the key “{key}”, and somebody has seen it."
        who = text_field("Your name", self._preferences.text(_PERSON) or person_name(), id="by")
        dialog = Dialog(
            self._view,
            title="The key was changed" if is_change else "Seen working",
            text=changed if is_change else seen,
            confirm="Note it",
            content=Form(who),
        )
        note = self._register.note_changed if is_change else self._register.note_seen
        if await dialog.keep(lambda: note(row.application, who.text)):
            self._preferences.set_text(_PERSON, who.text.strip())

    async def _remove(self, application: Application) -> None:
        await self._register.remove(application)
        self._last = application
        self.removed.emit(application)

    async def _put_back(self, application: Application) -> None:
        await self._register.put_back(application)
        self._last = None
        self.removed.emit(None)
        self.kept.emit(application.id)

    def _on_error(self, error: KeybenchError) -> None:
        said = explain(error)
        self._session.notify(Notice("bad", said.title, said.text, "applications"))
