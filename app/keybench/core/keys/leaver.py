"""The leaver check: every key of a username, in the order to deal with them; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.application import Application
from keybench.core.keys.key import SecurityKey
from keybench.core.keys.review import KINDS_BY_WEIGHT, Snapshot
from keybench.core.rotations.rotation import Rotation


class LeaverStep(enum.StrEnum):
    """What has to be done with a key before its user is frozen."""

    FINISH = "finish its rotation"
    ROTATE = "rotate to another user"
    #: It is another user's, and its value is at a desk where the leaver worked last.
    REPLACE = "replace: held at their desk"
    #: Nothing is known to use it; but tills and servers can't be seen from here.
    ASK = "ask who uses it"


@dataclass(frozen=True, slots=True)
class LeaverKey:
    """One key of somebody who leaves, or that is held where they worked last."""

    environment: Environment
    key: SecurityKey
    applications: tuple[Application, ...]
    rotation: Rotation | None
    step: LeaverStep


@dataclass(frozen=True, slots=True)
class LeaverCheck:
    """All keys of somebody who leaves, at a moment."""

    username: str
    at: datetime
    keys: tuple[LeaverKey, ...]


def leaver_check(snapshot: Snapshot, username: str) -> LeaverCheck:
    """Return all keys of a username, in any case of letters, in the order to deal with them.

    Keys for tests and for money whose values are where somebody of that name worked last are among them.
    Where money moves comes first, then what others wait for: open rotations, keys in use, others.
    """
    folded, steps = username.strip().casefold(), list(LeaverStep)
    found = []
    for key, environment in snapshot.known_keys:
        is_own, matters = key.username.casefold() == folded, environment.kind is not EnvironmentKind.PRACTICE
        holders = snapshot.team.holders(key.id, key.fingerprint)
        if is_own or (matters and any(desk.who.casefold() == folded for desk in holders)):
            found.append(_leaver_key(snapshot, key, environment, is_own=is_own))
    # Within these they stay in the order of the snapshot's keys.
    keys = sorted(found, key=lambda one: (KINDS_BY_WEIGHT.index(one.environment.kind), steps.index(one.step)))
    return LeaverCheck(username, snapshot.now, tuple(keys))


def usernames(snapshot: Snapshot) -> tuple[str, ...]:
    """Return every username that a key belongs to, and who works at the desks of a team, by name."""
    names = [desk.who for desk in snapshot.team.desks] + [key.username for key, _ in snapshot.known_keys]
    known = {name.casefold(): name for name in names if name}
    return tuple(known[folded] for folded in sorted(known))


def _leaver_key(snapshot: Snapshot, key: SecurityKey, environment: Environment, *, is_own: bool) -> LeaverKey:
    applications = tuple(snapshot.applications_of.get(key.id, ()))
    rotation = snapshot.open_rotations.get(key.id)
    if rotation:
        step = LeaverStep.FINISH
    elif not is_own:
        step = LeaverStep.REPLACE
    elif applications or snapshot.last_use(key):
        step = LeaverStep.ROTATE
    else:
        step = LeaverStep.ASK
    return LeaverKey(environment, key, applications, rotation, step)
