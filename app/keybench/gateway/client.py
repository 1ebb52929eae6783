"""The payment service over HTTP, by contract: the gateway port's real implementation."""

from __future__ import annotations

import math
import re
import ssl
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

from keybench.core.devices.state import DeviceState
from keybench.core.environments.connection import ConnectionResult
from keybench.core.environments.environment import Environment
from keybench.core.errors import AnswerUnreadable, ContractInvalid, GatewayError, NotSent, Refused
from keybench.core.input_errors import NotFound
from keybench.core.money import Money
from keybench.core.ports import Accepted, Caller, Clock, ContractFacts, SaleOrder, StatusReading
from keybench.core.reasons import Reason
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import Verdict
from keybench.core.secret import Secret
from keybench.gateway.answers import Page, Reader, refusal
from keybench.gateway.base_url_check import LIMITS, try_address
from keybench.gateway.contract import Contract
from keybench.gateway.contract_rules import Call, Shape
from keybench.gateway.contracts import Contracts
from keybench.gateway.device_answers import DeviceReader
from keybench.gateway.json_paths import document_in, raw_words
from keybench.gateway.messages import LIST_LIMIT, Answer, ConnectionUse, Limits, Request, off_the_loop
from keybench.gateway.proxies import Proxies
from keybench.gateway.transport import Transport
from keybench.gateway.trust import Trust
from keybench.runtime.clock import SystemClock

_OTHER_THINGS: Final = re.compile(r"\b(device|terminal|route|path)\b", re.IGNORECASE)
#: As many pages of a look-up's list are asked for; a sale is on one.
MOST_PAGES: Final = 50
#: Stands for a device and a payment request in a contract's harmless calls; it names none.
MADE_UP: Final = "keybench-probe"
HARMLESS: Final = {"device_id": MADE_UP, "request_id": MADE_UP}
_DOTS: Final = frozenset({".", ".."})
_USUAL_PLACES: Final = 2
_URL: Final = re.compile(r"[!-~]{1,2000}")
#: A gateway that holds an answer to its limit still has to send it.
_HELD_MARGIN_S: Final = 10.0


def contract_of(contracts: Contracts, name: str) -> Contract:
    """Return a contract for a call."""
    try:
        return contracts.get(name)
    except (NotFound, ContractInvalid) as error:
        raise NotSent(Reason.CONTRACT, message=str(error)) from None


def url_of(base_url: str, call: Call, parts: Mapping[str, str]) -> str:
    """Return a call's URL; each part stays one path segment or query value, whatever is in it."""
    path = call.path
    for name, value in parts.items():
        path = path.replace(f"{{{name}}}", _segment(value))
    return base_url.rstrip("/") + path


class HttpSpeaker:
    """What makes calls by contract; what isn't given is the program's own, or as the system has it."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        contracts: Contracts | None = None,
        limits: Limits | None = None,
        tls: ssl.SSLContext | Trust | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self._contracts = contracts or Contracts()
        self._clock = clock or SystemClock()
        self._limits, self._tls, self._proxies = limits, tls, proxies or Proxies()
        self._transport = Transport(self._clock, limits, tls, self._proxies)

    async def close(self) -> None:
        """Close connections; safe to call twice."""
        await self._transport.close()


class HttpGateway(HttpSpeaker):
    """Implements `core.ports.Gateway`; what its methods may raise is said there."""

    def facts(self, contract: str) -> ContractFacts:
        """Return what a contract says the gateway can do."""
        return self._contracts.get(contract).facts

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose for an environment."""
        return self._contracts.selectable()

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        """Send a sale once. Never retries, never follows a redirect."""
        contract = self._contract(caller)
        if order.mode not in contract.sales:
            raise NotSent(Reason.NOT_OFFERED)
        request = _sale_request(caller, contract, order)
        answer = await self._transport.send(
            request, ConnectionUse.HELD if contract.waits(order.mode) else ConnectionUse.ALONE
        )
        with self._reading(answer, contract, request) as reader:
            return await off_the_loop(answer, lambda: reader.sold(answer, order))

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        """Ask for a sale's status; the answer is held where the contract has a long poll."""
        contract = self._contract(caller)
        poll = contract.long_poll
        request = keyed_request(
            caller,
            contract,
            poll.call if poll else contract.calls.status,
            {"device_id": order.device, "request_id": request_id},
            key_form=contract.key.status_form,
            held_s=poll.held_s + _HELD_MARGIN_S if poll else math.inf,
        )
        with _about_a_request():
            answer = await self._send(request, contract, ConnectionUse.HELD if poll else ConnectionUse.SHARED)
        with self._reading(answer, contract, request) as reader:
            return await off_the_loop(answer, lambda: reader.status(answer, order, request_id))

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        """Find a sale by our reference, on all pages of the list; None when that is empty."""
        contract = self._contract(caller)
        parts = {"device_id": order.device, "reference": order.reference}
        request = replace(keyed_request(caller, contract, contract.calls.look_up, parts), most=LIST_LIMIT)
        pages: list[Page] = []
        seen = {request.url}
        while True:
            answer = await self._send(request, contract)
            listed = sum(len(page.items) for page in pages)
            with self._reading(answer, contract, request) as reader:
                pages.append(await off_the_loop(answer, partial(reader.page, answer, listed)))
                url = _next_page_url(caller, contract, request, parts, pages[-1].next)
                if not url or url in seen or len(pages) == MOST_PAGES:
                    return reader.found(pages, order)
            seen.add(url)
            request = replace(request, url=url)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel; whether it did shows in the status."""
        contract = self._contract(caller)
        parts = {"device_id": device, "request_id": request_id}
        with _about_a_request():
            request = keyed_request(caller, contract, contract.calls.cancel, parts)
            await self._do(request, contract, ConnectionUse.SHARED)

    async def probe_key(self, caller: Caller) -> int:
        """Make the contract's harmless call and return the HTTP status that proves the key."""
        contract = self._contract(caller)
        request = keyed_request(caller, contract, contract.probe.call, HARMLESS)
        answer = await self._transport.send(request, ConnectionUse.SHARED)
        if answer.status not in contract.probe.accepted or not await _is_json(answer):
            await self._refuse(answer, contract, request)
            with self._reading(answer, contract, request):
                raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS)
        return answer.status

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        """Make a call of the same-permission proof and return the HTTP status, also one that says no."""
        contract = self._contract(caller)
        request = keyed_request(caller, contract, contract.proof_calls.get(expected), HARMLESS)
        try:
            answer = await self._send(request, contract)
        except Refused as error:
            if error.asks_to_wait:
                raise
            return error.status
        is_json = await _is_json(answer)
        with self._reading(answer, contract, request):
            _refuse_redirect(answer)
            if not is_json:
                raise AnswerUnreadable(Reason.NOT_THE_GATEWAYS)
        return answer.status

    async def devices(self, caller: Caller) -> Sequence[DeviceState]:
        """List the account's devices, with what the list tells of their states."""
        contract = self._contract(caller)
        request = replace(keyed_request(caller, contract, contract.calls.devices, {}), most=LIST_LIMIT)
        answer = await self._send(request, contract)
        with self._reading(answer, contract, request):
            return await off_the_loop(answer, partial(self._device_reader(contract, request).devices, answer))

    async def device_state(self, caller: Caller, device_id: str) -> DeviceState:
        """Ask for a device's state, by its own call or the list; untold if the list alone has the device."""
        contract = self._contract(caller)
        call = contract.calls.device or contract.calls.devices
        request = replace(keyed_request(caller, contract, call, {"device_id": device_id}), most=LIST_LIMIT)
        try:
            answer = await self._send(request, contract)
        except Refused as error:
            if error.reason is not Reason.NOT_FOUND or not await self._is_listed(caller, device_id):
                raise
            raise AnswerUnreadable(Reason.DEVICE_LISTED, status=error.status) from None
        with self._reading(answer, contract, request):
            read = self._device_reader(contract, request).state
            return await off_the_loop(answer, partial(read, answer, device_id))

    async def _is_listed(self, caller: Caller, device_id: str) -> bool:
        """Tell whether the gateway's own list has a device; False where there is no such list."""
        with suppress(GatewayError):
            return device_id in {state.device_id for state in await self.devices(caller)}
        return False

    async def register_device(self, caller: Caller, code: str, nickname: str) -> DeviceState:
        """Register the device that shows a registration code; sent once."""
        contract = self._contract(caller)
        body = _body({contract.devices.registration_code: code, contract.devices.new_nickname: nickname})
        request = keyed_request(caller, contract, contract.calls.register_device, {}, body)
        # On a connection of its own: a code works once, and on one that idled its answer might be lost.
        answer = await self._send(request, contract, ConnectionUse.ALONE)
        read = self._device_reader(contract, request).registered
        with self._reading(answer, contract, request):
            return await off_the_loop(answer, partial(read, answer))

    async def rename_device(self, caller: Caller, device_id: str, nickname: str) -> None:
        """Give a device another nickname."""
        contract = self._contract(caller)
        body, call = _body({contract.devices.new_nickname: nickname}), contract.calls.rename_device
        await self._do(keyed_request(caller, contract, call, {"device_id": device_id}, body), contract)

    async def deregister_device(self, caller: Caller, device_id: str) -> None:
        """Take a device off the account."""
        contract = self._contract(caller)
        await self._do(
            keyed_request(caller, contract, contract.calls.deregister_device, {"device_id": device_id}),
            contract,
        )

    async def try_connection(
        self, environment: Environment, base_url: str, proxy_password: Secret | None = None
    ) -> ConnectionResult:
        """Make one harmless call without a key, and return what answered, whatever that was."""
        contract = contract_of(self._contracts, environment.contract)
        proxies = self._proxies.with_password(proxy_password)
        # Nothing of it is kept for the calls that follow: no connection, no way there, no password.
        transport = Transport(self._clock, self._limits or LIMITS, self._tls, proxies)
        try:
            url = url_of(base_url, contract.probe.call, HARMLESS)
            return await try_address(transport, replace(environment, base_url=base_url), url)
        finally:
            await transport.close()

    def _contract(self, caller: Caller) -> Contract:
        return contract_of(self._contracts, caller.environment.contract)

    @contextmanager
    def _reading(self, answer: Answer, contract: Contract, request: Request) -> Iterator[Reader]:
        """Give a reader; what it can't understand is raised with the beginning of the answer as it came."""
        try:
            yield Reader(contract, request.redactor, self._clock.now())
        except AnswerUnreadable as error:
            message = raw_words(answer.text, request.redactor, request.kept)
            status = error.status or answer.status
            raise AnswerUnreadable(error.reason, message=message, status=status) from None

    def _device_reader(self, contract: Contract, request: Request) -> DeviceReader:
        return DeviceReader(contract, request.redactor, self._clock.now())

    async def _do(
        self, request: Request, contract: Contract, use: ConnectionUse = ConnectionUse.ALONE
    ) -> None:
        """Make a call whose answer tells nothing but that it was done."""
        answer = await self._send(request, contract, use)
        with self._reading(answer, contract, request):
            _refuse_redirect(answer)

    async def _send(
        self, request: Request, contract: Contract, use: ConnectionUse = ConnectionUse.SHARED
    ) -> Answer:
        answer = await self._transport.send(request, use)
        await self._refuse(answer, contract, request)
        return answer

    async def _refuse(self, answer: Answer, contract: Contract, request: Request) -> None:
        if answer.status < HTTPStatus.BAD_REQUEST:
            return
        now = self._clock.now()
        error = await off_the_loop(answer, lambda: refusal(answer, contract.errors, request.redactor, now))
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


def _refuse_redirect(answer: Answer) -> None:
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's class of success
        raise AnswerUnreadable(Reason.REDIRECT)


async def _is_json(answer: Answer) -> bool:
    return await off_the_loop(answer, lambda: document_in(answer)) is not None


def _segment(text: str) -> str:
    if text in _DOTS:  # a path would be walked up by them
        return text.replace(".", "%2E")
    return quote(text.encode("utf-8", "replace"), safe="")


def keyed_request(
    caller: Caller,
    contract: Contract,
    call: Call | None,
    parts: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
    shape: Shape = Shape.JSON,
    *,
    header: str = "",
    key_form: str = "",
    held_s: float = math.inf,
) -> Request:
    """Return a request with the caller's key in the contract's header, in the contract's form."""
    if call is None:
        raise NotSent(Reason.NOT_OFFERED)
    form = key_form or contract.key.form
    return Request(
        caller.environment,
        method=call.method,
        url=url_of(caller.base_url, call, parts),
        headers={header or contract.key.header: _written(form, caller.value)},
        body=body,
        secrets=(caller.value,),
        sink=caller.on_exchange,
        shape=shape,
        held_s=held_s,
        kept=contract.kept_names,
    )


def _written(form: str, value: Secret) -> str:
    if "{basic}" in form:  # RFC 7617, 2
        return form.replace("{basic}", b64encode(f"{value.reveal()}:".encode()).decode("ascii"))
    return form.replace("{key}", value.reveal())


def _next_page_url(
    caller: Caller, contract: Contract, request: Request, parts: Mapping[str, str], leads: str
) -> str:
    if not leads:
        return ""
    if contract.calls.look_up_page:
        return url_of(caller.base_url, contract.calls.look_up_page, {**parts, "next": leads})
    url = urljoin(request.url, leads)
    if not _URL.fullmatch(url) or urlsplit(url)[:2] != urlsplit(request.url)[:2]:
        raise AnswerUnreadable(Reason.PAGE_ELSEWHERE)
    return url


def _sale_request(caller: Caller, contract: Contract, order: SaleOrder) -> Request:
    """Return the request that starts a sale; the key is in the header or, in Classic's form, in the body."""
    form = contract.sales[order.mode]
    fields: dict[str, Any] = {
        form.amount: _figure(order.money),
        form.currency: order.money.currency,
        form.reference: order.reference,
    }
    if form.device:
        fields[form.device] = order.device
    if form.key:
        fields[form.key] = caller.value.reveal()
    body = {**form.fixed, **_body(fields)}
    request = keyed_request(caller, contract, form.call, {"device_id": order.device}, body, form.body)
    return replace(request, headers={}) if form.key else request


def _figure(money: Money) -> str | int | float:
    """Return the amount as the service takes it: a text of two decimals, else a number."""
    exponent = money.amount.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    if places == _USUAL_PLACES:
        return money.figure
    return int(money.amount) if places == 0 else float(money.amount)


def _body(fields: Mapping[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for path, value in fields.items():
        *steps, last = path.split(".")
        at = body
        for step in steps:
            at = at.setdefault(step, {})
        at[last] = value
    return body
