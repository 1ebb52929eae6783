"""What stands where the Bench will be until the keys are open, and what stands there when they can't be."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from keybench.ui.widgets.labels import Label, label

LEFT, RIGHT = 40, 60
"""How the Bench's room is shared by Security Keys and Sale test."""


class StartingPage(QWidget):
    """Two empty panels in the places of the real ones, and one calm sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.words = label("Opening your keys…", "dim")
        self.words.setWordWrap(True)
        self.title = Label("Security Keys")
        sale = label("Sale test", "title")
        self.title.setProperty("role", "title")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(16)
        layout.addWidget(empty_panel(self.title, self.words), LEFT)
        layout.addWidget(empty_panel(sale), RIGHT)

    def show_trouble(self, title: str, text: str) -> None:
        """Say why it goes no further."""
        self.title.setText(title)
        self.title.setWordWrap(True)
        self.title.setAccessibleName(title)
        self.words.setText(text)


def empty_panel(*labels: QLabel) -> QFrame:
    """Return a panel that has nothing in it yet but `labels`."""
    panel = QFrame()
    panel.setProperty("role", "panel")
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(16, 14, 16, 16)
    layout.setSpacing(12)
    for one in labels:
        layout.addWidget(one)
    layout.addStretch(1)
    return panel
