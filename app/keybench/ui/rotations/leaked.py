"""One press for a compromised key: asks once, then its rotation begins with nothing left to wait for."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.core.rotation import Rotation
from keybench.core.security_key import SecurityKey
from keybench.ui.dialogs import ask
from keybench.ui.rotations.desk import Desk
from keybench.words.rotations import LEAKED_TEXT

_REASON: Final = "Compromised"


async def ask_leaked(
    parent: QWidget, desk: Desk, environment: Environment, key: SecurityKey
) -> Rotation | None:
    """Ask whether a key is compromised, and begin its rotation as such or take the open one for that.

    Returns:
        The rotation, or None if the person left it.

    Raises:
        KeybenchError: It couldn't be begun.
    """
    agreed = await ask(
        parent,
        title=f"Is “{key.name}” compromised?",
        text=LEAKED_TEXT,
        confirm="It is compromised",
        tone="danger",
    )
    if not agreed or not desk.signed():
        return None
    rotations = await desk.rotations.listed(environment.id)
    under_way = next((one for one in rotations if one.is_open and one.old.key_id == key.id), None)
    if under_way:
        return await desk.rotations.compromise(under_way.id, desk.person)
    names = [one.name for one in await desk.session.console.keys.listed(environment)]
    return await desk.rotations.start(
        environment,
        key,
        desk.rotations.proposed(key, names),
        reason=_REASON,
        by=desk.person,
        overlap_ends_at=desk.session.console.clock.now(),
        compromised=True,
    )
