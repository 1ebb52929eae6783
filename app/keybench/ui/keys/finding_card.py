"""The rows of the findings: what each column shows of one or of several alike, and the card of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFrame

from keybench.core.keys.review import Dismissal, Finding, Severity, grouped
from keybench.ui.kit.actions import Action, ActionButton
from keybench.ui.kit.boxes import WrappingRow, in_column, in_row
from keybench.ui.kit.labels import ElidedLabel, Pill, prose
from keybench.ui.kit.tables.model import Column
from keybench.ui.kit.theme import set_role
from keybench.ui.shared.environment_cells import mark_of_kind, name_of
from keybench.words.formats import day, some
from keybench.words.keys.review import SEVERITY_TONES, SEVERITY_WORDS, FindingWords, finding_words
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
        return ngettext("1 environment", "{count:,} environments", count)

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


FINDINGS: Final[tuple[Column[FindingRow], ...]] = (
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

_NONE: Final = _("Choose a finding above, and what to do about it is shown here.")


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
        self.about.setText(_("They are {names}.").format(names=names) if names else "")
        self.about.setVisible(bool(names))
        self.reason.setText(words.reason if words else _NONE)
        self.remedy.setText(words.remedy if words else "")
        self.remedy.setVisible(words is not None)
        self.setAccessibleDescription(f"{words.title}. {words.reason} {words.remedy}" if words else _NONE)
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
