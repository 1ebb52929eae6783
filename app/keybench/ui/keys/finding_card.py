"""The card of a finding: what was seen, why it matters, and the buttons for what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from keybench.ui.keys.review_rows import FindingRow
from keybench.ui.kit.actions import COMMANDS, Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, prose
from keybench.ui.kit.pill import Pill
from keybench.ui.kit.theme import set_role
from keybench.ui.kit.wrapping_row import WrappingRow
from keybench.words.formats import day
from keybench.words.language import _

TESTING: Final = _("Testing…")
_NONE: Final = _("Choose a finding above, and what to do about it is shown here.")


class FindingCard(QFrame):
    """What was seen, why it matters, how to put it right, and the buttons that lead there."""

    def __init__(self, remedies: Sequence[Action], others: Sequence[Action]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(_("Chosen finding"))
        self.pill = Pill()
        self.title = ElidedLabel("", "strong")
        self.place = ElidedLabel("", "dim", least=8)
        self.about = prose("", "dim", selectable=True)
        self.reason = prose(selectable=True)
        self.remedy = prose("", "strong", selectable=True)
        self.buttons = {
            action: ActionButton(
                action, others=[TESTING] if action.command is COMMANDS["finding.test"] else ()
            )
            for action in remedies
        }
        self._others = [ActionButton(action) for action in others]
        head = in_row(self.pill, self.title, (self.place, 1))
        buttons = WrappingRow([*self.buttons.values(), *self._others], keep=self._others[0])
        parts = (head, self.about, self.reason, self.remedy, None, buttons)
        in_column(*parts, within=self, margins=(16, 12, 16, 12))

    def show_row(self, row: FindingRow | None, primary: Action | None) -> None:
        words = row.words if row else None
        self.pill.show_state(row.severity if row else "", row.tone if row else "dim")
        self.pill.setVisible(row is not None)
        self.title.setText(words.title if words else _("No finding chosen"))
        self.place.setText(_where(row) if row else "")
        self.about.setText(_("They are {names}.").format(names=row.names) if row and row.is_group else "")
        self.about.setVisible(bool(self.about.text()))
        self.reason.setText(words.reason if words else _NONE)
        self.remedy.setText(words.remedy if words else "")
        self.remedy.setVisible(words is not None)
        self.setAccessibleDescription(f"{words.title}. {words.reason} {words.remedy}" if words else _NONE)
        for action, one in self.buttons.items():
            set_role(one, "tone", "primary" if action is primary else "")

    def focus_first(self) -> None:
        """Go to the first button, from where Tab leads to the others; there is none without a finding."""
        shown = [one for one in (*self.buttons.values(), *self._others) if one.isVisibleTo(self)]
        for first in shown[:1]:
            first.setFocus(Qt.FocusReason.OtherFocusReason)


def _where(row: FindingRow) -> str:
    dismissal = row.dismissal
    parts = [] if row.is_group else [row.keys] if row.keys else []
    parts.append(row.environments)
    if dismissal:
        parts.append(
            _("dismissed by {by} until {day}: {reason}").format(
                by=dismissal.by, day=day(dismissal.until), reason=dismissal.reason
            )
        )
    return " · ".join(parts)
