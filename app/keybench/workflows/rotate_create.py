"""PlannedKey the replacement as every key is made, see `making_keys`, and taking it back."""

from __future__ import annotations

from keybench.core import rotation_plans as plans
from keybench.core.environment import Environment
from keybench.core.errors import RotationBarred
from keybench.core.fingerprint import fingerprint
from keybench.core.planned_key import PlannedKey
from keybench.core.ports import CreatedKey
from keybench.core.rotation import Rotation
from keybench.core.security_key import tidy_value
from keybench.workflows.making_keys import anew, entry_for
from keybench.workflows.rotate_clear import RotateClear
from keybench.workflows.rotate_steps import clean_person, replacement_of


class RotateCreate(RotateClear):
    """Stage 1 without its proof."""

    def can_create(self, environment: Environment) -> bool:
        """Tell whether the environment's gateway makes keys for us; else a value is pasted."""
        return self._gateway_makes_keys(environment)

    async def create(self, rotation_id: str) -> Rotation:
        """Have the gateway make the planned replacement and keep it.

        An attempt whose answer was lost is taken up, not repeated.

        Raises:
            RotationBarred: There is a replacement, no plan, or another program is at it.
            NameTaken: Another key has the planned name.
            GatewayError: The gateway didn't make it, or nobody can tell yet; ask again.
            KeystoreError: Its value can't be kept; nothing was made, or it is deleted there again.
            KeyNotNoted: It was made and is taken up the next time.
        """
        async with self._turn(rotation_id) as rotation:
            return await self._made(rotation)

    async def keep(self, rotation_id: str, pasted: str) -> Rotation:
        """Keep the value of a replacement that was made in the portal.

        Raises:
            RotationBarred: There is a replacement, no plan, or the value is the old key's.
            InputInvalid: The value or the planned name can't be used; nothing was kept.
            KeystoreError: The value can't be kept.
            KeyNotNoted: The value is kept and is taken up the next time.
        """
        async with self._turn(rotation_id) as rotation:
            making = self._mine(rotation)
            value = tidy_value(pasted, making.draft.kind).value
            if plans.is_same_value(rotation, fingerprint(value)):
                raise RotationBarred(RotationBarred.SAME_VALUE)
            environment = await self._environment(rotation)
            await self._console.add_key.check(environment, making.draft)
            # A key that the gateway may have made isn't the one that is pasted.
            planned = await self._note_unwanted(rotation, "") if making.asked_at else rotation
            await self._world.keystore.write(entry_for(environment.id, self._mine(planned)), value)
            return await self._noted(environment, planned, CreatedKey("", value))

    async def withdraw_replacement(self, rotation_id: str, by: str) -> Rotation:
        """Take the replacement back while nothing uses it; what the gateway made is deleted there.

        Raises:
            RotationBarred: There is none, or something uses it.
            SalesUnderWay: A test sale with it has no outcome yet.
        """
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            replacement = replacement_of(rotation)
            await self._refuse_while_selling(replacement)
            now = self._now()
            if rotation.making is None:
                raise RotationBarred(RotationBarred.NOT_PLANNED)
            again = anew(rotation.making)
            withdrawn = await self._step(
                rotation,
                lambda stored: plans.replacement_withdrawn(stored, again, now, who),
                "replacement withdrawn",
                subject=replacement.name,
                remove_key=replacement.key_id,
            )
            return await self._clear_if_possible(withdrawn)

    async def _take_up_creation(self, rotation: Rotation) -> Rotation:
        """Bring a replacement that was asked for or pasted, and isn't known yet, to its truth."""
        making = rotation.making
        if making is None or rotation.replacement or not rotation.is_open or self._is_elsewhere(making):
            return rotation
        if making.asked_at:
            return await self._made(rotation)
        value = await self._value_under(rotation.environment_id, making)
        if value is None:
            return rotation
        return await self._noted(await self._environment(rotation), rotation, CreatedKey("", value))

    async def _made(self, rotation: Rotation, *, is_last: bool = False) -> Rotation:
        """Return the rotation with its replacement; `is_last` if an earlier attempt's key was given up."""
        making = self._mine(rotation)
        environment = await self._environment(rotation)
        await self._console.add_key.check(environment, making.draft)
        rotation = await self._cleared(rotation)  # first: never two replacements at the gateway
        made = await self._make(environment, rotation, is_last=is_last)
        return made or await self._made(await self.one(rotation.id), is_last=True)

    def _mine(self, rotation: Rotation) -> PlannedKey:
        if rotation.replacement:
            raise RotationBarred(RotationBarred.REPLACED_ALREADY)
        if not rotation.is_open:
            raise RotationBarred(RotationBarred.OVER)
        making = self._making(rotation)
        if self._is_elsewhere(making):
            raise RotationBarred(RotationBarred.ELSEWHERE)
        return making
