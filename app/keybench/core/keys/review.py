"""The review of keys: the snapshot it looks at, its rules, and reminders; pure."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Final

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.keys.admin_settings import AdminSettings
from keybench.core.keys.application import Application
from keybench.core.keys.inventory import KeyMarks
from keybench.core.keys.key import KeyKind, KeyState, SecurityKey, alike
from keybench.core.ports import PortalUser
from keybench.core.rotations.rotation import Rotation
from keybench.core.rotations.stages import STAGES, is_deleted, stage_of
from keybench.core.team.holdings import TeamHoldings

#: Where money moves comes first.
KINDS_BY_WEIGHT: Final = (EnvironmentKind.LIVE, EnvironmentKind.TEST, EnvironmentKind.PRACTICE)
#: The permission types a contract names for each kind of key.
PermissionTypes = Mapping[KeyKind, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """All keys of all environments at a moment, and what is known of them.

    Keys of an environment that isn't given are left out. One whose gateway doesn't list its users, or wasn't
    asked, has none here, and then nothing is claimed about them.
    """

    now: datetime
    environments: Sequence[Environment]
    keys: Sequence[SecurityKey] = ()
    applications: Sequence[Application] = ()
    rotations: Sequence[Rotation] = ()
    users: Mapping[str, Sequence[PortalUser]] = field(default_factory=dict)
    permissions: Mapping[str, PermissionTypes] = field(default_factory=dict)
    settings: AdminSettings = field(default_factory=AdminSettings)
    team: TeamHoldings = field(default_factory=TeamHoldings)

    @cached_property
    def environment_of(self) -> dict[str, Environment]:
        """The environments by identifier."""
        return {one.id: one for one in self.environments}

    @cached_property
    def known_keys(self) -> list[tuple[SecurityKey, Environment]]:
        """Each key with its environment, by environment (where money moves first) and name."""
        known = self.environment_of
        located = [(key, known[key.environment_id]) for key in self.keys if key.environment_id in known]
        return sorted(located, key=lambda one: (*weight(one[1]), one[0].name.casefold(), one[0].id))

    @cached_property
    def key_of(self) -> dict[str, SecurityKey]:
        """The keys by identifier."""
        return {key.id: key for key, _ in self.known_keys}

    @cached_property
    def _alike(self) -> dict[str, frozenset[str]]:
        return alike(self.keys)

    def alike(self, key_id: str) -> frozenset[str]:
        """Return the ids of all keys that are one key to their gateway with the one given, see `alike`."""
        return self._alike.get(key_id, frozenset({key_id}))

    @cached_property
    def applications_of(self) -> dict[str, list[Application]]:
        """The applications that use each key or another with its value, by name; one without is missing."""
        found: dict[str, list[Application]] = defaultdict(list)
        for application in sorted(self.applications, key=lambda one: (one.name.casefold(), one.id)):
            for key_id in self.alike(application.key_id):
                found[key_id].append(application)
        return dict(found)

    @cached_property
    def open_rotations(self) -> dict[str, Rotation]:
        """The rotation of each old key that has an open one; else the one of another key with its value."""
        own = {one.old.key_id: one for one in self.rotations if one.is_open}
        return {one: rotation for old, rotation in own.items() for one in self.alike(old)} | own

    @cached_property
    def users_of(self) -> dict[str, dict[str, PortalUser]]:
        """The users of each environment that lists them, by name in any case of letters."""
        return {
            environment_id: {one.username.casefold(): one for one in users}
            for environment_id, users in self.users.items()
        }

    def days_since(self, then: datetime) -> int:
        """Return how many whole days have passed since a moment, none for one that is yet to come."""
        return max((self.now - then).days, 0)

    def last_use(self, key: SecurityKey) -> datetime | None:
        """Return when a key's value was last used here or seen working in an application; None if never."""
        known = self.applications_of.get(key.id, ())
        entries = [key, *(self.key_of[one] for one in self.alike(key.id) if one in self.key_of)]
        seen = [*(one.seen_working_at for one in known), *(one.used_at for one in entries)]
        return max((at for at in seen if at), default=None)

    def old_from(self, key: SecurityKey, environment: Environment) -> datetime | None:
        """Return from when on a key is older than its limit; None where there is no limit."""
        limit = self.settings.age_days(environment.kind)
        return key.created_at + timedelta(days=limit) if limit else None

    def idle_from(self, key: SecurityKey) -> datetime | None:
        """Return from when on a key is idle; None where there is no limit."""
        limit = self.settings.idle_days
        return self.unused_since(key) + timedelta(days=limit) if limit else None

    def unused_since(self, key: SecurityKey) -> datetime:
        """Return since when a key hasn't been seen in use: its last use, or when Keybench came to know it."""
        return self.last_use(key) or key.known_since

    def marks(self, key: SecurityKey, environment: Environment) -> KeyMarks:
        """Return what is known of a key besides itself."""
        last_use, old_from = self.last_use(key), self.old_from(key, environment)
        idle_days = self.days_since(last_use or key.known_since)
        rotation = self.open_rotations.get(key.id)
        return KeyMarks(
            applications=tuple(one.name for one in self.applications_of.get(key.id, ())),
            stage=STAGES.index(stage_of(rotation)) + 1 if rotation else 0,
            last_use=last_use,
            idle_days=idle_days if self.settings.idle_days and idle_days >= self.settings.idle_days else 0,
            due_days=(old_from - self.now).days if old_from else None,
        )


def weight(environment: Environment) -> tuple[int, str, str]:
    """Return what puts environments in order: where money moves first, then by name."""
    return KINDS_BY_WEIGHT.index(environment.kind), environment.name.casefold(), environment.id


class Severity(enum.StrEnum):
    """How bad a finding is, worst first."""

    BAD = "bad"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to fix.

    `kind` is its row in `words.keys.review.FINDINGS`, found by the rule before the ``/``; `subject` is
    the id of a rotation or an application; `seen` has what the row's sentences name.
    """

    kind: str
    environment: Environment
    key: SecurityKey | None
    severity: Severity
    subject: str = ""
    seen: Mapping[str, Any] = field(default_factory=dict)
    about: str = ""

    @property
    def id(self) -> str:
        """The rule's identifier; dismissals are stored with it."""
        return self.kind.partition("/")[0]

    @property
    def name(self) -> str:
        """What it is about: usually the key's name, or the environment's where it is about no key."""
        return self.about or (self.key.name if self.key else self.environment.name)

    @property
    def identity(self) -> str:
        """What stays the same from one review to the next, for as long as it is found."""
        return f"{self.id}/{self.environment.id}/{self.key.id if self.key else ''}/{self.subject}"


@dataclass(frozen=True, slots=True)
class Dismissal:
    """A written reason why a finding, by its `Finding.identity`, may stay until a moment, UTC."""

    finding: str
    reason: str
    until: datetime
    by: str
    at: datetime


def grouped(findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """Return findings with those that are alike and equally bad together, each where its first one is."""
    found: dict[tuple[Severity, str], list[Finding]] = {}
    for one in findings:
        found.setdefault((one.severity, one.kind), []).append(one)
    return tuple(map(tuple, found.values()))


#: How far ahead people are reminded.
WITHIN_DAYS: Final = 7


class Due(enum.StrEnum):
    """What becomes due; what is overdue is found by the review, too."""

    OVERLAP = "overlap ends"
    AGE = "age limit"
    IDLE = "idle"


#: The rule that finds what is overdue.
_RULE_OF: Final = {Due.OVERLAP: "rotation", Due.AGE: "old", Due.IDLE: "idle"}


@dataclass(frozen=True, slots=True)
class Reminder:
    """One thing that becomes due, or has been for so long; a rotation is there if its overlap ends."""

    what: Due
    due_at: datetime
    environment: Environment
    key_name: str
    key: SecurityKey | None
    rotation: Rotation | None = None
    overdue_by: timedelta = timedelta(0)

    @property
    def is_overdue(self) -> bool:
        """Whether it was due before."""
        return self.overdue_by > timedelta(0)

    @property
    def identity(self) -> str:
        """The identity of the finding that says the same once it is overdue."""
        key, rotation = self.key.id if self.key else "", self.rotation.id if self.rotation else ""
        return f"{_RULE_OF[self.what]}/{self.environment.id}/{key}/{rotation}"


def reminders(snapshot: Snapshot, within_days: int = WITHIN_DAYS) -> tuple[Reminder, ...]:
    """Return what is overdue, for the longest time first, and then what becomes due within so many days.

    An idle key isn't overdue: it is a finding, and no reminder.
    """
    end = snapshot.now + timedelta(days=within_days)
    due = (
        replace(one, overdue_by=max(snapshot.now - one.due_at, timedelta(0)))
        for one in (*_of_keys(snapshot), *_of_rotations(snapshot))
        if one.due_at <= end and (one.what is not Due.IDLE or one.due_at > snapshot.now)
    )
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
    for rotation in snapshot.rotations:
        environment = snapshot.environment_of.get(rotation.environment_id)
        if environment and rotation.is_open and not is_deleted(rotation.deletion):
            old, key = rotation.old, snapshot.key_of.get(rotation.old.key_id)
            yield Reminder(Due.OVERLAP, rotation.overlap_ends_at, environment, old.name, key, rotation)
