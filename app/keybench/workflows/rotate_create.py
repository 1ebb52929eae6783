"""Making the replacement so that there is never a second one, and none whose value is lost.

The plan is in the journal before the gateway is asked; the value is in the keystore, read back, before the
journal calls it the replacement. Whatever a crash leaves between two of these, the plan's identifiers lead to
it: the gateway says "made before" to the plan's request, and the keystore's entry has the plan's name.
"""

from __future__ import annotations

from contextlib import suppress

from keybench.core import rotation_plans as plans
from keybench.core.environment import Environment
from keybench.core.errors import (
    Forbidden,
    GatewayError,
    JournalError,
    KeyMadeBefore,
    KeyRefused,
    KeystoreError,
    NameTaken,
    NotFound,
    NotSent,
    PracticeUnavailable,
    Refused,
    RotationBarred,
    ValueLost,
)
from keybench.core.fingerprint import fingerprint, folded_fingerprint
from keybench.core.making import Making
from keybench.core.ports import CreatedKey
from keybench.core.rotation import KeyFacts, Rotation
from keybench.core.secret import Secret
from keybench.core.security_key import SecurityKey, tidy_value
from keybench.workflows.rotate_clear import RotateClear, anew, entry_for
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
            JournalError: It was made and is taken up the next time.
        """
        async with self._turn(rotation_id) as rotation:
            return await self._made(rotation)

    async def keep(self, rotation_id: str, pasted: str) -> Rotation:
        """Keep the value of a replacement that was made in the portal.

        Raises:
            RotationBarred: There is a replacement, no plan, or the value is the old key's.
            InputInvalid: The value or the planned name can't be used; nothing was kept.
            KeystoreError: The value can't be kept.
            JournalError: The value is kept and is taken up the next time.
        """
        async with self._turn(rotation_id) as rotation:
            making = self._mine(rotation)
            value = tidy_value(pasted, making.draft.kind).value
            if plans.is_same_value(rotation, fingerprint(value)):
                raise RotationBarred(RotationBarred.SAME_VALUE)
            environment = await self._environment(rotation)
            await self._console.add_key.check(environment, making.draft)
            # A key that the gateway may have made isn't the one that is pasted.
            planned = await self._undone(rotation, "") if making.asked_at else rotation
            making = self._mine(planned)
            await self._world.keystore.write(entry_for(planned, making), value)
            return await self._note_kept(planned, making, CreatedKey("", value))

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
        value = await self._value_under(rotation, making)
        return await self._note_kept(rotation, making, CreatedKey("", value)) if value else rotation

    async def _made(self, rotation: Rotation, *, is_last: bool = False) -> Rotation:
        """Return the rotation with its replacement; `is_last` if an earlier attempt's key was given up."""
        making = self._mine(rotation)
        environment = await self._environment(rotation)
        await self._console.add_key.check(environment, making.draft)
        rotation = await self._cleared(rotation)  # first: never two replacements at the gateway
        # A keystore that can't be used is found out before a key is made that couldn't be kept.
        value = await self._value_under(rotation, making)
        if value and not making.asked_at:
            return await self._note_kept(rotation, making, CreatedKey("", value))
        owner, now = self._world.owners.me, self._now()
        asked = await self._step(rotation, lambda stored: plans.creation_asked(stored, now, owner))
        try:
            return await self._ask(asked, environment, is_first=making.asked_at is None)
        except KeyMadeBefore as before:
            if found := await self._found(asked, environment, before.gateway_id):
                return await self._note_kept(asked, making, found)
            undone = await self._undone(asked, before.gateway_id)
            if is_last:  # a gateway that says so of a request it never saw
                raise
        return await self._made(undone, is_last=True)

    async def _ask(self, rotation: Rotation, environment: Environment, *, is_first: bool) -> Rotation:
        making = self._mine(rotation)
        try:
            base_url = await self._calling.base_url(environment)
            created = await self._world.portal.create_key(
                environment, base_url, making.draft, making.request_id
            )
        except KeyMadeBefore:
            raise
        except (NotSent, Refused, NameTaken, PracticeUnavailable):
            await self._leave(rotation, certain=is_first)
            raise
        except GatewayError:
            await self._leave(rotation, certain=False)
            raise
        try:
            await self._world.keystore.write(entry_for(rotation, making), created.value)
        except KeystoreError:
            with suppress(JournalError):  # then the plan says enough to take it up
                await self._clear_if_possible(await self._undone(rotation, created.gateway_id))
            raise
        return await self._note_kept(rotation, making, created)

    async def _found(
        self, rotation: Rotation, environment: Environment, gateway_id: str
    ) -> CreatedKey | None:
        """Return the key that an earlier attempt made, if its value got here and the gateway still has it."""
        making = self._mine(rotation)
        value = await self._value_under(rotation, making)
        if value is None:
            return None
        made = CreatedKey(gateway_id, value)
        key = self._described(rotation, making, made, owner="")
        return made if await self._is_known(environment, key) else None

    async def _is_known(self, environment: Environment, key: SecurityKey) -> bool:
        """Tell whether the gateway knows a key at all; a 403 says that it does."""
        try:
            async with self._calling.line(environment, key) as line:
                await self._world.gateway.probe_key(line.caller)
        except KeyRefused:
            return False
        except Forbidden as error:
            if error.asks_to_wait:
                raise
        return True

    async def _note_kept(self, rotation: Rotation, making: Making, created: CreatedKey) -> Rotation:
        key = self._described(rotation, making, created, owner=await self._owner(rotation))
        now = self._now()
        return await self._step(
            rotation,
            lambda stored: plans.replacement_kept(stored, KeyFacts.of(key), now),
            "replacement created",
            subject=key.name,
            result=key.fingerprint,
            add_key=key,
        )

    async def _owner(self, rotation: Rotation) -> str:
        """Return who answers for the old key; whoever does answers for the new one."""
        try:
            return (await self._calling.key(rotation.environment_id, rotation.old.key_id)).owner
        except NotFound:
            return ""

    async def _undone(self, rotation: Rotation, gateway_id: str) -> Rotation:
        again = anew(self._mine(rotation))
        return await self._step(rotation, lambda stored: plans.creation_undone(stored, gateway_id, again))

    async def _leave(self, rotation: Rotation, *, certain: bool) -> None:
        """Note that the attempt is over; `certain` if it made no key."""
        making = self._mine(rotation)
        again = anew(making)
        with suppress(
            JournalError
        ):  # what went wrong at the gateway tells more, and the plan can be taken up
            await self._step(
                rotation,
                lambda stored: (
                    plans.creation_failed(stored, again)
                    if certain
                    else plans.creation_left(stored, making.request_id)
                ),
            )

    async def _value_under(self, rotation: Rotation, making: Making) -> Secret | None:
        """Return the value under the planned key's entry, or None; a KeystoreError if nobody can tell."""
        try:
            return await self._world.keystore.read(entry_for(rotation, making))
        except ValueLost:
            return None

    def _mine(self, rotation: Rotation) -> Making:
        if rotation.replacement:
            raise RotationBarred(RotationBarred.REPLACED_ALREADY)
        if not rotation.is_open:
            raise RotationBarred(RotationBarred.OVER)
        if rotation.making is None:
            raise RotationBarred(RotationBarred.NOT_PLANNED)
        if self._is_elsewhere(rotation.making):
            raise RotationBarred(RotationBarred.ELSEWHERE)
        return rotation.making

    def _described(
        self, rotation: Rotation, making: Making, created: CreatedKey, *, owner: str
    ) -> SecurityKey:
        draft = making.draft
        return SecurityKey(
            id=making.key_id,
            environment_id=rotation.environment_id,
            name=draft.name,
            username=draft.username,
            permission=draft.permission,
            kind=draft.kind,
            purpose=draft.purpose,
            fingerprint=fingerprint(created.value),
            folded_fingerprint=folded_fingerprint(created.value),
            created_at=self._now(),
            gateway_id=created.gateway_id,
            owner=owner,
        )
