"""What is known of the chosen key: its value (hidden), who uses it, when it was created and last used."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from keybench.core.ports import Clock, KeystoreStatus
from keybench.core.security_key import SecurityKey
from keybench.ui.keys.value_line import ValueLine
from keybench.ui.widgets.boxes import in_row
from keybench.ui.widgets.labels import ElidedLabel, Label, MessageLabel, label
from keybench.words.keys import KeyMarks, created, last_used, used_by, without_value
from keybench.words.language import _

#: These rows are left out where the window is low; the table's columns and tool tips have what they say.
_SPARED: Final = ("purpose", "used")


class KeyFacts(QWidget):
    """A line a fact, with its title before it.

    Attributes:
        value: The line that shows the value.
        test: What the last test showed.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.value = ValueLine(clock)
        self.value.hidden.connect(self._on_hidden)
        self._place = ElidedLabel("", "dim")
        self._has_value = True
        self._users, self._created = ElidedLabel(""), ElidedLabel("")
        self._purpose, self._used = ElidedLabel(""), ElidedLabel("")
        self.test = MessageLabel()
        self.test.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._value_line = QWidget()
        in_row((self.value, 1), self._place, within=self._value_line)
        self._titles: dict[str, Label] = {}
        self._texts = {
            "value": self._value_line,
            "users": self._users,
            "purpose": self._purpose,
            "created": self._created,
            "used": self._used,
            "test": self.test,
        }
        titles = (_("Value"), _("Used by"), _("Purpose"), _("Created"), _("Last used"), _("Test"))
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, title) in enumerate(zip(self._texts, titles, strict=True)):
            self._titles[name] = label(title, "dim")
            grid.addWidget(self._titles[name], row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self._texts[name], row, 1)

    @property
    def used_by(self) -> str:
        """Which applications use the key; empty as long as that isn't known."""
        return self._users.text()

    @property
    def last_used(self) -> str:
        """The key's last use and test; empty as long as they aren't known."""
        return self._used.text()

    def show_key(self, key: SecurityKey, marks: KeyMarks | None, now: datetime) -> None:
        absent = without_value(key)
        self._has_value = not absent
        self.value.show_absent(absent)
        self._place.setVisible(self._has_value and not self.value.revealed)
        self._purpose.setText(key.purpose or _("none given"))
        self._created.setText(created(key, marks, now))
        self._users.setText(used_by(marks, key.owner) if marks else "")
        self._used.setText(last_used(key, marks, now) if marks else "")

    def show_keystore(self, status: KeystoreStatus) -> None:
        self._place.setText(_("in {name}").format(name=status.name) if status.is_known else "")

    def show_low(self, *, low: bool) -> None:
        for name in _SPARED:
            self._titles[name].setVisible(not low)
            self._texts[name].setVisible(not low)

    def make_room(self) -> None:
        self._place.hide()
        if layout := self._value_line.layout():
            layout.activate()

    def _on_hidden(self) -> None:
        self._place.setVisible(self._has_value)
