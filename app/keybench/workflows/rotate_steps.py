"""What the steps of a rotation share: one at a time, one transaction each, announced when it is written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from functools import partial

from keybench.core import rotation_moves as moves
from keybench.core import rotation_plans as plans
from keybench.core.application import ApplicationMove
from keybench.core.environment import Environment
from keybench.core.errors import ContractInvalid
from keybench.core.events import ActivityRecorded, ApplicationsChanged, KeysChanged, RotationChanged
from keybench.core.input_errors import NameInvalid, NotFound, RotationBarred, SalesUnderWay
from keybench.core.ports import NOTHING, Activity
from keybench.core.rotation import THIS_CONSOLE, KeyFacts, Rotation
from keybench.core.security_key import KeyMove, SecurityKey
from keybench.core.text import NAME_LIMIT, clean_text
from keybench.workflows.calling import Line
from keybench.workflows.console import Console


class Steps:
    """The base of the use cases about rotations.

    Args:
        console: The use cases they build on.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._world = console.world
        self._calling = console.calling
        self._turns: dict[str, asyncio.Lock] = {}

    async def one(self, rotation_id: str) -> Rotation:
        """Return a rotation.

        Raises:
            NotFound: There is none.
        """
        return await self._world.journal.rotation(rotation_id)

    @asynccontextmanager
    async def _turn(self, rotation_id: str) -> AsyncIterator[Rotation]:
        """Wait until no other step of the rotation is under way in this program, and hand the rotation in."""
        async with self._turns.setdefault(rotation_id, asyncio.Lock()):
            yield await self._with_given_values(await self._without_ended_owner(await self.one(rotation_id)))

    async def _without_ended_owner(self, rotation: Rotation) -> Rotation:
        """Free a plan whose program ended in the middle of it, and return the rotation."""
        owner = rotation.making.owner if rotation.making else ""
        if owner and owner in await self._world.owners.ended({owner}):
            return await self._step(rotation, lambda stored: plans.owner_ended(stored, owner))
        return rotation

    async def _with_given_values(self, rotation: Rotation) -> Rotation:
        """Take over what a person gave the rotation's keys for a value meanwhile, and return the rotation."""
        now = self._now()
        for key in await self._world.journal.keys(rotation.environment_id):
            move = partial(moves.value_given, key_id=key.id, fingerprint=key.fingerprint, at=now)
            if move(rotation) != rotation:
                rotation = await self._step(rotation, move)
        return rotation

    async def _step(
        self,
        rotation: Rotation,
        move: moves.Move,
        action: str = "",
        *,
        subject: str = "",
        result: str = "",
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, ApplicationMove] = NOTHING,
    ) -> Rotation:
        """Write one step durably, and announce it.

        Args:
            rotation: Which.
            move: Applied to what is stored.
            action: The stable word of its line in the activity; empty for a step that isn't worth one.
            subject: Whom it concerns; the old key if empty.
            result: How it went, short.
            add_key: A key that is known from now on.
            remove_key: The id of a key that isn't known from now on.
            keys: Moves of keys that are known better with it, by their ids.
            applications: Moves of the register's entries that change with it, by their ids.
        """
        where = rotation.environment_id
        line = Activity(self._now(), action, where, subject or rotation.old.name, result) if action else None
        stored = await self._world.journal.advance_rotation(
            rotation.id,
            move,
            add_key=add_key,
            remove_key=remove_key,
            keys=keys,
            applications=applications,
            activity=line,
        )
        publish = self._world.events.publish
        publish(RotationChanged(rotation.id, where))
        if add_key or remove_key or keys:
            publish(KeysChanged(where))
        if applications:
            publish(ApplicationsChanged(where))
        if line:
            publish(ActivityRecorded())
        return stored

    def _now(self) -> datetime:
        return self._world.clock.now()

    async def _environment(self, rotation: Rotation) -> Environment:
        return await self._calling.environment(rotation.environment_id)

    async def _line(self, rotation: Rotation, facts: KeyFacts) -> AbstractAsyncContextManager[Line]:
        """Return a line with one of the rotation's keys, to be opened.

        Raises:
            NotFound: The environment was removed.
        """
        return self._calling.line(await self._environment(rotation), key_of(rotation, facts))

    def _gateway_makes_keys(self, environment: Environment) -> bool:
        try:
            return self._world.gateway.facts(environment.contract).can_create_keys
        except (ContractInvalid, NotFound):
            return False  # a contract that can't be used makes nothing; a call would say why

    async def _refuse_while_selling(self, facts: KeyFacts) -> None:
        """Do nothing if no unfinished sale needs a key.

        Raises:
            SalesUnderWay: Some do.
        """
        unfinished = await self._world.journal.unfinished_sales()
        if under_way := sum(sale.key_id == facts.key_id for sale in unfinished):
            raise SalesUnderWay(facts.name, under_way)


def key_of(rotation: Rotation, facts: KeyFacts) -> SecurityKey:
    """Return one of a rotation's keys as it was met, whether the journal still knows it or not."""
    return SecurityKey(
        id=facts.key_id,
        environment_id=rotation.environment_id,
        name=facts.name,
        username=facts.username,
        permission=facts.permission,
        kind=facts.kind,
        purpose=facts.purpose,
        fingerprint=facts.fingerprint,
        created_at=facts.created_at,
        gateway_id=facts.gateway_id,
    )


def replacement_of(rotation: Rotation) -> KeyFacts:
    """Return the key that comes.

    Raises:
        RotationBarred: There is none yet.
    """
    if rotation.replacement is None:
        raise RotationBarred(RotationBarred.NO_REPLACEMENT)
    return rotation.replacement


def clean_person(by: str) -> str:
    """Return the name of whoever does something, tidied.

    Raises:
        NameInvalid, CardDataRefused: It can't be used, or is what this console calls itself.
    """
    who = clean_text("your name", by)
    if who == THIS_CONSOLE:
        raise NameInvalid("your name", NameInvalid.NOT_A_PERSON, limit=NAME_LIMIT)
    return who
