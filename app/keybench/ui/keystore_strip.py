"""The line that stays below the band while keys are not kept in the system's keystore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from keybench.ui.widgets.labels import Label, button

if TYPE_CHECKING:  # its import would hold up the first frame
    from keybench.core.ports import KeystoreStatus

TRY_AGAIN = "Try again"
USE_MEMORY = "Use this session's memory"
STOP_WAITING = "Stop waiting"


class KeystoreStrip(QFrame):
    """Says where keys are kept for as long as that is a worry, with what can be done about it.

    Signals:
        try_again: The person wants the system's keystore looked at once more.
        stop_asked: The person would rather not answer what the keystore asks.
        memory_asked: The person would rather keep values in memory than wait for the keystore.
    """

    try_again = Signal()
    memory_asked = Signal()
    stop_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self.words = Label()
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.words.setWordWrap(True)
        self.button = button(TRY_AGAIN, self.try_again, tone="quiet")
        self.memory = button(USE_MEMORY, self.memory_asked, tone="quiet")
        self.stop = button(STOP_WAITING, self.stop_asked, tone="quiet")
        self.stop.setAccessibleDescription("Takes back what the keystore asks you")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 4, 16, 4)
        layout.setSpacing(12)
        layout.addWidget(self.words, 1)
        layout.addWidget(self.memory)
        layout.addWidget(self.button)
        layout.addWidget(self.stop)
        self.hide()

    def show_status(self, status: KeystoreStatus) -> None:
        """Show what is wrong with `status`, or hide when nothing is."""
        self.words.setText(_sentence(status))
        self.words.setAccessibleName(self.words.text())
        self.memory.setVisible(status.durable and status.trouble is not None and not status.asking)
        self.button.setVisible(not status.asking)
        self.stop.setVisible(status.asking)
        self.setVisible(bool(self.words.text()))

    def show_trying(self, *, trying: bool) -> None:
        """Show that the keystore is being looked at."""
        self.button.setEnabled(not trying)
        self.button.setText("Trying…" if trying else TRY_AGAIN)
        self.button.setAccessibleName(self.button.text())
        self.memory.setEnabled(not trying)


def _sentence(status: KeystoreStatus) -> str:
    if status.durable and status.trouble is None and not status.asking:
        return ""
    # Words are only needed where there is trouble, and not for the first frame.
    from keybench.words.keystore import keystore_sentence  # noqa: PLC0415 - see above

    return keystore_sentence(status)
