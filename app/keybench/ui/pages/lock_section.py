"""The Settings page's section on looking and locking."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from keybench.ui.lock.capture import SENTENCE
from keybench.ui.lock.lock import IDLE_MINUTES, idle_minutes, set_idle_minutes
from keybench.ui.pages.sections import Section
from keybench.ui.preferences import Preferences
from keybench.ui.session import Session
from keybench.ui.widgets.labels import button, label, prose, set_tip
from keybench.ui.widgets.segments import Segments


class LockSection(Section):
    """When the window locks itself, a button to lock it now, and what a revealed value is safe from."""

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("Look and lock", parent)
        self._session = session
        self._preferences = preferences
        self.idle = Segments(
            [(str(m), f"{m} min" if m else "Never") for m in IDLE_MINUTES], "Lock when nobody uses it"
        )
        self.idle.choose(str(idle_minutes(preferences)))
        self.idle.changed.connect(self._on_idle)
        self.button = button("Lock now", session.lock_asked)
        set_tip(self.button, "Lock now (Ctrl+L)")
        self.head.addWidget(self.button)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(label("Lock when nobody uses it", "dim"))
        row.addWidget(self.idle)
        row.addStretch(1)
        self.body.addLayout(row)
        self.body.addWidget(
            prose(
                "Keybench always locks with your screen. A revealed value hides after ten seconds, when you "
                "turn to another window, and when it locks."
            )
        )
        self.body.addWidget(prose(SENTENCE, "dim"))

    def _on_idle(self, minutes: str) -> None:
        set_idle_minutes(self._preferences, int(minutes))
        self._session.idle_lock_changed.emit()
