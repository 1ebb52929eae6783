"""Asks for a text that is to be erased, and says in how many places it stands before it is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.errors import InputInvalid, KeybenchError
from keybench.core.secret import Secret
from keybench.ui.rotations.asking import FormQuestion
from keybench.ui.rotations.parts import row_of
from keybench.ui.session import Session
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.labels import button
from keybench.words.erasing import ABOUT, found_sentence
from keybench.words.explain import explain
from keybench.words.fields import field_sentence

_FIRST: Final = (
    "Find shows in how many places it stands. It is treated like a key's value, so only dots are seen."
)
_LOOKING: Final = "Looking…"
_TASK: Final = "look for a text to erase"


class EraseQuestion(FormQuestion):
    """The form: Enter finds the text, and only then can it be erased.

    Args:
        parent: Whose window.
        session: Whose journal.
    """

    def __init__(self, parent: QWidget, session: Session) -> None:
        super().__init__(
            parent, title="Erase a text", text=ABOUT, confirm="Erase", tone="danger", by_enter=False
        )
        self._session = session
        self.edit = QLineEdit()
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setInputMethodHints(
            Qt.InputMethodHint.ImhSensitiveData | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self.field = Field("Text to erase", self.edit, _FIRST, lines=3)
        self.find_button = button("Find", self._on_find)
        self.add(self.field)
        row = row_of(self.find_button, None)
        row.setContentsMargins(0, 0, 0, 0)
        below = QWidget()
        below.setLayout(row)
        self.add(below)
        for one in (self.cancel_button, self.confirm_button):
            one.setAutoDefault(False)
        self.find_button.setDefault(True)
        self.edit.textChanged.connect(self._on_edited)
        session.locking.connect(self.reject)
        self._on_edited()

    @property
    def text(self) -> Secret:
        """What was entered."""
        return Secret(self.edit.text())

    def show_error(self, error: KeybenchError) -> None:
        """Say why it can't be erased."""
        said = explain(error)
        wrong = field_sentence(error) if isinstance(error, InputInvalid) else f"{said.title} {said.text}"
        self.field.show_message(wrong)
        self.confirm_button.setEnabled(False)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self) -> None:
        self.field.clear_message()
        self.confirm_button.setEnabled(False)
        self.find_button.setEnabled(bool(self.edit.text().strip()))

    def _on_find(self) -> None:
        self.field.show_message(_LOOKING, "dim")
        self._session.run(_TASK, self._find(self.edit.text()), self._on_error)

    async def _find(self, entered: str) -> None:
        found = await self._session.administration.erasing.find(Secret(entered))
        if self._is_left:
            return
        if entered == self.edit.text():  # else another text stands there by now
            self.field.show_message(found_sentence(found), "warning")
            self.confirm_button.setEnabled(True)

    def _on_error(self, error: KeybenchError) -> None:
        if not self._is_left:
            self.show_error(error)

    @property
    def _is_left(self) -> bool:
        return self.answer is None or self.answer.done()
