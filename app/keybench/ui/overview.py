"""The overview of keyboard shortcuts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QPushButton, QVBoxLayout, QWidget

from keybench.ui.widgets.plain import PlainLabel


class Overview(QDialog):
    """Keys at the left, what they do at the right."""

    def __init__(self, parent: QWidget, rows: Sequence[tuple[str, str]]) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heading = PlainLabel("Keyboard shortcuts")
        heading.setProperty("role", "title")
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        for row, (keys, words) in enumerate(rows):
            key_label = PlainLabel(keys)
            key_label.setProperty("role", "mono")
            grid.addWidget(key_label, row, 0)
            grid.addWidget(PlainLabel(words), row, 1)
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


async def show_overview(parent: QWidget, rows: Sequence[tuple[str, str]]) -> None:
    """Show the overview over `parent`'s window until it is closed."""
    dialog = Overview(parent, rows)
    dialog.open()
    try:
        await dialog.closed
    finally:
        dialog.close()
        dialog.deleteLater()
