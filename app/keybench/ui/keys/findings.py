"""The list of findings, worst first, and below it what is known of the chosen one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from PySide6.QtWidgets import QCheckBox

from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.core.keys.review import Finding, Severity
from keybench.ui.keys.finding_card import FINDINGS, FindingCard, FindingRow, rows_of
from keybench.ui.keys.review_list import ReviewList
from keybench.ui.keys.testing import KeyTestsBar
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.labels import ElidedLabel
from keybench.ui.kit.segments import Segments
from keybench.ui.kit.tables.model import TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.shared.list_page import search_field
from keybench.ui.shared.session import Session, ShowKeys
from keybench.ui.shared.signature import Signature
from keybench.words.formats import clock_time
from keybench.words.keys.review import Remedy, severity_count
from keybench.words.language import _, ngettext
from keybench.workflows.keys.review import Reviewed

NO_MATCH: Final = _("No finding matches. Search for fewer words.")
NOTHING: Final = _("Nothing to fix")
_LOOKING: Final = _("Looking…")
_SPANS: Final = [("30", _("30 days")), ("90", _("90 days")), ("365", _("A year"))]
#: What the ways on are called for several findings: most are gone one after the other.
_OF_SEVERAL: Final = {
    Remedy.ROTATE: _("Rotate the first one"),
    Remedy.OPEN_ROTATION: _("Open the first rotation"),
    Remedy.TEST: _("Test all {count:,}"),
    Remedy.OPEN_APPLICATIONS: _("Open the applications"),
    Remedy.OPEN_KEY: _("Show the keys"),
}


class FindingsView(ReviewList[FindingRow]):
    """The list and its card."""

    def __init__(self, session: Session) -> None:
        search = search_field(_("Find findings"), _("Find by key, finding, environment, severity…"))
        model = TableModel(FINDINGS, lambda row: row.key, words=lambda row: row.searched)
        table = Table(_("Findings of the review"), model)
        super().__init__(session, "review/findings", table, search)
        self._review = session.administration.review
        self._reviewed: Reviewed | None = None
        self._silent = ""
        self._is_asking = False
        self._undone: Sequence[Finding] = ()
        self.one_by_one = QCheckBox(_("One by one"))
        self.dismissed = QCheckBox(_("Show dismissed"))
        self.again = Action(self, "review.again", self._on_again, lambda: not self._is_asking)
        self.remedies = {
            Remedy.ROTATE: Action(self, "key.rotate", self._on_rotate),
            Remedy.OPEN_ROTATION: Action(self, "key.rotation", self._on_rotate),
            Remedy.TEST: Action(self, "finding.test", self._on_test),
            Remedy.OPEN_APPLICATIONS: Action(self, "finding.applications", self._on_applications),
            Remedy.OPEN_KEY: Action(self, "key.show", self._on_keys),
        }
        self.tests = KeyTestsBar(session, self.remedies[Remedy.TEST])
        self.tests.hide()
        self.dismiss = Action(self, "finding.dismiss", self.running("review dismiss", self._dismiss))
        self.restore = Action(self, "finding.restore", self._on_restore)
        self.undo = Action(self, "finding.undo", lambda: self._list_again(self._undone))
        self.undo_button = ActionButton(self.undo)
        self.undo_words = ElidedLabel("", "dim")
        actions = [*self.remedies.values(), self.dismiss, self.restore]
        table.set_row_actions(actions)
        self.card = FindingCard(actions)
        self.lay_out(
            actions=[ActionButton(self.again, others=[_LOOKING])],
            tools=[search, self.one_by_one, self.dismissed, self.undo_words, self.undo_button],
            below=[self.tests],
            detail=self.card,
        )
        self._offer_undo(())
        self.show_row(None)
        self.one_by_one.toggled.connect(self._on_which)
        self.dismissed.toggled.connect(self._on_which)
        table.opened.connect(self.card.focus_first)
        self.tests.running_changed.connect(self._on_tests)
        self._on_again()

    # --- what is shown -------------------------------------------------------------------------------

    async def read(self) -> Sequence[FindingRow]:
        self._reviewed = await self._review.look()
        return self._rows(self._reviewed)

    def _rows(self, reviewed: Reviewed) -> Sequence[FindingRow]:
        return rows_of(reviewed, one_by_one=self.one_by_one.isChecked(), dismissed=self.dismissed.isChecked())

    def show_rows(self, rows: Sequence[FindingRow]) -> None:
        super().show_rows(rows)
        if self.table.selected is None and self.model.rows:
            self.table.select_row(max(self.table.currentIndex().row(), 0))  # near by, if it went

    def empty_words(self) -> str:
        if self.model.items:
            return NO_MATCH
        reviewed = self._reviewed
        if reviewed is None:
            return self.loading_text
        if not reviewed.keys:
            return _("There are no keys yet. Add one on the Bench.")
        return ngettext(
            "{nothing}. {count:,} key was looked at. What becomes due is under Reminders.",
            "{nothing}. {count:,} keys were looked at. What becomes due is under Reminders.",
            reviewed.keys,
        ).format(nothing=NOTHING)

    def summary(self) -> str:
        reviewed = self._reviewed
        if reviewed is None:
            return self.loading_text
        counts = Counter(one.severity for one in reviewed.standing)
        found = [severity_count(one, counts[one]) for one in Severity if counts[one]]
        looked = _("looked at {clock_time}").format(clock_time=clock_time(reviewed.at))
        return " · ".join(filter(None, (", ".join(found) or NOTHING, looked, self._silent)))

    def show_row(self, row: FindingRow | None) -> None:
        offered = row.words.actions if row and any(one.key for one in row.findings) else ()
        count = len(row.findings) if row else 0
        for remedy, action in self.remedies.items():
            action.setVisible(remedy in offered)
            action.setText(_OF_SEVERAL[remedy].format(count=count) if count > 1 else action.command.text)
        self.dismiss.setVisible(row is not None and not row.dismissals)
        self.restore.setVisible(row is not None and bool(row.dismissals))
        self.dismiss.setText(_("Dismiss all…") if count > 1 else self.dismiss.command.text)
        self.restore.setText(_("List them again") if count > 1 else self.restore.command.text)
        is_open = row is not None and not row.dismissals
        self.card.show_row(row, self.remedies[offered[0]] if offered and is_open else None)

    def _on_which(self) -> None:
        if self._reviewed:
            self.show_rows(self._rows(self._reviewed))

    def _on_again(self) -> None:
        self.session.run("review users", self._ask_users())

    async def _ask_users(self) -> None:
        """Have the gateways name their users, which may take a while, and look at the keys with that."""
        self._show_asking(asking=True)
        try:
            silent = await self._review.ask_users()
        finally:
            self._show_asking(asking=False)
        names = ", ".join(one.name for one in silent)
        self._silent = _("the users of {names} couldn't be asked for").format(names=names) if names else ""
        self.refresh()

    def _show_asking(self, *, asking: bool) -> None:
        self._is_asking = asking
        self.again.setText(_LOOKING if asking else self.again.command.text)
        self.again.refresh()

    # --- what is done --------------------------------------------------------------------------------

    def _chosen_keys(self) -> list[tuple[Finding, SecurityKey]]:
        row = self.table.selected
        return [(one, one.key) for one in row.findings if one.key] if row else []

    def _on_rotate(self) -> None:
        for finding, key in self._chosen_keys()[:1]:
            self.session.show_rotation(finding.environment, key)

    def _on_applications(self) -> None:
        if keys := self._chosen_keys():
            self.session.ask(ShowKeys("applications", (keys[0][1],) if len(keys) == 1 else ()))

    def _on_keys(self) -> None:
        if keys := tuple(key for _finding, key in self._chosen_keys()):
            self.session.ask(ShowKeys("inventory", keys))

    def _on_test(self) -> None:
        self.tests.test([InventoryRow(key, finding.environment) for finding, key in self._chosen_keys()])

    def _on_tests(self) -> None:
        self.tests.setVisible(self.tests.is_running)
        self.show_row(
            self.table.selected
        )  # the bar hides the action meanwhile, which has its place in the card
        self.remedies[Remedy.TEST].setEnabled(not self.tests.is_running)

    async def _dismiss(self, row: FindingRow) -> None:
        count = len(row.findings)
        reason, days = text_field(_("Reason"), id="reason"), Segments(_SPANS, _("Dismiss for"))
        signature = Signature(self.session.preferences)
        text = ngettext(
            "It is listed again after that time, or as soon as you want it.",
            "All {count:,} are dismissed for one reason. They are listed again after that time, or as soon as you want it.",
            count,
        )
        dialog = Dialog(
            self,
            title=_("Dismiss “{title}”").format(title=row.words.title),
            text=text,
            confirm=ngettext("Dismiss it", "Dismiss all {count:,}", count),
            content=Form(reason, days, *signature.fields),
        )
        dismiss = self._review.dismiss
        if await dialog.keep(lambda: dismiss(row.findings, reason.text, int(days.value), signature.name)):
            signature.remember()
            self._offer_undo(row.findings)
            self.refresh()

    def _on_restore(self) -> None:
        if row := self.table.selected:
            self._list_again(row.findings)

    def _list_again(self, findings: Sequence[Finding]) -> None:
        self.session.run("review restore", self._restore(findings))

    async def _restore(self, findings: Sequence[Finding]) -> None:
        await self._review.restore(findings)
        self._offer_undo(())
        self.refresh()

    def _offer_undo(self, dismissed: Sequence[Finding]) -> None:
        """Offer to list again what was dismissed last, and keep the keyboard near."""
        had_focus = self.undo_button.hasFocus()
        self._undone = dismissed
        count = len(dismissed)
        words = ngettext("Dismissed 1 finding.", "Dismissed {count:,} findings.", count)
        self.undo_words.setText(words if count else "")
        self.undo_words.setVisible(bool(count))
        self.undo.setVisible(bool(count))
        if had_focus:
            self.table.setFocus()
