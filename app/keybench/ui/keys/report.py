"""What came of the things done with the chosen key, between the table and the key's card."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame

from keybench.ui.accessibility import announce
from keybench.ui.clipboard import ClipboardOffer
from keybench.ui.theme import set_role
from keybench.ui.widgets.boxes import in_column
from keybench.ui.widgets.labels import MessageLabel, prose

#: How long it is said of the clipboard that it was cleared.
LINGER_MS: Final = 8000


class KeyReport(QFrame):
    """Takes room only while it has something to say, and takes it from the table: nothing of the card moves.

    Attributes:
        message: What a test or a failure has to say.
        clipboard: How the clipboard is after the value was copied.
        offer: Offers to clear the clipboard after the value was pasted.

    Signals:
        came: It needs room from now on.
    """

    came = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.message = MessageLabel()
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.clipboard = prose("")
        self.offer = ClipboardOffer()
        self.offer.changed.connect(self._show)
        in_column(self.message, self.clipboard, self.offer, within=self, margins=(12, 8, 12, 8), spacing=4)
        self._lingering = QTimer(self, singleShot=True, interval=LINGER_MS)
        self._lingering.timeout.connect(self._on_lingered)
        self._show()

    def say(self, text: str, tone: str) -> None:
        """Show a message; an empty one takes the last away."""
        self.message.show_quietly(text, tone)
        self._show()
        if text:  # only what is in sight is announced
            announce(self.message, text)

    def show_clipboard(self, text: str, *, is_over: bool = False) -> None:
        """Show how the clipboard is; an empty text takes that away, and what `is_over` goes by itself."""
        self.clipboard.setText(text)
        self._lingering.stop()
        if is_over:
            self._lingering.start()
        self._show()

    def clear(self) -> None:
        self.message.clear()
        self.clipboard.setText("")
        self.offer.withdraw()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came.emit()

    def _on_lingered(self) -> None:
        self.show_clipboard("")

    def _show(self) -> None:
        self.message.setVisible(bool(self.message.text()))
        self.clipboard.setVisible(bool(self.clipboard.text()))
        tone = str(self.message.property("tone") or "") or "dim"
        set_role(self, "tone", tone)
        self.setVisible(any(not part.isHidden() for part in (self.message, self.clipboard, self.offer)))
