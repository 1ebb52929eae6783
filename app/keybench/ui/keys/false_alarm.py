"""`Not compromised…`: takes back that a key is compromised, for a written reason."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.actions import Action
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Form, text_field
from keybench.ui.widgets.signature import Signature
from keybench.words.language import _


def false_alarm_action(owner: QWidget, session: Session, chosen: Callable[[], SecurityKey | None]) -> Action:
    def ask() -> None:
        if key := chosen():
            session.run(f"false alarm {key.id}", ask_not_compromised(owner, session, key))

    return Action(owner, "key.not_compromised", ask)


async def ask_not_compromised(parent: QWidget, session: Session, key: SecurityKey) -> None:
    """Ask why a key isn't compromised, and by whom that is said, until it is recorded or the person left it."""
    from keybench.words.rotation_details import FALSE_ALARM_TEXT  # noqa: PLC0415 - a start has no time for it

    signature = Signature(session.preferences)
    reason = text_field(_("Reason"), id="reason", hint=_("How you know that nobody else has it"))
    dialog = Dialog(
        parent,
        title=_("Is “{name}” not compromised?").format(name=key.name),
        text=FALSE_ALARM_TEXT,
        confirm=_("It is not compromised"),
        content=Form(reason, *signature.fields),
    )
    take_back = session.administration.rotations.not_compromised
    if await dialog.keep(lambda: take_back(key, signature.name, reason.text)):
        signature.remember()
