"""Findings of the key review in words: what it is, why it matters, how to mend it."""

from __future__ import annotations

from typing import Final

from keybench.core.hygiene import facts as f
from keybench.core.hygiene.findings import Finding, Severity
from keybench.core.hygiene.reminders import Due, Reminder
from keybench.words import findings as say
from keybench.words.findings import FindingWords

SEVERITY_WORDS: Final = {Severity.BAD: "Bad", Severity.WARNING: "Warning", Severity.NOTE: "Note"}
#: The tone of each severity, see `ui.tokens`.
SEVERITY_TONES: Final = {Severity.BAD: "bad", Severity.WARNING: "warning", Severity.NOTE: "dim"}


def explain_finding(finding: Finding) -> FindingWords:  # noqa: C901 - one case a class of facts
    """Return what a finding is, why it matters and how to mend it."""
    name = finding.key.name if finding.key else ""
    match finding.facts:
        case f.Leak() as facts:
            return say.leak(facts, name)
        case f.Age() as facts:
            return say.age(facts, name)
        case f.Idleness() as facts:
            return say.idle(facts, name)
        case f.Untested() as facts:
            return say.untested(facts, name)
        case f.Failure() as facts:
            return say.failure(facts, name)
        case f.Sharing() as facts:
            return say.sharing(facts, name)
        case f.Twins() as facts:
            return say.twins(facts, name)
        case f.Misfit() as facts:
            return say.misfit(facts, name)
        case f.Surplus() as facts:
            return say.surplus(facts, name)
        case f.Absence() as facts:
            return say.absence(facts, name)
        case f.PublicSales() as facts:
            return say.public(facts, name)
        case f.Unfinished() as facts:
            return say.unfinished(facts)
        case f.Ownerless() as facts:
            return say.ownerless(facts, name)
        case f.Mixture() as facts:
            return say.mixture(facts, name)
        case f.OneUser() as facts:
            return say.one_user(facts, finding.environment.name)


def reminder_words(reminder: Reminder) -> str:
    """Return what becomes due, without when."""
    match reminder.what:
        case Due.OVERLAP:
            return f"The overlap ends: “{reminder.key_name}” is to be deleted"
        case Due.AGE:
            return f"“{reminder.key_name}” reaches its age limit"
        case Due.IDLE:
            return f"“{reminder.key_name}” becomes idle"
