"""Asks for a text that is to be erased, and says in how many places it stands before it is."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from keybench.core.errors import KeybenchError
from keybench.core.secret import Secret
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form, password_line
from keybench.ui.widgets.labels import button
from keybench.words.activity import ABOUT, found_sentence
from keybench.words.language import _

_FIRST: Final = _(
    "Find shows in how many places it stands. It is treated like a key's value, so only dots are seen."
)
_LOOKING: Final = _("Looking…")
_TASK: Final = "look for a text to erase"


class EraseDialog(Dialog):
    """Enter finds the text, and only then can it be erased.

    Args:
        parent: Whose window.
        session: Whose journal.
    """

    def __init__(self, parent: QWidget, session: Session) -> None:
        self._session = session
        self._is_left = False
        self.edit = password_line()
        self.field = Field(_("Text to erase"), self.edit, _FIRST, lines=3)
        self.find_button = button(_("Find"), self._on_find)
        form = Form(self.field)
        form.add(self.find_button, QWidget(), stretch=(0, 1))
        super().__init__(
            parent, title=_("Erase a text"), text=ABOUT, confirm=_("Erase"), tone="danger", content=form
        )
        for one in (self.cancel_button, self.confirm_button):
            one.setAutoDefault(False)
        self.find_button.setDefault(True)
        self.field.edited.connect(self._on_edited)
        session.locking.connect(self.reject)
        self._on_edited()

    @property
    def text(self) -> Secret:
        """What was entered."""
        return Secret(self.edit.text())

    def showEvent(self, event: QShowEvent) -> None:
        """Open it, perhaps once more because the text couldn't be erased."""
        super().showEvent(event)
        self._is_left = False

    def done(self, result: int) -> None:
        """Close it; a search under way reports nothing then."""
        self._is_left = True
        super().done(result)

    def show_error(self, error: KeybenchError) -> None:
        """Say why it can't be erased."""
        super().show_error(error)
        self.confirm_button.setEnabled(False)

    def _on_edited(self) -> None:
        self.confirm_button.setEnabled(False)
        self.find_button.setEnabled(bool(self.edit.text().strip()))

    def _on_find(self) -> None:
        self.field.show_message(_LOOKING, "dim")
        self._session.run(_TASK, self._find(self.edit.text()), self._on_error)

    async def _find(self, entered: str) -> None:
        found = await self._session.administration.erasing.find(Secret(entered))
        # Else it was left, or another text stands there by now.
        if not self._is_left and entered == self.edit.text():
            self.field.show_message(found_sentence(found), "warning")
            self.confirm_button.setEnabled(True)

    def _on_error(self, error: KeybenchError) -> None:
        if not self._is_left:
            self.show_error(error)
