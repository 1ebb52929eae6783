"""The dialog that comes before a finding is dismissed: why, for how long, and who says so."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtWidgets import QLineEdit, QWidget

from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form
from keybench.ui.widgets.segments import Segments

_SPANS: Final = [("30", "30 days"), ("90", "90 days"), ("365", "A year")]


class DismissalDialog(Dialog):
    """Asks for reason, days and name.

    Args:
        parent: Whose window it belongs to.
        title: The finding's title.
        by: Who works here, as far as is known.
    """

    def __init__(self, parent: QWidget, title: str, by: str) -> None:
        reason = partial(clean_text, "reason", limit=PURPOSE_LIMIT)
        name = partial(clean_text, "your name", limit=PURPOSE_LIMIT)
        self.reason = QLineEdit()
        self.reason.setMaxLength(PURPOSE_LIMIT)
        self.by = QLineEdit(by)
        self.days = Segments(_SPANS, "Dismiss for")
        self.reason_field = Field("Reason", self.reason, id="reason", check=reason)
        super().__init__(
            parent,
            title=f"Dismiss “{title}”",
            text="It is told again after that time, or as soon as you want it.",
            confirm="Dismiss it",
            content=Form(
                self.reason_field, self.days, Field("Your name", self.by, id="your name", check=name)
            ),
        )
        self.setWindowTitle("Dismiss a finding")
