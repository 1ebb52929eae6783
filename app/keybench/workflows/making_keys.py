"""Creating a key so that there is never a second one, and none that nobody knows of.

The plan is in the journal before the gateway is asked; the value is in the keystore, read back, before the
journal lists the key. Whatever a crash leaves between two of these, the plan's identifiers lead to it: the
gateway says "made before" to the plan's request, and the keystore's entry has the plan's name. Rotations keep
their plans with themselves, Add a New Key keeps them apart; what is done with a plan is the same, and here.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import replace
from typing import Final, Generic, TypeVar

from keybench.core.environment import Environment
from keybench.core.errors import (
    Forbidden,
    GatewayError,
    JournalError,
    KeybenchError,
    KeyMadeBefore,
    KeyNotNoted,
    KeyRefused,
    KeystoreError,
    KeystoreMissing,
    NameTaken,
    NotFound,
    NotSent,
    PracticeUnavailable,
    Refused,
    ValueLost,
)
from keybench.core.fingerprint import fingerprint, folded_fingerprint
from keybench.core.planned_key import Cleared, PlannedKey
from keybench.core.ports import CreatedKey
from keybench.core.secret import Secret
from keybench.core.security_key import SecurityKey
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling
from keybench.workflows.world import World

#: What the activity says of a key that may be at a gateway, and that nobody can look for any more.
MAY_BE_LEFT: Final = "unused key may be left at the gateway"
#: How long a key may still take after a cancellation, in seconds; a window that closes waits longer.
GRACE_S: Final = 1.5

Plan = TypeVar("Plan")
Kept = TypeVar("Kept")


class MakesKeys(ABC, Generic[Plan, Kept]):
    """What is done with a plan, wherever that is kept.

    Each `_note` is one durable change of that place. A `Plan` is kept there, and a `Kept` comes of it.
    """

    _world: World
    _calling: Calling

    @abstractmethod
    def _making(self, plan: Plan) -> PlannedKey:
        """Return what is to be made."""

    @abstractmethod
    async def _note_asked(self, plan: Plan, *, durable: bool) -> Plan:
        """Note that this program is going to ask the gateway for the key, see `PlannedKey.asked`."""

    @abstractmethod
    async def _note_left(self, plan: Plan, *, certain: bool) -> None:
        """Note that nobody is at it any more; `certain` if the gateway made no key."""

    @abstractmethod
    async def _note_unwanted(self, plan: Plan, gateway_id: str) -> Plan:
        """Note that a key that may have been made is to be cleared away."""

    @abstractmethod
    async def _note_kept(self, plan: Plan, key: SecurityKey) -> Kept:
        """Note that the planned key is kept: its value was written to the keystore and read back."""

    @abstractmethod
    async def _clear_if_possible(self, plan: Plan) -> object:
        """Clear away what isn't wanted, as far as possible."""

    async def _make(self, environment: Environment, plan: Plan, *, is_last: bool) -> Kept | None:
        """Have the gateway make the planned key and keep it, or find the one that it made before.

        Once the gateway is being asked, a cancellation waits until its answer is kept.

        Args:
            environment: Where.
            plan: What; nobody else is at it.
            is_last: Whether an attempt before this one was given up.

        Returns:
            What came of it; None if a key was made before whose value is lost. That one is noted as unwanted.

        Raises:
            GatewayError: It wasn't made, or nobody can tell yet; ask again.
            KeyMadeBefore: As where None is returned, in the last attempt.
            KeystoreError: Its value can't be kept; nothing was made, or it is cleared away if that can be.
            NameTaken: Another key has got its name; it is cleared away if that can be.
            KeyNotNoted: It was made and kept; any other JournalError: nothing was asked.
        """
        making = self._making(plan)
        is_first = making.asked_at is None
        try:
            # A keystore that can't be used is found out before a key is made that couldn't be kept.
            value = await self._value_under(environment.id, making)
            pasted = CreatedKey("", value) if value and is_first else None
            if pasted is None:
                plan = await self._note_asked(plan, durable=self._world.keystore.status.durable)
        except (KeystoreError, JournalError):
            if is_first:
                await self._leave(plan, certain=True)
            raise
        if pasted:
            return await self._noted(environment, plan, pasted)
        work = self._asked(environment, plan, is_first=is_first, is_last=is_last)
        return await shielded(work, self._world.clock, grace_s=GRACE_S)

    async def _asked(
        self, environment: Environment, plan: Plan, *, is_first: bool, is_last: bool
    ) -> Kept | None:
        making = self._making(plan)
        try:
            base_url = await self._calling.base_url(environment)
            created = await self._world.portal.create_key(
                environment, base_url, making.draft, making.request_id
            )
        except KeyMadeBefore as before:
            if found := await self._found(environment, plan, before.gateway_id):
                return await self._noted(environment, plan, found)
            unwanted = await self._note_unwanted(plan, before.gateway_id)
            if is_last:  # a gateway that says so of a request it never saw
                await self._clear_if_possible(unwanted)
                raise
            return None
        except (NotSent, Refused, NameTaken, PracticeUnavailable):
            await self._leave(plan, certain=is_first)
            raise
        except GatewayError:
            await self._leave(plan, certain=False)
            raise
        return await self._kept(environment, plan, created)

    async def _kept(self, environment: Environment, plan: Plan, created: CreatedKey) -> Kept:
        """Write a value and note its key; what can't be kept is cleared away."""
        try:
            await self._world.keystore.write(entry_for(environment.id, self._making(plan)), created.value)
        except KeystoreError:
            await self._give_up(plan, created.gateway_id)
            raise
        return await self._noted(environment, plan, created)

    async def _noted(self, environment: Environment, plan: Plan, created: CreatedKey) -> Kept:
        """Note a key whose value is in the keystore."""
        try:
            return await self._note_kept(plan, self._described(environment, plan, created))
        except NameTaken:
            await self._give_up(plan, created.gateway_id)
            raise
        except NotFound:  # nothing leads to the key any more: its environment, or the plan itself, is gone
            with suppress(GatewayError, KeystoreError, JournalError):
                await self._clear_away(environment, self._making(plan), created.gateway_id)
            raise
        except JournalError as error:
            making = self._making(plan)
            raise KeyNotNoted(making.draft.name, making.key_id, error) from error

    async def _give_up(self, plan: Plan, gateway_id: str) -> None:
        with suppress(JournalError):  # then the plan says enough to take it up
            await self._clear_if_possible(await self._note_unwanted(plan, gateway_id))

    async def _leave(self, plan: Plan, *, certain: bool) -> None:
        # What went wrong at the gateway tells more, and the plan can be taken up.
        with suppress(JournalError):
            await self._note_left(plan, certain=certain)

    async def _found(self, environment: Environment, plan: Plan, gateway_id: str) -> CreatedKey | None:
        """Return the key that an earlier attempt made, if its value got here and the gateway still has it."""
        try:
            value = await self._value_under(environment.id, self._making(plan))
            if value is None:
                return None
            made = CreatedKey(gateway_id, value)
            is_known = await self._is_known(environment, self._described(environment, plan, made))
        except KeybenchError:
            await self._leave(plan, certain=False)
            raise
        return made if is_known else None

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

    async def _clear_away(self, environment: Environment, making: PlannedKey, gateway_id: str) -> Cleared:
        """Delete a key that nobody wants at the gateway, if it was made there, and then its value.

        Raises:
            GatewayError, KeystoreError: It can't be done now.
        """
        self._require_keystore_of(making)
        cleared = Cleared.NONE
        if making.asked_at:
            base_url = await self._calling.base_url(environment)
            if not gateway_id:
                gateway_id, cleared = await self._found_out(environment, base_url, making)
            if gateway_id and await self._is_in_use(environment, gateway_id):
                cleared = Cleared.UNSURE  # whatever the gateway says, that is another key
            elif gateway_id:
                await self._world.portal.delete_key(environment, base_url, gateway_id)
                cleared = Cleared.DELETED
        await self._world.keystore.erase(entry_for(environment.id, making))
        return cleared

    async def _found_out(
        self, environment: Environment, base_url: str, making: PlannedKey
    ) -> tuple[str, Cleared]:
        """Return the gateway's identifier of a key it may have made, or what is known without one.

        The same request once more is the only question the gateway answers: it says that it made the key
        before, or makes it, to be deleted at once.
        """
        try:
            made = await self._world.portal.create_key(environment, base_url, making.draft, making.request_id)
        except KeyMadeBefore as before:
            return before.gateway_id, Cleared.UNSURE
        except (KeyRefused, Forbidden):
            raise
        except NameTaken:
            return "", Cleared.UNSURE
        except Refused as refused:
            if refused.asks_to_wait:
                raise
            return "", Cleared.UNSURE
        return made.gateway_id, Cleared.NONE

    async def _is_in_use(self, environment: Environment, gateway_id: str) -> bool:
        keys = await self._world.journal.keys(environment.id)
        return any(key.gateway_id == gateway_id for key in keys)

    async def _value_under(self, environment_id: str, making: PlannedKey) -> Secret | None:
        """Return the value under the planned key's entry, or None; a KeystoreError if nobody can tell."""
        try:
            return await self._world.keystore.read(entry_for(environment_id, making))
        except ValueLost:
            self._require_keystore_of(making)
            return None

    def _require_keystore_of(self, making: PlannedKey) -> None:
        """Do nothing if the keystore in use can tell that it has no value for a plan.

        Raises:
            KeystoreError: The value may be in one that can't be used now.
        """
        if making.durable and not (status := self._world.keystore.status).durable:
            raise status.trouble or KeystoreMissing

    def _described(self, environment: Environment, plan: Plan, created: CreatedKey) -> SecurityKey:
        making = self._making(plan)
        draft = making.draft
        return SecurityKey(
            id=making.key_id,
            environment_id=environment.id,
            name=draft.name,
            username=draft.username,
            permission=draft.permission,
            kind=draft.kind,
            purpose=draft.purpose,
            fingerprint=fingerprint(created.value),
            folded_fingerprint=folded_fingerprint(created.value),
            created_at=self._world.clock.now(),
            gateway_id=created.gateway_id,
        )

    def _is_elsewhere(self, making: PlannedKey) -> bool:
        """Tell whether another program is at it, which may have ended."""
        return making.owner not in {"", self._world.owners.me}


def anew(making: PlannedKey) -> PlannedKey:
    """Return the same plan for another attempt, with identifiers of its own."""
    return replace(
        making, key_id=uuid.uuid4().hex, request_id=str(uuid.uuid4()), asked_at=None, owner="", durable=False
    )


def entry_for(environment_id: str, making: PlannedKey) -> str:
    """Return the name of the keystore entry for the planned key's value."""
    return f"{environment_id}/{making.key_id}"
