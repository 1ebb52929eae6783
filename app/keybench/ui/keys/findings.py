"""The list of findings, worst first, with filters above, and below it what is known of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from keybench.core.environments.environment import Environment
from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.core.keys.review import Finding
from keybench.ui.keys.dismissal import DismissalDialog
from keybench.ui.keys.finding_card import TESTING, FindingCard
from keybench.ui.keys.findings_table import FindingsTable
from keybench.ui.keys.review_rows import FINDINGS, FindingRow, environment_text, rows_of
from keybench.ui.keys.testing import KeyTestsBar
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import in_column, in_row
from keybench.ui.kit.combo import ComboBox
from keybench.ui.kit.labels import ElidedLabel, label, prose
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.shared.list_page import DetailEdge
from keybench.ui.shared.requests import ShowKeys
from keybench.ui.shared.session import Notice, Session
from keybench.ui.shared.signature import Signature
from keybench.words.formats import clock_time
from keybench.words.keys.review import SEVERITY_WORDS, Remedy
from keybench.words.language import _, ngettext
from keybench.workflows.keys.review import Reviewed

ALL: Final = "all"
LOOKING: Final = _("Looking at all keys…")
NO_MATCH: Final = _("No finding matches. Choose all environments, or any severity.")
NOTHING: Final = _("Nothing to fix")
#: What the ways on are called for several findings: most are gone one after the other.
_OF_SEVERAL: Final = {
    Remedy.ROTATE: _("Rotate the first one"),
    Remedy.OPEN_ROTATION: _("Open the first rotation"),
    Remedy.OPEN_APPLICATIONS: _("Open the applications"),
    Remedy.OPEN_KEY: _("Show the keys"),
}


class FindingsPane(QWidget):
    """Filters, table, card."""

    def __init__(self, session: Session, look: Callable[[], None]) -> None:
        super().__init__()
        self._session = session
        self._look = look
        self._reviewed: Reviewed | None = None
        self._is_testing = False
        self._opened: set[str] = set()
        self._undone: tuple[Finding, ...] = ()
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
        self.model = TableModel(FINDINGS, lambda row: row.key, parent=self)
        self.table = FindingsTable(_("Findings of the review"), self.model, LOOKING)
        self.table.columns.keep(session.preferences, "review/findings columns")
        self.remedies = {
            Remedy.ROTATE: Action(self, "key.rotate", self._on_rotate),
            Remedy.OPEN_ROTATION: Action(self, "key.rotation", self._on_rotate),
            Remedy.TEST: Action(self, "finding.test", self._on_test, lambda: not self._is_testing),
            Remedy.OPEN_APPLICATIONS: Action(self, "finding.applications", self._on_applications),
            Remedy.OPEN_KEY: Action(self, "key.show", self._on_keys),
        }
        self.test_all = Action(self, "finding.test_all", self._on_test_all)
        self.tests = KeyTestsBar(session, self.test_all)
        self.tests.setVisible(False)
        self.dismiss = Action(self, "finding.dismiss", self._on_dismiss)
        self.restore = Action(self, "finding.restore", self._on_restore)
        self.undo = Action(self, "finding.undo", self._on_undo)
        self.undo_button = ActionButton(self.undo)
        self.undo_words = ElidedLabel("", "dim")
        ways = [self.test_all, *self.remedies.values()]
        self.table.set_row_actions([*ways, self.dismiss, self.restore])
        self.card = FindingCard(ways, [self.dismiss, self.restore])
        self._show_environments(())
        self._lay_out()
        self._offer_undo(())
        self.where.currentIndexChanged.connect(self._show)
        self.severities.changed.connect(self._show)
        self.dismissed.toggled.connect(self._show)
        self.table.selection_changed.connect(self._on_selection)
        self.table.opened.connect(self._on_opened)
        self.table.toggled.connect(self._toggle)
        self.tests.running_changed.connect(self._on_tests)
        self._on_selection()
        self._show()

    # --- what is shown -------------------------------------------------------------------------------

    def show_reviewed(self, reviewed: Reviewed) -> None:
        self._reviewed = reviewed
        self._show_environments(reviewed.environments)
        self._show()

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
            self.table.select_row(max(self.table.currentIndex().row(), 0))  # near by, if it went

    def _wanted(self, reviewed: Reviewed) -> list[FindingRow]:
        environment_id, severity = self.where.currentData(), self.severities.value

        def is_wanted(one: Finding) -> bool:
            return environment_id in {None, one.environment.id} and severity in {ALL, one.severity.value}

        return rows_of(reviewed, is_wanted, self._opened, dismissed=self.dismissed.isChecked())

    def _on_opened(self, row: FindingRow) -> None:
        if row.is_group and self.table.selected is not None:
            self._toggle(row)
        else:
            self.card.focus_first()

    def _toggle(self, row: FindingRow) -> None:
        """List the findings of a row one by one below it, or no longer."""
        self._opened ^= {row.key}
        self._show()

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
        offered = row.words.actions if row and any(one.key for one in row.findings) else ()
        is_group = row is not None and row.is_group
        for remedy, action in self.remedies.items():
            action.setVisible(remedy in offered and not (is_group and remedy is Remedy.TEST))
            if remedy is not Remedy.TEST:
                action.setText(_OF_SEVERAL.get(remedy, "") if is_group else action.command.text)
        self.test_all.setVisible(is_group and Remedy.TEST in offered)
        self.dismiss.setVisible(row is not None and not row.dismissals)
        self.restore.setVisible(row is not None and bool(row.dismissals))
        if row:
            several = is_group
            self.test_all.setText(_("Test all {count:,}").format(count=len(row.findings)))
            self.dismiss.setText(_("Dismiss all…") if several else self.dismiss.command.text)
            self.restore.setText(_("List them again") if several else self.restore.command.text)
        next_step = self.remedies[offered[0]] if offered else None
        if is_group and offered[:1] == (Remedy.TEST,):
            next_step = self.test_all
        self.card.show_row(row, None if row and row.dismissals else next_step)

    # --- what is done --------------------------------------------------------------------------------

    def _chosen_keys(self) -> list[tuple[Finding, SecurityKey]]:
        row = self.table.selected
        return [(one, one.key) for one in row.findings if one.key] if row else []

    def _chosen_key(self) -> tuple[Finding, SecurityKey] | None:
        return next(iter(self._chosen_keys()), None)

    def _on_rotate(self) -> None:
        if chosen := self._chosen_key():
            finding, key = chosen
            self._session.show_rotation(finding.environment, key)

    def _on_applications(self) -> None:
        keys = self._chosen_keys()
        if keys:
            self._session.ask(ShowKeys("applications", (keys[0][1],) if len(keys) == 1 else ()))

    def _on_keys(self) -> None:
        if keys := tuple(key for _finding, key in self._chosen_keys()):
            self._session.ask(ShowKeys("inventory", keys))

    def _on_test_all(self) -> None:
        self.tests.test([InventoryRow(key, finding.environment) for finding, key in self._chosen_keys()])

    def _on_tests(self) -> None:
        self.tests.setVisible(self.tests.is_running)
        self._on_selection()  # the bar hides the action meanwhile, which has its place in the card
        self.test_all.setEnabled(not self.tests.is_running)

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
        action.setText(TESTING if testing else action.command.text)
        action.refresh()

    def _on_dismiss(self) -> None:
        if row := self.table.selected:
            self._session.run("review dismiss", self._dismiss(row))

    async def _dismiss(self, row: FindingRow) -> None:
        dialog = DismissalDialog(
            self, row.words.title, len(row.findings), Signature(self._session.preferences)
        )
        dismiss = self._session.administration.review.dismiss
        if await dialog.keep(
            lambda: dismiss(row.findings, dialog.reason.text(), int(dialog.days.value), dialog.signature.name)
        ):
            dialog.signature.remember()
            self._offer_undo(row.findings)
            self._look()

    def _on_restore(self) -> None:
        if row := self.table.selected:
            self._session.run("review restore", self._restore(row.findings))

    def _on_undo(self) -> None:
        if self._undone:
            self._session.run("review restore", self._restore(self._undone))

    async def _restore(self, findings: Sequence[Finding]) -> None:
        await self._session.administration.review.restore(findings)
        self._offer_undo(())
        self._look()

    def _offer_undo(self, dismissed: Sequence[Finding]) -> None:
        """Offer to list again what was dismissed last, and keep the keyboard near."""
        had_focus = self.undo_button.hasFocus()
        self._undone = tuple(dismissed)
        count = len(self._undone)
        words = ngettext("Dismissed 1 finding.", "Dismissed {count:,} findings.", count).format(count=count)
        self.undo_words.setText(words if count else "")
        self.undo_words.setVisible(bool(count))
        self.undo.setVisible(bool(count))
        if had_focus:
            self.table.setFocus()

    def _lay_out(self) -> None:
        listing = QWidget()
        in_column((self.table, 1), self.tests, within=listing, spacing=12)
        edge = DetailEdge(listing, self.card)
        edge.keep(self._session.preferences, "review/findings edge")
        chosen = (self.where, self.severities, self.dismissed)
        filters = in_row(*chosen, (self.undo_words, 1), self.undo_button, spacing=12)
        filters.addStretch(0)
        self._body = QWidget()
        in_column(filters, (edge, 1), within=self._body, spacing=12)
        in_column(self.empty_title, self.empty, (self._body, 1), within=self).addStretch(0)
        self.setTabOrder(self.dismissed, self.table)


def _empty_text(reviewed: Reviewed) -> str:
    at = clock_time(reviewed.at)
    if not reviewed.keys:
        return _("There are no keys yet. Add one on the Bench. Looked at {at}.").format(at=at)
    return ngettext(
        "{count:,} key, looked at {at}. What becomes due is under Reminders.",
        "{count:,} keys, looked at {at}. What becomes due is under Reminders.",
        reviewed.keys,
    ).format(count=reviewed.keys, at=at)
