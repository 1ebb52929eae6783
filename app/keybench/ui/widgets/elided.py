"""A label that cuts its text short where there is no room, and keeps the whole of it for who asks."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from keybench.ui.widgets.plain import PlainLabel, set_tip

SHORTEST = 4
"""How many average characters stay at the least."""


class ElidedLabel(PlainLabel):
    """A label of one line; while it is cut, the whole is its tool tip."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._whole = ""
        self.setText(text)

    def text(self) -> str:
        """Return the whole text."""
        return self._whole

    def setText(self, text: str) -> None:
        """Show as much of `text` as fits."""
        self._whole = text
        self.updateGeometry()
        self._cut()

    def sizeHint(self) -> QSize:
        """Ask for room for the whole text."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._whole) + 1, metrics.height())

    def minimumSizeHint(self) -> QSize:
        """Be content with a few characters."""
        hint = self.sizeHint()
        return QSize(min(SHORTEST * self.fontMetrics().averageCharWidth(), hint.width()), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text for the new width."""
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        width = max(self.width(), 0)
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, width)
        super().setText(shown)
        set_tip(self, "" if shown == self._whole else self._whole)
