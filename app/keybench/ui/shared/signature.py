"""The name that the activity and records carry: asked for once, where it is first needed."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtWidgets import QLineEdit

from keybench.core.text import clean_text
from keybench.ui.kit.form import Field
from keybench.ui.kit.preferences import Preferences
from keybench.words.language import _

YOUR_NAME: Final = _("Your name (shown in the record)")


class Signature:
    """Who signs what a dialog records: the field for it the first time, and no field once it is known."""

    def __init__(self, preferences: Preferences) -> None:
        self._preferences = preferences
        edit = QLineEdit(preferences.person)
        field = Field(YOUR_NAME, edit, id="by", check=partial(clean_text, "your name"))
        self._field = None if preferences.has_person else field

    @property
    def fields(self) -> tuple[Field, ...]:
        return (self._field,) if self._field else ()

    @property
    def name(self) -> str:
        return self._field.text if self._field else self._preferences.person

    def remember(self) -> None:
        if self._field:
            self._preferences.person = self._field.text
