"""Clearing away what a rotation made and nobody wants: at the gateway, then the value, then the note."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from keybench.core import rotation_plans as plans
from keybench.core.errors import (
    GatewayError,
    KeystoreError,
    NotFound,
    RotationBarred,
)
from keybench.core.planned_key import Cleared, PlannedKey
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.security_key import SecurityKey
from keybench.workflows.making_keys import MakesKeys, anew
from keybench.workflows.rotate_steps import Steps


class RotateClear(Steps, MakesKeys[Rotation, Rotation]):
    """Leftovers, and the plans they came from: how a rotation keeps them."""

    async def _cleared(self, rotation: Rotation) -> Rotation:
        """Clear every leftover away, so that the gateway has no key that nobody wants.

        Raises:
            GatewayError, KeystoreError: One can't be cleared away now; it stays noted.
            NotFound: The environment was removed.
        """
        for leftover in rotation.leftovers:
            environment, making = await self._environment(rotation), leftover.making
            cleared = await self._clear_away(environment, making, leftover.gateway_id)
            rotation = await self._note_cleared(rotation, making, cleared)
        return rotation

    async def _clear_if_possible(self, rotation: Rotation) -> Rotation:
        """Clear away as much as can be now; what is left stays noted and is tried again."""
        try:
            return await self._cleared(rotation)
        except (GatewayError, KeystoreError, NotFound):
            return await self.one(rotation.id)

    async def _note_cleared(self, rotation: Rotation, making: PlannedKey, cleared: Cleared) -> Rotation:
        now, certain = self._now(), cleared is not Cleared.UNSURE
        return await self._step(
            rotation,
            lambda stored: plans.orphan_cleared(stored, making.key_id, now, certain=certain),
            "unused key cleared",
            subject=making.draft.name,
        )

    # --- where a rotation keeps its plan -------------------------------------------------------------

    def _making(self, plan: Rotation) -> PlannedKey:
        if plan.making is None:
            raise RotationBarred(RotationBarred.NOT_PLANNED)
        return plan.making

    async def _note_asked(self, plan: Rotation, *, durable: bool) -> Rotation:
        owner, now = self._world.owners.me, self._now()
        return await self._step(
            plan, lambda stored: plans.creation_asked(stored, now, owner, durable=durable)
        )

    async def _note_left(self, plan: Rotation, *, certain: bool) -> None:
        making = self._making(plan)
        again = anew(making)
        await self._step(
            plan,
            lambda stored: (
                plans.creation_failed(stored, again)
                if certain
                else plans.creation_left(stored, making.request_id)
            ),
        )

    async def _note_unwanted(self, plan: Rotation, gateway_id: str) -> Rotation:
        again = anew(self._making(plan))
        return await self._step(plan, lambda stored: plans.creation_undone(stored, gateway_id, again))

    async def _note_kept(self, plan: Rotation, key: SecurityKey) -> Rotation:
        now = self._now()
        with suppress(NotFound):  # whoever answers for the old key does for the new one
            old = await self._calling.key(plan.environment_id, plan.old.key_id)
            key = replace(key, owner=old.owner)
        return await self._step(
            plan,
            lambda stored: plans.replacement_kept(stored, KeyFacts.of(key), now),
            "replacement created",
            subject=key.name,
            result=key.fingerprint,
            add_key=key,
        )
