"""Waiting until the deleted key is refused, which alone proves that it is gone; that may take a while."""

from __future__ import annotations

from keybench.core.errors import GatewayError, KeyRefused
from keybench.core.events import OldKeyTried
from keybench.core.input_errors import RotationBarred
from keybench.core.poll_plan import COMPROMISED_REFUSAL, USUAL_REFUSAL
from keybench.core.rotation import Rotation
from keybench.workflows.rotate_delete import RotateDelete


class RotateRefusal(RotateDelete):
    """The end of stage 4."""

    async def see_refused(self, rotation_id: str) -> Rotation:
        """Try the old key until the gateway refuses it, then finish the deletion; may take minutes.

        Every try is announced as `OldKeyTried`. Only a 401 counts: a 403 may be a rate limit or the user's
        rights, so it is tried on, and in the end a person has to judge it with `take_as_refused`.

        Raises:
            RotationBarred: The old key isn't deleted, or is still accepted after all the tries.
            GatewayError: The last try brought no answer about the key, or a 403.
            KeystoreError: The old value can't be had, so the key can't be tried; or see `finish_deletion`.
        """
        async with self._turn(rotation_id) as rotation:
            deletion = rotation.deletion
        if deletion is None or deletion.deleted_at is None:
            raise RotationBarred(RotationBarred.NOT_DELETED)
        if deletion.refused_at is None:
            status = await self._tried_until_refused(rotation)
            await self._note_refused(rotation, status)
        return await self.finish_deletion(rotation_id)

    async def _tried_until_refused(self, rotation: Rotation) -> int:
        """Return the status of the refusal."""
        plan = COMPROMISED_REFUSAL if rotation.compromised else USUAL_REFUSAL
        clock, tries = self._world.clock, 0
        began = clock.monotonic()
        while True:
            status, trouble = await self._answer(rotation)
            tries += 1
            patience = trouble.retry_after_s if trouble else None
            refused = isinstance(trouble, KeyRefused)
            pause = None if refused else plan.pause_s(clock.monotonic() - began, tries, patience)
            self._world.events.publish(OldKeyTried(rotation.id, tries, status, pause))
            if refused:
                return status
            if pause is None:
                raise trouble or RotationBarred(RotationBarred.STILL_ACCEPTED)
            await clock.sleep(pause)

    async def _answer(self, rotation: Rotation) -> tuple[int, GatewayError | None]:
        """Return the status that one try with the old key brought, and why if it isn't accepted."""
        try:
            async with await self._line(rotation, rotation.old) as line:
                return await self._world.gateway.probe_key(line.caller), None
        except GatewayError as error:
            return error.status, error
