"""Reminders: what isn't a finding yet and becomes one within the next days."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from keybench.core.environment import Environment
from keybench.core.hygiene.estate import Estate
from keybench.core.rotation_stages import is_deleted
from keybench.core.security_key import KeyState

#: How far ahead people are reminded.
WITHIN_DAYS: Final = 7


class Due(enum.StrEnum):
    """What becomes due."""

    OVERLAP = "overlap ends"
    AGE = "age limit"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Reminder:
    """One thing that becomes due.

    Attributes:
        what: What it is.
        due_at: When, UTC.
        environment: Where.
        key_name: The key it concerns.
        key_id: Its identifier.
        rotation_id: The rotation whose overlap ends; empty for others.
    """

    what: Due
    due_at: datetime
    environment: Environment
    key_name: str
    key_id: str
    rotation_id: str = ""


def reminders(estate: Estate, within_days: int = WITHIN_DAYS) -> tuple[Reminder, ...]:
    """Return what becomes due within so many days, the soonest first; what is overdue is a finding."""
    end = estate.now + timedelta(days=within_days)
    due = (one for one in (*_of_keys(estate), *_of_rotations(estate)) if estate.now < one.due_at <= end)
    return tuple(
        sorted(due, key=lambda one: (one.due_at, one.what, one.environment.name, one.key_name, one.key_id))
    )


def _of_keys(estate: Estate) -> Iterator[Reminder]:
    for key, place in estate.known_keys:
        if key.id in estate.open_rotations:
            continue  # it is going; its rotation has its own end
        if old_from := estate.old_from(key, place):
            yield Reminder(Due.AGE, old_from, place, key.name, key.id)
        idle_from = estate.idle_from(key)
        if idle_from and key.state is not KeyState.NO_VALUE:
            yield Reminder(Due.IDLE, idle_from, place, key.name, key.id)


def _of_rotations(estate: Estate) -> Iterator[Reminder]:
    for rotation in estate.open_rotations.values():
        place = estate.places.get(rotation.environment_id)
        if place and not is_deleted(rotation.deletion):
            old = rotation.old
            yield Reminder(Due.OVERLAP, rotation.overlap_ends_at, place, old.name, old.key_id, rotation.id)
