"""A gateway that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from keybench.core.devices.state import DeviceState
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult
from keybench.core.environments.environment import Environment
from keybench.core.errors import GatewayError, NotSent
from keybench.core.exchange import Exchange, Timings
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyKind
from keybench.core.ports import Accepted, Caller, ContractFacts, Device, SaleOrder, StatusReading
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.core.secret import Secret

from .clock import START

T = TypeVar("T")

APPROVED = Verdict(Outcome.APPROVED, status=200, transaction_id="8000001", authorisation="A1B2C3")
PARTLY_APPROVED = replace(APPROVED, outcome=Outcome.PARTLY_APPROVED, approved_amount=Decimal("7.5"))
ACCEPTED = Accepted("PR-1", "pending")
PENDING = StatusReading("pending")
DONE = StatusReading("interactionComplete", APPROVED)

#: What is found where a gateway is called without a key.
ASKS_FOR_KEY = ConnectionResult("", BaseUrlFound.GATEWAY, 0.12, 401)

PRACTICE_FACTS = ContractFacts(
    name="practice",
    can_create_keys=True,
    can_list_users=True,
    selling_permission="Sale",
    portal_path="",
    permissions={KeyKind.PRIVATE: ("Sale",), KeyKind.PUBLIC: ("Tokenization",)},
    modes=tuple(SaleMode),
    can_cancel=True,
    can_look_up=True,
    can_tell_device=True,
    can_register_devices=True,
    can_rename_devices=True,
    can_deregister_devices=True,
    proof_calls=(("GET /devices", Expectation.ALLOWED), ("GET /keys", Expectation.REFUSED)),
)
PASTED_FACTS = ContractFacts(
    name="v5",
    can_create_keys=False,
    can_list_users=False,
    portal_path="/settings/keys",
    permissions={KeyKind.PRIVATE: (), KeyKind.PUBLIC: ()},
    modes=(SaleMode.ASYNCHRONOUS, SaleMode.SYNCHRONOUS),
    can_cancel=False,
    can_look_up=False,
    can_tell_device=True,
    can_register_devices=True,
    can_deregister_devices=True,
    proof_calls=(("GET /devices", Expectation.ALLOWED),),
    paths=("/api/v5/devices", "/api/v5/devices/{device_id}/payment-requests/sale", "/api/v5/payments/sale"),
)


class ScriptedGateway:
    """Implements `core.ports.Gateway`; every list of answers is worked off, and its last one goes on.

    Attributes:
        to_post: What a sale is answered with; `ACCEPTED` itself with an identifier of its own for each sale.
        to_poll: What a status call is answered with.
        to_look_up: What a look-up is answered with.
        to_probe: What a key's test is answered with.
        to_prove: What a call of the same-permission proof is answered with, by what it should meet.
        device_list: The account's devices, or why they can't be had.
        to_device_state: What a call for a device's state is answered with.
        device_states_asked: For which devices it was called.
        to_register, to_rename, to_deregister: What those calls are answered with.
        device_calls: Those calls, each with the code or the device, and the nickname.
        before_post: Awaited when a sale arrives, before it is answered.
        posts: The orders that arrived, in order.
        polls: Where each status call went: the base URL and the request id.
        accepted: How many sales were answered with `ACCEPTED`.
        cancelled: The request ids that were to be cancelled.
        to_try: What is found where an address is tried.
        before_try: Awaited when one is.
        tries: Which base URLs were tried, each with the proxy on the way.
    """

    def __init__(self) -> None:
        self.to_post: list[Accepted | Verdict | GatewayError] = [ACCEPTED]
        self.to_poll: list[StatusReading | GatewayError] = [DONE]
        self.to_look_up: list[StatusReading | GatewayError | None] = [None]
        self.to_probe: list[int | GatewayError] = [200]
        self.to_prove: dict[Expectation, list[int | GatewayError]] = {
            Expectation.ALLOWED: [200],
            Expectation.REFUSED: [403],
        }
        self.device_list: Sequence[Device] | GatewayError = (Device("D-1", "Till 1", "connected"),)
        self.to_device_state: list[DeviceState | GatewayError] = [
            DeviceState("D-1", START, nickname="Till 1", is_connected=True, connection="connected")
        ]
        self.device_states_asked: list[str] = []
        self.to_register: list[DeviceState | GatewayError] = [
            DeviceState("D-9", START, nickname="Fair", is_connected=True, connection="connected")
        ]
        self.to_rename: list[GatewayError | None] = [None]
        self.to_deregister: list[GatewayError | None] = [None]
        self.device_calls: list[tuple[str, str, str]] = []
        self.before_post: Callable[[SaleOrder], Awaitable[None]] | None = None
        self.posts: list[SaleOrder] = []
        self.polls: list[tuple[str, str]] = []
        self.accepted = 0
        self.cancelled: list[str] = []
        self.look_ups: list[str] = []
        self.to_try: list[ConnectionResult | GatewayError] = [ASKS_FOR_KEY]
        self.before_try: Callable[[], Awaitable[None]] | None = None
        self.tries: list[tuple[str, str]] = []

    def facts(self, contract: str) -> ContractFacts:
        for facts in (PRACTICE_FACTS, PASTED_FACTS):
            if facts.name == contract:
                return facts
        raise NotFound("contract", contract)

    def contracts(self) -> Sequence[str]:
        return (PASTED_FACTS.name,)

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        self.posts.append(order)
        if self.before_post:
            await self.before_post(order)
        caller.on_exchange(_exchange("POST", caller))
        answer = _next(self.to_post)
        if answer is not ACCEPTED:
            return answer
        self.accepted += 1
        return Accepted(f"PR-{self.accepted}", ACCEPTED.gateway_status)

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        self.polls.append((caller.base_url, request_id))
        caller.on_exchange(_exchange("GET", caller))
        return _next(self.to_poll)

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        self.look_ups.append(order.reference)
        caller.on_exchange(_exchange("GET", caller))
        return _next(self.to_look_up)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        self.cancelled.append(request_id)

    async def probe_key(self, caller: Caller) -> int:
        return _next(self.to_probe)

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        facts = self.facts(caller.environment.contract)
        if expected not in {offered for _call, offered in facts.proof_calls}:
            raise NotSent("not offered")
        return _next(self.to_prove[expected])

    async def devices(self, caller: Caller) -> Sequence[DeviceState]:
        if isinstance(self.device_list, GatewayError):
            raise self.device_list
        return [
            DeviceState(
                device.id,
                START,
                nickname=device.nickname,
                is_connected={"connected": True, "disconnected": False}.get(device.connection),
                connection=device.connection,
            )
            for device in self.device_list
        ]

    async def device_state(self, caller: Caller, device_id: str) -> DeviceState:
        self.device_states_asked.append(device_id)
        return _next(self.to_device_state)

    async def register_device(self, caller: Caller, code: str, nickname: str) -> DeviceState:
        self.device_calls.append(("register", code, nickname))
        return _next(self.to_register)

    async def rename_device(self, caller: Caller, device_id: str, nickname: str) -> None:
        self.device_calls.append(("rename", device_id, nickname))
        _next(self.to_rename)

    async def deregister_device(self, caller: Caller, device_id: str) -> None:
        self.device_calls.append(("deregister", device_id, ""))
        _next(self.to_deregister)

    async def try_connection(
        self, environment: Environment, base_url: str, proxy_password: Secret | None = None
    ) -> ConnectionResult:
        self.facts(environment.contract)
        self.tries.append((base_url, environment.proxy))
        if self.before_try:
            await self.before_try()
        found = _next(self.to_try)
        return replace(found, base_url=base_url)

    async def close(self) -> None:
        """There is nothing to close."""


def _next(answers: list[T | GatewayError]) -> T:
    answer = answers.pop(0) if len(answers) > 1 else answers[0]
    if isinstance(answer, GatewayError):
        raise answer
    return answer


def _exchange(method: str, caller: Caller) -> Exchange:
    return Exchange(START, method, caller.base_url, (), "", 200, (), "", "", Timings(0.01))
