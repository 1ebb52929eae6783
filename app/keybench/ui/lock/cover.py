"""What stands in the window's place while it is locked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import button, prose

_WIDTH_PX = 460
_WORDS = (
    "Nothing of your keys is shown, and the clipboard holds no value. Sales that are under way go on. "
    "Keybench has no password of its own: what keeps others out is your computer's own lock."
)


class Cover(QFrame):
    """Covers everything; its only control is `Unlock`.

    Signals:
        unlock_asked: The button was pressed.
    """

    unlock_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self.setObjectName("page")
        self.setAccessibleName("Keybench is locked")
        self.reason = prose("", "dim")
        self.button = button("Unlock", self.unlock_asked, tone="primary")
        panel = QFrame()
        panel.setProperty("role", "panel")
        panel.setFixedWidth(scaled(_WIDTH_PX))
        column = QVBoxLayout(panel)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(prose("Keybench is locked", "title"))
        column.addWidget(self.reason)
        column.addWidget(prose(_WORDS))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.button)
        column.addLayout(row)
        layout = QVBoxLayout(self)
        layout.addWidget(panel, alignment=Qt.AlignmentFlag.AlignCenter)

    def cover(self, reason: str) -> None:
        """Lie over all of the parent, say why, and take the keyboard."""
        self.reason.setText(reason)
        self.setGeometry(self._over.rect())
        self.show()
        self.raise_()
        self.button.setFocus()
