"""The key in focus: what is known of it, and what can be done with it from the inventory."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from keybench.core.inventory import InventoryRow
from keybench.core.security_key import KeyState
from keybench.ui.inventory.places import environment_words
from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import ElidedLabel, button, explain_button, label, line
from keybench.ui.widgets.pill import Pill
from keybench.words.formats import ago, day
from keybench.words.keys import key_state, why_without_value

_NONE: Final = "No key chosen"
_HOW: Final = "Choose a key above: its owner and purpose can be changed here, and a value given to it."
_WORKS: Final = "The value it has was accepted. To replace it, rotate the key."


class KeyCard(QFrame):
    """A few lines and a row of buttons.

    Signals:
        edit_asked, value_asked, applications_asked, rotation_asked: A button was pressed.
    """

    edit_asked = Signal()
    value_asked = Signal()
    applications_asked = Signal()
    rotation_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ElidedLabel(_NONE, "strong", least=12)
        self.state = Pill()
        self.place = ElidedLabel("", "dim", least=8)
        self.fingerprint: QLabel = label("", "mono")
        self.fingerprint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = ElidedLabel(_HOW, "dim", least=12)
        self.note = ElidedLabel("", "dim", least=12)
        self.edit: QPushButton = button("Owner and purpose…", self.edit_asked)
        self.value: QPushButton = button("Give it a value…", self.value_asked)
        self.applications: QPushButton = button("Its applications", self.applications_asked)
        self.rotation: QPushButton = button("Rotate", self.rotation_asked)
        self._lay_out()
        self.show_row(None, None)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """What can be done, from left to right."""
        return (self.edit, self.value, self.applications, self.rotation)

    def show_row(self, row: InventoryRow | None, now: datetime | None) -> None:
        """Show a key as it reads at `now`, or how to choose one."""
        for one in self.buttons:
            one.setEnabled(row is not None)
        if row is None or now is None:
            self.name.setText(_NONE)
            self.facts.setText(_HOW)
            self.state.show_state("", "dim")
            for words in (self.place, self.fingerprint, self.note):
                words.setText("")
            self.rotation.setText("Rotate")
            return
        key, state = row.key, key_state(row.key)
        self.name.setText(key.name)
        self.place.setText(f"{environment_words(row)} · {key.kind} · {key.permission} · {key.username}")
        set_role(self.place, "tone", "live" if row.environment.is_live else "")
        self.state.show_state(state.text, state.tone)
        self.fingerprint.setText(key.fingerprint)
        self.fingerprint.setAccessibleName(f"Fingerprint: {key.fingerprint or 'none'}")
        owner = key.owner or "no owner"
        self.facts.setText(
            f"{owner} · {key.purpose or 'no purpose given'} · created {day(key.created_at)}, "
            f"{ago(key.created_at, now)}"
        )
        self.note.setText(why_without_value(key))
        set_role(self.note, "tone", "warning" if self.note.text() else "")
        is_working = key.state is KeyState.WORKING
        self.value.setEnabled(not is_working)
        explain_button(self.value, _WORKS if is_working else self.note.text())
        self.rotation.setText("Show its rotation" if row.rotating else "Rotate")
        self.rotation.setAccessibleName(self.rotation.text())

    def show_low(self, *, low: bool) -> None:
        """Show less where there is little room; the table's columns have it all."""
        self.facts.setVisible(not low)
        self.note.setVisible(not low)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.name, 2)
        head.addWidget(self.state)
        head.addWidget(self.place, 3)
        head.addWidget(self.fingerprint)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for one in self.buttons:
            buttons.addWidget(one)
        buttons.addStretch(1)
        self.state.setMinimumHeight(Pill("x", "good").sizeHint().height())
        layout.addLayout(head)
        layout.addWidget(self.facts)
        layout.addWidget(self.note)
        layout.addLayout(buttons)
