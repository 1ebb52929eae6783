"""A rotation's old key: deleted, seen to be refused, and its value erased last of all.

That it is to be deleted is in the journal before the gateway is called. Whether it was deleted already is
found out with the old key itself: refused means deleted, and nothing is sent a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError, KeyRefused, KeystoreError, ValueDiffers, ValueLost
from keybench.core.events import KeysChanged, OldKeyTried
from keybench.core.input_errors import RotationBarred
from keybench.core.keys.key import KeyState, of_value
from keybench.core.ports import entry_of
from keybench.core.rotations import moves, stages
from keybench.core.rotations.rotation import (
    NEW_KEY_NOT_REVOKED,
    NEW_KEY_REVOKED,
    OLD_KEY_DELETED,
    REVOCATION_UNDONE,
    KeyFacts,
    Rotation,
)
from keybench.core.sales.poll_plan import COMPROMISED_REFUSAL, USUAL_REFUSAL
from keybench.core.text import clean_note
from keybench.workflows.keys.creation import gateway_knows
from keybench.workflows.keys.managing import refuse_while_selling
from keybench.workflows.rotations.steps import RotationSteps, clean_person, key_of, replacement_of


class OldKey(RotationSteps):
    """The use cases about a rotation's old key; see `Rotations`."""

    async def delete(self, rotation_id: str, by: str, override: str = "") -> Rotation:
        """Note that the old key is to be deleted and, where the gateway can, delete it there.

        Elsewhere a person deletes it in the portal and notes that with `deleted_in_portal`. `override` says
        why it goes before every application was seen working, or while other desks hold it; else it is empty.
        """
        who, why = clean_person(by), clean_note("reason", override, required=False)
        await self._world.journal.expect_right_to_remove()
        async with self._turn(rotation_id) as rotation:
            old, team = rotation.old, await self._console.look_at_team()
            held_at = ", ".join(desk.name for desk in team.others(old.key_id, old.fingerprint))
            asked_for = partial(moves.deletion_asked, at=self._now(), by=who, override=why, held=held_at)
            asked_for(rotation)
            await self._refuse_while_selling(rotation)
            early = "" if stages.ready_to_delete(rotation) else "before all was tested"
            told = f"held at {held_at}" if held_at else early
            asked = await self._record(rotation, asked_for, "deletion asked for", result=told, by=who)
            return await self._delete_at_gateway(asked, is_first=rotation.deletion is None)

    async def deleted_in_portal(self, rotation_id: str, by: str) -> Rotation:
        """Note that a person deleted the old key in the portal; it still has to be seen to be refused."""
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            return await self._note_deleted(rotation, who, in_portal=True)

    async def _undo_deletion(self, rotation_id: str, by: str, reason: str = REVOCATION_UNDONE) -> Rotation:
        """Note that the old key isn't to be deleted after all, where it is certainly there."""
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            await self._refuse_if_deleted(rotation)
            now = self._now()
            undone = partial(moves.deletion_undone, at=now, by=who, reason=reason)
            undone(rotation)
            if stages.is_revoked(rotation):  # first: after a crash between, the revocation is told anew
                stands = partial(moves.replacement_not_revoked, at=now, by=who)
                await self._tell_others(rotation, stands, NEW_KEY_NOT_REVOKED)
            back = await self._record(rotation, undone, "deletion taken back", by=who)
            self._world.events.publish(KeysChanged(back.environment_id))
            return back

    async def see_refused(self, rotation_id: str) -> Rotation:
        """Try the old key until the gateway refuses it, then finish the deletion; may take minutes.

        Every try is announced as `OldKeyTried`. Only a 401 counts: a 403 may be a rate limit or the user's
        rights, so it is tried on, and in the end a person has to judge it with `take_as_refused`.
        """
        async with self._turn(rotation_id) as rotation:
            deletion = rotation.deletion
        if deletion is None or deletion.deleted_at is None:
            raise RotationBarred(RotationBarred.NOT_DELETED)
        if deletion.refused_at is None:
            status = await self._tried_until_refused(rotation)
            await self._note_refused(rotation, status)
        return await self.finish_deletion(rotation_id)

    async def take_as_refused(self, rotation_id: str, by: str, note: str) -> Rotation:
        """Note that a person takes the old key for refused where no answer says so by itself, and why."""
        who, why = clean_person(by), clean_note("note", note)
        async with self._turn(rotation_id) as rotation:
            return await self._erase(await self._note_refused(rotation, 0, by=who, note=why))

    async def finish_deletion(self, rotation_id: str) -> Rotation:
        """Do what is left after the old key was refused: read the new value back, erase the old one."""
        async with self._turn(rotation_id) as rotation:
            return await self._erase(rotation)

    async def _refuse_if_deleted(self, rotation: Rotation) -> None:
        """Do nothing unless a deletion that was asked for turns out to be done, which is noted then."""
        deletion = rotation.deletion
        if not rotation.is_open or deletion is None or deletion.deleted_at:
            return
        environment = await self._environment(rotation)
        if self._can_delete(rotation, environment) and await self._is_refused(rotation, environment):
            await self._note_deleted(rotation, deletion.by, in_portal=False)
            raise RotationBarred(RotationBarred.DELETED)

    async def _resume_deletion(self, rotation: Rotation) -> Rotation:
        """Bring a deletion that was asked for as far as it goes without waiting."""
        deletion = rotation.deletion
        if not rotation.is_open or deletion is None or stages.is_erased(deletion):
            return rotation
        if deletion.refused_at:
            return await self._erase(rotation)
        if deletion.deleted_at is None:
            await self._refuse_while_selling(rotation)
            return await self._delete_at_gateway(rotation, is_first=False)
        return rotation

    async def _refuse_while_selling(self, rotation: Rotation) -> None:
        """Raise SalesUnderWay if sales need the old key, unless its being valid costs more than they do."""
        if not stages.is_revoked(rotation):
            ids = await self._world.alike(rotation.environment_id, rotation.old.key_id)
            await refuse_while_selling(self._world, ids, rotation.old.name)

    async def _delete_at_gateway(self, rotation: Rotation, *, is_first: bool) -> Rotation:
        deletion = rotation.deletion
        if deletion and stages.is_revoked(rotation):
            void = partial(moves.replacement_revoked, at=deletion.asked_at, by=deletion.by)
            await self._tell_others(rotation, void, NEW_KEY_REVOKED)
        environment = await self._environment(rotation)
        if deletion is None or deletion.deleted_at or not self._can_delete(rotation, environment):
            return rotation
        await self._world.journal.expect_right_to_remove()
        # Somebody asked before: the gateway may have done it. Then nothing is sent a second time.
        if is_first or not await self._is_surely_refused(rotation, environment):
            base_url = await self._calling.base_url(environment)
            await self._world.portal.delete_key(environment, base_url, rotation.old.gateway_id)
        return await self._note_deleted(rotation, deletion.by, in_portal=False)

    async def _tell_others(self, rotation: Rotation, move: Callable[..., Rotation], action: str) -> None:
        told = partial(move, key_ids=await self._world.alike(rotation.environment_id, rotation.old.key_id))
        for other in await self._world.journal.rotations(rotation.environment_id):
            if told(other) != other:
                await self._record(other, told, action, subject=rotation.old.name)

    def _can_delete(self, rotation: Rotation, environment: Environment) -> bool:
        return bool(rotation.old.gateway_id) and self.can_create(environment)

    async def _is_surely_refused(self, rotation: Rotation, environment: Environment) -> bool:
        """Tell whether the old key is refused; False where nobody can call with it any more.

        Deleting by identifier is the only way left then, and no error where it is gone. A key that is revoked
        isn't left valid because nobody can tell.
        """
        try:
            return await self._is_refused(rotation, environment)
        except (ValueLost, ValueDiffers):
            return False
        except (GatewayError, KeystoreError):
            if stages.is_revoked(rotation):
                return False
            raise

    async def _is_refused(self, rotation: Rotation, environment: Environment) -> bool:
        old = key_of(rotation, rotation.old)
        return not await gateway_knows(self._world, self._calling, environment, old)

    async def _note_deleted(self, rotation: Rotation, by: str, *, in_portal: bool) -> Rotation:
        deleted = partial(moves.deleted, at=self._now(), by=by, in_portal=in_portal)
        where = "in the portal" if in_portal else "at the gateway"
        return await self._record(rotation, deleted, OLD_KEY_DELETED, result=where, by=by)

    async def _tried_until_refused(self, rotation: Rotation) -> int:
        """Try the old key until the gateway refuses it, and return the status."""
        plan = COMPROMISED_REFUSAL if rotation.compromised else USUAL_REFUSAL
        clock, tries = self._world.clock, 0
        began = clock.monotonic()
        while True:
            status, error = await self._tried(rotation)
            if error is None:
                accepted = partial(moves.still_accepted, at=self._now(), status=status)
                await self._record(rotation, accepted)
            tries += 1
            retry_after_s = error.retry_after_s if error else None
            refused = isinstance(error, KeyRefused)
            pause = None if refused else plan.pause_s(clock.monotonic() - began, tries, retry_after_s)
            self._world.events.publish(OldKeyTried(rotation.id, tries, status, pause))
            if refused:
                return status
            if pause is None:
                raise error or RotationBarred(RotationBarred.STILL_ACCEPTED)
            await clock.sleep(pause)

    async def _tried(self, rotation: Rotation) -> tuple[int, GatewayError | None]:
        """Return the status that one try brought, and why if the key isn't accepted."""
        try:
            async with await self._connection(rotation, rotation.old) as connection:
                return await self._world.gateway.probe_key(connection.caller), None
        except GatewayError as error:
            return error.status, error

    async def _note_refused(
        self, rotation: Rotation, status: int, *, by: str = "", note: str = ""
    ) -> Rotation:
        """Note that the gateway refused it, or, where `by` is given, that a person says so, and why."""
        now, old = self._now(), rotation.old
        refused = partial(moves.seen_refused, at=now, status=status, by=by, note=note)
        result = "taken as refused" if by else str(status)
        # Other keys with the value stay, and aren't accepted any more either.
        known = of_value(old.fingerprint, lambda key: key.tested(KeyState.REFUSED, status, now))
        others = await self._world.alike(rotation.environment_id, old.key_id) - {old.key_id}
        return await self._record(
            rotation,
            refused,
            "old key refused",
            result=result,
            by=by,
            keys={} if by else dict.fromkeys(others, known),
        )

    async def _erase(self, rotation: Rotation) -> Rotation:
        """Erase its value, once the new one was read back and is the one that was kept."""
        moves.value_erased(rotation, self._now())
        if stages.is_erased(rotation.deletion):
            return rotation
        if successor := await self._successor(rotation):
            await self._calling.value(key_of(rotation, successor))
        await self._world.keystore.erase(entry_of(key_of(rotation, rotation.old)))
        return await self._record(
            rotation,
            partial(moves.value_erased, at=self._now()),
            "old value erased",
            remove_key=rotation.old.key_id,
        )

    async def _successor(self, rotation: Rotation) -> KeyFacts | None:
        """Return the key whose value has to be there: the replacement, or what replaced that meanwhile."""
        if rotation.replacement is None and stages.is_revoked(rotation):
            return None
        newest = replacement_of(rotation)
        rotations = await self._world.journal.rotations(rotation.environment_id)
        for later in reversed(rotations):  # the oldest first
            if later.old.key_id == newest.key_id and stages.is_erased(later.deletion):
                if later.replacement is None:
                    return None
                newest = later.replacement
        return newest
