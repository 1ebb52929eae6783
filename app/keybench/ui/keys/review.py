"""The Review view: what to fix, worst first, with a card below; what becomes due; and the keys of somebody who leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QCheckBox, QFrame, QStackedWidget, QWidget

from keybench.core.keys.inventory import InventoryRow
from keybench.core.keys.key import SecurityKey
from keybench.core.keys.review import Dismissal, Finding, Severity, grouped
from keybench.ui.keys.review_list import LeaverView, RemindersView, ReviewList
from keybench.ui.keys.testing import KeyTestsBar
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, in_column, in_row
from keybench.ui.kit.choosers import Segments
from keybench.ui.kit.dialog import Dialog
from keybench.ui.kit.form import Form, text_field
from keybench.ui.kit.labels import ElidedLabel, Pill, prose
from keybench.ui.kit.tables.model import Column, TableModel
from keybench.ui.kit.tables.table import Table
from keybench.ui.kit.theme import set_role
from keybench.ui.shared.environment_cells import mark_of_kind, name_of
from keybench.ui.shared.list_page import search_field
from keybench.ui.shared.session import Session, ShowKeys
from keybench.ui.shared.signature import Signature
from keybench.words.formats import clock_time, day, some
from keybench.words.keys.review import (
    SEVERITY_TONES,
    SEVERITY_WORDS,
    FindingWords,
    Remedy,
    finding_words,
    severity_count,
)
from keybench.words.language import _, ngettext
from keybench.workflows.keys.review import Reviewed

_SEVERITIES: Final = list(Severity)


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding, or several that are alike; all of them are dismissed, or none."""

    findings: tuple[Finding, ...]
    dismissals: tuple[Dismissal, ...] = ()

    @property
    def key(self) -> str:
        """What stays the same while findings come and go."""
        one = self.findings[0]
        kept = f"{one.severity}/{one.kind}" if self.is_group else one.identity
        return f"{kept}/dismissed" if self.dismissals else kept

    @property
    def is_group(self) -> bool:
        return len(self.findings) > 1

    @property
    def words(self) -> FindingWords:
        return finding_words(self.findings)

    @property
    def severity(self) -> str:
        return _("Dismissed") if self.dismissals else SEVERITY_WORDS[self.findings[0].severity]

    @property
    def tone(self) -> str:
        return "dim" if self.dismissals else SEVERITY_TONES[self.findings[0].severity]

    @property
    def rank(self) -> int:
        return len(_SEVERITIES) if self.dismissals else _SEVERITIES.index(self.findings[0].severity)

    @property
    def keys(self) -> str:
        return some([one.key.name for one in self.findings if one.key])

    @property
    def environments(self) -> str:
        """The environment's name, or how many there are."""
        count = len({one.environment.id for one in self.findings})
        if count == 1:
            return name_of(self.findings[0].environment)
        return ngettext("1 environment", "{count} environments", count)

    @property
    def ink(self) -> str:
        """The colour of the environment; the usual one where there are several kinds."""
        kinds = {one.environment.kind.value for one in self.findings}
        return kinds.pop() if len(kinds) == 1 else ""

    @property
    def mark(self) -> QIcon:
        return mark_of_kind(self.findings[0].environment.kind) if self.ink else QIcon()

    @property
    def searched(self) -> str:
        """What it is found by."""
        about = (f"{one.name} {name_of(one.environment)} {one.environment.kind}" for one in self.findings)
        return "\n".join((self.severity, self.words.title, *about)).casefold()


def rows_of(reviewed: Reviewed, *, one_by_one: bool, dismissed: bool) -> list[FindingRow]:
    """Return the rows, worst first and what was dismissed last; those alike in one unless `one_by_one`."""

    def together(findings: Sequence[Finding]) -> Sequence[tuple[Finding, ...]]:
        return [(one,) for one in findings] if one_by_one else grouped(findings)

    rows = [FindingRow(alike) for alike in together(reviewed.standing)]
    if dismissed:
        gone = [one for one in reviewed.findings if one.identity in reviewed.dismissed]
        rows += [
            FindingRow(alike, tuple(reviewed.dismissed[one.identity] for one in alike))
            for alike in together(gone)
        ]
    return rows


_COLUMNS: Final[tuple[Column[FindingRow], ...]] = (
    Column(
        "severity",
        _("Severity"),
        lambda row: row.severity,
        width=_("Dismissed ...."),
        tone=lambda row: row.tone,
        sort=lambda row: row.rank,
    ),
    Column("finding", _("Finding"), lambda row: row.words.title, stretch=True),
    Column("key", _("Key"), lambda row: row.keys, bold=True, width=_("A usual key name")),
    Column(
        "environment",
        _("Environment"),
        lambda row: row.environments,
        mark=lambda row: row.mark,
        ink=lambda row: row.ink,
    ),
)

_NONE_CHOSEN: Final = _("Choose a finding above, and what to do about it is shown here.")


class FindingCard(QFrame):
    """What was seen, why it matters, how to put it right, and the buttons that lead there."""

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(_("Chosen finding"))
        self.pill = Pill()
        self.title = ElidedLabel("", "strong")
        self.place = ElidedLabel("", "dim", least=8)
        self.about = prose("", "dim", selectable=True)
        self.reason = prose(selectable=True)
        self.remedy = prose("", "strong", selectable=True)
        self.buttons = {action: ActionButton(action) for action in actions}
        head = in_row(self.pill, self.title, (self.place, 1))
        buttons = WrappingRow(list(self.buttons.values()), keep=self.buttons[actions[-1]])
        parts = (head, self.about, self.reason, self.remedy, None, buttons)
        in_column(*parts, within=self, margins=(16, 12, 16, 12))

    def show_row(self, row: FindingRow | None, primary: Action | None) -> None:
        words = row.words if row else None
        self.pill.show_state(row.severity if row else "", row.tone if row else "dim")
        self.pill.setVisible(row is not None)
        self.title.setText(words.title if words else _("No finding chosen"))
        self.place.setText(_where(row) if row else "")
        names = some([one.name for one in row.findings]) if row and row.is_group else ""
        self.about.show_text(_("They are {names}.").format(names=names) if names else "")
        self.reason.setText(words.reason if words else _NONE_CHOSEN)
        self.remedy.show_text(words.remedy if words else "")
        self.setAccessibleDescription(
            f"{words.title}. {words.reason} {words.remedy}" if words else _NONE_CHOSEN
        )
        for action, one in self.buttons.items():
            set_role(one, "tone", "primary" if action is primary else "")

    def focus_first(self) -> None:
        """Go to the first button, from where Tab leads to the others; there is none without a finding."""
        first = next((one for one in self.buttons.values() if one.isVisibleTo(self)), None)
        if first:
            first.setFocus(Qt.FocusReason.OtherFocusReason)


def _where(row: FindingRow) -> str:
    parts = [] if row.is_group or not row.keys else [row.keys]
    parts.append(row.environments)
    if len({(one.reason, one.by, one.until) for one in row.dismissals}) == 1:
        one = row.dismissals[0]
        parts.append(
            _("dismissed by {by} until {day}: {reason}").format(
                by=one.by, day=day(one.until), reason=one.reason
            )
        )
    return " · ".join(parts)


NO_MATCH: Final = _("No finding matches. Search for fewer words.")
NOTHING: Final = _("Nothing to fix")
_LOOKING: Final = _("Looking…")
_SPANS: Final = [("30", _("30 days")), ("90", _("90 days")), ("365", _("A year"))]
#: What the ways on are called for several findings: most are gone one after the other.
_OF_SEVERAL: Final = {
    Remedy.ROTATE: _("Rotate the first one"),
    Remedy.OPEN_ROTATION: _("Open the first rotation"),
    Remedy.TEST: _("Test all {count}"),
    Remedy.OPEN_APPLICATIONS: _("Open the applications"),
    Remedy.OPEN_KEY: _("Show the keys"),
}


class FindingsView(ReviewList[FindingRow]):
    """The list and its card."""

    def __init__(self, session: Session) -> None:
        search = search_field(_("Find findings"), _("Find by key, finding, environment, severity…"))
        model = TableModel(_COLUMNS, lambda row: row.key, words=lambda row: row.searched)
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
            "{nothing}. {count} key was looked at. What becomes due is under Reminders.",
            "{nothing}. {count} keys were looked at. What becomes due is under Reminders.",
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
            "All {count} are dismissed for one reason. They are listed again after that time, or as soon as you want it.",
            count,
        )
        dialog = Dialog(
            self,
            title=_("Dismiss “{title}”").format(title=row.words.title),
            text=text,
            confirm=ngettext("Dismiss it", "Dismiss all {count}", count),
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
        words = ngettext("Dismissed 1 finding.", "Dismissed {count} findings.", count)
        self.undo_words.show_text(words if count else "")
        self.undo.setVisible(bool(count))
        if had_focus:
            self.table.setFocus()


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
