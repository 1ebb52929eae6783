"""The application in focus: how its key is changed there, and what can be done with its entry."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from keybench.ui.applications.columns import NO_OWNER, ApplicationRow, when_words
from keybench.ui.inventory.places import environment_words
from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import ElidedLabel, button, line
from keybench.ui.widgets.pill import Pill

_NONE: Final = "No application chosen"
_HOW: Final = "Choose an application above, and how its key is changed there is shown here."
_NO_STEPS: Final = "Nobody has written down yet how its key is changed there. Edit it to add that."
_LINES: Final = 3
_FEW_LINES: Final = 1


class ApplicationCard(QFrame):
    """A few lines and a row of buttons.

    Signals:
        edit_asked, changed_asked, seen_asked, key_asked, remove_asked: A button was pressed.
    """

    edit_asked = Signal()
    changed_asked = Signal()
    seen_asked = Signal()
    key_asked = Signal()
    remove_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ElidedLabel(_NONE, "strong", least=12)
        self.owner = Pill()
        self.place = ElidedLabel("", "dim", least=8)
        self.facts = ElidedLabel(_HOW, "dim", least=12)
        self.steps = QPlainTextEdit()
        self.steps.setReadOnly(True)
        self.steps.setAccessibleName("How to change it there and restart")
        self.steps.setTabChangesFocus(True)
        self.edit: QPushButton = button("Edit…", self.edit_asked)
        self.changed: QPushButton = button("Key was changed…", self.changed_asked)
        self.seen: QPushButton = button("Seen working…", self.seen_asked)
        self.key: QPushButton = button("Show its key", self.key_asked)
        self.remove: QPushButton = button("Remove", self.remove_asked)
        self._lay_out()
        self.show_row(None, None)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """What can be done, from left to right."""
        return (self.edit, self.changed, self.seen, self.key, self.remove)

    def show_row(self, row: ApplicationRow | None, now: datetime | None) -> None:
        """Show an entry as it reads at `now`, or how to choose one."""
        for one in self.buttons:
            one.setEnabled(row is not None)
        if row is None or now is None:
            self.name.setText(_NONE)
            self.facts.setText(_HOW)
            self.owner.show_state("", "dim")
            self.place.setText("")
            self.steps.setPlainText("")
            return
        application = row.application
        self.name.setText(application.name)
        self.owner.show_state(row.owner, "dim" if application.owner else "warning")
        self.owner.setAccessibleName(f"Owner: {row.owner.removeprefix(NO_OWNER) or 'none'}")
        uses = f"uses {row.key.name}" if row.key else "its key was forgotten: edit it to name another"
        self.place.setText(f"{uses} in {environment_words(row)}" if row.key else uses)
        set_role(self.place, "tone", "live" if row.environment.is_live and row.key else "")
        self.key.setEnabled(row.key is not None)
        changed = when_words(application.changed_at, application.changed_by, now, "not known when")
        seen = when_words(application.seen_working_at, application.seen_by, now, "never")
        where = application.place or "not known where"
        self.facts.setText(f"Key set {where} · changed {changed} · seen working {seen}")
        self.steps.setPlainText(application.instructions or _NO_STEPS)

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have the facts."""
        self.facts.setVisible(not low)
        lines = _FEW_LINES if low else _LINES
        self.steps.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 20)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.name, 2)
        head.addWidget(self.owner)
        head.addWidget(self.place, 3)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in self.buttons[:-1]:
            buttons.addWidget(one)
        buttons.addStretch(1)
        buttons.addWidget(self.remove)
        self.owner.setMinimumHeight(Pill("x", "good").sizeHint().height())
        self.show_low(low=False)
        self.steps.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        layout.addLayout(head)
        layout.addWidget(self.facts)
        layout.addWidget(self.steps)
        layout.addLayout(buttons)
