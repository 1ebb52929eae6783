"""Trying an address: does a gateway answer there, and if not, which address was probably meant."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from keybench.core.environments.addresses import parse_base_url
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult, correction_of
from keybench.core.environments.environment import PRACTICE_ID, Environment, EnvironmentKind
from keybench.core.events import GatewayChanged
from keybench.core.secret import Secret
from keybench.workflows.environments.managing import Environments, check_proxy
from keybench.workflows.guard import guarded
from keybench.workflows.world import World

_UP: Final = {BaseUrlFound.GATEWAY, BaseUrlFound.OPEN}
_DOWN: Final = {BaseUrlFound.NOT_REACHED, BaseUrlFound.NO_ANSWER}


@guarded
class Trying:
    """The use cases; each makes one harmless call without a key."""

    def __init__(self, world: World, environments: Environments) -> None:
        self._world = world
        self._environments = environments

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
        portals = [one.portal_url for one in await self._environments.all() if one.portal_url]
        guess = correction_of(base_url, self._environments.facts(where).paths, portals)
        return replace(tried, correction=guess) if guess else tried
