"""The overview of keyboard shortcuts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QPushButton, QVBoxLayout, QWidget

from keybench.ui.shortcuts import rows
from keybench.ui.widgets.labels import Label, label


class Overview(QDialog):
    """Keys at the left, what they do at the right."""

    def __init__(self, parent: QWidget, pages: Sequence[str]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heading = label("Keyboard shortcuts", "title")
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        for row, (keys, words) in enumerate(rows(pages)):
            key_label = label(keys, "mono")
            grid.addWidget(key_label, row, 0)
            grid.addWidget(Label(words), row, 1)
        button = QPushButton("Close")
        button.setDefault(True)
        button.clicked.connect(self.accept)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(16)
        layout.addWidget(heading)
        layout.addLayout(grid)
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignRight)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)

    def done(self, result: int) -> None:
        """Close, and tell whoever waits."""
        super().done(result)
        if not self.closed.done():
            self.closed.set_result(None)


async def show_overview(parent: QWidget, pages: Sequence[str]) -> None:
    """Show the overview over `parent`'s window until it is closed."""
    dialog = Overview(parent, pages)
    dialog.open()
    try:
        await dialog.closed
    finally:
        dialog.close()
        dialog.deleteLater()
