"""The kinds of findings of the review, each with its rule, words and remedy; and other words of the review."""

from __future__ import annotations

from typing import Final

from keybench.core.review import Due, Finding, Reminder, Severity
from keybench.words.formats import plural
from keybench.words.review.condition import Compromised, Failing, Idle, Old, Untested
from keybench.words.review.permissions import PublicSells, Surplus, UserGone, WrongKind
from keybench.words.review.rotations import UnfinishedRotation
from keybench.words.review.separation import MixedUp, NoOwner, OneUser, SameValue, Shared

#: Among findings equally bad, the earlier kind comes first.
FINDINGS: Final[tuple[type[Finding], ...]] = (
    Compromised,
    SameValue,
    UserGone,
    Failing,
    PublicSells,
    UnfinishedRotation,
    WrongKind,
    Surplus,
    Shared,
    Old,
    Idle,
    Untested,
    NoOwner,
    MixedUp,
    OneUser,
)

SEVERITY_WORDS: Final = {Severity.BAD: "Critical", Severity.WARNING: "Warning", Severity.NOTE: "Note"}
#: The tone of each severity, see `ui.tokens`.
SEVERITY_TONES: Final = {Severity.BAD: "bad", Severity.WARNING: "warning", Severity.NOTE: "dim"}


def severity_count(severity: Severity, count: int) -> str:
    """Return how many findings of a severity there are, such as ``2 warnings``."""
    match severity:
        case Severity.BAD:
            return plural(count, "1 critical", "{} critical")
        case Severity.WARNING:
            return plural(count, "1 warning", "{} warnings")
        case Severity.NOTE:
            return plural(count, "1 note", "{} notes")


def reminder_words(reminder: Reminder) -> str:
    """Return what becomes due, without when."""
    match reminder.what:
        case Due.OVERLAP:
            return f"The overlap ends: “{reminder.key_name}” is to be deleted"
        case Due.AGE:
            return f"“{reminder.key_name}” reaches its age limit"
        case Due.IDLE:
            return f"“{reminder.key_name}” becomes idle"
