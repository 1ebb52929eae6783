"""The tour's card, below everything else, and the ways a person ends the tour."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QFrame, QHBoxLayout, QWidget

from keybench.ui.widgets.labels import Label, button, label, set_tip


class TourCard(QFrame):
    """Says which scene plays and what it shows; has room of its own, so that it covers nothing.

    Args:
        on_end: Called when a person wants the tour to end: by its button, Esc, or by closing a question.
    """

    def __init__(self, on_end: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tour")
        self._on_end = on_end
        self.title = label("", "strong")
        self.caption = Label()
        self.caption.setWordWrap(True)
        self.caption.setAccessibleName("Tour")
        self.end_button = button("End the tour", on_end)
        set_tip(self.end_button, "End the tour (Esc)")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 16, 6)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addWidget(self.caption, 1)
        layout.addWidget(self.end_button)
        app = QApplication.instance()
        if app:
            app.installEventFilter(self)

    def show_scene(self, number: int, count: int, caption: str) -> None:
        """Show which scene plays now."""
        self.title.setText(f"Tour {number} of {count}")
        self.caption.setText(caption)
        self.caption.setAccessibleDescription(f"{number} of {count}: {caption}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End the tour on Esc wherever the keyboard is, and when a person closes a question of the tour's."""
        by_person = event.spontaneous()
        if by_person and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.KeyPress:
                self._on_end()
            return True
        if by_person and event.type() is QEvent.Type.Close and isinstance(watched, QDialog):
            self._on_end()
        return super().eventFilter(watched, event)
