"""Asks before a sale is sent to a device that is busy with one of our own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.core.environment import Environment
from keybench.ui.session import Session
from keybench.ui.widgets.dialog import confirm
from keybench.words.outcomes import busy_words

ALL_THE_SAME: Final = "Send it all the same"
BUSY: Final = "Send on a busy device?"


async def may_send(
    session: Session, parent: QWidget, environment: Environment, devices: Collection[str]
) -> bool:
    """Return whether to send: the devices are free of our sales, or a person wants it all the same."""
    busy = await session.console.sell.under_way(environment.id, devices)
    return not busy or await confirm(
        parent,
        title=BUSY,
        text=busy_words(busy, session.console.clock.now()),
        confirm=ALL_THE_SAME,
        tone="danger",
    )
