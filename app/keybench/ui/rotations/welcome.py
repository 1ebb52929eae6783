"""What stands at the right while no rotation is shown: what a rotation is, and the way to begin one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from keybench.ui.rotations.parts import WIDEST_PX, column, row_of
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import button, label, prose
from keybench.words.rotations import WELCOME


class Welcome(QFrame):
    """The empty state.

    Signals:
        start_asked: A new rotation is wanted.
    """

    start_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.start_button = button("Start rotation", self.start_asked.emit, tone="primary")
        text = prose(WELCOME, "dim")
        text.setMaximumWidth(scaled(WIDEST_PX))
        layout = column(self, margins=(16, 14, 16, 12))
        layout.addWidget(label("Replace a key without an outage", "title"))
        layout.addWidget(text)
        layout.addSpacing(8)
        layout.addLayout(row_of(self.start_button, None))
        layout.addStretch(1)
