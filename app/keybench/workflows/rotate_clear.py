"""Clearing away what a rotation made and nobody wants: at the gateway, then the value, then the note."""

from __future__ import annotations

import uuid
from dataclasses import replace

from keybench.core import rotation_plans as plans
from keybench.core.environment import Environment
from keybench.core.errors import (
    Forbidden,
    GatewayError,
    KeyMadeBefore,
    KeyRefused,
    KeystoreError,
    NameTaken,
    NotFound,
    Refused,
)
from keybench.core.making import Leftover, Making
from keybench.core.rotation import Rotation
from keybench.workflows.rotate_steps import Steps


class RotateClear(Steps):
    """Leftovers, and the plans they came from."""

    async def _cleared(self, rotation: Rotation) -> Rotation:
        """Clear every leftover away, so that the gateway has no key that nobody wants.

        Raises:
            GatewayError, KeystoreError: One can't be cleared away now; it stays noted.
            NotFound: The environment was removed.
        """
        for leftover in rotation.leftovers:
            environment = await self._environment(rotation)
            rotation = await self._clear(rotation, environment, leftover)
        return rotation

    async def _clear_if_possible(self, rotation: Rotation) -> Rotation:
        """Clear away as much as can be now; what is left stays noted and is tried again."""
        try:
            return await self._cleared(rotation)
        except (GatewayError, KeystoreError, NotFound):
            return await self.one(rotation.id)

    async def _clear(self, rotation: Rotation, environment: Environment, leftover: Leftover) -> Rotation:
        making, gateway_id, certain = leftover.making, leftover.gateway_id, True
        if self._gateway_makes_keys(environment):
            base_url = await self._calling.base_url(environment)
            if not gateway_id and making.asked_at:
                gateway_id, certain = await self._found_out(environment, base_url, making)
            if gateway_id:
                await self._world.portal.delete_key(environment, base_url, gateway_id)
        await self._world.keystore.erase(entry_for(rotation, making))
        now = self._now()
        return await self._step(
            rotation,
            lambda stored: plans.leftover_cleared(stored, making.key_id, now, certain=certain),
            "unused key cleared",
            subject=making.draft.name,
        )

    async def _found_out(self, environment: Environment, base_url: str, making: Making) -> tuple[str, bool]:
        """Return the gateway's identifier of a key it may have made, and whether there is no other to delete.

        The same request made once more is the only question the gateway answers about it: it says that it
        made the key before, or makes it, to be deleted at once.
        """
        try:
            made = await self._world.portal.create_key(environment, base_url, making.draft, making.request_id)
        except KeyMadeBefore as before:
            return before.gateway_id, bool(before.gateway_id)
        except (KeyRefused, Forbidden):
            raise
        except NameTaken:
            return "", False
        except Refused as refused:
            if refused.asks_to_wait:
                raise
            return "", False
        return made.gateway_id, True

    def _is_elsewhere(self, making: Making) -> bool:
        """Tell whether another running program is at making the key; `_turn` saw to those that ended."""
        return making.owner not in {"", self._world.owners.me}


def anew(making: Making) -> Making:
    """Return the same plan for another attempt, with identifiers of its own."""
    return replace(making, key_id=uuid.uuid4().hex, request_id=str(uuid.uuid4()), asked_at=None, owner="")


def entry_for(rotation: Rotation, making: Making) -> str:
    """Return the name of the keystore entry that is to hold the planned key's value."""
    return f"{rotation.environment_id}/{making.key_id}"
