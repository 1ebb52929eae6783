"""Add a New Key, as the portal does it: made by the gateway where it can, else pasted from the portal.

A key that is to be added is planned in the journal first and made as every key is, see `making_keys`. While
nobody can tell whether the gateway made it, its plan stays; `settle` finds that out, and so does adding a key
of that name again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from keybench.core.environment import Environment
from keybench.core.errors import (
    JournalError,
    KeybenchError,
    KeyNotNoted,
    KeyUnderWay,
    KeyUnsettled,
    NameTaken,
    NotFound,
)
from keybench.core.events import ActivityRecorded, KeysChanged, KeySettled
from keybench.core.planned_key import Cleared, KeyPlan, SettledKey
from keybench.core.ports import CreatedKey, PortalUser
from keybench.core.security_key import KeyDraft, SecurityKey, tidy_value
from keybench.core.text import PURPOSE_LIMIT, clean_text
from keybench.runtime.supervisor import shielded
from keybench.workflows.calling import Calling
from keybench.workflows.guard import guarded
from keybench.workflows.key_plans import KeyPlans
from keybench.workflows.making_keys import GRACE_S
from keybench.workflows.world import World

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AddedKey:
    """A key that is now kept.

    Attributes:
        key: What is known of it.
        trimmed: How many stray characters round a pasted value were left out.
        hint: Why a pasted value's form is odd for its kind, as a stable word, or empty.
    """

    key: SecurityKey
    trimmed: int = 0
    hint: str = ""


@guarded
class AddKey(KeyPlans):
    """The use case."""

    def __init__(self, world: World, calling: Calling) -> None:
        super().__init__(world, calling)
        self._turns: dict[str, asyncio.Lock] = {}

    async def users(self, environment: Environment) -> Sequence[PortalUser]:
        """Return the account's users where the gateway lists them, else nothing.

        Raises:
            GatewayError: It can list them and didn't.
        """
        if not self._world.gateway.facts(environment.contract).can_list_users:
            return ()
        return await self._world.portal.users(environment, await self._calling.base_url(environment))

    async def check(self, environment: Environment, draft: KeyDraft) -> KeyDraft:
        """Return the draft with its texts tidied, for checks as one types.

        Raises:
            NameInvalid, NameTaken, CardDataRefused: A field can't be used.
        """
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
        """Have the gateway make the key and keep its value.

        A key of that name of which nobody can tell yet is found out about first: it is the one, if it was
        made and its value is here, or it is deleted before another is made.

        Raises:
            InputInvalid: A field can't be used, or another program is adding that key; nothing was made.
            GatewayError: The gateway didn't make it.
            KeystoreError: Its value can't be kept; nothing was made, or it was deleted there again.
            KeyUnsettled: It may be at the gateway; `settle` finds out.
            KeyNotNoted: It was made and its value is kept; `settle` lists it.
            JournalError: Nothing was made.
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
                plan = await self._planned(environment, tidy)
                if key := await self._told(plan, self._made(environment, plan, is_last=is_last)):
                    self._announce(environment.id)
                    return AddedKey(key)
                is_last = True

    async def keep(self, environment: Environment, draft: KeyDraft, pasted: str) -> AddedKey:
        """Keep a key that was made in the portal and whose value was pasted.

        Raises:
            InputInvalid: A field or the value can't be used; nothing was kept.
            KeystoreError: It couldn't be kept.
            KeyNotNoted: Its value is kept; `settle` lists it.
            JournalError: Nothing was kept.
        """
        async with self._turn(environment.id):
            tidy = await self.check(environment, draft)
            value = tidy_value(pasted, tidy.kind)
            plan = await self._planned(environment, tidy)
            work = self._kept(environment, plan, CreatedKey("", value.value))
            key = await shielded(work, self._world.clock, grace_s=GRACE_S)
            self._announce(environment.id)
            return AddedKey(key, value.trimmed, value.hint)

    # --- what nobody could tell ----------------------------------------------------------------------

    async def unsettled(self, environment_id: str | None = None) -> Sequence[KeyPlan]:
        """Return the keys of which nobody could tell, and that no other program is at, the oldest first."""
        plans = await self._world.journal.key_plans(environment_id)
        free = await self._world.owners.ended({plan.making.owner for plan in plans})
        return [plan for plan in plans if plan.making.owner in {*free, "", self._world.owners.me}]

    async def withdraw(self, key_id: str) -> None:
        """Note that a key of which nobody can tell isn't wanted any more, so that `settle` deletes it.

        No error if it is known by now.

        Raises:
            JournalError: It can't be noted.
        """
        with suppress(NotFound):
            await self._note_unwanted(await self._plan(key_id), "")

    async def settle(self, key_id: str) -> SettledKey:
        """Find out whether a key was made, and add it, or delete it where its value is lost; announce that.

        One that isn't wanted any more is deleted.

        Args:
            key_id: Our identifier of the planned key.

        Raises:
            NotFound: There is no such plan, or no more.
            KeyUnderWay: Another program is at it.
            KeyUnsettled, KeyNotNoted: It can't be told or noted now; ask again.
            JournalError: The plan can't be read.
        """
        plan = await self._plan(key_id)
        async with self._turn(plan.environment_id):
            return await self._settled(await self._plan(key_id))

    async def _settled(self, plan: KeyPlan) -> SettledKey:
        settled = await self._told(plan, self._settle(plan))
        if settled.key:
            self._announce(plan.environment_id)
        self._world.events.publish(KeySettled(settled))
        return settled

    async def _settle(self, plan: KeyPlan) -> SettledKey:
        """Bring a stored plan to its end; `plan` says whether its key is wanted."""
        await self._refuse_elsewhere(plan)
        if plan.making.key_id in self._not_made:
            return await self._end(plan, Cleared.NONE)
        environment = await self._calling.environment(plan.environment_id)
        if plan.is_wanted and (key := await self._finished(environment, plan)):
            return SettledKey(plan, key)
        stored = await self._plan(plan.making.key_id)
        if stored.is_wanted:
            stored = await self._note_unwanted(stored, "")
        return await self._clear(stored)

    async def _finished(self, environment: Environment, plan: KeyPlan) -> SecurityKey | None:
        """Return the planned key, now kept; None if it isn't to be had any more."""
        try:
            await self._refuse_taken(environment.id, plan.name)
            if plan.making.asked_at:
                return await self._make(environment, plan, is_last=False)
        except NameTaken:
            return None  # by another key, meanwhile
        value = await self._value_under(environment.id, plan.making)
        return await self._noted(environment, plan, CreatedKey("", value)) if value else None

    async def _made(self, environment: Environment, plan: KeyPlan, *, is_last: bool) -> SecurityKey | None:
        """Return the key of a new plan; None if it was made before, lost, and deleted again."""
        if key := await self._make(environment, plan, is_last=is_last):
            return key
        await self._clear(await self._plan(plan.making.key_id))
        return None

    async def _told(self, plan: KeyPlan, work: Awaitable[T]) -> T:
        """Return what `work` on a plan returns, and let what it raises say what is known of the key.

        Raises:
            KeyUnsettled: It failed, and the plan is still there with a key that may be at the gateway.
        """
        try:
            return await work
        except (KeyNotNoted, KeyUnderWay):
            raise
        except KeybenchError as error:
            key_id, stored = plan.making.key_id, None
            try:
                stored = await self._plan(key_id)
            except NotFound:
                raise error from None
            except JournalError:
                pass  # what can't be read may be there
            if key_id in self._not_made or (stored and not stored.making.asked_at):
                raise
            is_made = stored is not None and bool(stored.gateway_id)
            raise KeyUnsettled(plan.name, key_id, error, is_made=is_made) from error

    def _announce(self, environment_id: str) -> None:
        """Tell everybody that the environment has another key."""
        self._world.events.publish(KeysChanged(environment_id))
        self._world.events.publish(ActivityRecorded())

    def _turn(self, environment_id: str) -> asyncio.Lock:
        """Return what lets this program add one key to an environment at a time."""
        return self._turns.setdefault(environment_id, asyncio.Lock())
