"""Environments: list, find, add, change, try and remove the gateways people talk to."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from keybench.core.card_data import refuse_card_data
from keybench.core.environments.addresses import (
    has_user,
    parse_base_url,
    parse_portal_url,
    parse_proxy,
    proxy_entry,
)
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, correction_of
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.events import EnvironmentsChanged, GatewayChanged
from keybench.core.input_errors import (
    EnvironmentBuiltIn,
    EnvironmentFixed,
    KeysUnsettled,
    MoveNotConfirmed,
    NameTaken,
    NotFound,
    ProxyInvalid,
    RotationUnderWay,
    SalesUnderWay,
)
from keybench.core.keys.key import SecurityKey
from keybench.core.money import parse_limit
from keybench.core.ports import (
    ENVIRONMENT_ADDED,
    ENVIRONMENT_EDITED,
    ENVIRONMENT_REMOVED,
    ContractFacts,
    entry_of,
)
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Outcome
from keybench.core.secret import Secret
from keybench.core.text import clean_text
from keybench.workflows.calling import value_changed
from keybench.workflows.guard import guarded
from keybench.workflows.keys.creation import MAY_BE_LEFT, entry_for
from keybench.workflows.keys.managing import forget_tests
from keybench.workflows.world import World

ENVIRONMENT_NAME_LIMIT = 40
#: The contract an environment is added with unless a person chooses another.
USUAL_CONTRACT = "v5"
#: How the activity calls what is empty.
NOTHING_SET: Final = "none"
_UP: Final = {BaseUrlFound.GATEWAY, BaseUrlFound.OPEN}
_DOWN: Final = {BaseUrlFound.NOT_REACHED, BaseUrlFound.NO_ANSWER}


def check_proxy(proxy: str, password: str, *, before: str = "") -> str:
    """Return the setting entered; without a password it must be `before`, whose one is kept."""
    way = parse_proxy(proxy)
    refuse_card_data("proxy password", password)
    if has_user(way) and not password and way != before:
        raise ProxyInvalid(ProxyInvalid.NO_PASSWORD)
    if password and not has_user(way):
        raise ProxyInvalid(ProxyInvalid.NO_USER)
    return way


@dataclass(frozen=True, slots=True)
class Affected:
    """What is in an environment, and what needs its gateway; `unsettled` names keys it may have made."""

    keys: Sequence[SecurityKey]
    applications: int
    unsettled: tuple[str, ...]
    rotations: tuple[str, ...]
    under_way: int
    unknown: int

    @property
    def with_value(self) -> Sequence[SecurityKey]:
        """The keys whose value is kept."""
        return [key for key in self.keys if key.has_value]

    @property
    def needs_gateway(self) -> bool:
        """Whether something has been begun that only its gateway can end."""
        return bool(self.unsettled or self.rotations or self.under_way or self.unknown)


def _moved(stored: Environment, changes: Mapping[str, Any], proxy_password: str) -> Environment:
    """Return a stored environment with what was entered; another may have changed its proxy meanwhile."""
    if "proxy" in changes:
        check_proxy(changes["proxy"], proxy_password, before=stored.proxy)
    return replace(stored, **changes)


@guarded
class Environments:
    """The use cases about environments."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def all(self) -> Sequence[Environment]:
        """Return every environment, practice first."""
        return await self._world.journal.environments()

    async def named(self, name: str) -> Environment:
        """Return the environment of that name, in any case of letters."""
        refuse_card_data("environment name", name)
        for environment in await self.all():
            if environment.name.casefold() == name.strip().casefold():
                return environment
        raise NotFound("environment", name)

    def paths(self, contract: str) -> Sequence[str]:
        """Return the paths of a contract's calls; none if it can't be used."""
        return self._world.facts(contract).paths

    def facts(self, environment: Environment) -> ContractFacts:
        """Return what the environment's gateway can do, by its contract; nothing if that can't be used."""
        return self._world.facts(environment.contract)

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
        portal_url: str = "",
    ) -> Environment:
        """Add a test or live environment and return it."""
        cleaned = _name(name)
        address = parse_base_url(base_url)
        most = parse_limit(limit)
        way = check_proxy(proxy, proxy_password)
        portal = parse_portal_url(portal_url)
        if any(cleaned.casefold() == known.name.casefold() for known in await self.all()):
            raise NameTaken("environment", cleaned)
        self._contract(contract)
        now = self._world.clock.now()
        environment = Environment(uuid.uuid4().hex, cleaned, kind, address, contract, now, most, way, portal)
        async with self._password_moved(None, environment, proxy_password):
            await self._world.journal.add_environment(environment)
        told = f"{kind} at {address}"
        await self._world.note_activity(ENVIRONMENT_ADDED, environment.id, cleaned, told)
        self._world.events.publish(EnvironmentsChanged())
        return environment

    async def edit(
        self,
        environment: Environment,
        *,
        name: str | None = None,
        base_url: str | None = None,
        contract: str | None = None,
        portal_url: str | None = None,
        limit: str | None = None,
        proxy: str | None = None,
        proxy_password: str = "",
        confirmed: bool = False,
    ) -> Environment:
        """Change what is given of an environment and return it; everything else stays as it is stored.

        Its kind stays: keys and sales were made for a test gateway, or for a live one. `confirmed` says that
        a person knows that its gateway is called elsewhere, or otherwise, from now on. Without a
        `proxy_password` the one that is kept stays.
        """
        entered: Sequence[tuple[str, str | None, Callable[[str], Any]]] = (
            ("name", name, _name),
            ("base_url", base_url, parse_base_url),
            ("contract", contract, self._contract),
            ("portal_url", portal_url, parse_portal_url),
            ("amount_limit", limit, parse_limit),
        )
        changes = {field: read(text) for field, text, read in entered if text is not None}
        if environment.id == PRACTICE_ID:
            if proxy is not None:
                raise ProxyInvalid(ProxyInvalid.PRACTICE)
            if changes.keys() - {"amount_limit"}:
                raise EnvironmentFixed(environment.name)
        before = await self._world.stored(environment)
        if proxy is not None:
            changes["proxy"] = check_proxy(proxy, proxy_password, before=before.proxy)
        then = replace(before, **changes)
        if any(then.name.casefold() == one.name.casefold() for one in await self.all() if one.id != then.id):
            raise NameTaken("environment", then.name)
        await self._refuse_while_deleting(before, then)
        if not confirmed:
            await self._refuse_move(before, then)
        async with self._password_moved(before, then, proxy_password):
            changed = await self._world.journal.update_environment(
                environment.id, lambda stored: _moved(stored, changes, proxy_password)
            )
        if _host_of(before) != _host_of(changed):
            await forget_tests(self._world, changed.id)
        await self._note_changes(before, changed)
        self._world.events.publish(EnvironmentsChanged())
        return changed

    def _contract(self, name: str) -> str:
        """Return a contract's name if it can be used; else NotFound or ContractInvalid."""
        refuse_card_data("contract", name)
        self._world.gateway.facts(name)
        return name

    async def _refuse_while_deleting(self, now: Environment, then: Environment) -> None:
        """Do nothing unless a deleted key is still to be seen refused: another host refuses it anyway."""
        if _host_of(now) == _host_of(then):
            return
        for rotation in await self._world.journal.rotations(now.id):
            if rotation.is_open and rotation.deletion and not rotation.deletion.refused_at:
                raise RotationUnderWay(rotation.old.name)

    async def _refuse_move(self, now: Environment, then: Environment) -> None:
        """Do nothing if nothing depends on what changes of where and how an environment is called."""
        if (now.base_url, now.contract) == (then.base_url, then.contract):
            return
        affected = await self.affected(now)
        keys = len(affected.with_value) if _host_of(now) != _host_of(then) else 0
        if now.is_live or keys or affected.needs_gateway:
            raise MoveNotConfirmed(
                now.name,
                (now.base_url, now.contract),
                (then.base_url, then.contract),
                is_live=now.is_live,
                keys=keys,
                under_way=affected.under_way,
                unknown=affected.unknown,
                rotations=affected.rotations,
                unsettled=affected.unsettled,
            )

    async def _note_changes(self, before: Environment, changed: Environment) -> None:
        told = [
            f"{called}: {was or NOTHING_SET} \N{RIGHTWARDS ARROW} {now or NOTHING_SET}"
            for called, was, now in (
                ("name", before.name, changed.name),
                ("base URL", before.base_url, changed.base_url),
                ("API version", before.contract, changed.contract),
                ("portal", before.portal_url, changed.portal_url),
            )
            if was != now
        ]
        note = partial(self._world.note_activity, environment_id=changed.id, subject=changed.name)
        if told:
            await note(ENVIRONMENT_EDITED, result="; ".join(told))
        if before.amount_limit != changed.amount_limit:
            limit = changed.amount_limit
            await note("amount limit set", result=NOTHING_SET if limit is None else str(limit))
        if before.proxy != changed.proxy:
            await note("proxy set", result=changed.proxy)

    # --- trying --------------------------------------------------------------------------------------

    async def try_connection(self, environment: Environment) -> ConnectionResult:
        """Call an environment's gateway without a key, and return what answered."""
        where = await self._world.stored(environment)
        base_url = await self._world.practice.ensure() if where.id == PRACTICE_ID else where.base_url
        tried = await self._tried(where, base_url)
        if tried.found in _UP or tried.found in _DOWN:
            event = GatewayChanged(where.id, tried.found in _UP, urlsplit(base_url).netloc)
            self._world.events.publish(event)
        return tried

    async def try_address(
        self,
        base_url: str,
        contract: str,
        *,
        proxy: str = "",
        proxy_password: str = "",
        kept: Environment | None = None,
    ) -> ConnectionResult:
        """Call a base URL as entered without a key; `kept` is the environment being edited."""
        address = parse_base_url(base_url)
        way = check_proxy(proxy, proxy_password, before=kept.proxy if kept else "")
        where = Environment(
            id=kept.id if kept else uuid.uuid4().hex,
            name="",
            kind=EnvironmentKind.TEST,
            base_url=address,
            contract=contract,
            created_at=self._world.clock.now(),
            proxy=way,
        )
        return await self._tried(where, address, Secret(proxy_password) if proxy_password else None)

    async def _tried(
        self, where: Environment, base_url: str, proxy_password: Secret | None = None
    ) -> ConnectionResult:
        tried = await self._world.gateway.try_connection(where, base_url, proxy_password)
        if tried.is_gateway:
            return tried
        portals = [one.portal_url for one in await self.all() if one.portal_url]
        guess = correction_of(base_url, self.facts(where).paths, portals)
        return replace(tried, correction=guess) if guess else tried

    # --- passwords -----------------------------------------------------------------------------------

    def _password_moved(
        self, before: Environment | None, then: Environment, password: str
    ) -> AbstractAsyncContextManager[None]:
        """Keep a proxy's new password, or erase one not needed, before the block writes whose it is."""
        had_one = before is not None and has_user(before.proxy)
        if not password and not (had_one and not has_user(then.proxy)):
            return nullcontext()
        new = Secret(password) if password else None
        return value_changed(self._world.keystore, proxy_entry(then.id), new, had_one=had_one)

    # --- removing ------------------------------------------------------------------------------------

    async def affected(self, environment: Environment) -> Affected:
        """Return what is in an environment, and what needs its gateway."""
        journal = self._world.journal
        unfinished = await journal.unfinished_sales()
        unknown = SaleFilter(environment_id=environment.id, state=Outcome.UNKNOWN)
        return Affected(
            keys=tuple(await journal.keys(environment.id)),
            applications=len(await journal.applications(environment.id)),
            unsettled=tuple(p.name for p in await journal.key_plans(environment.id) if p.making.asked_at),
            rotations=tuple(r.old.name for r in await journal.rotations(environment.id) if r.is_open),
            under_way=sum(sale.environment_id == environment.id for sale in unfinished),
            unknown=await journal.count_sales(unknown),
        )

    async def remove(self, environment: Environment, *, anyway: bool = False) -> None:
        """Remove an environment, its devices, applications and keys with their values.

        Its sales and its rotations, finished or abandoned, stay as history. With `anyway` it goes even if its
        gateway may have keys that nobody knows of; the activity names them.
        """
        if environment.id == PRACTICE_ID:  # asked here, before a key is taken away
            raise EnvironmentBuiltIn(environment.name)
        journal = self._world.journal
        await journal.expect_right_to_remove()
        affected = await self.affected(environment)
        if affected.rotations:
            raise RotationUnderWay(affected.rotations[0])
        if affected.under_way:
            raise SalesUnderWay(environment.name, affected.under_way)
        if affected.unsettled and not anyway:
            raise KeysUnsettled(affected.unsettled)
        for plan in await journal.key_plans(environment.id):
            await self._world.keystore.erase(entry_for(environment.id, plan.making))
        for name in affected.unsettled:
            await self._world.note_activity(MAY_BE_LEFT, environment.id, name)
        for key in await journal.keys(environment.id):
            await self._world.keystore.erase(entry_of(key))
            await journal.remove_key(key.id)
        if has_user(environment.proxy):
            await self._world.keystore.erase(proxy_entry(environment.id))
        await journal.remove_environment(environment.id)
        await self._world.note_activity(ENVIRONMENT_REMOVED, environment.id, environment.name)
        self._world.events.publish(EnvironmentsChanged())


def _name(text: str) -> str:
    return clean_text("environment name", text, limit=ENVIRONMENT_NAME_LIMIT)


def _host_of(environment: Environment) -> str:
    return urlsplit(environment.base_url).netloc.casefold()
