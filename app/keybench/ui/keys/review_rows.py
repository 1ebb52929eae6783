"""The columns of the review's three tables, and what a row of each holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtGui import QIcon

from keybench.core.environments.environment import Environment, mark_of
from keybench.core.keys.leaver import LeaverKey
from keybench.core.keys.review import Dismissal, Finding, Reminder, grouped
from keybench.ui.kit.icons import fold_icon
from keybench.ui.kit.tables.model import MARK_PX, Column, Row
from keybench.ui.kit.theme import scaled, tokens
from keybench.words.formats import day_and_time, some
from keybench.words.keys.leaver import STEP_WORDS, leaver_reason
from keybench.words.keys.review import (
    SEVERITY_TONES,
    SEVERITY_WORDS,
    FindingWords,
    finding_words,
    overdue_words,
    reminder_words,
)
from keybench.words.language import _, ngettext
from keybench.workflows.keys.review import Reviewed

_INDENT: Final = "      "


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A row of the findings: one by itself, several alike, or one of those below the row of all of them."""

    findings: tuple[Finding, ...]
    dismissals: tuple[Dismissal, ...] = ()
    is_open: bool = False
    is_inner: bool = False

    @property
    def finding(self) -> Finding:
        return self.findings[0]

    @property
    def key(self) -> str:
        """What stays the same while findings come and go."""
        one = self.finding
        kept = one.identity if self.is_inner else f"{one.severity}/{one.kind}"
        return f"{kept}/dismissed" if self.dismissals else kept

    @property
    def is_group(self) -> bool:
        return len(self.findings) > 1

    @property
    def dismissal(self) -> Dismissal | None:
        alike = {(one.reason, one.by, one.until) for one in self.dismissals}
        return self.dismissals[0] if len(alike) == 1 else None

    @property
    def words(self) -> FindingWords:
        return finding_words(self.findings)

    @property
    def severity(self) -> str:
        return _("Dismissed") if self.dismissals else SEVERITY_WORDS[self.finding.severity]

    @property
    def tone(self) -> str:
        return "dim" if self.dismissals else SEVERITY_TONES[self.finding.severity]

    @property
    def names(self) -> str:
        return some([one.name for one in self.findings])

    @property
    def keys(self) -> str:
        return some([one.key.name for one in self.findings if one.key])

    @property
    def environments(self) -> str:
        """The environment by mark and name, or how many there are."""
        count = len({one.environment.id for one in self.findings})
        if count == 1:
            return environment_text(self.finding.environment)
        return ngettext("1 environment", "{count:,} environments", count).format(count=count)

    @property
    def ink(self) -> str:
        """The colour of the environment; the usual one where there are several."""
        kinds = {one.environment.kind.value for one in self.findings}
        return kinds.pop() if len(kinds) == 1 else ""

    @property
    def spoken(self) -> str:
        title = self.words.title
        if not self.is_group:
            return title
        return (
            _("{title}, open; Enter closes it").format(title=title)
            if self.is_open
            else _("{title}, closed; Enter opens it").format(title=title)
        )


def rows_of(
    reviewed: Reviewed, is_wanted: Callable[[Finding], bool], opened: Collection[str], *, dismissed: bool
) -> list[FindingRow]:
    """Return the rows, worst first and what was dismissed last, with those alike in one."""
    wanted = [one for one in reviewed.findings if is_wanted(one)]
    rows = [FindingRow(alike) for alike in grouped(o for o in wanted if o.identity not in reviewed.dismissed)]
    if dismissed:
        rows += [
            FindingRow(alike, tuple(reviewed.dismissed[one.identity] for one in alike))
            for alike in grouped(o for o in wanted if o.identity in reviewed.dismissed)
        ]
    return [shown for row in rows for shown in _unfolded(row, opened)]


def _unfolded(row: FindingRow, opened: Collection[str]) -> list[FindingRow]:
    if not row.is_group or row.key not in opened:
        return [row]
    inner = [
        FindingRow((one,), row.dismissals[at : at + 1], is_inner=True) for at, one in enumerate(row.findings)
    ]
    return [replace(row, is_open=True), *inner]


def environment_text(environment: Environment) -> str:
    return f"{mark_of(environment.kind)} {environment.name}"


def _environment_column(of: Callable[[Row], Environment]) -> Column[Row]:
    return Column(
        "environment",
        _("Environment"),
        lambda row: environment_text(of(row)),
        width=_("● an environment"),
        ink=lambda row: of(row).kind.value,
    )


def _fold_mark(row: FindingRow) -> QIcon:
    return fold_icon(tokens().dim, scaled(MARK_PX), is_open=row.is_open if row.is_group else None)


#: Its cells begin with the mark that opens a row.
FOLDED_COLUMN: Final = "finding"
FINDINGS: Final[tuple[Column[FindingRow], ...]] = (
    Column(
        "severity",
        _("Severity"),
        lambda row: row.severity,
        width=_("Dismissed ...."),
        tone=lambda row: row.tone,
    ),
    Column(
        FOLDED_COLUMN,
        _("Finding"),
        lambda row: f"{_INDENT if row.is_inner else ''}{row.words.title}",
        stretch=True,
        mark=_fold_mark,
        hint=lambda row: row.words.title,
        spoken=lambda row: row.spoken,
    ),
    Column("key", _("Key"), lambda row: row.keys, bold=True, width=_("A usual key name")),
    Column(
        "environment",
        _("Environment"),
        lambda row: row.environments,
        width=_("● an environment"),
        ink=lambda row: row.ink,
    ),
)

REMINDERS: Final[tuple[Column[Reminder], ...]] = (
    Column(
        "due",
        _("Due"),
        lambda row: overdue_words(row) or day_and_time(row.due_at),
        width=_("Overdue since 28 Sep 2026, 20:58"),
        ink=lambda row: "bad" if row.is_overdue else "",
        hint=lambda row: day_and_time(row.due_at),
        sort=lambda row: row.due_at,
    ),
    Column("what", _("What"), reminder_words, stretch=True),
    _environment_column(lambda row: row.environment),
)

LEAVER: Final[tuple[Column[LeaverKey], ...]] = (
    Column("step", _("What to do"), lambda row: STEP_WORDS[row.step], width=_("Rotate to another user")),
    Column("key", _("Key"), lambda row: row.key.name, width=_("A usual name"), bold=True),
    _environment_column(lambda row: row.environment),
    Column("why", _("Why"), leaver_reason, stretch=True),
)
