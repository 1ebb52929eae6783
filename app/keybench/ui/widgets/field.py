"""A field of a form: its label above, the editor, and a line below that is kept free for a message."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import Label


class Field(QWidget):
    """A labelled editor with room for a message, so that nothing jumps when one comes.

    Args:
        label: Says what to enter; it becomes the editor's accessible name if it has none.
        editor: The control.
        hint: Shown below while there is no message.
        lines: How many lines below are kept free; 0 keeps none and messages take their own room.
    """

    def __init__(
        self, label: str, editor: QWidget, hint: str = "", *, lines: int = 1, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.editor = editor
        self._hint = hint
        self.label = Label(label)
        self.label.setProperty("role", "field")
        self.label.setBuddy(editor)
        if not editor.accessibleName():
            editor.setAccessibleName(label)
        self.message = Label(hint)
        self.message.setProperty("role", "field")
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._lines = lines
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.label)
        layout.addWidget(editor)
        layout.addWidget(self.message)
        self._reserve()
        self.setFocusProxy(editor)

    @property
    def has_message(self) -> bool:
        """Whether a message stands there now."""
        return bool(self.message.text()) and self.message.text() != self._hint

    def show_message(self, text: str, tone: str = "bad") -> None:
        """Show a message in one of `tokens.TONES` below the editor, for screen readers, too."""
        self.message.setText(text)
        self.editor.setAccessibleDescription(text)
        set_role(self.message, "tone", tone)
        set_role(self.editor, "invalid", "true" if tone == "bad" else "false")
        self._reserve()

    def clear_message(self) -> None:
        """Show the hint again."""
        self.message.setText(self._hint)
        self.editor.setAccessibleDescription(self._hint)
        set_role(self.message, "tone", "")
        set_role(self.editor, "invalid", "false")
        self._reserve()

    def _reserve(self) -> None:
        self.message.setVisible(bool(self._lines or self.message.text()))
        self.message.setMinimumHeight(self._lines * self.message.fontMetrics().height())
