"""Rotations: every use case about replacing a key, step by step.

Each step is one durable transaction, so a rotation goes on after a restart, on another day, in another
window; several go on at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeAlias

from keybench.core.environments.environment import Environment
from keybench.core.errors import KeybenchError
from keybench.core.events import ActivityRecorded, KeysChanged, RotationChanged
from keybench.core.input_errors import InputInvalid, RotationUnderWay
from keybench.core.keys.application import Application
from keybench.core.keys.key import KeyDraft, PlannedKey, SecurityKey
from keybench.core.rotations import moves, plans, stages
from keybench.core.rotations.rotation import (
    REVOCATION,
    ApplicationStep,
    CompromiseStep,
    Evidence,
    KeyFacts,
    Rotation,
)
from keybench.core.text import PURPOSE_LIMIT, clean_note, clean_text
from keybench.workflows.guard import guarded
from keybench.workflows.rotations.new_key import NewKey, new_plan
from keybench.workflows.rotations.old_key import OldKey
from keybench.workflows.rotations.steps import clean_person, name_in, replacement_of

_SHORT = 100

#: What becomes of a register's entry: given that, the rotation as it was, the moment and the person.
EntryMove: TypeAlias = Callable[[Application, Rotation, datetime, str], Application]


@guarded
class Rotations(NewKey, OldKey):
    """The use cases; those about one of the keys alone are in `NewKey` and `OldKey`.

    A step takes a rotation's id and returns the rotation as it is stored then. One that doesn't fit the state
    of the rotation raises `RotationBarred` with the reason, and a name or text that can't be used raises
    another `InputInvalid`; nothing is changed then. Every one may raise `NotFound` or another `JournalError`.
    """

    async def listed(self, environment_id: str | None = None) -> Sequence[Rotation]:
        """Return the rotations, the newest first, of one environment or of all."""
        return await self._world.journal.rotations(environment_id)

    async def one(self, rotation_id: str) -> Rotation:
        """Return a rotation."""
        return await self._world.journal.rotation(rotation_id)

    async def under_way(self, key: SecurityKey) -> Rotation | None:
        """Return a key's open rotation, else that of another key with its value; None if there is none."""
        ids = await self._world.alike(key.environment_id, key.id)
        known = [
            one for one in await self.listed(key.environment_id) if one.is_open and one.old.key_id in ids
        ]
        return next((one for one in known if one.old.key_id == key.id), next(iter(known), None))

    async def resume(self, rotation_id: str) -> Rotation:
        """Resume a rotation that stopped within a step; no error if there is nothing to do.

        What a person asked for and the program didn't finish is finished: a replacement is created or found,
        a deletion is made or found out, an old value is erased, orphaned keys are deleted. What another
        running program works on is left to that.
        """
        async with self._turn(rotation_id) as rotation:
            if not stages.was_interrupted(rotation):
                return rotation
            if stages.is_revoked(rotation):  # trouble with the new key must not leave it valid
                gone = await self._resume_deletion(rotation)
                return await self._resume_creation(await self._clear(gone))
            created = await self._resume_creation(await self._clear(rotation))
            return await self._resume_deletion(created)

    def proposed(self, key: SecurityKey, taken: Collection[str] = ()) -> KeyDraft:
        """Return what the replacement of a key should be: the same, with a name of its own."""
        name = plans.next_name(key.name, {key.name, *taken}, self._now().year)
        return KeyDraft(name, key.username, key.permission, key.kind, key.purpose)

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
        revoked: bool = False,
    ) -> Rotation:
        """Begin to rotate a key: the plan is noted, nothing is created yet.

        `revoked` says that the key is to be deleted at once; `delete` does that.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        old = await self._console.calling.key(environment.id, key.id)
        if not revoked and (under_way := await self.under_way(old)):
            raise RotationUnderWay(under_way.old.name)
        making: PlannedKey | None = None
        try:
            making = new_plan(await self._console.add_key.check(environment, draft))
        except InputInvalid:
            if not revoked:  # no time to be lost over a plan; another one can be made later
                raise
        applications = _steps_of(
            await self._world.journal.applications(environment.id),
            await self._world.alike(environment.id, old.id),
        )
        now = self._now()
        rotation = Rotation(
            id=uuid.uuid4().hex,
            environment_id=environment.id,
            old=KeyFacts.of(old),
            reason=why,
            started_at=now,
            started_by=who,
            overlap_ends_at=overlap_ends_at,
            making=making,
            applications=applications,
            evidence=(Evidence(now, "rotation started", why, by=who),),
        )
        if compromised:
            rotation = moves.compromised(rotation, now, who)
        action, result = "rotation started", "compromised" if compromised else " ".join(why.split())[:_SHORT]
        if revoked:
            rotation = moves.revocation_asked(rotation, now, who, why)
            action, result = REVOCATION, ""
        line = self._world.line(action, environment.id, old.name, result, by=who, at=now)
        await self._world.journal.start_rotation(rotation, line)
        self._world.events.publish(RotationChanged(rotation.id, environment.id))
        self._world.events.publish(ActivityRecorded())
        if compromised:
            self._world.events.publish(KeysChanged(environment.id))
        return rotation

    async def revoke(self, environment: Environment, key: SecurityKey, by: str, reason: str) -> Rotation:
        """Note that a key is to be deleted at once, whatever stops working; `delete` then does it.

        It is the old key of a rotation from then on: of the one under way, or of one that begins with this.
        From then on it goes as in every rotation, also after a crash; a new key can be made when it is gone.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        under_way = await self.under_way(key)
        # Only a gateway's own identifier of the key lets it delete the key.
        if under_way and (under_way.old.key_id == key.id or not key.gateway_id):
            asked = partial(moves.revocation_asked, reason=why)
            revoked = await self._act(under_way.id, who, asked, REVOCATION)
            self._world.events.publish(KeysChanged(environment.id))
        else:
            names = [one.name for one in await self._world.journal.keys(environment.id)]
            revoked = await self.start(
                environment,
                key,
                self.proposed(key, names),
                reason=why,
                by=who,
                overlap_ends_at=self._now(),
                compromised=True,
                revoked=True,
            )
        return revoked

    # --- the applications ----------------------------------------------------------------------------

    async def refresh_applications(self, rotation_id: str) -> Rotation:
        """List the register's applications of the old key as they are now."""
        async with self._turn(rotation_id) as rotation:
            register = await self._world.journal.applications(rotation.environment_id)
            ids = await self._world.alike(rotation.environment_id, rotation.old.key_id)
            listed = _steps_of(register, ids)
            return await self._record(rotation, lambda stored: moves.applications_listed(stored, listed))

    async def application_changed(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Tick an application: a person set the new key there. The register notes it, too."""
        return await self._act_on(
            rotation_id,
            application_id,
            by,
            moves.application_changed,
            "application changed",
            lambda entry, rotation, at, who: entry.using(replacement_of(rotation).key_id, at, who),
        )

    async def application_not_changed(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Take an application's tick back; the register has it under the old key again."""
        return await self._act_on(
            rotation_id,
            application_id,
            by,
            moves.application_not_changed,
            "application changed back",
            lambda entry, rotation, _at, _who: entry.using(rotation.old.key_id),
        )

    async def application_seen(self, rotation_id: str, application_id: str, by: str, how: str) -> Rotation:
        """Note that a person saw an application working with the new key."""
        seen = clean_text("what was seen", how, limit=PURPOSE_LIMIT, required=False) or "seen working"
        return await self._act_on(
            rotation_id,
            application_id,
            by,
            partial(moves.application_seen, how=seen),
            "application seen working",
            lambda entry, _rotation, at, who: replace(entry, seen_at=at, seen_by=who),
        )

    async def application_not_seen(self, rotation_id: str, application_id: str, by: str) -> Rotation:
        """Take it back that an application was seen working."""
        return await self._act_on(
            rotation_id,
            application_id,
            by,
            moves.application_not_seen,
            "application not seen working",
            lambda entry, _rotation, _at, _who: replace(entry, seen_at=None, seen_by=""),
        )

    # --- the rotation as a whole ---------------------------------------------------------------------

    async def document(self, rotation_id: str, by: str, place: str) -> Rotation:
        """Note that the security documentation is up to date; with that the rotation is finished."""
        where = clean_text("place", place, limit=PURPOSE_LIMIT, required=False)
        documented = partial(moves.documented, place=where)
        return await self._act(rotation_id, by, documented, "documentation updated")

    async def move_end(self, rotation_id: str, ends_at: datetime, by: str) -> Rotation:
        """Plan another end for the time in which both keys are valid, UTC."""
        moved = partial(moves.overlap_moved, ends_at=ends_at)
        result = f"to {ends_at.isoformat(timespec='minutes')}"
        return await self._act(rotation_id, by, moved, "planned end moved", result)

    async def compromise(self, rotation_id: str, by: str) -> Rotation:
        """Treat the old key as compromised from now on."""
        worse = await self._act(rotation_id, by, moves.compromised, "key compromised")
        self._world.events.publish(KeysChanged(worse.environment_id))
        return worse

    async def undo_deletion(self, rotation_id: str, by: str) -> Rotation:
        """Note that the old key isn't to be deleted after all; where it is certainly there."""
        return await self._cleared(await self._undo_deletion(rotation_id, by))

    async def not_compromised(self, key: SecurityKey, by: str, reason: str) -> SecurityKey:
        """Take back that a key is compromised, for a written reason, and return the key as it is then known.

        Every rotation that says so of its value is told. A revocation that isn't known to be done is taken
        back, and a rotation that was begun for it and has no new key is given up.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        where = key.environment_id
        ids = await self._world.alike(where, key.id)
        for one in await self.listed(where):
            if not one.compromised or one.old.key_id not in ids:
                continue
            if one.is_open and stages.is_revoked(one):
                await self._undo_deletion(one.id, who, why)
            await self._cleared(await self._act(one.id, who, partial(moves.not_compromised, reason=why)))
        await self._world.note_activity("key not compromised", where, key.name, why[:_SHORT], by=who)
        self._world.events.publish(KeysChanged(where))
        return await self._console.calling.key(where, key.id)

    async def check(
        self,
        rotation_id: str,
        step: CompromiseStep,
        done: bool,  # noqa: FBT001 - a tick
        by: str,
        findings: str,
    ) -> Rotation:
        """Keep a point of the list for a compromised key, also when the rotation is over."""
        found = clean_note("findings", findings, required=False)
        checked = partial(moves.checked, step=step, done=done, findings=found)
        return await self._act(rotation_id, by, checked, "leak checked" if done else "leak noted", step.value)

    async def abandon(self, rotation_id: str, by: str, reason: str) -> Rotation:
        """Give the rotation up with both keys as they are; a key that was only being created is deleted."""
        who, why = clean_person(by), clean_note("reason", reason)
        async with self._turn(rotation_id) as rotation:
            await self._refuse_if_deleted(rotation)
            abandoned = partial(moves.abandoned, at=self._now(), by=who, reason=why)
            given_up = await self._record(rotation, abandoned, "rotation abandoned", by=who)
            return await self._clear(given_up)

    async def _cleared(self, rotation: Rotation) -> Rotation:
        """Return a rotation without the key that was only planned for it, if it was given up with one."""
        with suppress(KeybenchError):  # what is left over is told with it, and cleared away later
            return await self.resume(rotation.id) if rotation.leftovers else rotation
        return rotation

    async def _act_on(
        self,
        rotation_id: str,
        application_id: str,
        by: str,
        move: Callable[..., Rotation],
        action: str,
        entry_move: EntryMove,
    ) -> Rotation:
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._record(
                rotation,
                partial(move, application_id=application_id, at=now, by=who),
                action,
                subject=name_in(rotation, application_id),
                by=who,
                applications={application_id: lambda entry: entry_move(entry, rotation, now, who)},
            )


def _steps_of(register: Sequence[Application], key_ids: Collection[str]) -> tuple[ApplicationStep, ...]:
    return tuple(
        ApplicationStep(one.id, one.name, one.owner, one.contact, one.place, one.instructions)
        for one in register
        if one.key_id in key_ids
    )
