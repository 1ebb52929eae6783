"""Which way a call goes: straight to the gateway, or through its environment's or the system's proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from keybench.core.environments.addresses import Proxy, is_loopback, proxy_at, proxy_entry
from keybench.core.environments.environment import NO_PROXY, SYSTEM_PROXY, Environment
from keybench.core.errors import KeystoreError, ValueLost
from keybench.core.input_errors import InputInvalid
from keybench.core.reasons import Reason
from keybench.core.secret import Secret
from keybench.gateway.messages import CallFailed
from keybench.runtime.worker import run_in_thread

#: Reads a keystore's entry.
ReadEntry = Callable[[str], Awaitable[Secret]]


async def _read_nothing(_entry: str) -> Secret:
    raise ValueLost("never kept")


@dataclass(frozen=True, slots=True)
class Route:
    """A proxy and what it takes to be let through."""

    proxy: Proxy
    password: Secret | None = field(default=None, repr=False, compare=False)


class Proxies:
    """Finds the way to a gateway, and keeps it until a connection fails."""

    def __init__(self, read: ReadEntry = _read_nothing, is_near: Callable[[str], bool] = is_loopback) -> None:
        self._read = read
        self._is_near = is_near
        self._known: dict[tuple[str, str, str], Route | None] = {}
        self._finding: dict[str, asyncio.Lock] = {}

    def with_password(self, password: Secret | None) -> Proxies:
        """Return one that has found no way yet; a password that is given stands in for the kept ones."""

        async def read(_entry: str) -> Secret:
            assert password  # noqa: S101 - see below
            return password

        return Proxies(read if password else self._read, self._is_near)

    async def way_to(self, environment: Environment | None, host: str, port: int) -> Route | None:
        """Return the way to one of an environment's addresses; None for straight there."""
        if environment is None:
            return None
        known = environment.id, environment.proxy, f"{host}:{port}"
        if known in self._known:
            return self._known[known]
        async with self._finding.setdefault(environment.id, asyncio.Lock()):  # a keystore may ask a person
            if known not in self._known:
                self.forget(environment)
                self._known[known] = await self._found(environment, host, port)
            return self._known[known]

    def forget(self, environment: Environment) -> None:
        """Look again the next time: the computer may be in another network, the password another."""
        for known in [known for known in self._known if known[0] == environment.id]:
            del self._known[known]

    async def _found(self, environment: Environment, host: str, port: int) -> Route | None:
        if environment.proxy == NO_PROXY or self._is_near(host):
            return None
        if environment.proxy == SYSTEM_PROXY:
            # It may look names up.
            return await run_in_thread("keybench system proxy", lambda: system_way(host, port))
        proxy = proxy_at(environment.proxy)
        return Route(proxy, await self._password(environment.id) if proxy.user else None)

    async def _password(self, environment_id: str) -> Secret:
        try:
            return await self._read(proxy_entry(environment_id))
        except ValueLost:
            raise CallFailed(Reason.PROXY_PASSWORD_MISSING) from None
        except KeystoreError:
            raise CallFailed(Reason.PROXY_PASSWORD_UNREAD) from None


def system_way(host: str, port: int) -> Route | None:
    """Return the way the system is set to: by environment variables, else Windows' or macOS's settings."""
    import urllib.request  # noqa: PLC0415 - slow to import, and the window comes first

    set_to: Mapping[str, str] = urllib.request.getproxies()
    address = set_to.get("https") or set_to.get("all")
    if not address or urllib.request.proxy_bypass(f"{host}:{port}"):
        return None
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        password = None if parts.password is None else Secret(unquote(parts.password))
        user = "" if parts.username is None else f"{parts.username}@"
        where = parts.netloc.rpartition("@")[2]
        if parts.port is None:
            where += ":443" if parts.scheme == "https" else ":80"
        return Route(proxy_at(urlunsplit((parts.scheme, user + where, "", "", ""))), password)
    except (InputInvalid, ValueError):
        raise CallFailed(Reason.PROXY_SETTING) from None
