"""Asks for an application that uses the old key and isn't in the register yet, and adds it there."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from keybench.core.input_errors import InputInvalid
from keybench.core.rotation import Rotation
from keybench.ui.rotations.asking import FormQuestion, WordsField, answered
from keybench.ui.rotations.desk import Desk
from keybench.words.fields import field_sentence


async def ask_application(parent: QWidget, desk: Desk, rotation: Rotation) -> bool:
    """Ask for an application of a rotation's old key and add it; return whether it was added.

    Raises:
        KeybenchError: It couldn't be kept for a reason that isn't its name.
    """
    environment = desk.environment
    question = FormQuestion(
        parent,
        title="Add an application",
        text=f"One that uses “{rotation.old.name}”: a program, a till, a report.",
        confirm="Add it",
    )
    name = WordsField("Application")
    owner = WordsField("Owner", required=False, hint="Who looks after it")
    contact = WordsField("Contact", required=False)
    place = WordsField("Where the key is set", required=False, hint="Such as PAYMENT_KEY on web-1")
    instructions = WordsField("How to change it there and restart", lines=3, required=False)
    for field in (name, owner, contact, place, instructions):
        question.add(field)
    question.check = name.is_right
    while await answered(question, keep=True):
        try:
            await desk.session.administration.applications.add(
                environment,
                rotation.old.key_id,
                name.text,
                owner=owner.text,
                contact=contact.text,
                place=place.text,
                instructions=instructions.text,
            )
        except InputInvalid as error:
            name.show_message(field_sentence(error))
        else:
            question.deleteLater()
            return True
    question.deleteLater()
    return False
