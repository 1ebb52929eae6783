"""Rotations: every use case about replacing a key, its parts a file each by what they do.

All take a rotation's id and return the rotation as it is now stored, unless they say otherwise. Each step is
one durable transaction, so a rotation goes on after a restart, on another day, in another window; several go
on at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from keybench.core import rotation_stages as stages
from keybench.core.rotation import Rotation
from keybench.workflows.guard import guarded
from keybench.workflows.rotate_applications import RotateApplications
from keybench.workflows.rotate_close import RotateClose
from keybench.workflows.rotate_create import RotateCreate
from keybench.workflows.rotate_refusal import RotateRefusal
from keybench.workflows.rotate_start import RotateStart
from keybench.workflows.rotate_test import RotateTest


@guarded
class Rotations(RotateStart, RotateCreate, RotateTest, RotateApplications, RotateRefusal, RotateClose):
    """The use cases, in the order of the stages: start, create, test, replace, delete, close."""

    async def listed(self, environment_id: str | None = None) -> Sequence[Rotation]:
        """Return the rotations, the newest first, of one environment or of all."""
        return await self._world.journal.rotations(environment_id)

    async def take_up(self, rotation_id: str) -> Rotation:
        """Bring a rotation that stopped within a step to its truth; no error if there is nothing to do.

        What a person asked for and the program didn't see to its end is finished: a replacement is made or
        found, a deletion is made or found out, an old value is erased, what nobody wants is cleared away.
        What another running program is at is left to that.

        Raises:
            KeybenchError: It can't be done now; it is noted still, and can be taken up again.
        """
        async with self._turn(rotation_id) as rotation:
            if not stages.was_interrupted(rotation):
                return rotation
            cleared = await self._clear_if_possible(rotation)
            return await self._take_up_deletion(await self._take_up_creation(cleared))
