"""`Revoke now…` for a key that is chosen somewhere: the Rotations page asks and does it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.actions import Action
from keybench.ui.session import Session
from keybench.words.language import _


def revoke_action(owner: QWidget, session: Session, chosen: Callable[[], SecurityKey | None]) -> Action:
    """Return the action: possible for a key that is compromised, or whose value is here."""

    def revoke() -> None:
        if key := chosen():
            session.revocation_wanted.emit(key)

    def can_be_revoked() -> bool:
        key = chosen()
        return key is not None and (key.compromised or key.has_value)

    action = Action(owner, "key.revoke", revoke, can_be_revoked)
    action.set_tip(_("Deletes a leaked key at once, whatever stops working. Asks first"))
    return action
