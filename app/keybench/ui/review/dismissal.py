"""The question that comes before a finding is dismissed: why, for how long, and who says so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from keybench.core.errors import InputInvalid
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.theme import scaled
from keybench.ui.widgets.field import Field
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.segments import Segments
from keybench.words.fields import field_sentence

_SPANS: Final = [("30", "30 days"), ("90", "90 days"), ("365", "A year")]


@dataclass(frozen=True, slots=True)
class Wish:
    """What was entered.

    Attributes:
        reason: Why the finding may stay.
        days: For how long.
        by: Who says so.
    """

    reason: str
    days: int
    by: str


class DismissalDialog(QDialog):
    """The question; Esc leaves it.

    Args:
        parent: Whose window it belongs to.
        title: The finding's title.
        by: Who works here, as far as is known.
    """

    def __init__(self, parent: QWidget, title: str, by: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Dismiss a finding")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.answer: asyncio.Future[Wish | None] = asyncio.get_running_loop().create_future()
        self.reason = QLineEdit()
        self.reason.setMaxLength(PURPOSE_LIMIT)
        self.by = QLineEdit(by)
        self.days = Segments(_SPANS, "Dismiss for")
        self.reason_field = Field("Reason", self.reason)
        self.by_field = Field("Your name", self.by)
        self.confirm = button("Dismiss it", self._on_confirm, tone="primary")
        self.cancel = button("Cancel", self.reject)
        self._lay_out(title)

    def done(self, result: int) -> None:
        """Close, and hand over what was entered."""
        super().done(result)
        if not self.answer.done():
            accepted = result == QDialog.DialogCode.Accepted
            wish = Wish(self.reason.text(), int(self.days.value), self.by.text())
            self.answer.set_result(wish if accepted else None)

    def _on_confirm(self) -> None:
        for field, edit, what in (
            (self.reason_field, self.reason, "reason"),
            (self.by_field, self.by, "your name"),
        ):
            field.clear_message()
            try:
                clean_text(what, edit.text(), limit=PURPOSE_LIMIT)
            except InputInvalid as error:
                field.show_message(field_sentence(error))
                edit.setFocus()
                return
        self.accept()

    def _lay_out(self, title: str) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.confirm)
        self.confirm.setDefault(True)
        told = prose("It is told again after that time, or as soon as you want it.", "dim", selectable=True)
        told.setMinimumWidth(scaled(400))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(12)
        layout.addWidget(label(f"Dismiss “{title}”", "title"))
        layout.addWidget(told)
        layout.addWidget(self.reason_field)
        layout.addWidget(self.days)
        layout.addWidget(self.by_field)
        layout.addLayout(buttons)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetFixedSize)
        self.reason.setFocus()


async def ask_dismissal(parent: QWidget, title: str, by: str) -> Wish | None:
    """Ask over `parent`'s window and return what was entered, or None if the person left it."""
    dialog = DismissalDialog(parent.window(), title, by)
    dialog.open()
    try:
        return await dialog.answer
    finally:
        dialog.close()
        dialog.deleteLater()
