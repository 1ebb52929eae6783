"""How Add a New Key keeps its plans: each by itself in the journal, until its key is known or gone."""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import Final

from keybench.core.environment import Environment
from keybench.core.errors import GatewayError, KeystoreError, KeyUnderWay, NameTaken, NotFound
from keybench.core.events import ActivityRecorded
from keybench.core.planned_key import Cleared, KeyPlan, PlannedKey, SettledKey
from keybench.core.ports import Activity
from keybench.core.security_key import KeyDraft, SecurityKey
from keybench.workflows.calling import Calling
from keybench.workflows.making_keys import MAY_BE_LEFT, MakesKeys
from keybench.workflows.world import World

#: What the activity says of a key that was cleared away.
_CLEARED: Final = {
    Cleared.NONE: "",
    Cleared.DELETED: "unused key cleared",
    Cleared.UNSURE: MAY_BE_LEFT,
}


class KeyPlans(MakesKeys[KeyPlan, SecurityKey]):
    """The base of Add a New Key."""

    def __init__(self, world: World, calling: Calling) -> None:
        self._world = world
        self._calling = calling
        #: The plans whose keys were certainly not made, as far as the journal couldn't be told.
        self._not_made: set[str] = set()

    async def _planned(self, environment: Environment, draft: KeyDraft) -> KeyPlan:
        """Return a new plan, noted."""
        durable = self._world.keystore.status.durable
        making = PlannedKey(
            uuid.uuid4().hex, str(uuid.uuid4()), draft, owner=self._world.owners.me, durable=durable
        )
        plan = KeyPlan(environment.id, making)
        await self._world.journal.add_key_plan(plan)
        return plan

    async def _plan(self, key_id: str) -> KeyPlan:
        """Return a plan as it is stored.

        Raises:
            NotFound: There is none.
        """
        for plan in await self._world.journal.key_plans():
            if plan.making.key_id == key_id:
                return plan
        raise NotFound("key", key_id)

    async def _clear(self, plan: KeyPlan) -> SettledKey:
        """Clear an unwanted key away and end its plan.

        Raises:
            GatewayError, KeystoreError: It can't be done now; the plan stays.
        """
        environment = await self._calling.environment(plan.environment_id)
        return await self._end(plan, await self._clear_away(environment, plan.making, plan.gateway_id))

    async def _end(self, plan: KeyPlan, cleared: Cleared) -> SettledKey:
        line = None
        if action := _CLEARED[cleared]:
            line = Activity(self._world.clock.now(), action, plan.environment_id, plan.name, "")
        await self._world.journal.end_key_plan(plan.making.key_id, activity=line)
        self._not_made.discard(plan.making.key_id)
        if line:
            self._world.events.publish(ActivityRecorded())
        return SettledKey(plan, cleared=cleared)

    async def _refuse_taken(self, environment_id: str, name: str) -> None:
        """Do nothing if no key of the environment has a name.

        Raises:
            NameTaken: One has.
        """
        keys = await self._world.journal.keys(environment_id)
        if any(name.casefold() == key.name.casefold() for key in keys):
            raise NameTaken("key", name)

    async def _refuse_elsewhere(self, plan: KeyPlan) -> None:
        """Do nothing if no other running program is at a plan.

        Raises:
            KeyUnderWay: One is.
        """
        owner = plan.making.owner
        if self._is_elsewhere(plan.making) and owner not in await self._world.owners.ended({owner}):
            raise KeyUnderWay(plan.name)

    # --- where its plan is kept ----------------------------------------------------------------------

    def _making(self, plan: KeyPlan) -> PlannedKey:
        return plan.making

    async def _note_asked(self, plan: KeyPlan, *, durable: bool) -> KeyPlan:
        me, now, seen = self._world.owners.me, self._world.clock.now(), plan.making.owner

        def ask(stored: KeyPlan) -> KeyPlan:
            if stored.making.owner not in {"", me, seen}:
                raise KeyUnderWay(stored.name)
            return replace(stored, making=stored.making.asked(now, me, durable=durable))

        return await self._world.journal.update_key_plan(plan.making.key_id, ask)

    async def _note_left(self, plan: KeyPlan, *, certain: bool) -> None:
        key_id = plan.making.key_id
        if certain:
            self._not_made.add(key_id)
            await self._end(plan, Cleared.NONE)
        else:
            await self._world.journal.update_key_plan(
                key_id, lambda stored: replace(stored, making=stored.making.left())
            )

    async def _note_unwanted(self, plan: KeyPlan, gateway_id: str) -> KeyPlan:
        return await self._world.journal.update_key_plan(
            plan.making.key_id, lambda stored: stored.unwanted(gateway_id)
        )

    async def _note_kept(self, plan: KeyPlan, key: SecurityKey) -> SecurityKey:
        line = Activity(key.created_at, "key added", key.environment_id, key.name, key.fingerprint)
        try:
            await self._world.journal.end_key_plan(plan.making.key_id, add_key=key, activity=line)
        except NotFound:  # another program took this one for ended; it may have found the key
            return await self._calling.key(key.environment_id, key.id)
        return key

    async def _clear_if_possible(self, plan: KeyPlan) -> None:
        with suppress(GatewayError, KeystoreError, NotFound):
            await self._clear(plan)
