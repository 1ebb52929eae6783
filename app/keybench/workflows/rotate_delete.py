"""Deleting the old key: wished for, deleted, seen to be refused, and its value erased last of all.

The wish is in the journal before the gateway is called. Whether it was carried out already is found out with
the old key itself: refused means deleted, and nothing is sent a second time.
"""

from __future__ import annotations

from keybench.core import rotation_moves as moves
from keybench.core import rotation_stages as stages
from keybench.core.environment import Environment
from keybench.core.errors import Forbidden, KeyRefused, RotationBarred, ValueDiffers, ValueLost
from keybench.core.ports import entry_of
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.text import clean_note
from keybench.workflows.calling import kept_value
from keybench.workflows.rotate_steps import Steps, clean_person, key_of, replacement_of


class RotateDelete(Steps):
    """Stage 4 without the wait until the old key is refused."""

    async def delete(self, rotation_id: str, by: str, override: str = "") -> Rotation:
        """Note the wish to delete the old key and, where the gateway can, delete it there.

        Elsewhere a person deletes it in the portal and says so with `deleted_in_portal`.

        Args:
            rotation_id: Which rotation.
            by: Who asks.
            override: Why it goes before every application was seen working; empty if they were.

        Raises:
            RotationBarred: Something is missing and there is no written reason.
            SalesUnderWay: Sales need the old key to learn their outcome.
            GatewayError: The gateway didn't delete it, or nobody can tell; the wish stays.
            KeystoreError: The old value is needed to find out, and can't be had.
        """
        who, why = clean_person(by), clean_note("reason", override, required=False)
        async with self._turn(rotation_id) as rotation:
            moves.deletion_asked(rotation, self._now(), who, why)
            await self._refuse_while_selling(rotation.old)
            is_first, now = rotation.deletion is None, self._now()
            asked = await self._step(
                rotation,
                lambda stored: moves.deletion_asked(stored, now, who, why),
                "deletion asked for",
                result=f"by {who}, before all was tested" if why else f"by {who}",
            )
            return await self._deleted(asked, is_first=is_first)

    async def deleted_in_portal(self, rotation_id: str, by: str) -> Rotation:
        """Note that a person deleted the old key in the portal; it still has to be seen to be refused.

        Raises:
            RotationBarred: Nobody asked for the deletion.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            return await self._note_deleted(rotation, who, in_portal=True)

    async def take_as_refused(self, rotation_id: str, by: str, note: str) -> Rotation:
        """Note that a person takes the old key for refused where no answer says so by itself, and why.

        Raises:
            RotationBarred: The old key isn't deleted.
            KeystoreError: The replacement's value can't be read back, or the old one not erased; nothing was.
        """
        who, why = clean_person(by), clean_note("note", note)
        async with self._turn(rotation_id) as rotation:
            return await self._finished(await self._note_refused(rotation, 0, by=who, note=why))

    async def finish_deletion(self, rotation_id: str) -> Rotation:
        """Do what is left after the old key was refused: read the new value back, erase the old one.

        Raises:
            RotationBarred: The old key wasn't seen to be refused.
            KeystoreError: The replacement's value can't be read back, or the old one not erased; nothing was.
        """
        async with self._turn(rotation_id) as rotation:
            return await self._finished(rotation)

    async def undo_deletion(self, rotation_id: str, by: str) -> Rotation:
        """Take the wish to delete back, where the old key is certainly there.

        Raises:
            RotationBarred: It is deleted.
            GatewayError, KeystoreError: Nobody can tell whether it is; the wish stays.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            await self._refuse_if_deleted(rotation)
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.deletion_undone(stored, now, who),
                "deletion taken back",
                result=f"by {who}",
            )

    async def _deleted(self, rotation: Rotation, *, is_first: bool) -> Rotation:
        deletion = rotation.deletion
        environment = await self._environment(rotation)
        if deletion is None or deletion.deleted_at or not self._gateway_deletes(rotation, environment):
            return rotation
        # Somebody asked before: the gateway may have done it. Then nothing is sent a second time.
        if is_first or not await self._is_refused_if_known(rotation):
            base_url = await self._calling.base_url(environment)
            await self._world.portal.delete_key(environment, base_url, rotation.old.gateway_id)
        return await self._note_deleted(rotation, deletion.by, in_portal=False)

    async def _take_up_deletion(self, rotation: Rotation) -> Rotation:
        """Bring a deletion that was asked for as far as it goes without waiting."""
        deletion = rotation.deletion
        if not rotation.is_open or deletion is None or stages.is_erased(deletion):
            return rotation
        if deletion.refused_at:
            return await self._finished(rotation)
        if deletion.deleted_at is None:
            await self._refuse_while_selling(rotation.old)
            return await self._deleted(rotation, is_first=False)
        return rotation

    async def _refuse_if_deleted(self, rotation: Rotation) -> None:
        """Note the truth and raise if a deletion that was asked for turns out to be done."""
        deletion = rotation.deletion
        if not rotation.is_open or deletion is None or deletion.deleted_at:
            return
        environment = await self._environment(rotation)
        if self._gateway_deletes(rotation, environment) and await self._is_refused(rotation):
            await self._note_deleted(rotation, deletion.by, in_portal=False)
            raise RotationBarred(RotationBarred.DELETED)

    async def _is_refused_if_known(self, rotation: Rotation) -> bool:
        """Tell what `_is_refused` does; False if the old key can't be called with any more."""
        try:
            return await self._is_refused(rotation)
        except (ValueLost, ValueDiffers):
            return False  # deleting by identifier is the only way left, and no error where it is gone

    async def _is_refused(self, rotation: Rotation) -> bool:
        """Tell whether the gateway refuses the old key as unknown.

        Raises:
            GatewayError, KeystoreError: Nobody can tell now.
        """
        try:
            async with await self._line(rotation, rotation.old) as line:
                await self._world.gateway.probe_key(line.caller)
        except KeyRefused:
            return True
        except Forbidden as error:
            if error.asks_to_wait:
                raise
        return False

    async def _note_deleted(self, rotation: Rotation, by: str, *, in_portal: bool) -> Rotation:
        now = self._now()
        where = "in the portal" if in_portal else "at the gateway"
        return await self._step(
            rotation,
            lambda stored: moves.deleted(stored, now, by, in_portal=in_portal),
            "old key deleted",
            result=f"{where}, by {by}",
        )

    async def _note_refused(
        self, rotation: Rotation, status: int, *, by: str = "", note: str = ""
    ) -> Rotation:
        now = self._now()
        return await self._step(
            rotation,
            lambda stored: moves.seen_refused(stored, now, status, by=by, note=note),
            "old key refused",
            result=f"taken as refused by {by}" if by else str(status),
        )

    async def _finished(self, rotation: Rotation) -> Rotation:
        """Erase the old value, once the new one was read back and is the one that was kept."""
        moves.value_erased(rotation, self._now())
        if stages.is_erased(rotation.deletion):
            return rotation
        await kept_value(self._world.keystore, key_of(rotation, await self._successor(rotation)))
        await self._world.keystore.erase(entry_of(key_of(rotation, rotation.old)))
        now = self._now()
        return await self._step(
            rotation,
            lambda stored: moves.value_erased(stored, now),
            "old value erased",
            remove_key=rotation.old.key_id,
        )

    async def _successor(self, rotation: Rotation) -> KeyFacts:
        """Return the key whose value has to be there: the replacement, or what replaced that meanwhile."""
        newest = replacement_of(rotation)
        rotations = await self._world.journal.rotations(rotation.environment_id)
        for later in reversed(rotations):  # the oldest first
            if later.old.key_id == newest.key_id and stages.is_erased(later.deletion) and later.replacement:
                newest = later.replacement
        return newest

    def _gateway_deletes(self, rotation: Rotation, environment: Environment) -> bool:
        return bool(rotation.old.gateway_id) and self._gateway_makes_keys(environment)
