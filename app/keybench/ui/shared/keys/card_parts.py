"""The card of the chosen key: its name and fingerprint, what is known of it, and what came of what was done."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.core.ports import Clock, KeystoreStatus
from keybench.ui.kit.accessibility import announce
from keybench.ui.kit.boxes import framed, in_column, in_row, in_row_or_column
from keybench.ui.kit.labels import ElidedLabel, Label, MessageLabel, label, prose, set_tip
from keybench.ui.kit.theme import scaled, set_role
from keybench.ui.shared.clipboard import ClipboardOffer
from keybench.ui.shared.environment_cells import environment_words
from keybench.ui.shared.keys.value_line import ValueLine
from keybench.words.formats import ago
from keybench.words.keys.states import created, key_state, last_used, test_result, used_by, without_value
from keybench.words.language import _

_TIP: Final = _(
    "The key's fingerprint: four words worked out from its value. Read them out to compare keys by telephone "
    "without ever saying the value."
)
#: The fingerprint has a line of its own in less than this, in pixels at 13 px text.
_ONE_LINE: Final = 440


class KeyHead(QWidget):
    """One line, or the fingerprint on a second one where there is little room.

    Args:
        several: Whether keys of several environments are shown, so that each one's is named.
    """

    def __init__(self, *, several: bool) -> None:
        super().__init__()
        self._several = several
        self.name = ElidedLabel("", "strong", least=8)
        self.standing = label("", "strong", tone="bad")
        self.summary = ElidedLabel("", "dim", least=1)
        self.fingerprint = label("", "mono")
        set_tip(self.fingerprint, _TIP)
        self.fingerprint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = in_row(self.name, self.standing, (self.summary, 1))
        lines = in_row_or_column(
            (words, 1), self.fingerprint, from_px=partial(scaled, _ONE_LINE), within=self, spacing=4
        )
        lines.turned.connect(lambda is_row: self.fingerprint.setWordWrap(not is_row))

    def show_row(self, row: InventoryRow) -> None:
        key = row.key
        self.name.setText(key.name)
        self.standing.show_text(key_state(key).text if key.compromised else "")
        kind = f"{key.kind} · {key.permission} · {key.username}"
        if self._several:
            kind = f"{environment_words(row)} · {kind}"
            set_role(self.summary, "tone", "live" if row.environment.is_live else "")
        self.summary.setText(_("being rotated · {kind}").format(kind=kind) if row.rotating else kind)
        self.fingerprint.setText(key.fingerprint)
        self.fingerprint.setAccessibleName(
            _("Fingerprint: {value}").format(value=key.fingerprint or _("none"))
        )

    def show_none(self) -> None:
        self.name.setText(_("No key chosen"))
        self.standing.hide()
        self.summary.setText(_("Choose a key above."))
        self.fingerprint.setText("")


#: These rows are left out where the window is low; the table's columns and tool tips have what they say.
_SPARED: Final = ("purpose", "used")


class KeyCardFacts(QWidget):
    """A line a fact, with its title before it."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.value = ValueLine(clock)
        self._place = ElidedLabel("", "dim")
        self._has_value = True
        self.value.hidden.connect(lambda: self._place.setVisible(self._has_value))
        self.users, self._created = ElidedLabel(""), ElidedLabel("")
        self._purpose, self.used = ElidedLabel(""), ElidedLabel("")
        self.test = MessageLabel()
        self.test.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._value_line = framed(in_row((self.value, 1), self._place))
        self._titles: dict[str, Label] = {}
        self._texts = {
            "value": self._value_line,
            "users": self.users,
            "purpose": self._purpose,
            "created": self._created,
            "used": self.used,
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

    def show_row(self, row: InventoryRow, now: datetime) -> None:
        key, marks = row.key, row.marks
        absent = without_value(key)
        self._has_value = not absent
        self.value.show_absent(absent)
        self._place.setVisible(self._has_value and not self.value.revealed)
        self._purpose.setText(key.purpose or _("none given"))
        self._created.setText(created(key, marks, now))
        self.users.setText(used_by(marks, key.owner) if marks else "")
        self.used.setText(last_used(key, marks, now) if marks else "")
        tested = test_result(key)
        at = key.last_test_at if tested.tone != "dim" else None
        self.test.show_quietly(f"{tested.text}, {ago(at, now)}" if at else tested.text, tested.tone)

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


#: How long it is said of the clipboard that it was cleared.
LINGER_MS: Final = 8000


class KeyReport(QFrame):
    """Takes room only while it has something to say, and takes it from the table: nothing of the card moves.

    Signals:
        came: It needs room from now on.
    """

    came = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.message = MessageLabel()
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.clipboard = prose("")
        self.offer = ClipboardOffer()
        self.offer.changed.connect(self._show)
        in_column(self.message, self.clipboard, self.offer, within=self, margins=(12, 8, 12, 8), spacing=4)
        self._lingering = QTimer(self, singleShot=True, interval=LINGER_MS)
        self._lingering.timeout.connect(partial(self.show_clipboard, ""))
        self._show()

    def say(self, text: str, tone: str) -> None:
        """Show a message; an empty one takes the last away."""
        self.message.show_quietly(text, tone)
        self._show()
        if text:  # only what is in sight is announced
            announce(self.message, text)

    def show_clipboard(self, text: str, *, is_over: bool = False) -> None:
        """Show how the clipboard is; an empty text takes that away, and what `is_over` goes by itself."""
        self.clipboard.setText(text)
        self._lingering.stop()
        if is_over:
            self._lingering.start()
        self._show()

    def clear(self) -> None:
        self.message.clear()
        self.clipboard.setText("")
        self.offer.withdraw()
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came.emit()

    def _show(self) -> None:
        self.message.setVisible(bool(self.message.text()))
        self.clipboard.setVisible(bool(self.clipboard.text()))
        tone = str(self.message.property("tone") or "") or "dim"
        set_role(self, "tone", tone)
        self.setVisible(any(not part.isHidden() for part in (self.message, self.clipboard, self.offer)))
