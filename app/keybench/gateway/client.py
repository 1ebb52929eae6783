"""The payment service over HTTP, by contract: the gateway port's real thing."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final

from keybench.core.errors import (
    AnswerUnreadable,
    ContractInvalid,
    NotFound,
    NotSent,
    Refused,
)
from keybench.core.outcome import Verdict
from keybench.core.ports import Accepted, Caller, Clock, ContractFacts, Device, SaleOrder, StatusReading
from keybench.core.proof import Expectation
from keybench.core.reasons import Reason
from keybench.gateway.answers import Page, Reader
from keybench.gateway.beside import beside_the_loop
from keybench.gateway.contract import Contracts
from keybench.gateway.contract_model import Call, Contract
from keybench.gateway.late_transport import LateTransport
from keybench.gateway.messages import LIST_LIMIT, Answer, Limits, Manner, Request
from keybench.gateway.proxies import Proxies
from keybench.gateway.reading import parse, raw_words
from keybench.gateway.refusals import refusal
from keybench.gateway.requests import keyed_request, next_page_url, sale_request, status_request
from keybench.runtime.clock import SystemClock

_OTHER_THINGS: Final = re.compile(r"\b(device|terminal|route|path)\b", re.IGNORECASE)
#: As many pages of a look-up's list are asked for; a sale is on one.
MOST_PAGES: Final = 50
#: Stands for a payment request in a contract's harmless call; it names none.
MADE_UP: Final = "keybench-probe"


def contract_of(contracts: Contracts, name: str) -> Contract:
    """Return a contract for a call.

    Raises:
        NotSent: There is none of that name, or its file can't be used; the error's message says which.
    """
    try:
        return contracts.get(name)
    except (NotFound, ContractInvalid) as error:
        raise NotSent(Reason.CONTRACT, message=str(error)) from None


class HttpGateway:
    """Implements `core.ports.Gateway`.

    Args:
        clock: Times the exchanges; the system's if None.
        contracts: The contracts to go by; the program's own if None.
        limits: How long a call may take.
        tls: What certificates are trusted; those that the system trusts if None.
        proxies: Knows the way to a gateway; without any passwords if None.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        contracts: Contracts | None = None,
        limits: Limits | None = None,
        tls: ssl.SSLContext | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self._contracts = contracts or Contracts()
        self._clock = clock or SystemClock()
        self._transport = LateTransport(self._clock, proxies or Proxies(), limits, tls)

    def facts(self, contract: str) -> ContractFacts:
        """Return what a contract says the gateway can do.

        Raises:
            NotFound: There is no such contract.
            ContractInvalid: Its file can't be used.
        """
        return self._contracts.get(contract).facts

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose for an environment."""
        return self._contracts.selectable()

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        """Send a sale once. Never retries, never follows a redirect.

        Raises:
            GatewayError: Refused, not sent, or the answer is lost, unreadable or a failure of the gateway.
        """
        contract = self._contract(caller)
        form = contract.sales.get(order.mode)
        if form is None:
            raise NotSent(Reason.NOT_OFFERED)
        request = sale_request(caller, contract, form, order)
        answer = await self._transport.send(request, Manner.HELD if form.waits else Manner.ALONE)
        try:
            await self._refuse(answer, contract, request)
        except Refused:
            reader = Reader(contract, request.redactor, self._clock.now())
            if verdict := await beside_the_loop(answer, lambda: reader.refused(answer, form, order)):
                return verdict
            raise
        with self._reading(request, contract, answer) as reader:
            return await beside_the_loop(answer, lambda: reader.sold(answer, form, order))

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        """Ask for a sale's status, and wait while the gateway holds its answer where the contract has that.

        Raises:
            GatewayError: As any call; a status word the contract doesn't know isn't an error.
        """
        contract = self._contract(caller)
        parts = {"device_id": order.device, "request_id": request_id}
        request = status_request(caller, contract, parts)
        manner = Manner.HELD if contract.long_poll else Manner.ASK
        with _about_a_request():
            answer = await self._send(request, contract, manner)
        with self._reading(request, contract, answer) as reader:
            return await beside_the_loop(answer, lambda: reader.status(answer, order, request_id))

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        """Find a sale by our reference, on all pages of the list; None when that is empty.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no look-up, `AnswerUnreadable` where
                nobody can tell from the list whether the sale is in it.
        """
        contract = self._contract(caller)
        parts = {"device_id": order.device, "reference": order.reference}
        request = replace(_offered(caller, contract, contract.look_up, parts), most=LIST_LIMIT)
        pages: list[Page] = []
        seen = {request.url}
        while True:
            answer = await self._send(request, contract, Manner.ASK)
            listed = sum(len(page.items) for page in pages)
            with self._reading(request, contract, answer) as reader:
                page = await beside_the_loop(answer, partial(reader.page, answer, listed))
                pages.append(page)
                url = next_page_url(caller, contract, request, parts, page.next)
                if not url or url in seen or len(pages) == MOST_PAGES:
                    return reader.found(pages, order)
            seen.add(url)
            request = replace(request, url=url)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel; whether it did shows in the status.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no such call.
        """
        contract = self._contract(caller)
        parts = {"device_id": device, "request_id": request_id}
        request = _offered(caller, contract, contract.cancel, parts)
        with _about_a_request():
            answer = await self._send(request, contract, Manner.ASK)
        with self._reading(request, contract, answer):
            _refuse_redirect(answer)

    async def probe_key(self, caller: Caller) -> int:
        """Make the contract's harmless call and return the HTTP status that proves the key.

        Raises:
            KeyRefused, Forbidden: The key isn't accepted.
            GatewayError: As any call; `AnswerUnreadable` if what answers isn't such a gateway.
        """
        contract = self._contract(caller)
        parts = {"device_id": MADE_UP, "request_id": MADE_UP}
        request = keyed_request(caller, contract, contract.probe.call, parts)
        answer = await self._transport.send(request, Manner.ASK)
        is_json = await beside_the_loop(answer, lambda: _is_json(answer.text))
        if answer.status in contract.probe.accepted and is_json:
            return answer.status
        await self._refuse(answer, contract, request)
        with self._reading(request, contract, answer):
            raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS, status=answer.status)

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        """Make the harmless call of the same-permission proof and return the HTTP status, whatever it says.

        Raises:
            GatewayError: As any call, but not for a no that is about the key; `NotSent` where the contract
                has no such call.
        """
        contract = self._contract(caller)
        parts = {"device_id": MADE_UP, "request_id": MADE_UP}
        request = _offered(caller, contract, contract.proof_calls.get(expected), parts)
        answer = await self._transport.send(request, Manner.ASK)
        try:
            await self._refuse(answer, contract, request)
        except Refused as error:
            if not error.asks_to_wait:
                return error.status
            raise
        is_json = await beside_the_loop(answer, lambda: _is_json(answer.text))
        with self._reading(request, contract, answer):
            _refuse_redirect(answer)
            if not is_json:
                raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS, status=answer.status)
        return answer.status

    async def devices(self, caller: Caller) -> Sequence[Device]:
        """List the account's devices.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no such call.
        """
        contract = self._contract(caller)
        request = replace(_offered(caller, contract, contract.devices, {}), most=LIST_LIMIT)
        answer = await self._send(request, contract, Manner.ASK)
        with self._reading(request, contract, answer) as reader:
            return await beside_the_loop(answer, lambda: reader.devices(answer))

    async def close(self) -> None:
        """Close connections; safe to call twice."""
        await self._transport.close()

    def _contract(self, caller: Caller) -> Contract:
        return contract_of(self._contracts, caller.environment.contract)

    @contextmanager
    def _reading(self, request: Request, contract: Contract, answer: Answer) -> Iterator[Reader]:
        """Give a reader; what it can't understand is raised with the beginning of the answer as it came."""
        try:
            yield Reader(contract, request.redactor, self._clock.now())
        except AnswerUnreadable as error:
            message = raw_words(answer.text, request.redactor)
            status = error.status or answer.status
            raise AnswerUnreadable(error.reason, message=message, status=status) from None

    async def _send(self, request: Request, contract: Contract, manner: Manner) -> Answer:
        answer = await self._transport.send(request, manner)
        await self._refuse(answer, contract, request)
        return answer

    async def _refuse(self, answer: Answer, contract: Contract, request: Request) -> None:
        if answer.status < HTTPStatus.BAD_REQUEST:
            return
        now = self._clock.now()
        error = await beside_the_loop(answer, lambda: refusal(answer, contract.errors, request.redactor, now))
        if error:
            raise error


@contextmanager
def _about_a_request() -> Iterator[None]:
    """Name a 404 for what it is where a payment request was asked about: the gateway knows no such one.

    Where its words say that it doesn't know the device or the address, it says nothing of the request.
    """
    try:
        yield
    except Refused as error:
        if error.reason is not Reason.NOT_FOUND or _OTHER_THINGS.search(error.message):
            raise
        raise Refused(
            Reason.REQUEST_UNKNOWN, message=error.message, status=error.status, reference=error.reference
        ) from None


def _offered(caller: Caller, contract: Contract, call: Call | None, parts: Mapping[str, str]) -> Request:
    if call is None:
        raise NotSent(Reason.NOT_OFFERED)
    return keyed_request(caller, contract, call, parts)


def _refuse_redirect(answer: Answer) -> None:
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's class of success
        raise AnswerUnreadable(Reason.REDIRECT, status=answer.status)


def _is_json(text: str) -> bool:
    try:
        return isinstance(parse(text), dict | list)
    except ValueError:
        return False
