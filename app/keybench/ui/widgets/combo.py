"""A combo box that leaves the wheel to the page and whose list looks like the rest of the window."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget


class ComboBox(QComboBox):
    """A combo box; its list obeys the style sheet, which Qt's own delegate for it doesn't."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._has_delegate = False

    def showPopup(self) -> None:
        """Open the list; it is dressed when it is first seen, for making it takes some milliseconds."""
        if not self._has_delegate:
            self._has_delegate = True
            self.setItemDelegate(QStyledItemDelegate(self))
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what is behind: only the open list, a window of its own, is turned by it."""
        event.ignore()
