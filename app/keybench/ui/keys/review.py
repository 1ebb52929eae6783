"""The Review view: what to fix, what becomes due, and the keys of somebody who leaves, one at a time."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from keybench.ui.keys.findings import FindingsView
from keybench.ui.keys.review_list import LeaverView, RemindersView
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.choosers import Segments
from keybench.ui.shared.session import Session
from keybench.words.language import _

FINDINGS, REMINDERS, LEAVER = "findings", "reminders", "leaver"


class ReviewView(QWidget):
    """The choice of a list, and that list."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.findings = FindingsView(session)
        self.reminders = RemindersView(session)
        self.leaver = LeaverView(session)
        self.panes = Segments(
            [(FINDINGS, _("Findings")), (REMINDERS, _("Reminders")), (LEAVER, _("Leaver check"))],
            _("Part of the review"),
        )
        lists: dict[str, QWidget] = {FINDINGS: self.findings, REMINDERS: self.reminders, LEAVER: self.leaver}
        stack = QStackedWidget()
        for one in lists.values():
            stack.addWidget(one)
        self.panes.changed.connect(lambda chosen: stack.setCurrentWidget(lists[chosen]))
        in_column(in_row(self.panes, None), (stack, 1), within=self, spacing=12)
