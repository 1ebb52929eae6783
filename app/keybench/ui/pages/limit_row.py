"""The row under the environments that sets the chosen one's amount limit."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import InputInvalid
from keybench.core.money import parse_limit
from keybench.ui.theme import scaled
from keybench.ui.widgets.labels import MessageLabel, button, label
from keybench.words.fields import field_sentence

_WIDTH_PX = 110


class LimitRow(QWidget):
    """An amount and a button.

    Signals:
        submitted: A limit that can be used was entered (a text, empty for none).
    """

    submitted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.edit = QLineEdit()
        self.edit.setAccessibleName("Most a sale may be")
        self.edit.setPlaceholderText("no limit")
        self.edit.setFixedWidth(scaled(_WIDTH_PX))
        self.button = button("Set limit", self._on_set)
        self.told = MessageLabel()
        what = label("Amount limit of the chosen environment", "dim")
        what.setBuddy(self.edit)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (what, self.edit, self.button):
            row.addWidget(part)
        row.addWidget(self.told, 1)
        self.edit.returnPressed.connect(self._on_set)

    def show_environment(self, environment: Environment | None) -> None:
        """Show an environment's limit, or nothing to set; what is being typed for that environment stays."""
        self.setEnabled(environment is not None)
        before, self._shown = self._shown, environment.id if environment else ""
        limit = environment.amount_limit if environment else None
        if before == self._shown and self.edit.isModified() and not self._is_entered(limit):
            return
        self.edit.setText("" if limit is None else str(limit))
        self.told.clear()

    def _is_entered(self, limit: Decimal | None) -> bool:
        """Tell whether what stands in the field means this limit."""
        try:
            return parse_limit(self.edit.text()) == limit
        except InputInvalid:
            return False

    def _on_set(self) -> None:
        try:
            parse_limit(self.edit.text())
        except InputInvalid as error:
            self.told.say(field_sentence(error), "bad")
            self.edit.setFocus()
        else:
            self.submitted.emit(self.edit.text())
