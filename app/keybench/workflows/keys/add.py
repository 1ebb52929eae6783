"""Add a New Key, as the portal does it: created by the gateway where it can, else pasted from the portal."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from keybench.core.environments.environment import Environment
from keybench.core.errors import JournalError, KeybenchError, KeyNotNoted, KeyUnsettled
from keybench.core.events import ActivityRecorded, KeysChanged, KeySettled
from keybench.core.input_errors import KeyUnderWay, NameTaken, NotFound
from keybench.core.keys.key import (
    Cleared,
    KeyDraft,
    KeyPlan,
    OrphanedKey,
    PlannedKey,
    SecurityKey,
    SettledKey,
    tidy_value,
)
from keybench.core.ports import CreatedKey, PortalUser
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling
from keybench.workflows.guard import guarded
from keybench.workflows.keys.creation import GRACE_S, MAY_BE_LEFT, KeyCreation
from keybench.workflows.world import World

T = TypeVar("T")

#: What the activity says of a key that nobody wanted.
_CLEARED: Final = {
    Cleared.NONE: "",
    Cleared.DELETED: "unused key cleared",
    Cleared.UNSURE: MAY_BE_LEFT,
}


@dataclass(frozen=True, slots=True)
class AddedKey:
    """A key that is now kept; `hint` is why its pasted value looks odd, as a stable word, or empty."""

    key: SecurityKey
    hint: str = ""


@guarded
class AddKey:
    """The use case."""

    def __init__(self, world: World, calling: Calling) -> None:
        self._world = world
        self._calling = calling
        self._plans = _KeyPlans(world, calling)
        self._creation = KeyCreation(world, calling, self._plans)
        self._turns: dict[str, asyncio.Lock] = {}

    async def users(self, environment: Environment) -> Sequence[PortalUser]:
        """Return the account's users where the gateway lists them, else nothing."""
        if not self._world.gateway.facts(environment.contract).can_list_users:
            return ()
        return await self._world.portal.users(environment, await self._calling.base_url(environment))

    async def check(self, environment: Environment, draft: KeyDraft) -> KeyDraft:
        """Return the draft with its texts tidied, for checks as one types."""
        tidy = replace(
            draft,
            name=clean_text("key name", draft.name),
            username=clean_text("username", draft.username),
            permission=clean_text("permission", draft.permission),
            purpose=clean_text("purpose", draft.purpose, limit=PURPOSE_LIMIT, required=False),
        )
        await self._refuse_taken(environment.id, tidy.name)
        return tidy

    async def create(self, environment: Environment, draft: KeyDraft) -> AddedKey:
        """Have the gateway create the key and keep its value.

        A key of that name of which nobody can tell yet is settled first: it is the one, if it was created and
        its value is here, or it is deleted before another is created.
        """
        async with self._turn(environment.id):
            tidy = await self.check(environment, draft)
            is_last = False
            for plan in await self._world.journal.key_plans(environment.id):
                if plan.name.casefold() == tidy.name.casefold():
                    wanted = plan if plan.making.draft == tidy else plan.unwanted()
                    if key := (await self._settled(wanted)).key:
                        return AddedKey(key)
            while True:
                plan = await self._plans.add(environment, tidy)
                if key := await self._explained(plan, self._create(environment, plan, is_last=is_last)):
                    self._announce(environment.id)
                    return AddedKey(key)
                is_last = True

    async def keep(self, environment: Environment, draft: KeyDraft, pasted: str) -> AddedKey:
        """Keep a key that was created in the portal and whose value was pasted."""
        async with self._turn(environment.id):
            tidy = await self.check(environment, draft)
            value = tidy_value(pasted, tidy.kind)
            plan = await self._plans.add(environment, tidy)
            work = self._creation.keep(environment, plan, CreatedKey("", value.value))
            key = await shielded(work, self._world.clock, grace_s=GRACE_S)
            self._announce(environment.id)
            return AddedKey(key, value.hint)

    # --- what nobody could tell ----------------------------------------------------------------------

    async def unsettled(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        """Return the keys of which nobody could tell, and no other program works on, the oldest first."""
        plans = await self._world.journal.key_plans(environment_id)
        free = await self._world.owners.ended({plan.making.owner for plan in plans})
        return [plan for plan in plans if plan.making.owner in {*free, "", self._world.owners.me}]

    async def withdraw(self, key_id: str) -> None:
        """Note that a key of which nobody can tell isn't wanted any more, so that `settle` deletes it."""
        with suppress(NotFound):
            await self._plans.note_unwanted(await self._plans.one(key_id), "")

    async def settle(self, key_id: str) -> SettledKey:
        """Find out whether a key was created; add it, or delete it where its value is lost; announce that."""
        plan = await self._plans.one(key_id)
        async with self._turn(plan.environment_id):
            return await self._settled(await self._plans.one(key_id))

    async def _settled(self, plan: KeyPlan) -> SettledKey:
        settled = await self._explained(plan, self._settle(plan))
        if settled.key:
            self._announce(plan.environment_id)
        self._world.events.publish(KeySettled(settled))
        return settled

    async def _settle(self, plan: KeyPlan) -> SettledKey:
        """Bring a stored plan to its end; `plan` says whether its key is wanted."""
        owner, key_id = plan.making.owner, plan.making.key_id
        if self._creation.is_elsewhere(plan.making) and owner not in await self._world.owners.ended({owner}):
            raise KeyUnderWay(plan.name)
        if key_id in self._plans.not_created:
            await self._plans.end(plan, Cleared.NONE)
            return SettledKey(plan)
        environment = await self._calling.environment(plan.environment_id)
        if plan.is_wanted and (key := await self._finished(environment, plan)):
            return SettledKey(plan, key)
        stored = await self._plans.one(key_id)
        if stored.is_wanted:
            stored = await self._plans.note_unwanted(stored, "")
        (orphan,) = self._plans.orphans(stored)
        cleared = await self._creation.delete(environment, orphan)
        return SettledKey(await self._plans.note_cleared(stored, orphan, cleared), cleared=cleared)

    async def _finished(self, environment: Environment, plan: KeyPlan) -> SecurityKey | None:
        """Return the planned key, now kept; None if it isn't to be had any more."""
        try:
            await self._refuse_taken(environment.id, plan.name)
            if plan.making.asked_at:
                return await self._creation.create(environment, plan, is_last=False)
        except NameTaken:
            return None  # by another key, meanwhile
        value = await self._creation.value_of(environment.id, plan.making)
        if value is None:
            return None
        return await self._creation.note_kept(environment, plan, CreatedKey("", value))

    async def _create(self, environment: Environment, plan: KeyPlan, *, is_last: bool) -> SecurityKey | None:
        """Return the key of a new plan; None if it was created before, lost, and deleted again."""
        if key := await self._creation.create(environment, plan, is_last=is_last):
            return key
        await self._creation.clear(await self._plans.one(plan.making.key_id))
        return None

    async def _explained(self, plan: KeyPlan, work: Awaitable[T]) -> T:
        """Return what `work` on a plan returns; what it raises says what is known of the key."""
        try:
            return await work
        except (KeyNotNoted, KeyUnderWay):
            raise
        except KeybenchError as error:
            key_id, stored = plan.making.key_id, None
            try:
                stored = await self._plans.one(key_id)
            except NotFound:
                raise error from None
            except JournalError:
                pass  # what can't be read may be there
            if key_id in self._plans.not_created or (stored and not stored.making.asked_at):
                raise
            is_made = stored is not None and bool(stored.gateway_id)
            raise KeyUnsettled(plan.name, key_id, error, is_made=is_made) from error

    async def _refuse_taken(self, environment_id: str, name: str) -> None:
        keys = await self._world.journal.keys(environment_id)
        if any(name.casefold() == key.name.casefold() for key in keys):
            raise NameTaken("key", name)

    def _announce(self, environment_id: str) -> None:
        self._world.events.publish(KeysChanged(environment_id))
        self._world.events.publish(ActivityRecorded())

    def _turn(self, environment_id: str) -> asyncio.Lock:
        return self._turns.setdefault(environment_id, asyncio.Lock())


class _KeyPlans:
    """The plans of keys that are to be added, each by itself in the journal; a `PlanStore`.

    `not_created` are those whose keys were certainly not created, where the journal couldn't note that.
    """

    def __init__(self, world: World, calling: Calling) -> None:
        self._world = world
        self._calling = calling
        self.not_created: set[str] = set()

    async def add(self, environment: Environment, draft: KeyDraft) -> KeyPlan:
        """Return a new plan, noted."""
        planned = PlannedKey(
            uuid.uuid4().hex,
            str(uuid.uuid4()),
            draft,
            owner=self._world.owners.me,
            durable=self._world.keystore.status.durable,
        )
        plan = KeyPlan(environment.id, planned)
        await self._world.journal.add_key_plan(plan)
        return plan

    async def one(self, key_id: str) -> KeyPlan:
        """Return a plan as it is stored."""
        for plan in await self._world.journal.key_plans():
            if plan.making.key_id == key_id:
                return plan
        raise NotFound("key", key_id)

    async def end(self, plan: KeyPlan, cleared: Cleared) -> None:
        """Take a plan away, and note in the activity what deleting its key came to."""
        line = None
        if action := _CLEARED[cleared]:
            line = self._world.line(action, plan.environment_id, plan.name)
        await self._world.journal.end_key_plan(plan.making.key_id, activity=line)
        self.not_created.discard(plan.making.key_id)
        if line:
            self._world.events.publish(ActivityRecorded())

    def planned(self, plan: KeyPlan) -> PlannedKey:
        return plan.making

    def orphans(self, plan: KeyPlan) -> Sequence[OrphanedKey]:
        return (OrphanedKey(plan.making, plan.gateway_id),)

    async def note_asked(self, plan: KeyPlan, *, durable: bool) -> KeyPlan:
        me, now, seen = self._world.owners.me, self._world.clock.now(), plan.making.owner

        def ask(stored: KeyPlan) -> KeyPlan:
            if stored.making.owner not in {"", me, seen}:
                raise KeyUnderWay(stored.name)
            return replace(stored, making=stored.making.asked(now, me, durable=durable))

        return await self._world.journal.update_key_plan(plan.making.key_id, ask)

    async def note_left(self, plan: KeyPlan, *, certain: bool) -> None:
        key_id = plan.making.key_id
        if certain:
            self.not_created.add(key_id)
            await self.end(plan, Cleared.NONE)
        else:
            await self._world.journal.update_key_plan(
                key_id, lambda stored: replace(stored, making=stored.making.left())
            )

    async def note_unwanted(self, plan: KeyPlan, gateway_id: str) -> KeyPlan:
        return await self._world.journal.update_key_plan(
            plan.making.key_id, lambda stored: stored.unwanted(gateway_id)
        )

    async def note_kept(self, plan: KeyPlan, key: SecurityKey) -> SecurityKey:
        line = self._world.line("key added", key.environment_id, key.name, key.fingerprint, at=key.created_at)
        try:
            await self._world.journal.end_key_plan(plan.making.key_id, add_key=key, activity=line)
        except NotFound:  # another program took this one for ended; it may have found the key
            return await self._calling.key(key.environment_id, key.id)
        return key

    async def note_cleared(self, plan: KeyPlan, _orphan: OrphanedKey, cleared: Cleared) -> KeyPlan:
        await self.end(plan, cleared)
        return plan
