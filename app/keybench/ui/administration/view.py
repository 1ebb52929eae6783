"""What every view of the Keys page is: a panel that can be shown something, and can ask for another view."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.security_key import SecurityKey

#: In a view that is lower than this, in pixels at 13 px text, rows need the room more than details do.
LOW_PX: Final = 480


class KeysView(QFrame):
    """A view of the Keys page.

    Signals:
        view_asked: Another view is wanted (its name), for a key (a `SecurityKey`) or for none (None).
    """

    view_asked = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")

    def show_key(self, key: SecurityKey) -> None:
        """Show what the view has about one key; views for which that means nothing stay as they are."""
