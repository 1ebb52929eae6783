"""What the views of the Keys page are: panels that can be shown a key, and can ask for another view."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from keybench.core.security_key import SecurityKey
from keybench.ui.theme import scaled
from keybench.ui.widgets.list_page import ListPage
from keybench.ui.widgets.table_model import Row

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


class KeysListView(ListPage[Row]):
    """A view of the Keys page that is a list with its detail.

    Signals:
        view_asked: As `KeysView` has it.
    """

    view_asked = Signal(str, object)

    def show_key(self, key: SecurityKey) -> None:
        """Show what the view has about one key."""

    def show_low(self, *, low: bool) -> None:
        """Show less below the rows where there is little room."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave room for rows where the window is low."""
        super().resizeEvent(event)
        self.on_theme()

    def on_theme(self) -> None:
        """Leave as much room where text is larger."""
        self.show_low(low=self.height() < scaled(LOW_PX))


AnyKeysView = KeysView | KeysListView[Any]
