"""How a rotation goes on: one step at a time, each written as a whole and announced."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Protocol

from keybench.core.environments.environment import Environment
from keybench.core.events import ActivityRecorded, ApplicationsChanged, KeysChanged, RotationChanged
from keybench.core.input_errors import NameInvalid, RotationBarred
from keybench.core.keys.application import ApplicationMove
from keybench.core.keys.key import KeyMove, SecurityKey
from keybench.core.ports import NOTHING
from keybench.core.rotations import moves, plans
from keybench.core.rotations.rotation import THIS_CONSOLE, KeyFacts, Rotation
from keybench.core.text import NAME_LIMIT, clean_text
from keybench.workflows.calling import GatewayConnection
from keybench.workflows.console import Console


class PersonMove(Protocol):
    """A move of a rotation that a person makes at a moment."""

    def __call__(self, rotation: Rotation, /, *, at: datetime, by: str) -> Rotation:
        """Return the rotation after it."""


class RotationSteps:
    """Makes the steps, and opens lines with the keys; `Rotations` is built on it."""

    def __init__(self, console: Console) -> None:
        self._console, self._world, self._calling = console, console.world, console.calling
        self._turns: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def _turn(self, rotation_id: str) -> AsyncIterator[Rotation]:
        """Wait until no other step of the rotation runs in this program, and hand the rotation in.

        What changed around it is noted first: that the program which worked on its planned key has ended, and
        that a person gave one of its keys another value.
        """
        async with self._turns.setdefault(rotation_id, asyncio.Lock()):
            rotation = await self._world.journal.rotation(rotation_id)
            owner = rotation.making.owner if rotation.making else ""
            if owner and owner in await self._world.owners.ended({owner}):
                rotation = await self._record(rotation, partial(plans.owner_ended, owner=owner))
            now = self._now()
            for key in await self._world.journal.keys(rotation.environment_id):
                given = partial(moves.value_given, key_id=key.id, fingerprint=key.fingerprint, at=now)
                if given(rotation) != rotation:
                    rotation = await self._record(rotation, given)
            yield rotation

    async def _act(
        self, rotation_id: str, by: str, move: PersonMove, action: str = "", result: str = ""
    ) -> Rotation:
        """Make a step that is no more than a person's move at this moment; see `record`."""
        who = clean_person(by)
        async with self._turn(rotation_id) as rotation:
            return await self._record(
                rotation,
                partial(move, at=self._now(), by=who),
                action,
                result=result,
                by=who,
            )

    def _now(self) -> datetime:
        """Return the time, UTC."""
        return self._world.clock.now()

    async def _record(
        self,
        rotation: Rotation,
        move: moves.Move,
        action: str = "",
        *,
        subject: str = "",
        result: str = "",
        by: str = "",
        add_key: SecurityKey | None = None,
        remove_key: str = "",
        keys: Mapping[str, KeyMove] = NOTHING,
        applications: Mapping[str, ApplicationMove] = NOTHING,
    ) -> Rotation:
        """Write one step in one durable transaction, announce it, and return the rotation as it is stored.

        `move` is applied to what is stored. `action` is the stable word of the step's line in the activity,
        empty for one that isn't worth a line; `subject` is whom it concerns, the old key if empty, and
        `by` who made the step, who works here if empty. The other arguments change with it what
        `Journal.advance_rotation` says.
        """
        where, about = rotation.environment_id, subject or rotation.old.name
        line = self._world.line(action, where, about, result, by=by) if action else None
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

    async def _environment(self, rotation: Rotation) -> Environment:
        """Return a rotation's environment."""
        return await self._calling.environment(rotation.environment_id)

    async def _connection(
        self, rotation: Rotation, facts: KeyFacts
    ) -> AbstractAsyncContextManager[GatewayConnection]:
        """Return a connection with one of the rotation's keys, to be opened."""
        return self._calling.connection(await self._environment(rotation), key_of(rotation, facts))

    def can_create(self, environment: Environment) -> bool:
        """Tell whether an environment's gateway creates and deletes keys for us."""
        return self._world.facts(environment.contract).can_create_keys


def key_of(rotation: Rotation, facts: KeyFacts) -> SecurityKey:
    """Return one of a rotation's keys as it was met, whether the journal still knows it or not."""
    known = asdict(facts)
    return SecurityKey(id=known.pop("key_id"), environment_id=rotation.environment_id, **known)


def replacement_of(rotation: Rotation) -> KeyFacts:
    """Return the new key."""
    if rotation.replacement is None:
        raise RotationBarred(RotationBarred.NO_REPLACEMENT)
    return rotation.replacement


def clean_person(by: str) -> str:
    """Return the name of whoever does something, tidied."""
    who = clean_text("your name", by)
    if who == THIS_CONSOLE:
        raise NameInvalid("your name", NameInvalid.NOT_A_PERSON, limit=NAME_LIMIT)
    return who


def name_in(rotation: Rotation, application_id: str) -> str:
    """Return what an application of a rotation is called; empty if it isn't part of it."""
    names = (one.name for one in rotation.applications if one.application_id == application_id)
    return next(names, "")
