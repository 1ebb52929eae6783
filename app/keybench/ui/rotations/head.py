"""The head of a rotation: both keys' names, the overlap, and the red strip of a compromised key."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from keybench.core.rotation import Rotation
from keybench.ui.rotations.parts import column
from keybench.ui.widgets.labels import ElidedLabel, button, label, prose
from keybench.ui.widgets.pill import Pill
from keybench.words.rotations import names_line, overlap_line


class Head(QWidget):
    """Names at the left, the overlap below them.

    Signals:
        checklist_asked: The list for a compromised key is wanted.
    """

    checklist_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names = ElidedLabel("", "title")
        self.pill = Pill()
        self.overlap = prose(role="dim")
        self.checklist_button = button("Checklist", self.checklist_asked.emit)
        self._leak_words = prose()
        self._leak_words.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self._leak_words.setProperty("tone", "bad")
        self._leak = self._leak_strip()
        self._lay_out()

    def show_rotation(self, rotation: Rotation, now: datetime, *, leaked: bool) -> None:
        """Show what the rotation is about.

        Args:
            rotation: As it stands.
            now: The present moment, UTC.
            leaked: Whether its old key is compromised and still here.
        """
        self.names.setText(names_line(rotation))
        self.overlap.setText(overlap_line(rotation, now))
        self.pill.show_state("Compromised" if leaked else "Was compromised", "bad" if leaked else "dim")
        self.pill.setVisible(leaked or rotation.compromised)
        self._leak.setVisible(rotation.compromised)
        done = sum(check.done_at is not None for check in rotation.checks)
        self._leak_words.setText(
            f"Rotate at once, review the access logs, contact support: {done} of {len(rotation.checks)} done."
        )

    def _leak_strip(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "bar")
        box.setProperty("tone", "bad")
        row = QHBoxLayout(box)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._leak_words, 1)
        row.addWidget(self.checklist_button)
        return box

    def _lay_out(self) -> None:
        names = QHBoxLayout()
        names.setSpacing(8)
        names.addWidget(self.names)
        names.addWidget(self.pill)
        names.addWidget(label(""), 1)
        layout = column(self)
        layout.setSpacing(4)
        layout.addLayout(names)
        layout.addWidget(self.overlap)
        layout.addWidget(self._leak)
