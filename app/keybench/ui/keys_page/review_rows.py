"""The columns of the review's three tables, and what a row of each holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from keybench.core.environment import Environment, mark_of
from keybench.core.review import Dismissal, Finding, LeaverKey, Reminder
from keybench.ui.widgets.table_model import Column, Row
from keybench.words.formats import day_and_time
from keybench.words.language import _
from keybench.words.review import SEVERITY_TONES, SEVERITY_WORDS, reminder_words
from keybench.words.review.leaver import STEP_WORDS, leaver_reason


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding as it is listed.

    Attributes:
        finding: The finding.
        dismissal: Why it may stay for a while; None for one that stands.
    """

    finding: Finding
    dismissal: Dismissal | None = None

    @property
    def severity(self) -> str:
        """Its severity's word, or that it was dismissed."""
        return _("Dismissed") if self.dismissal else SEVERITY_WORDS[self.finding.severity]

    @property
    def tone(self) -> str:
        """The tone of that word."""
        return "dim" if self.dismissal else SEVERITY_TONES[self.finding.severity]

    @property
    def rank(self) -> int:
        """What it is sorted by: the worst first, dismissed ones last."""
        severities = list(SEVERITY_WORDS)
        return len(severities) if self.dismissal else severities.index(self.finding.severity)


def environment_text(environment: Environment) -> str:
    """Return an environment as the review's tables show it: its mark and its name."""
    return f"{mark_of(environment.kind)} {environment.name}"


def _environment_column(of: Callable[[Row], Environment]) -> Column[Row]:
    return Column(
        "environment",
        _("Environment"),
        lambda row: environment_text(of(row)),
        width=_("● an environment"),
        ink=lambda row: of(row).kind.value,
    )


FINDINGS: Final[tuple[Column[FindingRow], ...]] = (
    Column(
        "severity",
        _("Severity"),
        lambda row: row.severity,
        width=_("Dismissed ...."),
        tone=lambda row: row.tone,
        sort=lambda row: row.rank,
    ),
    Column("finding", _("Finding"), lambda row: row.finding.words().title, stretch=True),
    Column(
        "key",
        _("Key"),
        lambda row: row.finding.key.name if row.finding.key else "",
        bold=True,
        width=_("A usual key name"),
    ),
    _environment_column(lambda row: row.finding.environment),
)

REMINDERS: Final[tuple[Column[Reminder], ...]] = (
    Column(
        "due",
        _("Due"),
        lambda row: day_and_time(row.due_at),
        width=_("28 Sep 2026, 20:58"),
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
