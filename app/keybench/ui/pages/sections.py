"""A section of the Settings page: a panel with a title."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.ui.widgets.labels import label


class Section(QFrame):
    """A titled panel; `body` takes what belongs to it, `head` what stands beside the title."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.setAccessibleName(title)
        heading = label(title, "title")
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.head.addWidget(heading)
        self.head.addStretch(1)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(16, 14, 16, 16)
        self.body.setSpacing(12)
        self.body.addLayout(self.head)
