"""Beginning a rotation: what the replacement shall be, why, until when, and who uses the old key."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from keybench.core import rotation_moves as moves
from keybench.core import rotation_plans as plans
from keybench.core.environment import Environment
from keybench.core.errors import RotationBarred
from keybench.core.events import ActivityRecorded, KeysChanged, RotationChanged
from keybench.core.planned_key import PlannedKey
from keybench.core.ports import Activity
from keybench.core.rotation import Evidence, KeyFacts, Rotation
from keybench.core.rotation_plans import Described, Difference, differences, next_name
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.core.text import clean_note
from keybench.workflows.rotate_applications import steps_of
from keybench.workflows.rotate_clear import RotateClear
from keybench.workflows.rotate_steps import clean_person

_SHORT = 100


class RotateStart(RotateClear):
    """The first step, and changing its plan."""

    def proposed(self, key: SecurityKey, taken: Collection[str] = ()) -> KeyDraft:
        """Return what the replacement of a key should be: the same, with a name of its own.

        Args:
            key: The key that goes.
            taken: Other names of the environment's keys that can't be used.
        """
        name = next_name(key.name, {key.name, *taken}, self._now().year)
        return KeyDraft(name, key.username, key.permission, key.kind, key.purpose)

    def differences(self, old: Described, draft: KeyDraft) -> tuple[Difference, ...]:
        """Return in what a draft isn't like the old key; a person has to confirm that before it is made."""
        return differences(old, draft)

    async def start(
        self,
        environment: Environment,
        key: SecurityKey,
        draft: KeyDraft,
        *,
        reason: str,
        by: str,
        overlap_ends_at: datetime,
        compromised: bool = False,
    ) -> Rotation:
        """Begin to rotate a key: the plan is noted, nothing is made yet.

        Args:
            environment: Where the key belongs.
            key: The key that goes.
            draft: What the replacement shall be.
            reason: Why, in the person's words.
            by: Who begins it, and confirms what is different.
            overlap_ends_at: Until when both keys are meant to be valid, UTC; without meaning if compromised.
            compromised: Whether the key may be in wrong hands.

        Raises:
            InputInvalid: A text can't be used, or the key was forgotten.
            RotationUnderWay: The key is being rotated already.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        old = await self._calling.key(environment.id, key.id)
        if compromised:  # no time to be lost over a name
            draft = await self._freely_named(environment, draft)
        tidy = await self._console.add_key.check(environment, draft)
        applications = await self._world.journal.applications(environment.id)
        now = self._now()
        rotation = Rotation(
            id=uuid.uuid4().hex,
            environment_id=environment.id,
            old=KeyFacts.of(old),
            reason=why,
            started_at=now,
            started_by=who,
            overlap_ends_at=overlap_ends_at,
            making=_plan(old, tidy, who),
            applications=steps_of(applications, old.id),
            evidence=(Evidence(now, "rotation started", why, by=who),),
        )
        if compromised:
            rotation = moves.compromised(rotation, now, who)
        result = "compromised" if compromised else " ".join(why.split())[:_SHORT]
        line = Activity(now, "rotation started", environment.id, old.name, result)
        await self._world.journal.start_rotation(rotation, line)
        self._world.events.publish(RotationChanged(rotation.id, environment.id))
        self._world.events.publish(ActivityRecorded())
        if compromised:
            self._world.events.publish(KeysChanged(environment.id))
        return rotation

    async def _freely_named(self, environment: Environment, draft: KeyDraft) -> KeyDraft:
        names = [one.name for one in await self._world.journal.keys(environment.id)]
        is_taken = draft.name.strip().casefold() in {name.casefold() for name in names}
        return replace(draft, name=next_name(draft.name, names, self._now().year)) if is_taken else draft

    async def replan(self, rotation_id: str, draft: KeyDraft, by: str) -> Rotation:
        """Plan another replacement, while there is none; a key that was asked for already is cleared away.

        Args:
            rotation_id: Which rotation.
            draft: What the replacement shall be.
            by: Who plans it, and confirms what is different.

        Raises:
            InputInvalid: A text can't be used, or the rotation has a replacement or is over.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            environment = await self._environment(rotation)
            tidy = await self._console.add_key.check(environment, draft)
            if rotation.making and self._is_elsewhere(rotation.making):
                raise RotationBarred(RotationBarred.ELSEWHERE)
            making = _plan(rotation.old, tidy, who)
            planned = await self._step(
                rotation,
                lambda stored: plans.plan_replacement(stored, making),
                "replacement planned",
                result=tidy.name,
            )
            return await self._clear_if_possible(planned)


def _plan(old: Described, draft: KeyDraft, by: str) -> PlannedKey:
    confirmed_by = by if differences(old, draft) else ""
    return PlannedKey(uuid.uuid4().hex, str(uuid.uuid4()), draft, confirmed_by)
