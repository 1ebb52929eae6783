"""Rules about one key by itself: its age, its use, its tests."""

from __future__ import annotations

from collections.abc import Iterator

from keybench.core.environment import Environment
from keybench.core.hygiene.estate import Estate
from keybench.core.hygiene.facts import (
    Age,
    Failure,
    Idleness,
    Leak,
    Untested,
)
from keybench.core.hygiene.findings import Finding, Rule, Severity
from keybench.core.security_key import KeyState, SecurityKey

_BROKEN = {KeyState.REFUSED, KeyState.FORBIDDEN, KeyState.VALUE_LOST}
#: A key that is so many times as old as its limit is no oversight of a week.
_FAR_OVER = 2


def compromised(estate: Estate) -> Iterator[Finding]:
    """Find keys that may be in wrong hands, until they are deleted and seen to be refused."""
    for key, place in estate.known_keys:
        if key.compromised:
            rotation = estate.open_rotations.get(key.id)
            facts = Leak(rotating=rotation is not None)
            subject = rotation.id if rotation else ""
            yield Finding(Rule.COMPROMISED, Severity.BAD, place, key, facts, subject)


def old(estate: Estate) -> Iterator[Finding]:
    """Find keys older than the limit; one that is being rotated is on its way out already."""
    for key, place in estate.known_keys:
        due = estate.old_from(key, place)
        if due is None or estate.now < due or key.id in estate.open_rotations:
            continue
        days, limit = estate.days_since(key.created_at), estate.settings.age_days(place.kind)
        severity = Severity.BAD if place.is_live and days >= _FAR_OVER * limit else Severity.WARNING
        yield Finding(Rule.OLD, severity, place, key, Age(days, limit, key.created_at))


def idle(estate: Estate) -> Iterator[Finding]:
    """Find keys that nobody was seen to use; a key without its value can't be used from here at all."""
    for key, place in estate.known_keys:
        due = estate.idle_from(key)
        if due is None or estate.now < due or key.state is KeyState.NO_VALUE or _is_going(estate, key):
            continue
        used_at = estate.last_use(key)
        facts = Idleness(estate.days_since(used_at or key.created_at), estate.settings.idle_days, used_at)
        yield Finding(Rule.IDLE, _weight(place), place, key, facts)


def untested(estate: Estate) -> Iterator[Finding]:
    """Find keys of which no test told anything yet, once they have been here for a while."""
    limit = estate.settings.untested_days
    for key, place in estate.known_keys:
        days = estate.days_since(key.created_at)
        if limit and days >= limit and key.tested_at is None and key.state is KeyState.KEPT:
            facts = Untested(days, limit, key.tried_at, key.trial)
            yield Finding(Rule.UNTESTED, _weight(place), place, key, facts)


def failing(estate: Estate) -> Iterator[Finding]:
    """Find keys that the gateway refuses or whose value is missing; an old key is meant to be refused."""
    for key, place in estate.known_keys:
        if _is_going(estate, key):
            continue
        facts = Failure(key.state, key.status, key.tested_at)
        if key.state in _BROKEN:
            yield Finding(Rule.FAILING, Severity.BAD, place, key, facts)
        elif key.state is KeyState.NO_VALUE:
            yield Finding(Rule.FAILING, Severity.NOTE, place, key, facts)


def _is_going(estate: Estate, key: SecurityKey) -> bool:
    """Tell whether a rotation was already asked to delete the key."""
    rotation = estate.open_rotations.get(key.id)
    return rotation is not None and rotation.deletion is not None


def _weight(place: Environment) -> Severity:
    return Severity.WARNING if place.is_live else Severity.NOTE
