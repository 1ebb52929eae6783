"""Questions a person must answer before going on, without a nested event loop."""

from __future__ import annotations

import asyncio
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import Label, button, label


class Question(QDialog):
    """A question with a button to go on and one to leave it; Esc leaves it.

    Args:
        parent: Whose window it belongs to; it is modal to that.
        title: The question in a few words.
        text: What going on means; plain text.
        confirm: The label of the button that goes on: a verb, not *Yes*.
        tone: ``danger`` makes leaving it the default.
        cancel: The label of the button that leaves it; empty for a message that only wants to be read.
    """

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        confirm: str,
        tone: Literal["primary", "danger"] = "primary",
        cancel: str = "Cancel",
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        heading = label(title, "title")
        heading.setWordWrap(True)
        body = Label(text)
        body.setWordWrap(True)
        body.setMinimumWidth(scaled(380))
        self.setAccessibleDescription(text)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(heading)
        layout.addWidget(body)
        layout.addSpacing(8)
        layout.addLayout(self._buttons(confirm, tone, cancel))
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)

    def done(self, result: int) -> None:
        """Close with a result and hand the answer to whoever waits for it."""
        super().done(result)
        if not self.answer.done():
            self.answer.set_result(result == QDialog.DialogCode.Accepted)

    def _buttons(self, confirm: str, tone: str, cancel: str) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.confirm_button = button(confirm)
        self.confirm_button.setProperty("tone", tone)
        self.confirm_button.clicked.connect(self.accept)
        default = self.confirm_button
        if cancel:
            self.cancel_button = button(cancel, self.reject)
            row.addWidget(self.cancel_button)
            if tone == "danger":
                default = self.cancel_button
        row.addWidget(self.confirm_button)
        for one in self.findChildren(QPushButton):
            one.setAutoDefault(True)
        default.setDefault(True)
        default.setFocus()
        return row


async def ask(
    parent: QWidget,
    *,
    title: str,
    text: str,
    confirm: str,
    tone: Literal["primary", "danger"] = "primary",
    cancel: str = "Cancel",
) -> bool:
    """Ask a question over `parent`'s window and return whether it was confirmed; Esc means no.

    If the waiting task is cancelled, the question goes away with it.
    """
    question = Question(parent.window(), title=title, text=text, confirm=confirm, tone=tone, cancel=cancel)
    question.open()
    try:
        return await question.answer
    finally:
        question.close()
        question.deleteLater()


async def tell(parent: QWidget, *, title: str, text: str, button: str = "Close") -> None:
    """Show a message over `parent`'s window until it is closed."""
    await ask(parent, title=title, text=text, confirm=button, cancel="")
