"""The list view: title, filter, the two tables, the chosen key, and what stands there when there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.ports import Clock, KeystoreStatus
from keybench.core.security_key import SecurityKey
from keybench.ui.keys.details import KeyDetails
from keybench.ui.keys.rows import MarksOf
from keybench.ui.keys.tables import KeyTables
from keybench.ui.preferences import Preferences
from keybench.ui.widgets.labels import button, label
from keybench.ui.widgets.wrapping_row import WrappingRow

_MINUTE_MS: Final = 60_000
#: The tables have all the room they can use before any is left free.
_FIRST: Final = 1000
#: What takes longer than this shows that it is under way.
_PATIENCE_MS: Final = 300


class KeyList(QWidget):
    """An environment's keys.

    Args:
        clock: Tells how long ago something was.
        preferences: Remembers by which column they are sorted.

    Signals:
        chosen: Another key is chosen, or what is known of it changed (a `SecurityKey` or None).
        add_asked: Add a New Key was pressed.
    """

    chosen = Signal(object)
    add_asked = Signal()

    def __init__(self, clock: Clock, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._wanted = ""
        self.add_button = button("Add a New Key", self.add_asked, tone="primary")
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter by name, user, purpose…")
        self.filter.setAccessibleName("Filter keys")
        self.filter.setClearButtonEnabled(True)
        # From the outside in: each time a widget gets another parent, Qt looks up the style of all within it.
        self._states = QStackedWidget(self)
        self._both = QWidget(self._states)
        self.tables = KeyTables(preferences, self._both)
        self.details = KeyDetails(clock, self._both)
        self._words: QLabel = label("", "dim")
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._lay_out()
        self.filter.textChanged.connect(self.tables.search)
        self.tables.chosen.connect(self._on_chosen)
        self._minute = QTimer(self)
        self._minute.setInterval(_MINUTE_MS)
        self._minute.timeout.connect(self.refresh_times)
        self._minute.start()
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._say_loading)

    @property
    def words(self) -> str:
        """What stands in place of the tables; empty while they are shown."""
        return self._words.text() if self._states.currentWidget() is self._words else ""

    def show_loading(self) -> None:
        """Show nothing of the keys before; say that they are being loaded if that takes long."""
        self.tables.show_keys((), self._clock.now())
        self._show_words("")
        self._patience.start()

    def show_keys(self, keys: Sequence[SecurityKey], empty_words: str) -> None:
        """Show `keys`, or `empty_words` if there are none."""
        self._patience.stop()
        self.tables.show_keys(keys, self._clock.now())
        if not keys:
            self._show_words(empty_words)
            return
        self._states.setCurrentIndex(0)
        if self._wanted:
            self.choose(self._wanted)
        if self.tables.key is None:
            self.tables.choose_first()

    def show_trouble(self, text: str) -> None:
        """Say why there is no list."""
        self._patience.stop()
        self._show_words(text)

    def choose(self, key_id: str) -> None:
        """Choose a key, as soon as it is in the list."""
        self._wanted = key_id
        if any(key.id == key_id for key in self.tables.keys):
            self._wanted = ""
            self.tables.choose(key_id)

    def refresh_times(self) -> None:
        """Let every "2 min ago" grow older."""
        now = self._clock.now()
        self.tables.refresh_times(now)
        if self.tables.key:
            self.details.refresh_times(self.tables.key, now)

    def show_marks(self, marks_of: MarksOf) -> None:
        """Show what the register says of the keys."""
        self.tables.show_marks(marks_of, self._clock.now())
        if self.tables.key:
            self.details.show_marks(marks_of(self.tables.key))

    def show_keystore(self, status: KeystoreStatus) -> None:
        """Show where values are kept."""
        self.details.show_keystore(status)

    def _on_chosen(self, key: SecurityKey | None) -> None:
        if key:
            self.details.show_key(key)
        self.chosen.emit(key)

    def _show_words(self, text: str) -> None:
        self._words.setText(text)
        self._states.setCurrentWidget(self._words)

    def _say_loading(self) -> None:
        self._words.setText("Loading the keys…")

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(WrappingRow((label("Security Keys", "title"), self.add_button), spread=True))
        layout.addWidget(self.filter)
        inner = QVBoxLayout(self._both)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(12)
        inner.addWidget(self.tables, _FIRST)
        inner.addWidget(self.details)
        inner.addStretch(1)
        self._states.addWidget(self._both)
        self._states.addWidget(self._words)
        layout.addWidget(self._states, 1)
