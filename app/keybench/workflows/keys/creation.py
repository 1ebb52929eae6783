"""Creating a key so that there is never a second one, and none that nobody knows of.

The plan is in the journal before the gateway is asked; the value is in the keystore, read back, before the
journal lists the key. Whatever a crash leaves between two of these, the plan's identifiers lead to it: the
gateway answers "made before" to the plan's request, and the keystore's entry has the plan's name. Rotations
keep their plans with themselves, Add a New Key keeps them apart (`PlanStore`).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Final, Generic, Protocol, TypeVar

from keybench.core.environments.environment import Environment
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
    NotSent,
    PracticeUnavailable,
    Refused,
    ValueLost,
)
from keybench.core.input_errors import NameTaken, NotFound
from keybench.core.keys.key import Cleared, OrphanedKey, PlannedKey, SecurityKey
from keybench.core.ports import CreatedKey
from keybench.core.secret import Secret, fingerprint, folded_fingerprint
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling
from keybench.workflows.world import World

#: What the activity says of a key that may be at a gateway, and that nobody can look for any more.
MAY_BE_LEFT: Final = "unused key may be left at the gateway"
#: How long a key may still take after a cancellation, in seconds; a window that closes waits longer.
GRACE_S: Final = 1.5


class Plan(Protocol):
    """What a planned key is kept in."""

    @property
    def environment_id(self) -> str:
        """Where the key is planned."""


PlanT = TypeVar("PlanT", bound=Plan)
Kept_co = TypeVar("Kept_co", covariant=True)


class PlanStore(Protocol[PlanT, Kept_co]):
    """Where plans are kept, and what comes of them; each `note` is one durable change there."""

    def planned(self, plan: PlanT) -> PlannedKey:
        """Return what is to be created."""

    def orphans(self, plan: PlanT) -> Sequence[OrphanedKey]:
        """Return the keys of a plan that nobody wants any more."""

    async def note_asked(self, plan: PlanT, *, durable: bool) -> PlanT:
        """Note that this program is going to ask the gateway for the key, see `PlannedKey.asked`."""

    async def note_left(self, plan: PlanT, *, certain: bool) -> None:
        """Note that no program works on it any more; `certain` if the gateway created no key."""

    async def note_unwanted(self, plan: PlanT, gateway_id: str) -> PlanT:
        """Note that a key that may have been created is an orphan."""

    async def note_kept(self, plan: PlanT, key: SecurityKey) -> Kept_co:
        """Note that the planned key is kept: its value was written to the keystore and read back."""

    async def note_cleared(self, plan: PlanT, orphan: OrphanedKey, cleared: Cleared) -> PlanT:
        """Note what deleting an orphan came to."""


class KeyCreation(Generic[PlanT, Kept_co]):
    """What is done with a plan, wherever it is kept."""

    def __init__(self, world: World, calling: Calling, store: PlanStore[PlanT, Kept_co]) -> None:
        self._world = world
        self._calling = calling
        self._store = store

    async def create(self, environment: Environment, plan: PlanT, *, is_last: bool) -> Kept_co | None:
        """Have the gateway create the planned key and keep it, or find the one that it created before.

        Once the gateway is being asked, a cancellation waits until its answer is kept. `is_last` says that an
        attempt before this one was given up. None for a key that was created before and whose value is lost,
        which is an orphan now.
        """
        planned = self._store.planned(plan)
        is_first = planned.asked_at is None
        try:
            # A keystore that can't be used is found out before a key is created that couldn't be kept.
            value = await self._value_before(environment.id, planned)
            pasted = CreatedKey("", value) if value and is_first else None
            if pasted is None:
                plan = await self._store.note_asked(plan, durable=self._world.keystore.status.durable)
        except (KeystoreError, JournalError):
            if is_first:
                await self._leave(plan, certain=True)
            raise
        if pasted:
            return await self.note_kept(environment, plan, pasted)
        work = self._ask(environment, plan, is_first=is_first, is_last=is_last)
        return await shielded(work, self._world.clock, grace_s=GRACE_S)

    async def _ask(
        self, environment: Environment, plan: PlanT, *, is_first: bool, is_last: bool
    ) -> Kept_co | None:
        planned = self._store.planned(plan)
        try:
            base_url = await self._calling.base_url(environment)
            created = await self._world.portal.create_key(
                environment, base_url, planned.draft, planned.request_id
            )
        except KeyMadeBefore as before:
            if found := await self._found(environment, plan, before.gateway_id):
                return await self.note_kept(environment, plan, found)
            unwanted = await self._store.note_unwanted(plan, before.gateway_id)
            if is_last:  # a gateway that says so of a request it never saw
                await self.clear_if_possible(unwanted)
                raise
            return None
        except (NotSent, Refused, NameTaken, PracticeUnavailable):
            await self._leave(plan, certain=is_first)
            raise
        except GatewayError:
            await self._leave(plan, certain=False)
            raise
        return await self.keep(environment, plan, created)

    async def keep(self, environment: Environment, plan: PlanT, created: CreatedKey) -> Kept_co:
        """Write a created key's value and note the key; one that can't be kept is deleted if that can be."""
        try:
            await self._world.keystore.write(
                entry_for(environment.id, self._store.planned(plan)), created.value
            )
        except KeystoreError:
            await self._give_up(plan, created.gateway_id)
            raise
        return await self.note_kept(environment, plan, created)

    async def note_kept(self, environment: Environment, plan: PlanT, created: CreatedKey) -> Kept_co:
        """Note a key whose value is in the keystore."""
        planned = self._store.planned(plan)
        try:
            return await self._store.note_kept(plan, self._described(environment, planned, created))
        except NameTaken:
            await self._give_up(plan, created.gateway_id)
            raise
        except NotFound:
            with suppress(GatewayError, KeystoreError, JournalError):
                await self.delete(environment, OrphanedKey(planned, created.gateway_id))
            raise
        except JournalError as error:
            raise KeyNotNoted(planned.draft.name, planned.key_id, error) from error

    async def clear(self, plan: PlanT) -> PlanT:
        """Delete the orphans of a plan, so that the gateway has no key that nobody wants."""
        for orphan in self._store.orphans(plan):
            environment = await self._calling.environment(plan.environment_id)
            plan = await self._store.note_cleared(plan, orphan, await self.delete(environment, orphan))
        return plan

    async def clear_if_possible(self, plan: PlanT) -> None:
        """Delete as many orphans as can be deleted now; the others stay noted."""
        with suppress(GatewayError, KeystoreError, NotFound):
            await self.clear(plan)

    async def delete(self, environment: Environment, orphan: OrphanedKey) -> Cleared:
        """Delete a key that nobody wants at the gateway, if it was created there, and then its value."""
        planned, gateway_id, cleared = orphan.making, orphan.gateway_id, Cleared.NONE
        self._require_keystore_of(planned)
        if planned.asked_at:
            base_url = await self._calling.base_url(environment)
            if not gateway_id:
                gateway_id, cleared = await self._find_out(environment, base_url, planned)
            keys = await self._world.journal.keys(environment.id)
            if gateway_id and any(key.gateway_id == gateway_id for key in keys):
                cleared = Cleared.UNSURE  # whatever the gateway says, that is another key
            elif gateway_id:
                await self._world.portal.delete_key(environment, base_url, gateway_id)
                cleared = Cleared.DELETED
        await self._world.keystore.erase(entry_for(environment.id, planned))
        return cleared

    async def value_of(self, environment_id: str, planned: PlannedKey) -> Secret | None:
        """Return the value under the planned key's entry, or None; a KeystoreError if nobody can tell."""
        try:
            return await self._world.keystore.read(entry_for(environment_id, planned))
        except ValueLost:
            self._require_keystore_of(planned)
            return None

    async def _value_before(self, environment_id: str, planned: PlannedKey) -> Secret | None:
        """Return the same before the gateway is asked; memory that was chosen takes a new key's value."""
        try:
            return await self.value_of(environment_id, planned)
        except KeystoreError:
            if planned.asked_at or planned.durable or self._world.keystore.status.durable:
                raise
            return None  # nobody has written it yet, into whichever keystore is out of reach

    def is_elsewhere(self, planned: PlannedKey) -> bool:
        """Tell whether another program works on it, which may have ended."""
        return planned.owner not in {"", self._world.owners.me}

    async def _give_up(self, plan: PlanT, gateway_id: str) -> None:
        with suppress(JournalError):  # then the plan says enough to resume it
            await self.clear_if_possible(await self._store.note_unwanted(plan, gateway_id))

    async def _leave(self, plan: PlanT, *, certain: bool) -> None:
        # What went wrong at the gateway tells more, and the plan can be resumed.
        with suppress(JournalError):
            await self._store.note_left(plan, certain=certain)

    async def _found(self, environment: Environment, plan: PlanT, gateway_id: str) -> CreatedKey | None:
        planned = self._store.planned(plan)
        try:
            value = await self.value_of(environment.id, planned)
            if value is None:
                return None
            created = CreatedKey(gateway_id, value)
            key = self._described(environment, planned, created)
            is_known = await gateway_knows(self._world, self._calling, environment, key)
        except KeybenchError:
            await self._leave(plan, certain=False)
            raise
        return created if is_known else None

    async def _find_out(
        self, environment: Environment, base_url: str, planned: PlannedKey
    ) -> tuple[str, Cleared]:
        """Return the gateway's identifier of a key it may have created, or what is known without one.

        The same request once more is the only question the gateway answers: it says that it created the key
        before, or creates it, to be deleted at once.
        """
        portal = self._world.portal
        try:
            created = await portal.create_key(environment, base_url, planned.draft, planned.request_id)
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
        return created.gateway_id, Cleared.NONE

    def _require_keystore_of(self, planned: PlannedKey) -> None:
        """Raise a KeystoreError if the planned key's value may be in a keystore that can't be used now."""
        if planned.durable and not (status := self._world.keystore.status).durable:
            raise status.trouble or KeystoreMissing

    def _described(self, environment: Environment, planned: PlannedKey, created: CreatedKey) -> SecurityKey:
        return SecurityKey(
            id=planned.key_id,
            environment_id=environment.id,
            **asdict(planned.draft),
            fingerprint=fingerprint(created.value),
            folded_fingerprint=folded_fingerprint(created.value),
            created_at=self._world.clock.now(),
            gateway_id=created.gateway_id,
        )


async def gateway_knows(world: World, calling: Calling, environment: Environment, key: SecurityKey) -> bool:
    """Tell whether the gateway knows a key at all; a 403 says that it does."""
    try:
        async with calling.connection(environment, key) as connection:
            await world.gateway.probe_key(connection.caller)
    except KeyRefused:
        return False
    except Forbidden as error:
        if error.asks_to_wait:
            raise
    return True


def planned_again(planned: PlannedKey) -> PlannedKey:
    """Return the same plan for another attempt, with identifiers of its own."""
    return replace(
        planned, key_id=uuid.uuid4().hex, request_id=str(uuid.uuid4()), asked_at=None, owner="", durable=False
    )


def entry_for(environment_id: str, planned: PlannedKey) -> str:
    """Return the name of the keystore entry for the planned key's value."""
    return f"{environment_id}/{planned.key_id}"
