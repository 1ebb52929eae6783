"""What is done with a kept key: list, test, hand out its value, rename, forget."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    Forbidden,
    GatewayError,
    GatewayFailed,
    JournalError,
    KeyRefused,
    KeystoreError,
    NotSent,
    PracticeUnavailable,
    ValueDiffers,
    ValueLost,
    ValueNeverHere,
)
from keybench.core.events import KeysChanged, RotationChanged
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NameTaken, NotFound, RotationUnderWay, SalesUnderWay
from keybench.core.keys.key import KeyMove, KeyState, SecurityKey, Trial, of_value
from keybench.core.ports import entry_of
from keybench.core.secret import Secret, folded_fingerprint
from keybench.core.team.edits import Edit, Edited
from keybench.core.text import clean_text
from keybench.workflows.calling import Calling
from keybench.workflows.guard import guarded
from keybench.workflows.keys.creation import entry_for
from keybench.workflows.world import World


@guarded
class Keys:
    """The use cases about kept keys."""

    def __init__(self, world: World, calling: Calling) -> None:
        self._world = world
        self._calling = calling

    async def listed(self, environment: Environment) -> Sequence[SecurityKey]:
        """Return the environment's keys by name, without one call to the keystore."""
        return await self._world.journal.keys(environment.id)

    async def named(self, environment: Environment, name: str) -> SecurityKey:
        """Return the key of that name, in any case of letters."""
        refuse_card_data("key name", name)
        for key in await self.listed(environment):
            if key.name.casefold() == name.strip().casefold():
                return key
        raise NotFound("key", name)

    async def test(self, environment: Environment, key: SecurityKey) -> SecurityKey:
        """Make the contract's harmless call with the key and return the key with what that showed."""
        exchanges: Sequence[Exchange] = ()
        try:
            async with self._calling.connection(environment, key) as connection:
                searched = folded_fingerprint(connection.caller.value)
                if searched != key.folded_fingerprint:  # an older Keybench kept it
                    await self._seen(key, lambda stored: replace(stored, folded_fingerprint=searched))
                try:
                    status = await self._world.gateway.probe_key(connection.caller)
                finally:
                    exchanges = connection.take_exchanges()
        except ValueNeverHere as error:  # nothing was lost: its state stays
            await self._note("key tested", key, error.reason)
            raise
        except (ValueLost, ValueDiffers) as error:
            result = "value lost" if isinstance(error, ValueLost) else "another value in the keystore"
            await self._tested(key, KeyState.VALUE_LOST, 0, result)
            raise
        except GatewayError as error:
            if state := state_shown_by(error):
                await self._tested(key, state, error.status, error.message, exchanges)
            else:
                await self._tried(key, error, exchanges)
            raise
        return await self._tested(key, KeyState.WORKING, status, f"accepted {key.fingerprint}", exchanges)

    async def last_test(self, key: SecurityKey) -> Sequence[Exchange]:
        """Return what was asked and answered when the key was last tested; empty if nothing is kept."""
        kept = await self._world.journal.key_exchanges(key.id)
        return await self._world.as_recorded(kept, key.environment_id)

    async def value(self, key: SecurityKey, purpose: str) -> Secret:
        """Hand out a key's value for the reveal/copy control, and note that it was asked for."""
        try:
            value = await self._calling.value(key)
        except KeystoreError as error:
            with suppress(JournalError, NotFound):  # why there is no value tells more
                await self._note(f"value not {purpose}", key, error.reason)
                if isinstance(error, ValueLost | ValueDiffers) and key.has_value:
                    await self._seen(key, lambda stored: replace(stored, state=KeyState.VALUE_LOST))
                    self._world.events.publish(KeysChanged(key.environment_id))
            raise
        await self._note(f"value {purpose}", key, "")
        return value

    async def rename(self, key: SecurityKey, name: str) -> SecurityKey:
        """Call a key by another name in Keybench, and return it as it is now known.

        Its value stays where it is, for the keystore knows it by the key's id, and its open rotations follow.
        The gateway isn't told. Past sales and the activity keep the name of their time.
        """
        wanted = clean_text("key name", name)
        known = await self._calling.key(key.environment_id, key.id)
        if wanted in {known.name, key.name}:
            return known
        plans = await self._world.journal.key_plans(known.environment_id)
        if any(plan.is_wanted and plan.name.casefold() == wanted.casefold() for plan in plans):
            raise NameTaken("key", wanted)  # the key that is being added would be given up for it
        line = self._world.line("key renamed", known.environment_id, wanted, f"{key.name} → {wanted}")
        fields = {"name": key.name}, {"name": wanted}
        await self._world.edit(Edit(Edited.KEY, known.environment_id, known.id, *fields, line))
        renamed = await self._calling.key(known.environment_id, known.id)
        for rotation in await self._world.journal.rotations(renamed.environment_id):
            facts = (rotation.old, rotation.replacement)
            if rotation.is_open and any(one.key_id == renamed.id for one in facts if one):
                self._world.events.publish(RotationChanged(rotation.id, rotation.environment_id))
        return renamed

    async def forget(self, environment: Environment, key: SecurityKey) -> None:
        """Take the key and its value out of Keybench; a key the gateway made for us is deleted there too.

        Elsewhere it stays valid until somebody deletes it in the portal.
        """
        await self._world.journal.expect_right_to_remove()
        is_deleted = bool(key.gateway_id) and self._world.gateway.facts(environment.contract).can_create_keys
        # What the gateway deletes is gone for every key with that value.
        ids = await self._world.alike(environment.id, key.id) if is_deleted else frozenset({key.id})
        for rotation in await self._world.journal.rotations(environment.id):
            facts = (rotation.old, rotation.replacement)
            if rotation.is_open and any(one.key_id in ids for one in facts if one):
                raise RotationUnderWay(key.name)
        await refuse_while_selling(self._world, ids, key.name)
        if is_deleted:
            base_url = await self._calling.base_url(environment)
            await self._world.portal.delete_key(environment, base_url, key.gateway_id)
        await self._world.keystore.erase(entry_of(key))
        await self._world.journal.remove_key(key.id)
        await self._note("key forgotten", key, key.fingerprint)
        self._world.events.publish(KeysChanged(environment.id))

    async def erase_values(self) -> None:
        """Erase every value, those of planned keys included; for a data folder that goes with all in it."""
        journal, keystore = self._world.journal, self._world.keystore
        for plan in await journal.key_plans():  # first: one may become a key meanwhile, and no key a plan
            await keystore.erase(entry_for(plan.environment_id, plan.making))
        for environment in await journal.environments():
            for key in await journal.keys(environment.id):
                await keystore.erase(entry_of(key))

    async def _tested(
        self,
        key: SecurityKey,
        state: KeyState,
        status: int,
        result: str,
        exchanges: Sequence[Exchange] = (),
    ) -> SecurityKey:
        now = self._world.clock.now()
        await self._exchanged(key, exchanges)
        tested = await self._seen(key, lambda stored: stored.tested(state, status, now))
        accepted = tested.fingerprint if state is KeyState.WORKING else ""
        await self._note("key tested", key, f"{status} {result}" if status else result, accepted)
        self._world.events.publish(KeysChanged(key.environment_id))
        return tested

    async def _exchanged(self, key: SecurityKey, exchanges: Sequence[Exchange]) -> None:
        """Keep what was asked and answered; what it showed of the key is told, whether or not that can be."""
        if exchanges:
            with suppress(JournalError, NotFound):
                await self._world.journal.keep_key_exchanges(key.id, exchanges)

    async def _tried(self, key: SecurityKey, error: GatewayError, exchanges: Sequence[Exchange]) -> None:
        """Keep that a test showed nothing, and why; the journal's own trouble doesn't hide that."""
        await self._exchanged(key, exchanges)
        trial, status, now = trial_of(error), error.status, self._world.clock.now()
        with suppress(JournalError, NotFound):
            await self._seen(key, lambda stored: stored.tried(trial, now))
            await self._note("key tested", key, f"{status} {trial}" if status else trial)
            self._world.events.publish(KeysChanged(key.environment_id))

    async def _seen(self, key: SecurityKey, move: KeyMove) -> SecurityKey:
        """Keep what was seen of the value that `key` has, unless it was given another meanwhile."""
        return await self._world.journal.update_key(key.id, of_value(key.fingerprint, move))

    async def _note(self, action: str, key: SecurityKey, result: str, fingerprint: str = "") -> None:
        await self._world.note_activity(action, key.environment_id, key.name, result, fingerprint=fingerprint)


async def refuse_while_selling(world: World, key_ids: Collection[str], name: str) -> None:
    """Do nothing if no unfinished sale needs one of some keys."""
    unfinished = await world.journal.unfinished_sales()
    if under_way := sum(sale.key_id in key_ids for sale in unfinished):
        raise SalesUnderWay(name, under_way)


async def forget_tests(world: World, environment_id: str) -> None:
    """Take every key of an environment for untested: what tests showed was shown by another host."""
    with suppress(JournalError, NotFound):  # the environment is called there all the same
        for key in await world.journal.keys(environment_id):
            await world.journal.update_key(key.id, _untested)
            await world.journal.keep_key_exchanges(key.id, ())
    world.events.publish(KeysChanged(environment_id))


def _untested(stored: SecurityKey) -> SecurityKey:
    return stored.given(stored.fingerprint, stored.folded_fingerprint) if stored.has_value else stored


def state_shown_by(error: GatewayError) -> KeyState | None:
    """Return what a test that failed showed of its key; None if nothing, see `trial_of`."""
    if isinstance(error, KeyRefused | Forbidden) and not error.asks_to_wait:
        return KeyState.REFUSED if isinstance(error, KeyRefused) else KeyState.FORBIDDEN
    return None


def trial_of(error: GatewayError) -> Trial:
    """Return why a test that failed showed nothing of its key."""
    match error:
        case GatewayFailed():
            return Trial.GATEWAY_FAILED
        case GatewayError() if error.asks_to_wait:
            return Trial.TOO_OFTEN
        case NotSent() | PracticeUnavailable():
            return Trial.NOT_REACHED
        case AnswerLost():
            return Trial.NO_ANSWER
        case _:
            return Trial.UNCLEAR
