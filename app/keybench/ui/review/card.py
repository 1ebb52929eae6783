"""The chosen finding: what was seen, why it matters, how to fix it, and the buttons that go there."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from keybench.core.review import Action
from keybench.ui.review.rows import FindingRow, place_text
from keybench.ui.theme import set_role
from keybench.ui.widgets.labels import button, label, prose
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.formats import day

_LABELS: Final = {
    Action.ROTATE: "Rotate",
    Action.OPEN_ROTATION: "Open the rotation",
    Action.TEST: "Test key",
    Action.OPEN_APPLICATIONS: "Open the applications",
    Action.OPEN_KEY: "Open the key",
}
_NONE: Final = "Choose a finding above, and what to do about it is shown here."


class FindingCard(QFrame):
    """The card; with no finding it says how to choose one.

    Signals:
        action_wanted: A button was pressed (an `Action`).
        dismissal_wanted: The finding is to stay for a while.
        restoring_wanted: A dismissed finding is to be told again.
    """

    action_wanted = Signal(object)
    dismissal_wanted = Signal()
    restoring_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName("Chosen finding")
        self.pill = Pill()
        self.title = label("", "strong")
        self.place = label("", "dim")
        self.reason = prose(selectable=True)
        self.remedy = prose("", "strong", selectable=True)
        self.buttons = {action: button(text, self._on_button) for action, text in _LABELS.items()}
        self.dismiss = button("Dismiss…", self.dismissal_wanted)
        self.restore = button("Tell it again", self.restoring_wanted)
        for action, one in self.buttons.items():
            one.setProperty("action", action.value)
        self._lay_out()
        self.show_row(None)

    def show_row(self, row: FindingRow | None) -> None:
        """Show a finding, or how to choose one."""
        words = row.finding.words() if row else None
        self.pill.show_state(row.severity if row else "", row.tone if row else "dim")
        self.pill.setVisible(row is not None)
        self.title.setText(words.title if words else "No finding chosen")
        self.place.setText(_where(row) if row else "")
        self.reason.setText(words.reason if words else _NONE)
        self.remedy.setText(words.remedy if words else "")
        self.remedy.setVisible(words is not None)
        self.setAccessibleDescription(f"{words.title}. {words.reason} {words.remedy}" if words else _NONE)
        self._show_buttons(row, words.actions if words and row and row.finding.key else ())

    def focus_first(self) -> None:
        """Go to the first button, from where Tab leads to the others."""
        shown = [*self.buttons.values(), self.dismiss, self.restore]
        next(one for one in shown if one.isVisibleTo(self)).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_busy(self, action: Action, *, busy: bool) -> None:
        """Let an action under way not be asked for twice."""
        self.buttons[action].setEnabled(not busy)
        self.buttons[action].setText("Testing…" if busy else _LABELS[action])

    def _show_buttons(self, row: FindingRow | None, offered: tuple[Action, ...]) -> None:
        for action, one in self.buttons.items():
            one.setVisible(action in offered)
            set_role(one, "tone", "primary" if offered[:1] == (action,) else "plain")
        self.dismiss.setVisible(row is not None and row.dismissal is None)
        self.restore.setVisible(row is not None and row.dismissal is not None)

    def _on_button(self) -> None:
        self.action_wanted.emit(Action(self.sender().property("action")))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.pill)
        head.addWidget(self.title)
        head.addWidget(self.place, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.reason)
        layout.addWidget(self.remedy)
        layout.addStretch(1)
        layout.addWidget(WrappingRow([*self.buttons.values(), self.dismiss, self.restore], keep=self.dismiss))


def _where(row: FindingRow) -> str:
    finding, dismissal = row.finding, row.dismissal
    parts = [finding.key.name] if finding.key else []
    parts.append(place_text(finding.environment))
    if dismissal:
        parts.append(f"dismissed by {dismissal.by} until {day(dismissal.until)}: {dismissal.reason}")
    return " · ".join(parts)
