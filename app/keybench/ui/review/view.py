"""The Review view: looks at all keys when it is seen and when something changed, and leads on from there."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ApplicationsChanged, EnvironmentsChanged, KeysChanged, RotationChanged
from keybench.core.review import Action, Finding, Severity
from keybench.core.security_key import SecurityKey
from keybench.runtime.data_folder import person_name
from keybench.ui.administration.view import KeysView
from keybench.ui.preferences import Preferences
from keybench.ui.refresh import Refresh
from keybench.ui.review.dismissal import DismissalDialog
from keybench.ui.review.findings_pane import LOOKING, FindingsPane
from keybench.ui.review.leaver_pane import LeaverPane
from keybench.ui.review.panes import RemindersPane
from keybench.ui.session import Notice, Session
from keybench.ui.widgets.labels import ElidedLabel, button
from keybench.ui.widgets.segments import Segments
from keybench.words.formats import clock_time, plural
from keybench.words.review import FINDINGS as KINDS
from keybench.words.review import SEVERITY_WORDS
from keybench.workflows.review import Reviewed

_PERSON: Final = "person/name"
UNREADABLE: Final = "The journal couldn't be read."
FINDINGS, REMINDERS, LEAVER = "findings", "reminders", "leaver"


class ReviewView(KeysView):
    """Three panes of one look at all keys.

    Args:
        session: Whose keys.
        preferences: Remembers who works here.
    """

    def __init__(self, session: Session, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._preferences = preferences
        self._reviewed: Reviewed | None = None
        self._wanted_key = ""
        self._silent = ""
        self.panes = Segments(
            [(FINDINGS, "Findings"), (REMINDERS, "Reminders"), (LEAVER, "Leaver check")], "Part of the review"
        )
        self.status = ElidedLabel(LOOKING, "dim")
        self.again = button("Look again", self._on_again)
        self.findings = FindingsPane(preferences)
        self.reminders = RemindersPane(preferences)
        self.leaver = LeaverPane(session)
        self.stack = QStackedWidget()
        self._look = Refresh(session, "review", self._read)
        self._lay_out()
        self._connect()
        session.subscribe(
            self,
            dict.fromkeys(
                (KeysChanged, RotationChanged, ApplicationsChanged, EnvironmentsChanged), self._on_changed
            ),
        )
        self._look.request()
        self._on_again()

    def show_key(self, key: SecurityKey) -> None:
        """Choose the worst finding about a key."""
        self.panes.choose(FINDINGS)
        self._wanted_key = key.id
        self._choose_wanted()

    def showEvent(self, event: QShowEvent) -> None:
        """Look again whenever it comes into view: limits may be others, and time has passed."""
        super().showEvent(event)
        if self._reviewed:
            self._look.request()

    # --- looking -------------------------------------------------------------------------------------

    async def _read(self) -> None:
        try:
            reviewed = await self._session.administration.review.look(KINDS)
        except KeybenchError:
            self.status.setText(UNREADABLE)
            if self._reviewed is None:
                self.findings.table.empty_text = UNREADABLE
            raise
        self._reviewed = reviewed
        for pane in (self.findings, self.reminders, self.leaver):
            pane.show_reviewed(reviewed)
        self._choose_wanted()
        self._tell()

    def _on_again(self) -> None:
        self._session.run("review users", self._ask_users())

    async def _ask_users(self) -> None:
        """Have the gateways name their users, which may take a while, and look at the keys with that."""
        self.again.setEnabled(False)
        self.again.setText("Looking…")
        try:
            silent = await self._session.administration.review.ask_users()
        finally:
            self.again.setText("Look again")
            self.again.setEnabled(True)
        names = ", ".join(one.name for one in silent)
        self._silent = f" · the users of {names} couldn't be asked for" if names else ""
        self._look.request()

    def _tell(self) -> None:
        reviewed = self._reviewed
        if reviewed is None:
            return
        standing = [one.severity for one in reviewed.standing]
        counts = [
            f"{standing.count(severity):,} {_plural(severity, standing.count(severity))}"
            for severity in Severity
            if severity in standing
        ]
        told = ", ".join(counts) or "Nothing to fix"
        count = len(reviewed.reminders)
        due = plural(count, " · 1 reminder", " · {} reminders") if count else ""
        self.status.setText(f"{told}{due} · looked at {clock_time(reviewed.at)}{self._silent}")

    def _choose_wanted(self) -> None:
        if self._wanted_key and self._reviewed:
            self.findings.select_key(self._wanted_key)
            self._wanted_key = ""

    # --- going there ---------------------------------------------------------------------------------

    def _on_action(self, action: Action) -> None:
        row = self.findings.chosen
        key = row.finding.key if row else None
        if row is None or key is None:
            return
        match action:
            case Action.ROTATE | Action.OPEN_ROTATION:
                self._rotate(row.finding.environment, key)
            case Action.TEST:
                self._session.run("review test", self._test(row.finding, key))
            case Action.OPEN_APPLICATIONS:
                self.view_asked.emit("Applications", key)
            case Action.OPEN_KEY:
                self._open(row.finding.environment, key)

    async def _test(self, finding: Finding, key: SecurityKey) -> None:
        self.findings.card.show_busy(Action.TEST, busy=True)
        try:
            tested = await self._session.console.keys.test(finding.environment, key)
        finally:
            self.findings.card.show_busy(Action.TEST, busy=False)
        self._session.notify(
            Notice("good", f"“{tested.name}” works", f"{finding.environment.name} accepts it.", "review")
        )

    def _rotate(self, environment: Environment, key: SecurityKey) -> None:
        self._session.choose_environment(environment)  # rotations are those of the environment shown
        self._session.rotation_wanted.emit(key, False)

    def _open(self, _environment: Environment, key: SecurityKey) -> None:
        self.view_asked.emit("Inventory", key)

    # --- dismissing ----------------------------------------------------------------------------------

    def _on_dismiss(self) -> None:
        if self.findings.chosen:
            self._session.run("review dismiss", self._dismiss(self.findings.chosen.finding))

    async def _dismiss(self, finding: Finding) -> None:
        by = self._preferences.text(_PERSON) or person_name()
        dialog = DismissalDialog(self, finding.words().title, by)
        dismiss = self._session.administration.review.dismiss
        if await dialog.keep(
            lambda: dismiss(finding, dialog.reason.text(), int(dialog.days.value), dialog.by.text())
        ):
            self._preferences.set_text(_PERSON, dialog.by.text().strip())
            self._look.request()

    def _on_restore(self) -> None:
        if self.findings.chosen:
            self._session.run("review restore", self._restore(self.findings.chosen.finding))

    async def _restore(self, finding: Finding) -> None:
        await self._session.administration.review.restore(finding)
        self._look.request()

    # --- inside --------------------------------------------------------------------------------------

    def _on_changed(self, _event: object) -> None:
        if self.isVisible():
            self._look.request()

    def _on_pane(self, name: str) -> None:
        self.stack.setCurrentIndex([FINDINGS, REMINDERS, LEAVER].index(name))

    def _connect(self) -> None:
        self.panes.changed.connect(self._on_pane)
        card = self.findings.card
        card.action_wanted.connect(self._on_action)
        card.dismissal_wanted.connect(self._on_dismiss)
        card.restoring_wanted.connect(self._on_restore)
        for pane in (self.reminders, self.leaver):
            pane.rotate_wanted.connect(self._rotate)
            pane.key_wanted.connect(self._open)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self.panes)
        self.status.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        top.addWidget(self.status, 1)
        top.addWidget(self.again)
        for pane in (self.findings, self.reminders, self.leaver):
            self.stack.addWidget(pane)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(top)
        layout.addWidget(self.stack, 1)


def _plural(severity: Severity, count: int) -> str:
    word = SEVERITY_WORDS[severity].lower()
    return word if severity is Severity.BAD or count == 1 else f"{word}s"
