"""The Review view: looks at all keys when it is seen and when something changed, and leads on from there."""

from __future__ import annotations

from collections import Counter
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QStackedWidget, QWidget

from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.keys.review import WITHIN_DAYS, Severity
from keybench.ui.keys.findings import LOOKING, NOTHING, FindingsPane
from keybench.ui.keys.leaver import LeaverPane
from keybench.ui.keys.review_rows import REMINDERS as REMINDER_COLUMNS
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.segments import Segments
from keybench.ui.shared.keys.pane import KeysPane
from keybench.ui.shared.reading import UNREADABLE, Reading
from keybench.ui.shared.session import Session
from keybench.words.formats import clock_time, number
from keybench.words.keys.review import severity_count
from keybench.words.language import _, ngettext
from keybench.workflows.keys.review import Reviewed

FINDINGS, REMINDERS, LEAVER = "findings", "reminders", "leaver"
NOTHING_DUE: Final = _("Nothing is overdue, and nothing becomes due within {WITHIN_DAYS} days.").format(
    WITHIN_DAYS=WITHIN_DAYS
)


class ReviewView(QFrame):
    """Three parts of one look at all keys; it is no list page, for it reads once for three lists."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._session = session
        self._reviewed: Reviewed | None = None
        self._silent = ""
        self._is_asking = False
        self._look = Reading(
            session,
            "review",
            self._read,
            self._show_reviewed,
            wanted=lambda: None,
            on_error=self._on_unread,
        )
        self.panes = Segments(
            [(FINDINGS, _("Findings")), (REMINDERS, _("Reminders")), (LEAVER, _("Leaver check"))],
            _("Part of the review"),
        )
        self.status = ElidedLabel(LOOKING, "dim")
        self.again = Action(self, "review.again", self._on_again, lambda: not self._is_asking)
        self.findings = FindingsPane(session, self._look.request)
        self.reminders = KeysPane(
            session,
            _("Reminders"),
            REMINDER_COLUMNS,
            lambda one: one.identity,
            "review/reminders",
            NOTHING_DUE,
        )
        self.leaver = LeaverPane(session)
        self.stack = QStackedWidget()
        self._lay_out()
        self.panes.changed.connect(self._on_pane)
        session.subscribe(
            self,
            dict.fromkeys(
                (KeysChanged, RotationChanged, ApplicationsChanged, EnvironmentsChanged), self._on_changed
            ),
        )
        self._look.request()
        self._on_again()

    def showEvent(self, event: QShowEvent) -> None:
        """Look again whenever it comes into view: limits may be others, and time has passed."""
        super().showEvent(event)
        self._look.request()

    # --- looking -------------------------------------------------------------------------------------

    async def _read(self) -> Reviewed:
        return await self._session.administration.review.look()

    def _on_unread(self, error: KeybenchError) -> None:
        self.status.setText(UNREADABLE)
        if self._reviewed is None:
            self.findings.table.empty_text = UNREADABLE
        self._session.failed.emit(error)

    def _show_reviewed(self, reviewed: Reviewed) -> None:
        self._reviewed = reviewed
        self.findings.show_reviewed(reviewed)
        self.reminders.model.show(reviewed.reminders)
        self.leaver.show_reviewed(reviewed)
        self._show_status(reviewed)

    def _on_again(self) -> None:
        self._session.run("review users", self._ask_users())

    async def _ask_users(self) -> None:
        """Have the gateways name their users, which may take a while, and look at the keys with that."""
        self._show_asking(asking=True)
        try:
            silent = await self._session.administration.review.ask_users()
        finally:
            self._show_asking(asking=False)
        names = ", ".join(one.name for one in silent)
        self._silent = _(" · the users of {names} couldn't be asked for").format(names=names) if names else ""
        self._look.request()

    def _show_asking(self, *, asking: bool) -> None:
        self._is_asking = asking
        self.again.setText(_("Looking…") if asking else self.again.command.text)
        self.again.refresh()

    def _show_status(self, reviewed: Reviewed) -> None:
        counts = Counter(one.severity for one in reviewed.standing)
        found = [severity_count(one, counts[one]) for one in Severity if counts[one]]
        parts = [", ".join(found) or NOTHING]
        if reviewed.reminders:
            count = len(reviewed.reminders)
            parts.append(ngettext("1 reminder", "{count:,} reminders", count).format(count=count))
            if overdue := sum(one.is_overdue for one in reviewed.reminders):
                parts[-1] = _("{reminders}, {number} overdue").format(
                    reminders=parts[-1], number=number(overdue)
                )
        parts.append(
            _("looked at {clock_time}{silent}").format(
                clock_time=clock_time(reviewed.at), silent=self._silent
            )
        )
        self.status.setText(" · ".join(parts))

    def _on_changed(self, _event: object) -> None:
        if self.isVisible():
            self._look.request()

    def _on_pane(self, name: str) -> None:
        self.stack.setCurrentIndex([FINDINGS, REMINDERS, LEAVER].index(name))

    def _lay_out(self) -> None:
        self.status.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        again = ActionButton(self.again, others=(_("Looking…"),))
        top = in_row(self.panes, (self.status, 1), again, spacing=12)
        for pane in (self.findings, self.reminders, self.leaver):
            self.stack.addWidget(pane)
        in_column(top, (self.stack, 1), within=self, margins=(16, 14, 16, 16), spacing=12)
