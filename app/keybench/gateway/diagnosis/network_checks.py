"""What a diagnosis sees of the way to a gateway: name, connection, proxy and TLS, each looked at by itself.

No request is sent over any of it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import httpcore
import httpx

from keybench.core.diagnosis.checks import Fact, Observation, Sign, saw
from keybench.core.environments.environment import Environment
from keybench.core.ports import Clock
from keybench.core.reasons import Reason
from keybench.gateway.connections import Target, open_way, target_of
from keybench.gateway.diagnosis.handshakes import Handshake, described, said_by, shake, trouble_of
from keybench.gateway.failures import causes_of, reason_of
from keybench.gateway.messages import CallFailed, Limits, Stopwatch
from keybench.gateway.network import LookUp, addresses_of, first_of
from keybench.gateway.proxies import Proxies, Route
from keybench.gateway.trust import DATES, Trust, any_certificate
from keybench.runtime.clock import within

_BAD_ADDRESS: Final = (httpx.InvalidURL, httpcore.UnsupportedProtocol)

_NAMELESS: Final = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_CONNECT: Final[Mapping[Reason, Sign]] = {
    Reason.CONNECTION_REFUSED: Sign.CONNECT_REFUSED,
    Reason.CONNECTION_RESET: Sign.CONNECT_LOST,
    Reason.CONNECTION_CLOSED: Sign.CONNECT_LOST,
    Reason.CONNECT_TIMEOUT: Sign.CONNECT_SILENT,
    Reason.TIMEOUT: Sign.CONNECT_SILENT,
    Reason.NETWORK_UNREACHABLE: Sign.CONNECT_UNREACHABLE,
}
_PROXY: Final[Mapping[Reason, Sign]] = {
    Reason.PROXY_SILENT: Sign.PROXY_SILENT,
    Reason.PROXY_REFUSED: Sign.PROXY_REFUSES,
    Reason.PROXY_IN_VAIN: Sign.PROXY_IN_VAIN,
    Reason.PROXY_SIGN_IN: Sign.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_WANTED: Sign.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_REFUSED: Sign.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_MISSING: Sign.PROXY_PASSWORD,
    Reason.PROXY_PASSWORD_UNREAD: Sign.PROXY_PASSWORD,
}
_BROKEN: Final = (OSError, httpcore.TimeoutException, httpcore.NetworkError)
_BY_REASON: Final[Mapping[Reason, Sign]] = {
    Reason.TLS_EXPIRED: Sign.TLS_EXPIRED,
    Reason.TLS_OUT_OF_DATE: Sign.TLS_EXPIRED,
    Reason.TLS_NOT_YET_VALID: Sign.TLS_NOT_YET_VALID,
    Reason.TLS_WRONG_HOST: Sign.TLS_WRONG_HOST,
    Reason.TLS_SELF_SIGNED: Sign.TLS_SELF_SIGNED,
    Reason.TLS_UNTRUSTED: Sign.TLS_UNTRUSTED,
}
_ISSUER: Final = {Reason.TLS_UNTRUSTED, Reason.TLS_SELF_SIGNED}


class NetworkChecks:
    """Looks at the way to a gateway, step by step.

    Args:
        clock: Times each step, and tells how many days a certificate has left.
        proxies: Knows the way.
        trust: What certificates are trusted.
        public: What certificates anybody trusts.
        limit_s: How long a look may take; what is silent for so long is silent.
        look_up: Looks names up; the system if None.
    """

    def __init__(
        self,
        clock: Clock,
        proxies: Proxies,
        trust: Trust,
        public: Trust,
        limit_s: float,
        look_up: LookUp | None = None,
    ) -> None:
        self._clock = clock
        self._proxies = proxies
        self._trust = trust
        self._public = public
        self._blind = Trust(any_certificate())
        self._limit_s = limit_s
        self._look_up = look_up

    async def name(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Look the host's name up."""
        began, left = self._clock.monotonic(), self._countdown()
        found = await self._way(environment, base_url)
        if found is None:
            return ()
        target, way = found
        host = target.host
        if way:
            return (saw(Sign.NAME_LEFT_TO_PROXY, host=host, proxy=way.proxy.address),)
        if _is_address(host):
            return (saw(Sign.NAME_LITERAL, host=host),)
        try:
            async with within(left()):
                addresses = await self._addresses(host, target.port)
        except TimeoutError:
            return (saw(Sign.NAME_SILENT, host=host, took_s=self._took(began)),)
        except httpcore.ConnectError as error:
            code = _lookup_code(error)
            seen = Sign.NAME_NOT_FOUND if code in _NAMELESS else Sign.NAME_SILENT
            return (saw(seen, host=host, took_s=self._took(began)),)
        seen = Sign.NAME_BLOCKED if _lead_nowhere(addresses) else Sign.NAME_FOUND
        return (saw(seen, host=host, address=", ".join(addresses), took_s=self._took(began)),)

    async def connect(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Connect to the host, or to the proxy where there is one, by the first address that answers."""
        began, left = self._clock.monotonic(), self._countdown()
        found = await self._way(environment, base_url)
        if found is None:
            return ()
        target, way = found
        host, port = (way.proxy.host, way.proxy.port) if way else (target.host, target.port)
        try:
            async with within(left()):
                addresses = await self._addresses(host, port)
        except (TimeoutError, httpcore.ConnectError):
            return (saw(Sign.CONNECT_NOT_TO_PROXY, proxy=way.proxy.address),) if way else ()
        if _lead_nowhere(addresses):
            return ()
        facts: dict[str, Fact] = {"host": host, "port": port, "address": ", ".join(addresses)}
        reason: Reason | None = None
        try:
            async with within(left()):
                stream = await first_of(addresses, port)
                if peer := stream.get_extra_info("server_addr"):  # none where it has been reset by now
                    facts["address"] = peer[0]
                await stream.aclose()
        except _BROKEN as error:
            reason = reason_of(error)
        facts["took_s"] = self._took(began)
        if way:
            seen = Sign.CONNECT_NOT_TO_PROXY if reason else Sign.CONNECTED_TO_PROXY
            return (saw(seen, **facts, proxy=way.proxy.address),)
        if reason:
            return (saw(_CONNECT.get(reason, Sign.CONNECT_LOST), **facts, reason=str(reason)),)
        return (saw(Sign.CONNECTED, **facts),)

    async def proxy(  # noqa: PLR0911 - one for each way it may end
        self, environment: Environment, base_url: str
    ) -> Sequence[Observation]:
        """Ask the proxy to lead to the gateway; where it doesn't, see whether the way without it works."""
        began, left = self._clock.monotonic(), self._countdown()
        target = _target(base_url)
        if target is None:
            return ()
        try:
            async with within(left()):
                way = await self._proxies.way_to(environment, target.host, target.port)
        except TimeoutError:  # a keystore that asks a person, or the system's own look
            return ()
        except CallFailed as failed:
            seen = _PROXY.get(failed.reason, Sign.PROXY_UNUSABLE)
            return (saw(seen, host=target.host, reason=str(failed.reason)),)
        if way is None:
            return (saw(Sign.PROXY_NONE, host=target.host),)
        trouble, without = await asyncio.gather(
            self._through(target, way, left), self._try(target, None, self._blind, left)
        )
        facts: dict[str, Fact] = {"proxy": way.proxy.address, "host": target.host, "port": target.port}
        if trouble is None:
            return (saw(Sign.PROXY_PASSES, **facts, took_s=self._took(began)),)
        needless = (saw(Sign.PROXY_NEEDLESS, **facts),) if isinstance(without, Handshake) else ()
        if trouble.seen is Sign.PROXY_SILENT and not trouble.facts and not needless:
            return ()  # it opened a tunnel in which nothing comes, which may be the gateway's silence
        return (saw(trouble.seen, **facts, **trouble.facts), *needless)

    async def tls(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Shake hands as this computer trusts, as anybody does, and blindly, to read the certificate."""
        began, left = self._clock.monotonic(), self._countdown()
        found = await self._way(environment, base_url)
        if found is None:
            return ()
        target, way = found
        facts: dict[str, Fact] = {"host": target.host, "port": target.port}
        if target.scheme != "https":
            return (saw(Sign.TLS_NONE, **facts),)
        trusted, public, shown = await asyncio.gather(
            *(self._try(target, way, trust, left) for trust in (self._trust, self._public, self._blind))
        )
        facts["took_s"] = self._took(began)
        if isinstance(trusted, Handshake):
            return self._trusted(trusted, public, facts)
        if isinstance(trusted, CallFailed):
            is_alone = trusted.reason is Reason.TLS_NO_AUTHORITIES
            return (saw(Sign.TLS_FAILED, **facts, reason=str(trusted.reason)),) if is_alone else ()
        if trouble := trouble_of(trusted):
            return (saw(trouble, **facts, **said_by(trusted)),)
        read = shown if isinstance(shown, Handshake) else None
        return self._untrusted(reason_of(trusted), read, target.host, facts)

    def _trusted(
        self, shaken: Handshake, public: Handshake | Exception, facts: Mapping[str, Fact]
    ) -> Sequence[Observation]:
        now, shown = self._clock.now(), shaken.certificate
        told = {**facts, **described(shaken, now)}
        if isinstance(public, Handshake):
            seen = Sign.TLS_TRUSTED
        elif isinstance(public, CallFailed) or trouble_of(public):
            seen = Sign.TLS_TRUSTED_HERE
        else:
            inspected = shown is not None and shown.is_inspection
            seen = Sign.TLS_INSPECTION_TRUSTED if inspected else Sign.TLS_PRIVATE_ISSUER
        soon = shown is not None and shown.ends_soon(now)
        return (saw(seen, **told), *((saw(Sign.TLS_ENDS_SOON, **told),) if soon else ()))

    def _untrusted(
        self, reason: Reason, shaken: Handshake | None, host: str, facts: Mapping[str, Fact]
    ) -> Sequence[Observation]:
        """Return all that is wrong with a certificate: TLS itself tells only the first thing."""
        now, shown = self._clock.now(), shaken.certificate if shaken else None
        if shaken is None or shown is None:
            return (saw(_BY_REASON.get(reason, Sign.TLS_FAILED), **facts, reason=str(reason)),)
        told = {**facts, **described(shaken, now)}
        if reason in _ISSUER and shown.is_inspection:
            return (saw(Sign.TLS_INSPECTION, **told),)
        kinds = []
        if reason in _ISSUER:
            kinds.append(Sign.TLS_SELF_SIGNED if shown.is_self_signed else Sign.TLS_UNTRUSTED)
        if reason is Reason.TLS_WRONG_HOST or not shown.is_for(host):
            kinds.append(Sign.TLS_WRONG_HOST)
        if reason is Reason.TLS_EXPIRED or now > shown.ends:
            kinds.append(Sign.TLS_EXPIRED)
        elif reason in DATES or now < shown.begins:
            kinds.append(Sign.TLS_NOT_YET_VALID)
        return tuple(saw(one, **told) for one in kinds)

    async def _through(self, target: Target, way: Route, left: Callable[[], float]) -> Observation | None:
        """Return what is wrong with a proxy; None where it leads to the gateway.

        That nothing comes through the tunnel that it opened is a silence without facts.
        """
        met = await self._try(target, way, self._blind, left)
        if isinstance(met, Handshake):
            return None
        if not isinstance(met, CallFailed):
            if trouble_of(met) is Sign.TLS_NOT_SPOKEN:
                return saw(Sign.PROXY_ANSWERS_ITSELF, reason=str(Reason.TLS))
            return saw(Sign.PROXY_SILENT)
        seen = _PROXY.get(met.reason, Sign.PROXY_UNUSABLE)
        if met.status // 100 == 3:  # noqa: PLR2004 - it sends people to a page of its own
            seen = Sign.PROXY_ANSWERS_ITSELF
        return saw(seen, reason=str(met.reason), **({"status": met.status} if met.status else {}))

    async def _try(
        self, target: Target, way: Route | None, trust: Trust, left: Callable[[], float]
    ) -> Handshake | Exception:
        """Connect, shake hands where that is due, and hang up.

        Returns:
            What the handshake showed, why it failed, or a `CallFailed` where there was no connection for it.
        """
        limits = Limits(connect_s=left(), proxy_s=left())
        try:
            async with within(left()):
                context = await trust.context(target.host, target.port)
                tls = await self._trust.context() if way and way.proxy.scheme == "https" else None
                stream = await open_way(target, way, tls, limits, Stopwatch(self._clock.monotonic))
        except CallFailed as failed:
            return failed
        except _BROKEN as error:
            return CallFailed(Reason.PROXY_SILENT if way else reason_of(error))
        if target.scheme != "https":
            await stream.aclose()
            return Handshake("", None)
        try:
            return await shake(stream, context, target.host, left())
        except _BROKEN as error:
            return error

    async def _way(self, environment: Environment, base_url: str) -> tuple[Target, Route | None] | None:
        """Return the way to a gateway; None where it can't be told, which the proxy's own look tells."""
        target = _target(base_url)
        if target is None:
            return None
        try:
            async with within(self._limit_s):
                return target, await self._proxies.way_to(environment, target.host, target.port)
        except (TimeoutError, CallFailed):
            return None

    async def _addresses(self, host: str, port: int) -> Sequence[str]:
        return await addresses_of(host, port, Stopwatch(self._clock.monotonic), self._look_up)

    def _countdown(self) -> Callable[[], float]:
        """Return what tells how many seconds are left from now on."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._limit_s
        return lambda: max(ends - loop.time(), 0.0)

    def _took(self, began: float) -> float:
        return round(self._clock.monotonic() - began, 3)


def _target(base_url: str) -> Target | None:
    try:
        return target_of(base_url)
    except _BAD_ADDRESS:
        return None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _lead_nowhere(addresses: Sequence[str]) -> bool:
    """Tell whether a name has no address but 0.0.0.0 and ::, with which filters answer."""
    return all(ipaddress.ip_address(one.partition("%")[0]).is_unspecified for one in addresses)


def _lookup_code(error: BaseException) -> int:
    told = [one.errno for one in causes_of(error) if isinstance(one, socket.gaierror)]
    return told[0] or 0 if told else 0
