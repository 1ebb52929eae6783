"""What is known of the chosen key, with the buttons that do something with it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.ports import Clock, KeystoreStatus
from keybench.core.security_key import SecurityKey
from keybench.ui.keys.labels import ElidedLabel, button, label, line
from keybench.ui.keys.value_line import ValueLine
from keybench.ui.sale.announcing import announce
from keybench.ui.theme import set_role
from keybench.ui.widgets.pill import Pill
from keybench.words.times import ago, day

_FINGERPRINT_TIP: Final = (
    "The key's fingerprint: four words worked out from its value. Read them out to compare keys by telephone "
    "without ever saying the value."
)
#: Lines of text reserved for what a test or a failure has to say.
_MESSAGE_LINES: Final = 4


class KeyDetails(QFrame):
    """The chosen key. It shows and asks; `KeyActions` does.

    Signals:
        test_asked, reveal_asked, copy_asked, rotate_asked, compromised_asked, forget_asked: A button was
            pressed.
    """

    test_asked = Signal()
    reveal_asked = Signal()
    copy_asked = Signal()
    rotate_asked = Signal()
    compromised_asked = Signal()
    forget_asked = Signal()

    def __init__(self, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._name = ElidedLabel("", "strong", least=12)
        self._summary = ElidedLabel("", "dim", least=1)
        self._fingerprint = label("", "mono")
        self._fingerprint.setToolTip(_FINGERPRINT_TIP)
        self._fingerprint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.value = ValueLine(clock)
        self.value.ticked.connect(self._count)
        self.value.hidden.connect(self._uncount)
        self._place = label("", "mono")
        self._place.setProperty("tone", "dim")
        self._purpose = ElidedLabel("")
        self._created = ElidedLabel("")
        self.test_button = button("Test key", self.test_asked)
        self.reveal_button = button("Reveal", self.reveal_asked)
        self.copy_button = button("Copy", self.copy_asked)
        self.rotate_button = button("Rotate", self.rotate_asked)
        self.compromised_button = button("Compromised", self.compromised_asked)
        self._rotating = Pill()
        self.forget_button = button("Forget", self.forget_asked)
        self._message = label("", "")
        self._message.setWordWrap(True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._clipboard = label("", "dim")
        self._lay_out()

    def show_key(self, key: SecurityKey) -> None:
        """Show what is known of `key`."""
        self._name.setText(key.name)
        self._summary.setText(f"{key.kind} · {key.permission} · {key.username}")
        self._fingerprint.setText(key.fingerprint)
        self._fingerprint.setAccessibleName(f"Fingerprint: {key.fingerprint}")
        self._purpose.setText(key.purpose or "none given")
        self.refresh_times(key, self._clock.now())

    def refresh_times(self, key: SecurityKey, now: datetime) -> None:
        """Show how long ago `key` was created, as it reads at `now` (UTC)."""
        self._created.setText(f"{day(key.created_at)} · {ago(key.created_at, now)}")

    def show_keystore(self, status: KeystoreStatus) -> None:
        """Show where the value is kept."""
        self._place.setText(f"in {status.name}")

    def show_message(self, text: str, tone: str) -> None:
        """Say `text` under the buttons, in `tone`; an empty text says nothing and keeps its room."""
        self._message.setText(text)
        set_role(self._message, "tone", tone)
        if text:
            announce(self._message, text)

    def show_clipboard(self, text: str) -> None:
        """Say how the clipboard is."""
        self._clipboard.setText(text)

    def show_rotating(self, *, rotating: bool) -> None:
        """Show whether the key is being replaced by another at present."""
        self._rotating.show_state("Being rotated" if rotating else "", "accent")
        self.rotate_button.setToolTip("Shows its rotation" if rotating else "Replaces it by a new key")

    def show_testing(self, *, under_way: bool) -> None:
        """Show on the button whether a test is under way."""
        self.test_button.setText("Testing…" if under_way else "Test key")
        self.test_button.setEnabled(not under_way)

    @property
    def message(self) -> str:
        """What is said under the buttons."""
        return self._message.text()

    @property
    def clipboard_message(self) -> str:
        """What is said of the clipboard."""
        return self._clipboard.text()

    def _count(self, seconds: int) -> None:
        self._place.hide()  # the value needs the whole line
        self.reveal_button.setText(f"Hide ({seconds} s)")

    def _uncount(self) -> None:
        self._place.show()
        self.reveal_button.setText("Reveal")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(line())
        layout.addLayout(self._head())
        layout.addLayout(self._facts())
        layout.addLayout(self._buttons())
        layout.addWidget(self._clipboard)
        self._message.setMinimumHeight(self.fontMetrics().lineSpacing() * _MESSAGE_LINES)
        layout.addWidget(self._message)

    def _head(self) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self._name, 2)
        head.addWidget(self._summary, 3)
        head.addWidget(self._fingerprint)
        return head

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(8, 0, 0, 0)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        for row, (text, value) in enumerate(
            (
                ("Value", _beside(self.value, self._place)),
                ("Purpose", self._purpose),
                ("Created", _beside(self._created, self._rotating)),
            )
        ):
            grid.setRowMinimumHeight(row * 2, self.fontMetrics().lineSpacing() * 2)
            grid.addWidget(label(text, "dim"), row * 2, 0)
            grid.addWidget(value, row * 2, 1)
            grid.addWidget(line(), row * 2 + 1, 0, 1, 2)
        return grid

    def _buttons(self) -> QGridLayout:
        """Arrange what is done with the value above what is done with the key; the last one stands apart."""
        rows = QGridLayout()
        rows.setSpacing(8)
        for column, each in enumerate((self.test_button, self.reveal_button, self.copy_button)):
            rows.addWidget(each, 0, column)
        rows.addWidget(self.rotate_button, 1, 0)
        rows.addWidget(self.compromised_button, 1, 1, 1, 2)
        rows.setColumnStretch(3, 1)
        rows.addWidget(self.forget_button, 1, 4)
        return rows


def _beside(first: QWidget, second: QWidget) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(first, 1)
    row.addWidget(second)
    return box
