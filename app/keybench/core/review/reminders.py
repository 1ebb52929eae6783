"""Reminders: what isn't a finding yet and becomes one within the next days."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from keybench.core.environment import Environment
from keybench.core.review.snapshot import Snapshot
from keybench.core.rotation import Rotation
from keybench.core.rotation_stages import is_deleted
from keybench.core.security_key import KeyState, SecurityKey

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
        key_name: The name of the key it concerns.
        key: The key; None where it is gone from here.
        rotation: The rotation whose overlap ends; None for others.
    """

    what: Due
    due_at: datetime
    environment: Environment
    key_name: str
    key: SecurityKey | None
    rotation: Rotation | None = None

    @property
    def identity(self) -> str:
        """What stays the same from one look to the next."""
        subject = self.rotation or self.key
        return f"{self.what}/{subject.id if subject else ''}"


def reminders(snapshot: Snapshot, within_days: int = WITHIN_DAYS) -> tuple[Reminder, ...]:
    """Return what becomes due within so many days, the soonest first; what is overdue is a finding."""
    end = snapshot.now + timedelta(days=within_days)
    due = (one for one in (*_of_keys(snapshot), *_of_rotations(snapshot)) if snapshot.now < one.due_at <= end)
    return tuple(
        sorted(due, key=lambda one: (one.due_at, one.what, one.environment.name, one.key_name, one.identity))
    )


def _of_keys(snapshot: Snapshot) -> Iterator[Reminder]:
    for key, environment in snapshot.known_keys:
        if key.id in snapshot.open_rotations:
            continue  # it is going; its rotation has its own end
        if old_from := snapshot.old_from(key, environment):
            yield Reminder(Due.AGE, old_from, environment, key.name, key)
        idle_from = snapshot.idle_from(key)
        if idle_from and key.state is not KeyState.NO_VALUE:
            yield Reminder(Due.IDLE, idle_from, environment, key.name, key)


def _of_rotations(snapshot: Snapshot) -> Iterator[Reminder]:
    for rotation in snapshot.open_rotations.values():
        environment = snapshot.environment_of.get(rotation.environment_id)
        if environment and not is_deleted(rotation.deletion):
            old, key = rotation.old, snapshot.key_of.get(rotation.old.key_id)
            yield Reminder(Due.OVERLAP, rotation.overlap_ends_at, environment, old.name, key, rotation)
