"""A combo box whose list looks like the rest of the window."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget


class ComboBox(QComboBox):
    """A combo box; its list obeys the style sheet, which Qt's own delegate for it doesn't."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(QStyledItemDelegate(self))
