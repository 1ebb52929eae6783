"""Asks what there is to know of an application: its name, its key, who looks after it, how it is changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from keybench.core.input_errors import InputInvalid
from keybench.core.inventory import InventoryRow
from keybench.ui.inventory.places import environment_words
from keybench.ui.rotations.asking import FormQuestion, WordsField, answered
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.field import Field
from keybench.words.fields import field_sentence
from keybench.workflows.applications import ApplicationDraft

Keep = Callable[[InventoryRow, ApplicationDraft], Awaitable[object]]


class ApplicationQuestion(FormQuestion):
    """The form.

    Args:
        parent: Whose window.
        title: What is asked.
        confirm: The label of the button that goes on.
        keys: The keys to choose from; with one there is no choice.
        draft: What is known so far.
        key_id: The key that is chosen to begin with; the first if it isn't there.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        confirm: str,
        keys: Sequence[InventoryRow],
        draft: ApplicationDraft,
        key_id: str = "",
    ) -> None:
        text = ""
        if len(keys) == 1:
            text = f"It uses “{keys[0].key.name}” ({environment_words(keys[0])})."
        super().__init__(parent, title=title, text=text, confirm=confirm)
        self._keys = tuple(keys)
        self.name = WordsField(
            "Application", text=draft.name, hint="A program, a till, a report that uses the key"
        )
        self.key: QComboBox = ComboBox()
        self.key.setAccessibleName("Key")
        self.owner = WordsField("Owner", required=False, text=draft.owner, hint="Who looks after it")
        self.contact = WordsField("Contact", required=False, text=draft.contact)
        self.place = WordsField(
            "Where the key is set", required=False, text=draft.place, hint="Such as PAYMENT_KEY on web-1"
        )
        self.instructions = WordsField(
            "How to change it there and restart", lines=3, required=False, text=draft.instructions
        )
        self.add(self.name)
        if len(keys) > 1:
            self.key.addItems([f"{row.key.name} · {environment_words(row)}" for row in keys])
            ids = [row.key.id for row in keys]
            self.key.setCurrentIndex(ids.index(key_id) if key_id in ids else 0)
            self.add(Field("Key", self.key, lines=0))
        people = QWidget()
        row = QHBoxLayout(people)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self.owner)
        row.addWidget(self.contact)
        for widget in (people, self.place, self.instructions):
            self.add(widget)
        self.check = self._is_right

    @property
    def chosen(self) -> InventoryRow:
        """The key that was chosen."""
        return self._keys[max(self.key.currentIndex(), 0)]

    @property
    def draft(self) -> ApplicationDraft:
        """What was entered."""
        return ApplicationDraft(
            self.name.text, self.owner.text, self.contact.text, self.place.text, self.instructions.text
        )

    def _is_right(self) -> bool:
        fields = (self.name, self.owner, self.contact, self.place, self.instructions)
        return all(field.is_right() for field in fields)


async def ask_application(question: ApplicationQuestion, keep: Keep) -> bool:
    """Ask until what was entered is kept; return False if the person left it.

    Raises:
        KeybenchError: It can't be kept for a reason that isn't what was entered.
    """
    try:
        while await answered(question, keep=True):
            try:
                await keep(question.chosen, question.draft)
            except InputInvalid as error:
                question.name.show_message(field_sentence(error))
            else:
                return True
        return False
    finally:
        question.deleteLater()
