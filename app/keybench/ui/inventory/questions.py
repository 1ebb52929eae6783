"""What a person is asked about a key of the inventory: its owner and purpose, or its value."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.errors import KeybenchError
from keybench.core.inventory import InventoryRow
from keybench.core.security_key import SecurityKey
from keybench.ui.inventory.places import environment_words
from keybench.ui.keys.checks import check_purpose, check_value
from keybench.ui.keys.text_entry import CheckedField
from keybench.ui.keys.value_edit import ValueEdit
from keybench.ui.rotations.asking import FormQuestion, WordsField, answered
from keybench.ui.session import Session
from keybench.ui.widgets.field import Field
from keybench.words.explain import explain
from keybench.words.keys import hint_sentence, trimmed_sentence
from keybench.workflows.add_key import AddedKey

_VALUE_LINES: Final = 3


async def ask_owner_and_purpose(parent: QWidget, session: Session, row: InventoryRow) -> SecurityKey | None:
    """Ask for both and keep them; return the key as it is then known, or None if the person left it.

    Raises:
        KeybenchError: They couldn't be kept.
    """
    question = FormQuestion(
        parent, title=f"Owner and purpose of “{row.key.name}”", text="", confirm="Keep them"
    )
    owner = WordsField("Owner", required=False, text=row.key.owner, hint="Who answers for this key")
    purpose = WordsField("Purpose", required=False, text=row.key.purpose, hint="What it is used for")

    def is_right() -> bool:
        found = check_purpose(purpose.text)
        if found.is_fault:
            purpose.show_message(found.text)
        return owner.is_right() and not found.is_fault

    question.add(owner)
    question.add(purpose)
    question.check = is_right
    if not await answered(question):
        return None
    return await session.administration.inventory.edit(row.key, owner.text, purpose.text)


class ValueQuestion(FormQuestion):
    """Asks for a key's value, which was made in the portal; the field shows dots alone.

    Args:
        parent: Whose window.
        row: Whose value.
        keystore: Where it will be kept.
    """

    def __init__(self, parent: QWidget, row: InventoryRow, keystore: str) -> None:
        super().__init__(
            parent,
            title=f"Give “{row.key.name}” a value",
            text=f"{environment_words(row)}: copy the value from the portal and paste it here. "
            f"It is kept in {keystore} and nowhere else.{_before(row)}",
            confirm="Keep the value",
        )
        kind = row.key.kind
        self.edit = ValueEdit()
        self.edit.show_kind(kind)
        self.field = CheckedField(
            Field("Key value", self.edit, lines=_VALUE_LINES), lambda text: check_value(text, kind)
        )
        self.add(self.field.field)
        self.check = self._is_right

    def take(self) -> str:
        """Return what was pasted, and empty the field."""
        pasted = self.field.text
        self.field.reset()
        return pasted

    def done(self, result: int) -> None:
        """Leave nothing in the field of a question that was left."""
        if not result:
            self.field.reset()
        super().done(result)

    def _is_right(self) -> bool:
        self.field.touch()
        return not self.field.finding.is_fault


def _before(row: InventoryRow) -> str:
    """Return what becomes of the value that is known so far, if one is."""
    if not row.key.fingerprint:
        return ""
    if row.has_value:
        return f" The value it has now, {row.key.fingerprint}, is gone then."
    return f" Its fingerprint was {row.key.fingerprint}."


async def ask_value(parent: QWidget, session: Session, row: InventoryRow) -> AddedKey | None:
    """Ask for a key's value until it is kept; return the key then, or None if the person left it."""
    question = ValueQuestion(parent, row, session.console.keystore_status.name)
    try:
        while await answered(question, keep=True):
            try:
                return await session.administration.inventory.give_value(
                    row.environment, row.key, question.take()
                )
            except KeybenchError as error:
                said = explain(error)
                question.field.field.show_message(f"{said.title} {said.text}".strip())
        return None
    finally:
        question.deleteLater()


def value_words(before: SecurityKey, added: AddedKey) -> str:
    """Return what is worth saying of a value that was kept."""
    parts = [f"Its fingerprint is {added.key.fingerprint}."]
    if before.fingerprint and before.fingerprint != added.key.fingerprint:
        parts.append(f"Before it was {before.fingerprint}: this is another value.")
    parts += [trimmed_sentence(added.trimmed), hint_sentence(added.hint)]
    return " ".join(part for part in (*parts, "Test it to see whether the gateway takes it.") if part)
