"""Asks whether to keep values in memory rather than wait for a keystore, and says what that means."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from keybench.ui.band import USE_MEMORY
from keybench.ui.dialogs import ask
from keybench.ui.session import Session

_MEANS: Final = (
    "Values that are made or typed from now on are kept in this session's memory only: they are gone when "
    "the window closes, or move into {name} if it can be used before. Values that are in {name} already stay "
    "there and can't be used until then. Live is off meanwhile."
)


async def use_memory(session: Session, parent: QWidget) -> None:
    """Ask, and keep values in memory if that is what the person wants."""
    name = session.console.keystore_status.name
    if await ask(parent, title=f"{USE_MEMORY}?", text=_MEANS.format(name=name), confirm=USE_MEMORY):
        session.console.keep_in_memory()
