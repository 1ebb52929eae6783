"""What concerns a rotation as a whole: its planned end, a leak, its list, giving it up, its documentation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from keybench.core import rotation_moves as moves
from keybench.core.events import KeysChanged
from keybench.core.history import SaleFilter
from keybench.core.rotation import CompromiseStep, Rotation
from keybench.core.sale import Sale
from keybench.core.text import PURPOSE_LIMIT, clean_note, clean_text
from keybench.workflows.rotate_clear import RotateClear
from keybench.workflows.rotate_delete import RotateDelete
from keybench.workflows.rotate_steps import clean_person


class RotateClose(RotateDelete, RotateClear):
    """Stage 5, and what can be done at any stage."""

    async def move_end(self, rotation_id: str, ends_at: datetime, by: str) -> Rotation:
        """Plan another end for the time in which both keys are valid, UTC.

        Raises:
            RotationBarred: The rotation is over, or the old key is deleted.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.overlap_moved(stored, ends_at, now, who),
                "planned end moved",
                result=f"to {ends_at.isoformat(timespec='minutes')}, by {who}",
            )

    async def end_now(self, rotation_id: str, by: str) -> Rotation:
        """End the time in which both keys are valid; the old key still has to be deleted. As `move_end`."""
        return await self.move_end(rotation_id, self._now(), by)

    async def compromise(self, rotation_id: str, by: str) -> Rotation:
        """Take the old key for compromised from now on.

        Raises:
            RotationBarred: The rotation is over.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            worse = await self._step(
                rotation,
                lambda stored: moves.compromised(stored, now, who),
                "key compromised",
                result=f"by {who}",
            )
            self._world.events.publish(KeysChanged(rotation.environment_id))
            return worse

    async def check(
        self,
        rotation_id: str,
        step: CompromiseStep,
        done: bool,  # noqa: FBT001 - a tick
        by: str,
        findings: str,
    ) -> Rotation:
        """Keep a point of the list for a compromised key, also when the rotation is over.

        Args:
            rotation_id: Which rotation.
            step: Which point.
            done: Whether it is ticked.
            by: Who keeps it.
            findings: What was found; may be empty and may have several lines.

        Raises:
            RotationBarred: The old key isn't compromised.
        """
        who = clean_person(by)
        found = clean_note("findings", findings, required=False)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.checked(stored, step, now, who, done=done, findings=found),
                "leak checked" if done else "leak noted",
                result=f"{step.value}, by {who}",
            )

    async def sales_since(self, rotation_id: str, since: datetime, limit: int) -> Sequence[Sale]:
        """Return the newest sales that were sent from here with the old key since a moment, newest first."""
        rotation = await self.one(rotation_id)
        wanted = SaleFilter(environment_id=rotation.environment_id, since=since, key_id=rotation.old.key_id)
        return await self._world.journal.find_sales(wanted, limit=limit)

    async def abandon(self, rotation_id: str, by: str, reason: str) -> Rotation:
        """Give the rotation up with both keys as they are; a key that was only being made is cleared away.

        Raises:
            RotationBarred: The old key is deleted, or the rotation is over.
            GatewayError, KeystoreError: Nobody can tell whether a deletion that was asked for was done.
        """
        who, why = clean_person(by), clean_note("reason", reason)
        async with self._turn(rotation_id) as rotation:
            await self._refuse_if_deleted(rotation)
            now = self._now()
            given_up = await self._step(
                rotation,
                lambda stored: moves.abandoned(stored, now, who, why),
                "rotation abandoned",
                result=f"by {who}",
            )
            return await self._clear_if_possible(given_up)

    async def document(self, rotation_id: str, by: str, place: str) -> Rotation:
        """Note that the security documentation is up to date; with that the rotation is finished.

        Args:
            rotation_id: Which rotation.
            by: Who updated it.
            place: Where the record was put; may be empty.

        Raises:
            RotationBarred: The old value isn't erased yet.
        """
        who = clean_person(by)
        where = clean_text("place", place, limit=PURPOSE_LIMIT, required=False)
        async with self._turn(rotation_id) as rotation:
            now = self._now()
            return await self._step(
                rotation,
                lambda stored: moves.documented(stored, now, who, where),
                "documentation updated",
                result=f"by {who}",
            )
