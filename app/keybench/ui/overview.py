"""The overview of keyboard shortcuts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.labels import label


async def show_overview(parent: QWidget, rows: Sequence[tuple[str, str]]) -> None:
    """Show keys and what they do over `parent`'s window until it is closed."""
    table = QWidget()
    grid = QGridLayout(table)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(24)
    grid.setVerticalSpacing(8)
    for row, (keys, words) in enumerate(rows):
        grid.addWidget(label(keys, "mono"), row, 0)
        grid.addWidget(label(words), row, 1)
    await Dialog(parent, title="Keyboard shortcuts", confirm="Close", cancel="", content=table).answer()
