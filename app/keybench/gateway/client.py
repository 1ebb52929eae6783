"""The payment service over HTTP, by contract: the gateway port's real thing."""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from typing import Final

from keybench.core.errors import AnswerUnreadable, ContractInvalid, NotFound, NotSent
from keybench.core.outcome import Verdict
from keybench.core.ports import Accepted, Caller, Clock, ContractFacts, Device, SaleOrder, StatusReading
from keybench.gateway.answers import Reader
from keybench.gateway.contract import Contracts
from keybench.gateway.contract_model import Call, Contract
from keybench.gateway.late_transport import LateTransport
from keybench.gateway.messages import Answer, Limits, Manner, Request
from keybench.gateway.reading import parse
from keybench.gateway.redaction import Redactor
from keybench.gateway.refusals import refusal
from keybench.gateway.requests import keyed_request, sale_request
from keybench.runtime.clock import SystemClock

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
        raise NotSent("contract", message=str(error)) from None


class HttpGateway:
    """Implements `core.ports.Gateway`.

    Args:
        clock: Times the exchanges; the system's if None.
        contracts: The contracts to go by; the program's own if None.
        limits: How long a call may take.
        tls: What certificates are trusted; the usual authorities if None.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        contracts: Contracts | None = None,
        limits: Limits | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._contracts = contracts or Contracts()
        self._clock = clock or SystemClock()
        self._transport = LateTransport(self._clock, limits, tls)

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
            raise NotSent("not offered")
        request = sale_request(caller, contract, form, order)
        answer = await self._send(request, contract, Manner.HELD if form.waits else Manner.ALONE)
        reader = self._reader(caller, contract)
        return reader.held(answer) if form.waits else reader.accepted(answer)

    async def sale_status(
        self, caller: Caller, device: str, request_id: str, reference: str = ""
    ) -> StatusReading:
        """Ask for a sale's status, and wait while the gateway holds its answer where the contract has that.

        Raises:
            GatewayError: As any call; a status word the contract doesn't know isn't an error.
        """
        contract = self._contract(caller)
        parts = {"device_id": device, "request_id": request_id}
        answer = await self._ask(caller, contract, contract.status, parts)
        return self._reader(caller, contract).status(answer, request_id, reference)

    async def look_up(self, caller: Caller, device: str, reference: str) -> StatusReading | None:
        """Find a sale by our reference; None when the gateway knows of none.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no look-up.
        """
        contract = self._contract(caller)
        parts = {"device_id": device, "reference": reference}
        answer = await self._ask(caller, contract, contract.look_up, parts)
        return self._reader(caller, contract).found(answer, reference)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel; whether it did shows in the status.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no such call.
        """
        contract = self._contract(caller)
        answer = await self._ask(
            caller, contract, contract.cancel, {"device_id": device, "request_id": request_id}
        )
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
        if answer.status in contract.probe.accepted and _is_json(answer.text):
            return answer.status
        self._refuse(answer, contract, request)
        raise AnswerUnreadable("not the gateway's answer", status=answer.status)

    async def devices(self, caller: Caller) -> Sequence[Device]:
        """List the account's devices.

        Raises:
            GatewayError: As any call; `NotSent` where the contract has no such call.
        """
        contract = self._contract(caller)
        answer = await self._ask(caller, contract, contract.devices, {})
        return self._reader(caller, contract).devices(answer)

    async def close(self) -> None:
        """Close connections; safe to call twice."""
        await self._transport.close()

    def _contract(self, caller: Caller) -> Contract:
        return contract_of(self._contracts, caller.environment.contract)

    def _reader(self, caller: Caller, contract: Contract) -> Reader:
        return Reader(contract, Redactor([caller.value]))

    async def _ask(
        self, caller: Caller, contract: Contract, call: Call | None, parts: Mapping[str, str]
    ) -> Answer:
        if call is None:
            raise NotSent("not offered")
        return await self._send(keyed_request(caller, contract, call, parts), contract, Manner.ASK)

    async def _send(self, request: Request, contract: Contract, manner: Manner) -> Answer:
        answer = await self._transport.send(request, manner)
        self._refuse(answer, contract, request)
        return answer

    def _refuse(self, answer: Answer, contract: Contract, request: Request) -> None:
        error = refusal(answer, contract.errors, Redactor(request.secrets), self._clock.now())
        if error:
            raise error


def _refuse_redirect(answer: Answer) -> None:
    if not 200 <= answer.status < 300:  # noqa: PLR2004 - HTTP's class of success
        raise AnswerUnreadable("redirect", status=answer.status)


def _is_json(text: str) -> bool:
    try:
        return isinstance(parse(text), dict | list)
    except ValueError:
        return False
