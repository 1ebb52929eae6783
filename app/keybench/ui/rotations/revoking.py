"""Asks before a key is revoked, and says what stops working with it."""

from __future__ import annotations

from keybench.core.environment import Environment
from keybench.core.security_key import SecurityKey
from keybench.ui.rotations.controller import RotationController
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Form, text_field
from keybench.words.language import _
from keybench.words.revocation import USUAL_REASON, revocation_text, revocation_title
from keybench.workflows.revocation import effects_of_revoking


async def ask_to_revoke(controller: RotationController, environment: Environment, key: SecurityKey) -> str:
    """Ask whether to revoke a key at once, and return why; empty if the person left it."""
    effects = await effects_of_revoking(controller.session.console, environment, key)
    reason = text_field(_("Reason"), USUAL_REASON)
    dialog = Dialog(
        controller.window,
        title=revocation_title(key),
        text=revocation_text(key, environment, effects),
        confirm=_("Revoke now"),
        tone="danger",
        content=Form(reason),
    )
    return reason.text.strip() if await dialog.answer() else ""
