"""Environments: list, find, add, change and remove the gateways people talk to."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from keybench.core.addresses import has_user, parse_base_url, parse_proxy, proxy_entry
from keybench.core.card_data import refuse_card_data
from keybench.core.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.events import EnvironmentsChanged
from keybench.core.input_errors import (
    EnvironmentBuiltIn,
    KeysUnsettled,
    NameTaken,
    NotFound,
    ProxyInvalid,
    RotationUnderWay,
    SalesUnderWay,
)
from keybench.core.money import parse_limit
from keybench.core.ports import ENVIRONMENT_ADDED, ENVIRONMENT_REMOVED, ContractFacts, entry_of
from keybench.core.secret import Secret
from keybench.core.text import clean_text
from keybench.workflows.calling import usable_facts
from keybench.workflows.guard import guarded
from keybench.workflows.key_creation import MAY_BE_LEFT, entry_for
from keybench.workflows.world import World

ENVIRONMENT_NAME_LIMIT = 40
#: The contract an environment is added with unless a person chooses another.
USUAL_CONTRACT = "v5"


def check_proxy(proxy: str, password: str, *, before: str = "") -> str:
    """Return the setting that was entered, if it can be used with this password.

    Args:
        proxy: As entered.
        password: As entered; empty for none, or for the one that is kept.
        before: The setting that a password may be kept for.

    Raises:
        ProxyInvalid, CardDataRefused: It can't.
    """
    way = parse_proxy(proxy)
    refuse_card_data("proxy password", password)
    if has_user(way) and not password and way != before:
        raise ProxyInvalid(ProxyInvalid.NO_PASSWORD)
    if password and not has_user(way):
        raise ProxyInvalid(ProxyInvalid.NO_USER)
    return way


@guarded
class Environments:
    """The use cases about environments."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def all(self) -> Sequence[Environment]:
        """Return every environment, practice first."""
        return await self._world.journal.environments()

    async def named(self, name: str) -> Environment:
        """Return the environment of that name, in any case of letters.

        Raises:
            CardDataRefused: It is card data, which isn't to be repeated.
            NotFound: There is none.
        """
        refuse_card_data("environment name", name)
        for environment in await self.all():
            if environment.name.casefold() == name.strip().casefold():
                return environment
        raise NotFound("environment", name)

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts an environment can be added with."""
        return self._world.gateway.contracts()

    def facts(self, environment: Environment) -> ContractFacts:
        """Return what the environment's gateway can do, by its contract; nothing if that can't be used."""
        return usable_facts(self._world.gateway, environment.contract)

    async def add(
        self,
        name: str,
        kind: EnvironmentKind,
        base_url: str,
        contract: str = USUAL_CONTRACT,
        *,
        limit: str = "",
        proxy: str = "",
        proxy_password: str = "",
    ) -> Environment:
        """Add a test or live environment and return it.

        Args:
            name: As entered.
            kind: Test or live.
            base_url: As entered.
            contract: The name of the contract its gateway speaks.
            limit: The most a sale may be, as entered; empty for no limit.
            proxy: As for `set_proxy`; the system's if empty.
            proxy_password: Same.

        Raises:
            NameInvalid, NameTaken, BaseUrlInvalid, AmountInvalid, ProxyInvalid, CardDataRefused: A field
                can't be used.
            NotFound: There is no such contract.
            KeystoreError: The proxy's password can't be kept; then nothing is added.
        """
        cleaned = clean_text("environment name", name, limit=ENVIRONMENT_NAME_LIMIT)
        address = parse_base_url(base_url)
        most = parse_limit(limit)
        way = check_proxy(proxy, proxy_password)
        if any(cleaned.casefold() == known.name.casefold() for known in await self.all()):
            raise NameTaken("environment", cleaned)
        refuse_card_data("contract", contract)
        self._world.gateway.facts(contract)
        now = self._world.clock.now()
        environment = Environment(uuid.uuid4().hex, cleaned, kind, address, contract, now, most, way)
        async with self._password_kept(environment.id, proxy_password):
            await self._world.journal.add_environment(environment)
        told = f"{kind} at {address}"
        await self._world.note_activity(ENVIRONMENT_ADDED, environment.id, cleaned, told)
        self._world.events.publish(EnvironmentsChanged())
        return environment

    async def set_limit(self, environment: Environment, limit: str) -> Environment:
        """Set the most a sale may be in an environment, or take the limit away, and return the environment.

        Args:
            environment: Which one.
            limit: As entered; empty for no limit.

        Raises:
            AmountInvalid, CardDataRefused: The limit isn't a figure above zero.
        """
        most = parse_limit(limit)
        changed = await self._world.journal.update_environment(
            environment.id, lambda stored: replace(stored, amount_limit=most)
        )
        told = "none" if changed.amount_limit is None else str(changed.amount_limit)
        await self._world.note_activity("amount limit set", changed.id, changed.name, told)
        self._world.events.publish(EnvironmentsChanged())
        return changed

    async def set_proxy(self, environment: Environment, proxy: str, password: str = "") -> Environment:
        """Set through which proxy an environment's gateway is called, and return the environment.

        Args:
            environment: Which one.
            proxy: `SYSTEM_PROXY`, `NO_PROXY`, or an address as entered, with the name of its user but without
                a password.
            password: The user's; empty to leave the one that is kept for this address.

        Raises:
            ProxyInvalid, CardDataRefused: It can't be used, or the environment is practice, which needs none.
            KeystoreError: The password can't be kept, or the former one not erased; then nothing changes.
        """
        if environment.id == PRACTICE_ID:
            raise ProxyInvalid(ProxyInvalid.PRACTICE)
        way = check_proxy(proxy, password, before=environment.proxy)
        if not has_user(way) and has_user(environment.proxy):
            await self._world.keystore.erase(proxy_entry(environment.id))
        async with self._password_kept(environment.id, password):
            changed = await self._world.journal.update_environment(
                environment.id,
                lambda stored: replace(stored, proxy=check_proxy(proxy, password, before=stored.proxy)),
            )
        await self._world.note_activity("proxy set", changed.id, changed.name, changed.proxy)
        self._world.events.publish(EnvironmentsChanged())
        return changed

    @asynccontextmanager
    async def _password_kept(self, environment_id: str, password: str) -> AsyncIterator[None]:
        """Keep a proxy's password, if there is one, before the block writes whose it is, or not at all."""
        if password:
            await self._world.keystore.write(proxy_entry(environment_id), Secret(password))
        try:
            yield
        except BaseException:
            if password:
                await self._world.keystore.erase(proxy_entry(environment_id))
            raise

    async def remove(self, environment: Environment, *, anyway: bool = False) -> None:
        """Remove an environment, its devices, applications and keys with their values.

        Its sales and its rotations, finished or abandoned, stay as history.

        Args:
            environment: Which one.
            anyway: Whether it goes even if its gateway may have keys that nobody knows of; the activity
                names them.

        Raises:
            KeysUnsettled: Its gateway may have such keys.
            EnvironmentBuiltIn: It is practice.
            RotationUnderWay: One of its keys is being rotated.
            SalesUnderWay: Some of its sales have no outcome yet.
            KeystoreError: A value can't be erased; then nothing more is taken away.
        """
        if environment.id == PRACTICE_ID:  # asked here, before a key is taken away
            raise EnvironmentBuiltIn(environment.name)
        journal = self._world.journal
        for rotation in await journal.rotations(environment.id):
            if rotation.is_open:
                raise RotationUnderWay(rotation.old.name)
        under_way = [s for s in await journal.unfinished_sales() if s.environment_id == environment.id]
        if under_way:
            raise SalesUnderWay(environment.name, len(under_way))
        plans = await journal.key_plans(environment.id)
        unsettled = [plan for plan in plans if plan.making.asked_at]
        if unsettled and not anyway:
            raise KeysUnsettled([plan.name for plan in unsettled])
        for plan in plans:
            await self._world.keystore.erase(entry_for(environment.id, plan.making))
        for plan in unsettled:
            await self._world.note_activity(MAY_BE_LEFT, environment.id, plan.name)
        for key in await journal.keys(environment.id):
            await self._world.keystore.erase(entry_of(key))
            await journal.remove_key(key.id)
        if has_user(environment.proxy):
            await self._world.keystore.erase(proxy_entry(environment.id))
        await journal.remove_environment(environment.id)
        await self._world.note_activity(ENVIRONMENT_REMOVED, environment.id, environment.name)
        self._world.events.publish(EnvironmentsChanged())
