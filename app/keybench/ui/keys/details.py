"""What is known of the chosen key, with the buttons that do something with it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from keybench.core.ports import Clock, KeystoreStatus
from keybench.core.security_key import KeyState, SecurityKey
from keybench.ui.keys.head import KeyHead
from keybench.ui.keys.value_line import REVEAL_S, ValueLine
from keybench.ui.widgets.labels import ElidedLabel, MessageLabel, button, explain_button, label, line, set_tip
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.formats import ago, day
from keybench.words.keys import KeyMarks, last_used, used_by, why_without_value, without_value

#: Lines of text reserved for what a test or a failure has to say.
_MESSAGE_LINES: Final = 3
_TESTING: Final = "Testing…"
_HIDE: Final = "Hide ({} s)"
_LOOKS_AGAIN: Final = "Looks whether its value is in the keystore again, and tests it then."


class KeyDetails(QFrame):
    """The chosen key. It shows and asks; `KeyActions` does.

    Signals:
        test_asked, reveal_asked, copy_asked, value_asked, rotate_asked, compromised_asked, forget_asked: A
            button was pressed.
    """

    test_asked = Signal()
    reveal_asked = Signal()
    copy_asked = Signal()
    value_asked = Signal()
    rotate_asked = Signal()
    compromised_asked = Signal()
    forget_asked = Signal()

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._key: SecurityKey | None = None
        self._marks: KeyMarks | None = None
        self.head = KeyHead()
        self.value = ValueLine(clock)
        self.value.ticked.connect(self._count)
        self.value.hidden.connect(self._uncount)
        self._place = ElidedLabel("", "mono")
        self._place.setProperty("tone", "dim")
        self._value_line = _beside(self.value, self._place)
        self._users = ElidedLabel("")
        self._purpose = ElidedLabel("")
        self._created = ElidedLabel("")
        self._used = ElidedLabel("")
        self.test_button = button("Test key", self.test_asked, others=[_TESTING])
        self.reveal_button = button("Reveal", self.reveal_asked, others=[_HIDE.format(REVEAL_S)])
        self.copy_button = button("Copy", self.copy_asked)
        self.give_button = button("Give it a value…", self.value_asked)
        self._testing = False
        self.rotate_button = button("Rotate", self.rotate_asked)
        self.compromised_button = button("Compromised", self.compromised_asked)
        self.forget_button = button("Forget", self.forget_asked)
        self._message = MessageLabel(_MESSAGE_LINES)
        self._clipboard = label("", "dim")
        self._lay_out()

    def show_key(self, key: SecurityKey) -> None:
        """Show what is known of `key`; what the register says of another one goes."""
        if self._key is None or key.id != self._key.id:
            self._marks = None
        self._key = key
        self._purpose.setText(key.purpose or "none given")
        self._show_value(key)
        self.show_marks(self._marks)

    def _show_value(self, key: SecurityKey) -> None:
        """Show dots and what can be done with the value; for a key without one, that and what to do."""
        absent, why = without_value(key), why_without_value(key)
        self.value.show_absent(absent)
        self._place.setVisible(not absent and not self.value.revealed)
        for one in (self.reveal_button, self.copy_button):
            one.setEnabled(not absent)
            explain_button(one, why)
        explain_button(self.test_button, _LOOKS_AGAIN if key.state is KeyState.VALUE_LOST else why)
        explain_button(self.give_button, why)
        self.give_button.setVisible(bool(absent))
        self.show_testing(under_way=self._testing)

    def show_marks(self, marks: KeyMarks | None) -> None:
        """Show what the register says of the key; None as long as that isn't known."""
        self._marks = marks
        rotating = marks is not None and marks.rotating
        set_tip(self.rotate_button, "Shows its rotation" if rotating else "Replaces it by a new key")
        if self._key:
            self.head.show_key(self._key, rotating=rotating)
            self.refresh_times(self._key, self._clock.now())

    def refresh_times(self, key: SecurityKey, now: datetime) -> None:
        """Show how long ago `key` was created and used, as it reads at `now` (UTC)."""
        marks = self._marks
        self._created.setText(f"{day(key.created_at)} · {ago(key.created_at, now)}")
        self._users.setText(used_by(marks, key.owner) if marks else "")
        self._used.setText(last_used(key, marks, now) if marks else "")

    def show_keystore(self, status: KeystoreStatus) -> None:
        """Show where the value is kept."""
        self._place.setText(f"in {status.name}")

    def show_message(self, text: str, tone: str) -> None:
        """Say `text` under the buttons, in `tone`; an empty text says nothing and keeps its room."""
        self._message.say(text, tone)
        if text:
            _bring_into_view(self._message)

    def show_clipboard(self, text: str) -> None:
        """Say how the clipboard is."""
        self._clipboard.setText(text)

    def show_testing(self, *, under_way: bool) -> None:
        """Show on the button whether a test is under way."""
        self._testing = under_way
        self.test_button.setText(_TESTING if under_way else "Test key")
        never_here = self._key is not None and self._key.state is KeyState.NO_VALUE
        self.test_button.setEnabled(not under_way and not never_here)

    @property
    def message(self) -> str:
        """What is said under the buttons."""
        return self._message.text()

    @property
    def used_by(self) -> str:
        """What is said of the applications that use the key; empty as long as that isn't known."""
        return self._users.text()

    @property
    def last_used(self) -> str:
        """What is said of the key's last use and test; empty as long as that isn't known."""
        return self._used.text()

    @property
    def clipboard_message(self) -> str:
        """What is said of the clipboard."""
        return self._clipboard.text()

    def _count(self, seconds: int) -> None:
        self._place.hide()  # the value needs the whole line, and whether it fits is asked at once
        if layout := self._value_line.layout():
            layout.activate()
        self.reveal_button.setText(_HIDE.format(seconds))

    def _uncount(self) -> None:
        self._place.setVisible(self._key is None or self._key.has_value)
        self.reveal_button.setText("Reveal")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        layout.addWidget(self.head)
        layout.addLayout(self._facts())
        for row in self._buttons():
            layout.addWidget(row)
        layout.addWidget(self._clipboard)
        layout.addWidget(self._message)

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(4, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for row, (text, value) in enumerate(
            (
                ("Value", self._value_line),
                ("Used by", self._users),
                ("Purpose", self._purpose),
                ("Created", self._created),
                ("Last used", self._used),
            )
        ):
            grid.setRowMinimumHeight(row * 2, self.fontMetrics().lineSpacing() * 2)
            grid.addWidget(label(text, "dim"), row * 2, 0)
            grid.addWidget(value, row * 2, 1)
            grid.addWidget(line(), row * 2 + 1, 0, 1, 2)
        return grid

    def _buttons(self) -> tuple[WrappingRow, WrappingRow]:
        """Arrange what is done with the value above what is done with the key; the last one stands apart."""
        of_key: tuple[QPushButton, ...] = (self.rotate_button, self.compromised_button, self.forget_button)
        return (
            WrappingRow((self.test_button, self.reveal_button, self.copy_button, self.give_button)),
            WrappingRow(of_key, spread=True),
        )


def _beside(first: QWidget, second: QWidget) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(first, 1)
    row.addWidget(second)
    return box


def _bring_into_view(widget: QWidget) -> None:
    """Scroll what stands round `widget`, if anything does, until it can be seen."""
    area: QWidget | None = widget.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    if area is not None:
        area.ensureWidgetVisible(widget, 0, 0)
