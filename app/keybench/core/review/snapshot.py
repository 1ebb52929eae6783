"""The snapshot of all keys that a review looks at, and what of it belongs together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from keybench.core.admin_settings import AdminSettings
from keybench.core.application import Application
from keybench.core.environment import Environment, EnvironmentKind
from keybench.core.ports import KeyUse, PortalUser
from keybench.core.rotation import Rotation
from keybench.core.security_key import KeyKind, SecurityKey

#: Where money moves comes first.
KINDS_BY_WEIGHT: Final = (EnvironmentKind.LIVE, EnvironmentKind.TEST, EnvironmentKind.PRACTICE)
#: The permission types a contract names for each kind of key.
PermissionTypes = Mapping[KeyKind, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """All keys of all environments at a moment, and what is known of them.

    Attributes:
        now: The moment, UTC.
        environments: All of them.
        keys: All keys; those of an environment that isn't given are left out.
        applications: The whole register.
        rotations: All rotations, open or not.
        uses: What the journal knows of sales with each key, by key; a key without any is missing.
        users: The account's users by environment; an environment whose gateway doesn't list them, or wasn't
            asked, is missing, and then nothing is claimed about its users.
        permissions: The permission types of each environment's contract; missing where it names none.
        settings: The limits.
    """

    now: datetime
    environments: Sequence[Environment]
    keys: Sequence[SecurityKey] = ()
    applications: Sequence[Application] = ()
    rotations: Sequence[Rotation] = ()
    uses: Mapping[str, KeyUse] = field(default_factory=dict)
    users: Mapping[str, Sequence[PortalUser]] = field(default_factory=dict)
    permissions: Mapping[str, PermissionTypes] = field(default_factory=dict)
    settings: AdminSettings = field(default_factory=AdminSettings)

    @cached_property
    def environment_of(self) -> dict[str, Environment]:
        """The environments by identifier."""
        return {one.id: one for one in self.environments}

    @cached_property
    def known_keys(self) -> list[tuple[SecurityKey, Environment]]:
        """Each key with its environment, by environment (where money moves first) and name."""
        known = self.environment_of
        located = [(key, known[key.environment_id]) for key in self.keys if key.environment_id in known]
        return sorted(located, key=lambda one: (*_weight(one[1]), one[0].name.casefold(), one[0].id))

    @cached_property
    def key_of(self) -> dict[str, SecurityKey]:
        """The keys by identifier."""
        return {key.id: key for key, _ in self.known_keys}

    @cached_property
    def applications_of(self) -> dict[str, list[Application]]:
        """The applications of each key that has any, by name."""
        found: dict[str, list[Application]] = defaultdict(list)
        for application in sorted(self.applications, key=lambda one: (one.name.casefold(), one.id)):
            found[application.key_id].append(application)
        return dict(found)

    @cached_property
    def open_rotations(self) -> dict[str, Rotation]:
        """The rotation of each old key that has an open one."""
        return {one.old.key_id: one for one in self.rotations if one.is_open}

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
        """Return when a key was last used here or seen working in an application; None if never."""
        known = self.applications_of.get(key.id, ())
        seen = [one.seen_working_at for one in known if one.seen_working_at]
        if key.used_at:
            seen.append(key.used_at)
        return max(seen, default=None)

    def old_from(self, key: SecurityKey, environment: Environment) -> datetime | None:
        """Return from when on a key is older than its limit; None where there is no limit."""
        limit = self.settings.age_days(environment.kind)
        return key.created_at + timedelta(days=limit) if limit else None

    def idle_from(self, key: SecurityKey) -> datetime | None:
        """Return from when on a key is idle; None where there is no limit."""
        limit = self.settings.idle_days
        return (self.last_use(key) or key.created_at) + timedelta(days=limit) if limit else None


def _weight(environment: Environment) -> tuple[int, str, str]:
    return KINDS_BY_WEIGHT.index(environment.kind), environment.name.casefold(), environment.id
