"""The kinds of findings of the review, each with its rule, words and remedy; and other words of the review."""

from __future__ import annotations

from typing import Final

from keybench.core.review import Due, Finding, Reminder, Severity
from keybench.words.formats import day_and_time, day_count
from keybench.words.language import _, ngettext
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

SEVERITY_WORDS: Final = {
    Severity.BAD: _("Critical"),
    Severity.WARNING: _("Warning"),
    Severity.NOTE: _("Note"),
}
#: The tone of each severity, see `ui.tokens`.
SEVERITY_TONES: Final = {Severity.BAD: "bad", Severity.WARNING: "warning", Severity.NOTE: "dim"}


def severity_count(severity: Severity, count: int) -> str:
    """Return how many findings of a severity there are, such as ``2 warnings``."""
    match severity:
        case Severity.BAD:
            return ngettext("1 critical", "{count:,} critical", count).format(count=count)
        case Severity.WARNING:
            return ngettext("1 warning", "{count:,} warnings", count).format(count=count)
        case Severity.NOTE:
            return ngettext("1 note", "{count:,} notes", count).format(count=count)


def overdue_words(reminder: Reminder) -> str:
    """Return for how long something has been overdue, such as ``Overdue by 3 days``; empty if it isn't."""
    if not reminder.is_overdue:
        return ""
    if days := reminder.overdue_by.days:
        return _("Overdue by {day_count}").format(day_count=day_count(days))
    return _("Overdue since {day_and_time}").format(day_and_time=day_and_time(reminder.due_at))


def reminder_words(reminder: Reminder) -> str:
    """Return what becomes due or is overdue, without when."""
    match reminder.what:
        case Due.OVERLAP if reminder.is_overdue:
            return _("The overlap has ended: “{key_name}” is to be deleted").format(
                key_name=reminder.key_name
            )
        case Due.AGE if reminder.is_overdue:
            return _("“{key_name}” is older than its limit").format(key_name=reminder.key_name)
        case Due.OVERLAP:
            return _("The overlap ends: “{key_name}” is to be deleted").format(key_name=reminder.key_name)
        case Due.AGE:
            return _("“{key_name}” reaches its age limit").format(key_name=reminder.key_name)
        case Due.IDLE:
            return _("“{key_name}” becomes idle").format(key_name=reminder.key_name)
