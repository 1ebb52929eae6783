"""The columns of the review's three tables, and what a row of each holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keybench.core.environment import Environment, mark_of
from keybench.core.review.finding import Dismissal, Finding
from keybench.core.review.leaver import LeaverKey
from keybench.core.review.reminders import Reminder
from keybench.ui.widgets.rows_model import Column, Look
from keybench.words.formats import day_and_time
from keybench.words.review import SEVERITY_TONES, SEVERITY_WORDS, reminder_words
from keybench.words.review.leaver import STEP_WORDS, leaver_reason


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding as it is listed.

    Attributes:
        finding: The finding.
        dismissal: Why it may stay for a while; None for one that is to be mended.
    """

    finding: Finding
    dismissal: Dismissal | None = None

    @property
    def severity(self) -> str:
        """Its severity's word, or that it was dismissed."""
        return "Dismissed" if self.dismissal else SEVERITY_WORDS[self.finding.severity]

    @property
    def tone(self) -> str:
        """The tone of that word."""
        return "dim" if self.dismissal else SEVERITY_TONES[self.finding.severity]


def place_text(environment: Environment) -> str:
    """Return an environment as the review's tables show it: its mark and its name."""
    return f"{mark_of(environment.kind)} {environment.name}"


def _kind(environment: Environment) -> str:
    return environment.kind.value


SEVERITY, TITLE, KEY, PLACE = range(4)
FINDINGS: Final = (
    Column[FindingRow]("Severity", lambda row: row.severity, Look(tone=lambda row: row.tone)),
    Column[FindingRow]("Finding", lambda row: row.finding.words().title),
    Column[FindingRow]("Key", lambda row: row.finding.key.name if row.finding.key else "", Look(bold=True)),
    Column[FindingRow](
        "Environment",
        lambda row: place_text(row.finding.environment),
        Look(ink=lambda row: _kind(row.finding.environment)),
    ),
)

DUE, WHAT, DUE_PLACE = range(3)
REMINDERS: Final = (
    Column[Reminder]("Due", lambda row: day_and_time(row.due_at)),
    Column[Reminder]("What", reminder_words),
    Column[Reminder](
        "Environment", lambda row: place_text(row.environment), Look(ink=lambda row: _kind(row.environment))
    ),
)

STEP, LEAVER_KEY, LEAVER_PLACE, WHY = range(4)
LEAVER: Final = (
    Column[LeaverKey]("What to do", lambda row: STEP_WORDS[row.step]),
    Column[LeaverKey]("Key", lambda row: row.key.name, Look(bold=True)),
    Column[LeaverKey](
        "Environment", lambda row: place_text(row.environment), Look(ink=lambda row: _kind(row.environment))
    ),
    Column[LeaverKey]("Why", leaver_reason),
)
