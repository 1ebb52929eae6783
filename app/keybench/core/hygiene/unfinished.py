"""The rule about rotations that need somebody: overdue, half done, or given up with two keys left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from keybench.core.environment import Environment
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.facts import (
    RotationTrouble,
    Unfinished,
)
from keybench.core.hygiene.findings import Finding, Rule, Severity
from keybench.core.rotation import Rotation
from keybench.core.rotation_stages import is_deleted, stage_of

#: A compromised key waits for nobody longer than this, in days.
_COMPROMISED_DAYS = 1


def unfinished(estate: Estate) -> Iterator[Finding]:
    """Find rotations past their planned end, without a step for long, or abandoned with both keys valid."""
    for rotation in estate.rotations:
        place = estate.places.get(rotation.environment_id)
        if place and (found := _trouble(estate, rotation)):
            yield _finding(estate, rotation, place, *found)


def last_step(rotation: Rotation) -> datetime:
    """Return when something was last done or seen in a rotation, UTC."""
    return max((one.at for one in rotation.evidence), default=rotation.started_at)


def _trouble(estate: Estate, rotation: Rotation) -> tuple[RotationTrouble, datetime] | None:
    """Return what is wrong with a rotation and since when."""
    if rotation.abandoned_at:
        return (RotationTrouble.ABANDONED, rotation.abandoned_at) if _leaves_two(estate, rotation) else None
    if not rotation.is_open:
        return None
    stepped = last_step(rotation)
    if estate.days_since(stepped) >= _patience(estate, rotation):
        asked = rotation.deletion is not None and rotation.deletion.erased_at is None
        return (RotationTrouble.HALF_DELETED if asked else RotationTrouble.STALLED), stepped
    if estate.now >= rotation.overlap_ends_at and not is_deleted(rotation.deletion):
        return RotationTrouble.OVERDUE, rotation.overlap_ends_at
    return None


def _patience(estate: Estate, rotation: Rotation) -> int:
    stalled = estate.settings.stalled_days
    return min(stalled, _COMPROMISED_DAYS) if rotation.compromised else stalled


def _leaves_two(estate: Estate, rotation: Rotation) -> bool:
    """Tell whether both keys of an abandoned rotation are still here and no other rotation goes on."""
    new = rotation.replacement
    both = new is not None and {rotation.old.key_id, new.key_id} <= estate.key_of.keys()
    return both and rotation.old.key_id not in estate.open_rotations


def _finding(
    estate: Estate, rotation: Rotation, place: Environment, trouble: RotationTrouble, since: datetime
) -> Finding:
    new = rotation.replacement.name if rotation.replacement else ""
    facts = Unfinished(
        trouble,
        rotation.old.name,
        new,
        estate.days_since(since),
        stage_of(rotation),
        rotation.compromised,
    )
    key = estate.key_of.get(rotation.old.key_id)
    return Finding(Rule.ROTATION, _severity(facts), place, key, facts, rotation.id)


def _severity(facts: Unfinished) -> Severity:
    if facts.trouble is RotationTrouble.ABANDONED:
        return Severity.NOTE
    bad = facts.compromised or facts.trouble is RotationTrouble.HALF_DELETED
    return Severity.BAD if bad else Severity.WARNING
