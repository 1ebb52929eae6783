"""The list of findings, worst first, with filters above, and below it what is known of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from keybench.core.environment import Environment
from keybench.core.review import Finding, Remedy
from keybench.core.security_key import SecurityKey
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.ui.actions import Action, ActionButton
from keybench.ui.keys_page.review_rows import FINDINGS, FindingRow, environment_text
from keybench.ui.session import Notice, Session
from keybench.ui.theme import set_role
from keybench.ui.widgets.combo import ComboBox
from keybench.ui.widgets.dialog import Dialog
from keybench.ui.widgets.form import Field, Form
from keybench.ui.widgets.labels import label, prose
from keybench.ui.widgets.list_page import DetailEdge
from keybench.ui.widgets.pill import Pill
from keybench.ui.widgets.segments import Segments
from keybench.ui.widgets.table import Table
from keybench.ui.widgets.table_model import TableModel
from keybench.ui.widgets.wrapping_row import WrappingRow
from keybench.words.formats import clock_time, day
from keybench.words.language import _, ngettext
from keybench.words.review import SEVERITY_WORDS
from keybench.workflows.review import Reviewed

ALL: Final = "all"
LOOKING: Final = _("Looking at all keys…")
NO_MATCH: Final = _("No finding matches. Choose all environments, or any severity.")
NOTHING: Final = _("Nothing to fix")
_TESTING: Final = _("Testing…")
_NONE: Final = _("Choose a finding above, and what to do about it is shown here.")


class FindingCard(QFrame):
    """What was seen, why it matters, how to put it right, and the buttons that lead there.

    Args:
        remedies: The actions that can be offered.
        others: The actions that stand behind them; the first keeps the row's height.
    """

    def __init__(self, remedies: dict[Remedy, Action], others: Sequence[Action]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(_("Chosen finding"))
        self.pill = Pill()
        self.title = label("", "strong")
        self.place = label("", "dim")
        self.reason = prose(selectable=True)
        self.remedy = prose("", "strong", selectable=True)
        self.buttons = {
            remedy: ActionButton(action, others=[_TESTING] if remedy is Remedy.TEST else ())
            for remedy, action in remedies.items()
        }
        self._others = [ActionButton(action) for action in others]
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
        layout.addWidget(WrappingRow([*self.buttons.values(), *self._others], keep=self._others[0]))

    def show_row(self, row: FindingRow | None) -> None:
        """Show a finding, or how to choose one."""
        words = row.finding.words() if row else None
        self.pill.show_state(row.severity if row else "", row.tone if row else "dim")
        self.pill.setVisible(row is not None)
        self.title.setText(words.title if words else _("No finding chosen"))
        self.place.setText(_where(row) if row else "")
        self.reason.setText(words.reason if words else _NONE)
        self.remedy.setText(words.remedy if words else "")
        self.remedy.setVisible(words is not None)
        self.setAccessibleDescription(f"{words.title}. {words.reason} {words.remedy}" if words else _NONE)
        first = words.actions[:1] if words else ()
        for remedy, one in self.buttons.items():
            set_role(one, "tone", "primary" if (remedy,) == first else "")

    def focus_first(self) -> None:
        """Go to the first button, from where Tab leads to the others; there is none without a finding."""
        shown = [one for one in (*self.buttons.values(), *self._others) if one.isVisibleTo(self)]
        for first in shown[:1]:
            first.setFocus(Qt.FocusReason.OtherFocusReason)


class FindingsPane(QWidget):
    """Filters, table, card.

    Args:
        session: Whose keys.
        look: Called when the findings may be others.
    """

    def __init__(self, session: Session, look: Callable[[], None]) -> None:
        super().__init__()
        self._session = session
        self._look = look
        self._reviewed: Reviewed | None = None
        self._is_testing = False
        self._environments: tuple[Environment, ...] = ()
        self.where = ComboBox()
        self.where.setAccessibleName(_("Findings of"))
        self.severities = Segments(
            [(ALL, _("All")), *((severity.value, word) for severity, word in SEVERITY_WORDS.items())],
            _("Severity"),
        )
        self.dismissed = QCheckBox(_("Show dismissed"))
        self.dismissed.setAccessibleName(_("Show dismissed"))
        self.empty = prose("", "dim", selectable=True)
        self.empty_title = label(NOTHING, "title")
        self.model = TableModel(FINDINGS, lambda row: row.finding.identity, parent=self)
        self.table = Table(_("Findings of the review"), self.model, empty_text=LOOKING)
        self.table.columns.keep(session.preferences, "review/findings columns")
        self.remedies = {
            Remedy.ROTATE: Action(self, "key.rotate", self._on_rotate),
            Remedy.OPEN_ROTATION: Action(self, "key.rotation", self._on_rotate),
            Remedy.TEST: Action(self, "finding.test", self._on_test, lambda: not self._is_testing),
            Remedy.OPEN_APPLICATIONS: Action(
                self, "finding.applications", partial(self._go_to, "applications")
            ),
            Remedy.OPEN_KEY: Action(self, "key.show", partial(self._go_to, "inventory")),
        }
        self.dismiss = Action(self, "finding.dismiss", self._on_dismiss)
        self.restore = Action(self, "finding.restore", self._on_restore)
        self.table.set_row_actions([*self.remedies.values(), self.dismiss, self.restore])
        self.card = FindingCard(self.remedies, [self.dismiss, self.restore])
        self._show_environments(())
        self._lay_out(DetailEdge(self.table, self.card, (400, 240)))
        self.where.currentIndexChanged.connect(self._show)
        self.severities.changed.connect(self._show)
        self.dismissed.toggled.connect(self._show)
        self.table.selection_changed.connect(self._on_selection)
        self.table.opened.connect(self.card.focus_first)
        self._on_selection()
        self._show()

    # --- what is shown -------------------------------------------------------------------------------

    def show_reviewed(self, reviewed: Reviewed) -> None:
        """Show what a look at all keys showed; the chosen finding stays chosen while it is found."""
        self._reviewed = reviewed
        self._show_environments(reviewed.environments)
        self._show()

    def select_key(self, key_id: str) -> None:
        """Select the worst finding about a key, if there is one."""
        self.where.setCurrentIndex(0)
        self.severities.choose(ALL)
        found = (row for row in self.model.items if row.finding.key and row.finding.key.id == key_id)
        worst = next(found, None)
        self.table.select(worst.finding.identity if worst else None)

    def _show(self) -> None:
        reviewed = self._reviewed
        nothing = reviewed is not None and not reviewed.findings
        self.empty_title.setVisible(nothing)
        self.empty.setVisible(nothing)
        self._body.setVisible(not nothing)
        if reviewed is None:
            return
        self.empty.setText(_empty_text(reviewed))
        self.table.empty_text = NO_MATCH
        self.model.show(self._wanted(reviewed))
        if self.table.selected is None and self.model.rows:
            self.table.select_row(0)

    def _wanted(self, reviewed: Reviewed) -> list[FindingRow]:
        environment_id, severity = self.where.currentData(), self.severities.value
        found = [
            FindingRow(one, reviewed.dismissed.get(one.identity))
            for one in reviewed.findings
            if environment_id in {None, one.environment.id} and severity in {ALL, one.severity.value}
        ]
        standing = [row for row in found if row.dismissal is None]
        return standing + [row for row in found if row.dismissal and self.dismissed.isChecked()]

    def _show_environments(self, environments: Sequence[Environment]) -> None:
        if self.where.count() and tuple(environments) == self._environments:
            return
        self._environments = tuple(environments)
        chosen = self.where.currentData()
        with QSignalBlocker(self.where):
            self.where.clear()
            self.where.addItem(_("All environments"), None)
            for one in environments:
                self.where.addItem(environment_text(one), one.id)
            self.where.setCurrentIndex(max(self.where.findData(chosen), 0))

    def _on_selection(self) -> None:
        self.show_row(self.table.selected)

    def show_row(self, row: FindingRow | None) -> None:
        """Show a finding, and offer what can be done about it."""
        self.card.show_row(row)
        offered = row.finding.words().actions if row and row.finding.key else ()
        for remedy, action in self.remedies.items():
            action.setVisible(remedy in offered)
        self.dismiss.setVisible(row is not None and row.dismissal is None)
        self.restore.setVisible(row is not None and row.dismissal is not None)

    # --- what is done --------------------------------------------------------------------------------

    def _chosen_key(self) -> tuple[Finding, SecurityKey] | None:
        row = self.table.selected
        return (row.finding, row.finding.key) if row and row.finding.key else None

    def _on_rotate(self) -> None:
        if chosen := self._chosen_key():
            finding, key = chosen
            self._session.show_rotation(finding.environment, key)

    def _go_to(self, view_id: str) -> None:
        if chosen := self._chosen_key():
            self._session.keys_view_wanted.emit(view_id, chosen[1])

    def _on_test(self) -> None:
        if chosen := self._chosen_key():
            self._session.run("review test", self._test(*chosen))

    async def _test(self, finding: Finding, key: SecurityKey) -> None:
        self._show_testing(testing=True)
        try:
            tested = await self._session.console.keys.test(finding.environment, key)
        finally:
            self._show_testing(testing=False)
        text = _("{name} accepts it.").format(name=finding.environment.name)
        self._session.notify(Notice("good", _("“{name}” works").format(name=tested.name), text, "review"))

    def _show_testing(self, *, testing: bool) -> None:
        self._is_testing = testing
        action = self.remedies[Remedy.TEST]
        action.setText(_TESTING if testing else action.command.text)
        action.refresh()

    def _on_dismiss(self) -> None:
        if row := self.table.selected:
            self._session.run("review dismiss", self._dismiss(row.finding))

    async def _dismiss(self, finding: Finding) -> None:
        preferences = self._session.preferences
        dialog = DismissalDialog(self, finding.words().title, preferences.person)
        dismiss = self._session.administration.review.dismiss
        if await dialog.keep(
            lambda: dismiss(finding, dialog.reason.text(), int(dialog.days.value), dialog.by.text())
        ):
            preferences.person = dialog.by.text()
            self._look()

    def _on_restore(self) -> None:
        if row := self.table.selected:
            self._session.run("review restore", self._restore(row.finding))

    async def _restore(self, finding: Finding) -> None:
        await self._session.administration.review.restore(finding)
        self._look()

    def _lay_out(self, edge: DetailEdge) -> None:
        edge.keep(self._session.preferences, "review/findings edge")
        filters = QHBoxLayout()
        filters.setSpacing(12)
        for widget in (self.where, self.severities, self.dismissed):
            filters.addWidget(widget)
        filters.addStretch(1)
        self._body = QWidget()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(12)
        body.addLayout(filters)
        body.addWidget(edge, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.empty_title)
        layout.addWidget(self.empty)
        layout.addWidget(self._body, 1)
        layout.addStretch(0)
        self.setTabOrder(self.dismissed, self.table)


def _where(row: FindingRow) -> str:
    finding, dismissal = row.finding, row.dismissal
    parts = [finding.key.name] if finding.key else []
    parts.append(environment_text(finding.environment))
    if dismissal:
        parts.append(
            _("dismissed by {by} until {day}: {reason}").format(
                by=dismissal.by, day=day(dismissal.until), reason=dismissal.reason
            )
        )
    return " · ".join(parts)


def _empty_text(reviewed: Reviewed) -> str:
    at = clock_time(reviewed.at)
    if not reviewed.keys:
        return _("There are no keys yet. Add one on the Bench. Looked at {at}.").format(at=at)
    return ngettext(
        "{count:,} key, looked at {at}. What becomes due is under Reminders.",
        "{count:,} keys, looked at {at}. What becomes due is under Reminders.",
        reviewed.keys,
    ).format(count=reviewed.keys, at=at)


_SPANS: Final = [("30", _("30 days")), ("90", _("90 days")), ("365", _("A year"))]


class DismissalDialog(Dialog):
    """Asks for reason, days and name.

    Args:
        parent: Whose window it belongs to.
        title: The finding's title.
        by: Who works here, as far as is known.
    """

    def __init__(self, parent: QWidget, title: str, by: str) -> None:
        reason = partial(clean_text, "reason", limit=PURPOSE_LIMIT)
        name = partial(clean_text, "your name")
        self.reason = QLineEdit()
        self.reason.setMaxLength(PURPOSE_LIMIT)
        self.by = QLineEdit(by)
        self.days = Segments(_SPANS, _("Dismiss for"))
        self.reason_field = Field(_("Reason"), self.reason, id="reason", check=reason)
        super().__init__(
            parent,
            title=_("Dismiss “{title}”").format(title=title),
            text=_("It is listed again after that time, or as soon as you want it."),
            confirm=_("Dismiss it"),
            content=Form(self.reason_field, self.days, Field(_("Your name"), self.by, id="by", check=name)),
        )
        self.setWindowTitle(_("Dismiss a finding"))
