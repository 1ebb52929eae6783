"""What a diagnosis asks of the network and of a gateway: the port `Probing` over real connections.

Every look ends within `LIMIT_S` seconds, so that silence is an observation. The calls are the contract's
harmless one, with and without a key; none of them sells, and no redirect is followed.

The facts beside what is seen, by name: ``host``, ``port``, ``address`` (of several, with commas between),
``proxy`` (its address), ``reason`` (of `core.reasons`, or OpenSSL's own word), ``took_s``; of a certificate
``version``, ``issuer``, ``names``, ``days`` (left; since it ended, or until it begins); of the clock
``offset_s`` (above 0 where this computer is ahead) and ``at`` (the gateway's time); of an answer ``status``,
``code``, ``message``, ``ref``, ``leads_to``, ``retry_s``, ``page``, ``took_s``; of the forms ``form``
(``bare``, ``Bearer``, ``Basic``, ``X-Api-Key``; of several, with commas between).
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from keybench.core.diagnosis.checks import Observation, Sign, saw
from keybench.core.environments.connection import BaseUrlFound
from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError, NotSent
from keybench.core.ports import Caller, Clock, ExchangeSink
from keybench.core.reasons import Reason
from keybench.gateway.base_url_check import MOST, found_in, is_page
from keybench.gateway.client import HARMLESS, contract_of, keyed_request, url_of
from keybench.gateway.contract import Contract
from keybench.gateway.contracts import Contracts
from keybench.gateway.diagnosis.check_answers import (
    BARRED,
    CheckAnswer,
    broken_off,
    date_of,
    leading,
    told_by,
    with_place,
    without_answer,
)
from keybench.gateway.diagnosis.network_checks import NetworkChecks
from keybench.gateway.messages import Answer, ConnectionUse, Limits, Request, off_the_loop
from keybench.gateway.network import LookUp
from keybench.gateway.proxies import Proxies
from keybench.gateway.transport import Transport
from keybench.gateway.trust import DATES, Trust, any_certificate, public_trust
from keybench.runtime.clock import SystemClock, within

#: How long a look may take, in seconds; whoever asks waits for three.
LIMIT_S: Final = 2.4
#: A clock may be off by so much before anything goes wrong.
_CLOCK_S: Final = 120.0
#: A call without a key may be refused so where the path is right.
_REFUSES: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.UNPROCESSABLE_ENTITY}
)
_GATEWAY: Final[Mapping[BaseUrlFound, Sign]] = {
    BaseUrlFound.GATEWAY: Sign.GATEWAY_ASKS_FOR_KEY,
    BaseUrlFound.OPEN: Sign.GATEWAY_OPEN,
    BaseUrlFound.PAGE: Sign.PAGE,
    BaseUrlFound.REDIRECT: Sign.REDIRECT,
    BaseUrlFound.NO_PATH: Sign.GATEWAY_NO_PATH,
    BaseUrlFound.TOO_OFTEN: Sign.RATE_LIMIT,
    BaseUrlFound.FAILING: Sign.FAILING,
    BaseUrlFound.OTHER: Sign.STRANGE,
}
_SAYS_WHY: Final = {
    Sign.CALL_UNAUTHORISED,
    Sign.CALL_FORBIDDEN,
    Sign.RATE_LIMIT,
    Sign.CALL_REFUSED_OTHERWISE,
    Sign.CALL_DENIED,
}
_ENDS: Final = {
    *(Sign.RATE_LIMIT, Sign.FAILING, Sign.REDIRECT, Sign.PAGE, Sign.STRANGE),
}


@dataclass(frozen=True, slots=True)
class _Form:
    """How a key is written in which header."""

    header: str
    form: str


#: The forms that people mix up.
_FORMS: Final[Mapping[str, _Form]] = {
    "bare": _Form("Authorization", "{key}"),
    "Bearer": _Form("Authorization", "Bearer {key}"),
    "Basic": _Form("Authorization", "Basic {basic}"),
    "X-Api-Key": _Form("X-Api-Key", "{key}"),
}


class HttpProbing(NetworkChecks):
    """Implements `core.ports.Probing`: the network's checks, and the harmless calls.

    Args:
        clock: Times the looks, and is what the gateway's clock is compared with.
        contracts: The contracts to go by; the program's own if None.
        tls: What certificates are trusted; those that the system trusts if None.
        public: What certificates anybody trusts; those of the public authorities if None.
        proxies: Knows the way to a gateway; without any passwords if None.
        look_up: Looks the name up that is looked at; the system if None.
        limit_s: How long a look may take, in seconds.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        contracts: Contracts | None = None,
        tls: ssl.SSLContext | Trust | None = None,
        public: ssl.SSLContext | None = None,
        proxies: Proxies | None = None,
        look_up: LookUp | None = None,
        limit_s: float = LIMIT_S,
    ) -> None:
        clock, proxies = clock or SystemClock(), proxies or Proxies()
        trust = tls if isinstance(tls, Trust) else Trust(tls)
        super().__init__(clock, proxies, trust, Trust(public, public_trust), limit_s, look_up)
        self._contracts = contracts or Contracts()
        self._limits = Limits(
            connect_s=limit_s, proxy_s=limit_s, write_s=limit_s, read_s=limit_s, total_s=limit_s
        )
        self._transport = Transport(clock, self._limits, trust, proxies)

    async def clock(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Compare this computer's clock with the `Date` of an answer to a call without a key.

        Where a certificate's dates alone keep the computer from trusting it, a wrong clock may be why: then
        the call is made all the same. It carries nothing that anybody may not know.
        """
        contract = self._contract(environment)
        url = url_of(base_url, contract.probe.call, HARMLESS)
        request = Request(environment, "HEAD", url, {}, None, (), lambda _exchange: None, most=0)
        blind = Transport(self._clock, self._limits, any_certificate(), self._proxies)
        answer: Answer | GatewayError = NotSent(Reason.TIMEOUT)
        began = self._clock.monotonic()
        try:
            async with within(self._limit_s):
                answer = await _answer(self._transport, request, ConnectionUse.ALONE)
                if isinstance(answer, NotSent) and answer.reason in DATES:
                    began = self._clock.monotonic()
                    answer = await _answer(blind, request, ConnectionUse.ALONE)
        except TimeoutError:
            return ()
        finally:
            await blind.close()
        there = None if isinstance(answer, GatewayError) else date_of(answer)
        if there is None:
            return ()
        # It was written while the answer was awaited, and tells whole seconds.
        took_s = self._clock.monotonic() - began
        offset_s = (self._clock.now() - there).total_seconds() - took_s / 2 - 0.5
        seen = Sign.CLOCK_RIGHT if abs(offset_s) <= _CLOCK_S else Sign.CLOCK_WRONG
        return (saw(seen, offset_s=round(offset_s), at=there),)

    async def gateway(
        self, environment: Environment, base_url: str, on_exchange: ExchangeSink
    ) -> Sequence[Observation]:
        """Make the harmless call without a key."""
        contract = self._contract(environment)
        url = url_of(base_url, contract.probe.call, HARMLESS)
        request = Request(
            environment, "GET", url, {}, None, (), on_exchange, most=MOST, kept=contract.kept_names
        )
        began = self._clock.monotonic()
        answer = await _answer(self._transport, request, ConnectionUse.ALONE)
        if isinstance(answer, GatewayError):
            return without_answer(answer)
        found = await off_the_loop(answer, lambda: found_in(answer))
        told = await off_the_loop(answer, lambda: self._told(answer, contract, request))
        seen = _GATEWAY[found]
        if seen is Sign.GATEWAY_ASKS_FOR_KEY and told.seen is Sign.RATE_LIMIT:
            seen = Sign.RATE_LIMIT
        if seen is Sign.GATEWAY_NO_PATH and answer.status in _REFUSES:
            seen = Sign.GATEWAY_REFUSES
        if seen is Sign.PAGE and answer.status in BARRED:
            seen = Sign.BARRED_BY_PAGE
        facts = {**told.facts, "took_s": self._took(began), **leading(answer, url)}
        facts |= {"page": True} if is_page(answer) else {}
        cut = broken_off(answer, told.facts)
        return (
            cut if cut and seen is Sign.STRANGE else (saw(with_place(seen, base_url, facts), **facts), *cut)
        )

    async def call(self, caller: Caller) -> Sequence[Observation]:
        """Make the harmless call with the bare key, as the contract has it."""
        contract = self._contract(caller.environment)
        request = keyed_request(caller, contract, contract.probe.call, HARMLESS)
        began = self._clock.monotonic()
        # On a connection of its own: one that was kept may have died since, and would look like silence.
        answer = await _answer(self._transport, request, ConnectionUse.ALONE)
        if isinstance(answer, GatewayError):
            return without_answer(answer)
        told = await off_the_loop(answer, lambda: self._told(answer, contract, request))
        leads = leading(answer, request.url)
        facts = {**told.facts, "took_s": self._took(began), **leads}
        cut = broken_off(answer, told.facts)
        if cut and told.seen in {Sign.CALL_ACCEPTED, Sign.STRANGE}:
            return cut
        more = (told.named,) if told.named and told.seen in _SAYS_WHY else ()
        if answer.status in BARRED and is_page(answer):
            more = (*more, Sign.BARRED_BY_PAGE)
        seen = with_place(told.seen, caller.base_url, facts)
        return (saw(seen, **facts), *(saw(one, **told.facts) for one in more), *cut)

    async def forms(self, caller: Caller) -> Sequence[Observation]:
        """Make it with the key in the forms that people mix up, and with a value that was made up.

        No call is made any more after one that says that there were too many.
        """
        contract = self._contract(caller.environment)
        seen: list[Observation] = []
        with suppress(TimeoutError):
            async with within(self._limit_s):
                await self._try_forms(caller, contract, seen)
        return tuple(seen)

    async def close(self) -> None:
        """Close what is open; safe to call twice."""
        await self._transport.close()

    async def _try_forms(self, caller: Caller, contract: Contract, seen: list[Observation]) -> None:
        own = _Form(contract.key.header, contract.key.form)
        before = await self._asked(caller, contract, own)
        if before and before.seen is not Sign.CALL_ACCEPTED:
            seen += await self._others(caller, contract, own)
            if [one.seen for one in seen] != [Sign.OTHER_FORMS_REFUSED]:
                return
        control = await self._asked(_with_made_up(caller), contract, own) if before else None
        if not before or not control:
            return
        if control.seen is Sign.CALL_ACCEPTED:
            kind = Sign.MADE_UP_KEY_ACCEPTED
        elif before.seen is Sign.CALL_ACCEPTED:
            kind = Sign.MADE_UP_KEY_REFUSED
        else:
            kind = Sign.LIKE_A_MADE_UP_KEY if control.like == before.like else Sign.UNLIKE_A_MADE_UP_KEY
        seen.append(saw(kind, **control.facts))

    async def _others(self, caller: Caller, contract: Contract, own: _Form) -> Sequence[Observation]:
        """Try the other forms until one is accepted, and that one with a made-up value, too.

        Nothing is said where a call gave no answer, or says that there were too many.
        """
        refused: list[str] = []
        for name, form in _FORMS.items():
            if form == own:
                continue
            answered = await self._asked(caller, contract, form)
            if not answered:
                return ()
            if answered.seen is Sign.CALL_ACCEPTED:
                control = await self._asked(_with_made_up(caller), contract, form)
                if not control:
                    return ()
                is_open = control.seen is Sign.CALL_ACCEPTED
                kind = Sign.MADE_UP_KEY_ACCEPTED if is_open else Sign.OTHER_FORM_ACCEPTED
                return (saw(kind, **answered.facts, form=name),)
            if answered.seen in _SAYS_WHY:
                refused.append(name)
        return (saw(Sign.OTHER_FORMS_REFUSED, form=", ".join(refused)),) if refused else ()

    async def _asked(self, caller: Caller, contract: Contract, form: _Form) -> CheckAnswer | None:
        """Return what the harmless call says; None where no further one may follow, or it says nothing."""
        request = keyed_request(
            caller, contract, contract.probe.call, HARMLESS, header=form.header, key_form=form.form
        )
        answer = await _answer(self._transport, request, ConnectionUse.SHARED)
        if isinstance(answer, GatewayError) or answer.lost or is_page(answer):
            return None
        told = await off_the_loop(answer, lambda: self._told(answer, contract, request))
        return None if told.seen in _ENDS else told

    def _contract(self, environment: Environment) -> Contract:
        return contract_of(self._contracts, environment.contract)

    def _told(self, answer: Answer, contract: Contract, request: Request) -> CheckAnswer:
        return told_by(answer, contract, request.redactor, self._clock.now())


def _with_made_up(caller: Caller) -> Caller:
    return replace(caller, value=caller.value.made_up())


async def _answer(transport: Transport, request: Request, use: ConnectionUse) -> Answer | GatewayError:
    try:
        return await transport.send(request, use)
    except GatewayError as error:
        return error
