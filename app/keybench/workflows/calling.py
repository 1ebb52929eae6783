"""Calling a gateway with a key: its address, the value for as long as it is needed, its exchanges."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import JournalError, ValueDiffers, ValueLost, ValueNeverHere
from keybench.core.events import GatewayChanged
from keybench.core.exchange import Exchange
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import SecurityKey
from keybench.core.ports import Caller, Keystore, entry_of
from keybench.core.secret import Secret, fingerprint
from keybench.workflows.rate_limit import RateLimit, RateLimits
from keybench.workflows.world import World

if TYPE_CHECKING:  # imported in a team alone
    from keybench.workflows.team.holdings import Holdings

#: How the setting begins that has an environment's rate.
_RATE: Final = "rate."


@dataclass(slots=True)
class GatewayConnection:
    """An open connection to one environment's gateway with one key, and the exchanges not yet kept."""

    environment: Environment
    caller: Caller
    exchanges: list[Exchange] = field(default_factory=list)

    def take_exchanges(self) -> Sequence[Exchange]:
        """Return the exchanges since this was last asked, to be kept."""
        exchanges, self.exchanges[:] = tuple(self.exchanges), []
        return exchanges


@dataclass(slots=True)
class _Shared:
    """What the followers with one key share: its value, once it is read."""

    reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    value: Secret | None = None
    users: int = 0


class Calling:
    """Opens lines to gateways and watches whether they answer."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._shared: dict[tuple[str, str], _Shared] = {}
        self._limits = RateLimits(world.clock)
        self._recalling = asyncio.Lock()

    @cached_property
    def holdings(self) -> Holdings | None:
        """Telling a team what this desk holds; None where the journal is this desk's own."""
        if self._world.desk is None:
            return None
        from keybench.workflows.team.holdings import Holdings  # noqa: PLC0415 - see above

        return Holdings(self._world, self._world.desk)

    async def value(self, key: SecurityKey) -> Secret:
        """Return the value of a key, see `kept_value`; a team is told if that isn't what the journal says."""
        try:
            value = await kept_value(self._world.keystore, key)
        except ValueLost:
            await self._tell(key, None)
            raise
        await self._tell(key, value)
        return value

    async def _tell(self, key: SecurityKey, value: Secret | None) -> None:
        if self.holdings and key.has_value != (value is not None):
            with suppress(JournalError):  # the next pass tells it
                await self.holdings.note(key, value)

    async def environment(self, environment_id: str) -> Environment:
        """Return an environment by id."""
        environment = await self._world.find_environment(environment_id)
        if environment is None:
            raise NotFound("environment", environment_id)
        return environment

    async def key(self, environment_id: str, key_id: str) -> SecurityKey:
        """Return a key by id."""
        for key in await self._world.journal.keys(environment_id):
            if key.id == key_id:
                return key
        raise NotFound("key", key_id)

    async def base_url(self, environment: Environment) -> str:
        """Return where an environment's gateway is, starting the practice gateway if it isn't up."""
        if environment.kind is not EnvironmentKind.PRACTICE:
            return environment.base_url
        return await self._world.practice.ensure()

    async def limit(self, environment: Environment) -> RateLimit:
        """Return the rate limit that all calls of an account share; it begins with the rate that was kept."""
        limit = self._limits.of(environment, self._world.facts(environment.contract))
        async with self._recalling:
            if not limit.kept:
                with suppress(JournalError, ValueError):
                    limit.begin(float(await self._world.journal.setting(_RATE + environment.id)))
                limit.kept = limit.rate
        return limit

    async def keep_rate(self, environment: Environment) -> None:
        """Keep the rate for the next start if it has doubled or halved since; so it is written seldom."""
        limit = await self.limit(environment)
        if not limit.kept / 2 < limit.rate < limit.kept * 2:
            limit.kept = limit.rate
            with suppress(JournalError):
                await self._world.journal.update_setting(_RATE + environment.id, lambda _: f"{limit.kept:g}")

    @asynccontextmanager
    async def connection(
        self, environment: Environment, key: SecurityKey
    ) -> AsyncIterator[GatewayConnection]:
        """Open a connection to where the environment is now: a command may have moved it."""
        stored = await self._world.stored(environment)
        value, exchanges = await self.value(key), list[Exchange]()
        connection = GatewayConnection(stored, self._caller(stored, "", value, exchanges), exchanges)
        await self.reconnect(connection)
        yield connection

    @asynccontextmanager
    async def shared_connection(
        self, environment: Environment, key: SecurityKey, known: Secret | None = None
    ) -> AsyncIterator[GatewayConnection]:
        """Open a connection without an address yet, for a follower, who reconnects until there is one.

        A keyring takes some 12 ms a read. Hundreds of sales followed with one key share the value that the
        first of them has read, and it is dropped with the last of them. `known` is the key's value, where the
        caller has it from sending the sale.
        """
        name = environment.id, key.id
        shared = self._shared.setdefault(name, _Shared())
        shared.users += 1
        try:
            async with shared.reading:
                if shared.value is None:
                    shared.value = known or await self.value(key)
            exchanges: list[Exchange] = []
            yield GatewayConnection(
                environment, self._caller(environment, "", shared.value, exchanges), exchanges
            )
        finally:
            shared.users -= 1
            if not shared.users:
                del self._shared[name]

    async def reconnect(self, connection: GatewayConnection) -> None:
        """Refresh the connection: practice may have come back at another address, the proxy be another."""
        before = connection.environment
        if connection.caller.base_url:  # it was called before
            with suppress(NotFound, JournalError):
                connection.environment = await self.environment(before.id)
        base_url = await self.base_url(connection.environment)
        if base_url != connection.caller.base_url or connection.environment != before:
            connection.caller = self._caller(
                connection.environment, base_url, connection.caller.value, connection.exchanges
            )

    def _caller(
        self, environment: Environment, base_url: str, value: Secret, exchanges: list[Exchange]
    ) -> Caller:
        address = urlsplit(base_url).netloc

        def on_exchange(exchange: Exchange) -> None:
            exchanges.append(exchange)
            self._world.events.publish(GatewayChanged(environment.id, bool(exchange.status), address))

        return Caller(environment, base_url, value, on_exchange)


async def kept_value(keystore: Keystore, key: SecurityKey) -> Secret:
    """Return the value of a key.

    Another program, or another version of a synchronised keyring, may have put a value of its own under the
    key's entry. It isn't the one that was tested here, so it is neither sent nor shown.
    """
    if not key.fingerprint:
        raise ValueNeverHere(key.name)
    value = await keystore.read(entry_of(key))
    if (found := fingerprint(value)) != key.fingerprint:
        raise ValueDiffers(key.name, key.fingerprint, found)
    return value


@asynccontextmanager
async def value_changed(
    keystore: Keystore, entry: str, value: Secret | None, *, had_one: bool = True
) -> AsyncIterator[None]:
    """Keep a value under an entry, or erase the one there, before the block writes what goes with it.

    Where the block fails, what was there before is there again.
    """
    before = None
    if had_one:
        with suppress(ValueLost):
            before = await keystore.read(entry)
    await (keystore.erase(entry) if value is None else keystore.write(entry, value))
    try:
        yield
    except BaseException:
        await keystore.put_back(entry, before)
        raise
