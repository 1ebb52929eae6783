"""Tells a team which values this desk holds, and erases those whose keys are gone; a single desk has none."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

from keybench.core.errors import JournalError, KeystoreError, ValueLost
from keybench.core.events import KeysChanged
from keybench.core.input_errors import RotationBarred, SalesUnderWay
from keybench.core.keys.key import KeyState, SecurityKey
from keybench.core.ports import ActivityFilter, entry_of
from keybench.core.secret import Secret, fingerprint
from keybench.core.team.desk import Desk, Held
from keybench.core.team.joining import SECRET_ENTRY
from keybench.workflows.world import World

#: The pause between two looks for values to erase, and from one pass over all keys to the next, in seconds.
EVERY_S: Final = 60.0
PASS_S: Final = 86_400.0
_ERASED: Final = "value erased here"


class Holdings:
    """The use cases."""

    def __init__(self, world: World, desk: Desk) -> None:
        self._world = world
        self._desk = desk
        self._secret: Secret | None = None

    async def keep_reported(self) -> None:
        """Report and erase until cancelled, whenever the keystore is open; what fails is tried again."""
        clock = self._world.clock
        due = clock.monotonic()
        while True:
            with suppress(JournalError, KeystoreError):
                await self.erase_gone()
                if clock.monotonic() >= due and await self.look_over():
                    due = clock.monotonic() + PASS_S
            await clock.sleep(EVERY_S)

    async def look_over(self) -> bool:
        """Report what the keystore has of every key; return whether it could be read to the end.

        No person is asked for that, and a value that can't be read isn't reported.
        """
        keystore = self._world.keystore
        status = await keystore.refresh()
        if not (status.is_sound and status.durable):  # another program's memory is out of sight
            return False
        with suppress(KeystoreError):
            self._secret = await keystore.read(SECRET_ENTRY)
        for key in await self._world.journal.all_keys():
            if not keystore.status.is_sound:
                return False
            with suppress(KeystoreError):
                try:
                    await self.note(key, await keystore.read(entry_of(key)))
                except ValueLost:
                    await self.note(key, None)
        return True

    async def erase_gone(self) -> None:
        """Erase the values of keys that were deleted or forgotten at another desk."""
        journal, keystore = self._world.journal, self._world.keystore
        gone = await journal.values_to_erase()
        if journal.standing.is_away:  # a copy that is behind may lack a key that is there
            return
        status = await keystore.refresh() if gone else keystore.status
        for one in gone if status.is_sound or not status.durable else ():
            with suppress(KeystoreError):
                await keystore.erase(f"{one.environment_id}/{one.key_id}")
                await journal.drop_holding(one.key_id)
                # The journal knows the key's name by the lines about its value alone.
                told = await journal.activities(1, ActivityFilter(one.fingerprint, one.environment_id))
                name = told[0].subject if told else one.fingerprint
                await self._world.note_activity(_ERASED, one.environment_id, name, self._desk.name)

    async def erase_here(self, key: SecurityKey) -> None:
        """Erase this desk's value of a key that is being replaced; SalesUnderWay if a sale here needs it."""
        world, where = self._world, key.environment_id
        ids = await world.alike(where, key.id)
        rotations = [one for one in await world.journal.rotations(where) if one.old.key_id in ids]
        if not any(one.is_open and one.deletion is None for one in rotations):
            raise RotationBarred(RotationBarred.OVER)
        away = {one.id for one in await world.journal.programs() if one.desk_id not in {"", self._desk.id}}
        sales = [one for one in await world.journal.unfinished_sales() if one.key_id in ids]
        if under_way := sum(sale.owner not in away for sale in sales):
            raise SalesUnderWay(key.name, under_way)
        for key_id in ids:
            await world.keystore.erase(f"{where}/{key_id}")
            await world.journal.drop_holding(key_id)
        await world.note_activity(_ERASED, where, key.name, self._desk.name)
        world.events.publish(KeysChanged(where))

    async def note(self, key: SecurityKey, value: Secret | None) -> None:
        """Report what the keystore had of a key."""
        held: Held | None = Held.HELD
        found, proof = key, ""
        if value is None:
            held = None if key.state is KeyState.NO_VALUE else Held.LOST
        else:
            found = replace(key, fingerprint=fingerprint(value))
            proof = value.proof(self._secret) if self._secret else ""
        if await self._world.journal.note_value(found, held, proof):
            self._world.events.publish(KeysChanged(key.environment_id))
