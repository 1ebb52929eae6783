"""What the tables of a rotation say in their cells: of applications and of the same-permission proof."""

from __future__ import annotations

from datetime import datetime

from keybench.core.proof import Expectation, ProofRow
from keybench.core.rotation import ApplicationStep
from keybench.words.formats import day_and_time


def proof_call(row: ProofRow) -> str:
    """Return a call of the proof with what it should meet."""
    should = "should be allowed" if row.expected is Expectation.ALLOWED else "should be refused"
    return f"{row.call} ({should})"


def proof_result(row: ProofRow) -> str:
    """Return whether the gateway made a difference between the keys."""
    return "same" if row.same else "differs"


def seen_words(step: ApplicationStep) -> str:
    """Return when an application was seen working, or that it wasn't yet."""
    if step.seen_at and step.is_seen_working:
        return moment(step.seen_at)
    if step.accepted_here_at:
        return "key accepted, not seen"
    return "not yet" if step.changed_at else "not changed yet"


def seen_by_words(step: ApplicationStep) -> str:
    """Return who saw an application working and what they saw, or what this console's own call showed."""
    if step.is_seen_working:
        return f"Seen by {step.seen_by}: {step.seen_how}"
    if at := step.accepted_here_at:
        return (
            f"The gateway accepted the new key from this computer, {day_and_time(at)}. Nobody has seen the "
            "application working with it yet."
        )
    return ""


def changed_words(step: ApplicationStep) -> str:
    """Return when the new key was set in an application, or that it wasn't yet."""
    return moment(step.changed_at) if step.changed_at else "not yet"


def changed_by_words(step: ApplicationStep) -> str:
    """Return when and by whom the new key was set in an application, in full, or that it wasn't yet."""
    return f"{day_and_time(step.changed_at)}, by {step.changed_by}" if step.changed_at else "not yet"


def moment(at: datetime) -> str:
    """Return a moment in local time, short as a table has it: ``18 Nov 14:10``."""
    local = at.astimezone()
    return f"{local.day} {local:%b %H:%M}"
