"""When the selected sale is checked next, and why then."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from keybench.core.events import PollPlanned, SaleChanged
from keybench.ui.session import Session
from keybench.ui.widgets.labels import Label, set_tip
from keybench.words.language import _
from keybench.words.polls import learnt_from, next_poll, poll_reason, usually

#: Longer than any gateway holds an answer: who followed the sale has given it up.
_FORGOTTEN_S: Final = 120.0


class PollPlans:
    """When sales under way are polled next; there may be hundreds, so listening does little."""

    def __init__(self, session: Session, owner: QObject) -> None:
        self._clock = session.console.clock
        self._plans: dict[str, tuple[float, PollPlanned]] = {}
        session.subscribe(owner, {PollPlanned: self._on_plan, SaleChanged: self._on_change})

    def of(self, reference: str) -> tuple[float, PollPlanned] | None:
        """Return how many seconds are left until a sale is polled again, and the plan; or None."""
        end, planned = self._plans.get(reference, (0.0, None))
        left_s = end - self._clock.monotonic()
        return None if planned is None or left_s < -_FORGOTTEN_S else (left_s, planned)

    def _on_plan(self, planned: PollPlanned) -> None:
        self._plans[planned.reference] = (self._clock.monotonic() + planned.pause.seconds, planned)

    def _on_change(self, change: SaleChanged) -> None:
        if change.sale.verdict:
            self._plans.pop(change.sale.reference, None)


class NextPoll(Label):
    """When the selected sale is checked next, and how long sales usually take on its device.

    The reason is its tooltip and its description.

    The running seconds aren't announced.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setProperty("role", "dim")
        self.setWordWrap(True)
        self.setAccessibleName(_("Next check"))
        self.hide()

    def show_plan(self, plan: tuple[float, PollPlanned] | None, elapsed_s: float = 0.0) -> None:
        text = why = ""
        if plan:
            left_s, planned = plan
            habit = planned.habit
            text = " · ".join(filter(None, (next_poll(left_s), usually(habit, elapsed_s))))
            why = " ".join(filter(None, (poll_reason(planned.pause.why, habit), learnt_from(habit))))
        if text != self.text():
            self.setText(text)
            self.setVisible(bool(text))
        if why != self.accessibleDescription():
            self.setAccessibleDescription(why)
            set_tip(self, why)
