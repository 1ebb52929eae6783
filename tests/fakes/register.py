"""The part of the journal in memory that is for administering keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.errors import JournalError
from keybench.core.input_errors import NameTaken, NotFound, RotationUnderWay
from keybench.core.keys.application import Application, ApplicationMove
from keybench.core.keys.key import KeyMove, KeyPlan, SecurityKey, alike
from keybench.core.ports import (
    ENVIRONMENT_ADDED,
    ENVIRONMENT_EDITED,
    ENVIRONMENT_REMOVED,
    NOTHING,
    Activity,
    ActivityFilter,
    Clock,
)
from keybench.core.rotations.moves import key_renamed
from keybench.core.rotations.rotation import Rotation
from keybench.core.sales.sale import Sale


class MemoryRegister:
    """The part of `core.ports.Journal` for administering keys, and what both parts share.

    Attributes:
        failure: Set it, and every write raises it and writes nothing; None for a journal that works.
    """

    def __init__(self, clock: Clock) -> None:
        self.failure: JournalError | None = None
        practice = Environment(PRACTICE_ID, "practice", EnvironmentKind.PRACTICE, "", "practice", clock.now())
        self._is_open = False
        self._environments = {PRACTICE_ID: practice}
        self._keys: dict[str, SecurityKey] = {}
        self._sales: dict[str, Sale] = {}
        self._applications: dict[str, Application] = {}
        self._rotations: dict[str, Rotation] = {}
        self._plans: dict[str, KeyPlan] = {}
        self._settings: dict[str, str] = {}
        self._activities: list[Activity] = []

    async def environments(self) -> Sequence[Environment]:
        self._reading()
        return sorted(
            self._environments.values(), key=lambda e: (e.id != PRACTICE_ID, e.name.casefold(), e.name)
        )

    async def all_keys(self) -> Sequence[SecurityKey]:
        places = {e.id: place for place, e in enumerate(await self.environments())}
        found = map(self._told, self._keys.values())
        return sorted(found, key=lambda k: (places[k.environment_id], k.name.casefold(), k.name))

    async def applications(self, environment_id: str | None = None) -> Sequence[Application]:
        self._reading()
        found = [a for a in self._applications.values() if environment_id in {None, a.environment_id}]
        return sorted(found, key=lambda a: (a.name.casefold(), a.name, a.id))

    async def add_application(self, application: Application) -> None:
        self._writing()
        self._check_application(application)
        if application.id in self._applications:
            raise JournalError("identifier taken")
        self._applications[application.id] = application

    async def update_application(self, application_id: str, move: ApplicationMove) -> Application:
        self._writing()
        if application_id not in self._applications:
            raise NotFound("application", application_id)
        self._move_application(application_id, move)
        return self._applications[application_id]

    async def remove_application(self, application_id: str) -> None:
        self._writing()
        self._applications.pop(application_id, None)

    async def rotations(self, environment_id: str | None = None) -> Sequence[Rotation]:
        self._reading()
        newest = sorted(
            enumerate(self._rotations.values()), key=lambda pair: (pair[1].started_at, pair[0]), reverse=True
        )
        return [r for _, r in newest if environment_id in {None, r.environment_id}]

    async def rotation(self, rotation_id: str) -> Rotation:
        self._reading()
        return self._rotation(rotation_id)

    async def start_rotation(self, rotation: Rotation, activity: Activity) -> None:
        self._writing()
        self._require_environment(rotation.environment_id)
        if any(r.is_open and r.old.key_id == rotation.old.key_id for r in self._rotations.values()):
            raise RotationUnderWay(rotation.old.name)
        if rotation.id in self._rotations:
            raise JournalError("identifier taken")
        self._rotations[rotation.id] = rotation
        self._append(activity)

    async def advance_rotation(
        self,
        rotation_id: str,
        move: Callable[[Rotation], Rotation],
        *,
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, ApplicationMove] = NOTHING,
        activity: Activity | None = None,
    ) -> Rotation:
        self._writing()
        before = self._rotation(rotation_id)
        moved = move(before)
        kept = self._keys, self._applications
        self._keys, self._applications = dict(self._keys), dict(self._applications)
        try:
            self._change(add_key, remove_key, keys, applications)
        except (NameTaken, NotFound):
            self._keys, self._applications = kept
            raise
        self._rotations[rotation_id] = moved
        if activity and moved != before:
            self._append(activity)
        return moved

    async def rename_key(
        self, key_id: str, name: str, line: Callable[[SecurityKey], Activity]
    ) -> SecurityKey:
        self._writing()
        if key_id not in self._keys:
            raise NotFound("key", key_id)
        told = line(self._told(self._keys[key_id]))
        self._move_key(key_id, lambda stored: replace(stored, name=name))
        renamed = (
            (i, key_renamed(one, key_id, name, told.at, told.who)) for i, one in self._rotations.items()
        )
        self._rotations = dict(renamed)
        self._append(told)
        return self._told(self._keys[key_id])

    async def key_plans(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        self._reading()
        return [plan for plan in self._plans.values() if environment_id in {None, plan.environment_id}]

    async def add_key_plan(self, plan: KeyPlan) -> None:
        self._writing()
        self._require_environment(plan.environment_id)
        if plan.making.key_id in self._plans:
            raise JournalError("identifier taken")
        self._plans[plan.making.key_id] = plan

    async def update_key_plan(self, key_id: str, move: Callable[[KeyPlan], KeyPlan]) -> KeyPlan:
        self._writing()
        if key_id not in self._plans:
            raise NotFound("key", key_id)
        self._plans[key_id] = move(self._plans[key_id])
        return self._plans[key_id]

    async def end_key_plan(
        self, key_id: str, *, add_key: SecurityKey | None = None, activity: Activity | None = None
    ) -> None:
        self._writing()
        if key_id not in self._plans:
            raise NotFound("key", key_id)
        if add_key:
            self._check_key(add_key)
            self._keys[add_key.id] = add_key
        del self._plans[key_id]
        if activity:
            self._append(activity)

    async def setting(self, name: str) -> str:
        self._reading()
        return self._settings.get(name, "")

    async def update_setting(self, name: str, move: Callable[[str], str]) -> str:
        self._writing()
        self._settings[name] = move(self._settings.get(name, ""))
        return self._settings[name]

    async def record_activity(self, activity: Activity) -> None:
        self._writing()
        self._append(activity)

    async def removed_environments(self, ids: Collection[str]) -> Mapping[str, str]:
        self._reading()
        telling = (ENVIRONMENT_ADDED, ENVIRONMENT_EDITED, ENVIRONMENT_REMOVED)
        lines = [line for line in reversed(self._newest_first()) if line.action in telling]
        gone = set(ids) - self._environments.keys()
        return {line.environment_id: line.subject for line in lines if line.environment_id in gone}

    async def activities(self, limit: int) -> Sequence[Activity]:
        self._reading()
        return self._newest_first()[:limit]

    async def find_activities(
        self, wanted: ActivityFilter, *, after: int = 0, limit: int
    ) -> Sequence[Activity]:
        self._reading()
        lines = self._newest_first()
        if after:
            places = {line.number: place for place, line in enumerate(lines, 1)}
            lines = lines[places.get(after, len(lines)) :]
        return [line for line in lines if _is_wanted(line, wanted)][:limit]

    def _reading(self) -> None:
        if not self._is_open:
            raise JournalError("not open")

    def _writing(self) -> None:
        self._reading()
        if self.failure is not None:
            raise self.failure

    def _newest_first(self) -> list[Activity]:
        return sorted(self._activities, key=lambda line: (line.at, line.number), reverse=True)

    def _append(self, activity: Activity) -> None:
        self._activities.append(replace(activity, number=len(self._activities) + 1))

    def _rotation(self, rotation_id: str) -> Rotation:
        if rotation_id not in self._rotations:
            raise NotFound("rotation", rotation_id)
        return self._rotations[rotation_id]

    def _require_environment(self, environment_id: str) -> None:
        if environment_id not in self._environments:
            raise NotFound("environment", environment_id)

    def _move_key(self, key_id: str, move: KeyMove) -> None:
        """Apply a move; when the key was last used and whether it is compromised are known here alone."""
        before = self._told(self._keys[key_id])
        moved = replace(move(before), id=before.id, environment_id=before.environment_id)
        moved = replace(moved, used_at=before.used_at, compromised=False)
        self._check_key(moved)
        self._keys[key_id] = moved

    def _move_application(self, application_id: str, move: ApplicationMove) -> None:
        before = self._applications[application_id]
        moved = replace(move(before), id=before.id, environment_id=before.environment_id)
        self._check_application(moved)
        self._applications[application_id] = moved

    def _told(self, key: SecurityKey) -> SecurityKey:
        """Return a key with what its rotations say of it."""
        leaked = {r.old.key_id for r in self._rotations.values() if r.compromised}
        return replace(key, compromised=not leaked.isdisjoint(alike(self._keys.values())[key.id]))

    def _check_key(self, key: SecurityKey) -> None:
        self._require_environment(key.environment_id)
        for other in self._keys.values():
            is_neighbour = other.environment_id == key.environment_id and other.id != key.id
            if is_neighbour and other.name.casefold() == key.name.casefold():
                raise NameTaken("key", key.name)

    def _check_application(self, application: Application) -> None:
        self._require_environment(application.environment_id)
        for other in self._applications.values():
            is_neighbour = other.key_id == application.key_id and other.id != application.id
            if is_neighbour and other.name.casefold() == application.name.casefold():
                raise NameTaken("application", application.name)

    def _change(
        self,
        add_key: SecurityKey | None,
        remove_key: str,
        keys: Mapping[str, KeyMove],
        applications: Mapping[str, ApplicationMove],
    ) -> None:
        self._keys.pop(remove_key, None)
        if add_key:
            self._check_key(add_key)
            self._keys[add_key.id] = add_key
        for key_id in keys.keys() & self._keys.keys():
            self._move_key(key_id, keys[key_id])
        for application_id in applications.keys() & self._applications.keys():
            self._move_application(application_id, applications[application_id])


def _is_wanted(line: Activity, wanted: ActivityFilter) -> bool:
    texts = [text.casefold() for text in (line.action, line.subject, line.result, line.who)]
    return (
        wanted.environment_id in {None, line.environment_id}
        and (wanted.since is None or line.at >= wanted.since)
        and (wanted.until is None or line.at < wanted.until)
        and all(any(word in text for text in texts) for word in wanted.text.casefold().split())
    )
