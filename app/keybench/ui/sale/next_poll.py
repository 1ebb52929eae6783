"""When the sale in focus is asked for again, and why then: heard from who follows it, shown in one line."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.poll_plan import Why
from keybench.ui.session import Session
from keybench.ui.widgets.labels import ElidedLabel
from keybench.words.outcomes import next_poll

#: Longer than any gateway holds an answer: who followed the sale has given it up.
_FORGOTTEN_S: Final = 120.0


class PollPlans:
    """The pauses that sales under way wait through; there may be hundreds, so listening does little."""

    def __init__(self, session: Session, owner: QObject) -> None:
        self._clock = session.console.clock
        self._plans: dict[str, tuple[float, Why]] = {}
        session.subscribe(owner, {PollPlanned: self._on_plan, SaleChanged: self._on_change})

    def of(self, reference: str) -> tuple[float, Why] | None:
        """Return how many seconds are left until a sale is asked for again and why, or None."""
        end, why = self._plans.get(reference, (0.0, None))
        left_s = end - self._clock.monotonic()
        return None if why is None or left_s < -_FORGOTTEN_S else (left_s, why)

    def _on_plan(self, planned: PollPlanned) -> None:
        self._plans[planned.reference] = (self._clock.monotonic() + planned.pause.seconds, planned.pause.why)

    def _on_change(self, change: SaleChanged) -> None:
        if change.sale.verdict:
            self._plans.pop(change.sale.reference, None)


class NextPoll(ElidedLabel):
    """The line.

    A screen reader finds the reason as its description, and isn't told of the seconds, which would never end.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setProperty("role", "dim")
        self.setAccessibleName("Next poll")
        self.hide()

    def show_plan(self, plan: tuple[float, Why] | None) -> None:
        """Show the seconds left and the reason; nothing for None."""
        text = next_poll(*plan) if plan else ""
        if text != self.text():
            self.setText(text)
            self.setVisible(bool(text))
        why = str(plan[1]) if plan else ""
        if why != self.accessibleDescription():
            self.setAccessibleDescription(why)
