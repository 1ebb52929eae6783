"""A gateway without HTTP for tests of the use cases: one account in memory, driven by amounts.

It answers like the practice gateway and passes the same contract suite. A sale's status moves on with each
poll instead of with time.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from keybench.core.devices.state import DeviceState
from keybench.core.environments.connection import BaseUrlFound, ConnectionResult
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeybenchError,
    KeyMadeBefore,
    KeyRefused,
    NotSent,
    Refused,
)
from keybench.core.exchange import Exchange, Timings
from keybench.core.input_errors import NotFound
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.ports import (
    Accepted,
    Caller,
    ContractFacts,
    CreatedKey,
    Device,
    PortalUser,
    SaleOrder,
    StatusReading,
)
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import Outcome, SaleMode, Verdict
from keybench.core.secret import MASK, Secret

#: Where `fakes.world.FakePractice` comes up.
BASE_URL: Final = "http://127.0.0.1:4001"
SELL: Final = "sell on devices"
READ: Final = "read devices and payments"
MANAGE_KEYS: Final = "manage security keys"
MANAGE_DEVICES: Final = "manage devices"

_PERMISSIONS: Final = {
    KeyKind.PRIVATE: ("API", "API and Cart", "Cart"),
    KeyKind.PUBLIC: ("Tokenization", "Collect Checkout"),
}
_APPROVED: Final = Verdict(
    Outcome.APPROVED,
    message="APPROVED",
    status=200,
    gateway_status="interactionComplete",
    transaction_id="80000017",
    authorisation="A1B2C3",
    response_code="100",
)
_DECLINED: Final = Verdict(
    Outcome.DECLINED,
    message="DECLINED",
    status=200,
    gateway_status="interactionComplete",
    transaction_id="80000018",
    response_code="200",
)
ENDINGS: Final = {
    "15.00": replace(_APPROVED, outcome=Outcome.PARTLY_APPROVED, approved_amount=Decimal("10.00")),
    "20.00": _DECLINED,
    "30.00": Verdict(
        Outcome.CANCELLED, reason="at the terminal", status=200, gateway_status="cancelledAtTerminal"
    ),
    "40.00": Verdict(Outcome.EXPIRED, status=200, gateway_status="cancelledByTimeout"),
}
BUSY: Final = Verdict(Outcome.REFUSED, reason="device busy", status=200, gateway_status="poiDeviceInUse")
CANCELLED_BY_API: Final = Verdict(
    Outcome.CANCELLED, reason="by the API", status=200, gateway_status="cancelledByApi"
)
#: How many polls of a sale say that it goes on: as a rule, and where it never ends.
_POLLS: Final = 2
_NEVER: Final = 10**9
NOW: Final = datetime(2026, 3, 3, 14, 2, 11, tzinfo=UTC)
_PROOF_CALLS: Final = (
    ("GET /api/v5/devices", Expectation.ALLOWED),
    ("GET /api/v5/security_keys", Expectation.REFUSED),
)


@dataclass
class _Sale:
    request_id: str
    device: str
    reference: str
    verdict: Verdict
    polls_left: int

    @property
    def is_over(self) -> bool:
        return self.polls_left <= 0

    def reading(self) -> StatusReading:
        if self.is_over:
            return StatusReading(self.verdict.gateway_status, self.verdict, self.request_id)
        return StatusReading("pending" if self.polls_left > 1 else "inFlight", None, self.request_id)


@dataclass
class FakeAccount:
    """What the service knows, shared by gateway and portal.

    Attributes:
        trouble: Errors to raise instead of answering, one a call, before anything is done.
        lose_answers: How many of the portal's next calls do what they should and then lose their answer.
        calls: The names of the calls made, in order.
        codes: The registration codes in use, with their devices.
    """

    trouble: deque[KeybenchError] = field(default_factory=deque)
    lose_answers: int = 0
    calls: list[str] = field(default_factory=list)
    users: list[PortalUser] = field(
        default_factory=lambda: [
            PortalUser("counter1", "Counter one", (SELL, READ), enabled=True),
            PortalUser("reports", "Reporting", (READ,), enabled=True),
            PortalUser("frozen", "Disabled", (SELL, READ), enabled=False),
            PortalUser("admin", "Administrator", (SELL, READ, MANAGE_DEVICES, MANAGE_KEYS), enabled=True),
        ]
    )
    devices: list[Device] = field(
        default_factory=lambda: [
            Device("till-1", "Till 1", "connected"),
            Device("till-2", "Till 2", "connected"),
            Device("offline-1", "Back office", "disconnected"),
        ]
    )
    codes: dict[str, str] = field(default_factory=dict)
    keys: dict[str, tuple[KeyDraft, Secret]] = field(default_factory=dict)
    requests: dict[str, str] = field(default_factory=dict)
    sales: list[_Sale] = field(default_factory=list)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def number(self) -> int:
        return next(self._numbers)

    def note(self, call: str) -> None:
        self.calls.append(call)
        if self.trouble:
            raise self.trouble.popleft()

    def lose(self) -> None:
        if self.lose_answers:
            self.lose_answers -= 1
            raise AnswerLost("connection closed")

    def admit(self, value: Secret, need: str) -> None:
        drafts = [draft for draft, known in self.keys.values() if known.matches(value)]
        if not drafts:
            raise KeyRefused("unauthorised", status=401, message="Specified API key not found")
        users = [user for user in self.users if user.username == drafts[0].username]
        if drafts[0].kind is KeyKind.PUBLIC:
            raise Forbidden("forbidden", status=403, message="Key kind mismatch")
        if not users or not users[0].enabled or need not in users[0].permissions:
            raise Forbidden("forbidden", status=403, message="Insufficient permissions")

    def device(self, device_id: str) -> Device:
        for device in self.devices:
            if device.id == device_id:
                return device
        raise Refused("not found", status=404, message="Device not found")

    def take(self, order: SaleOrder) -> _Sale:
        figure = order.money.figure
        if self.device(order.device).connection != "connected" or figure == "60.00":
            raise Refused("device offline", status=409, message="The device is not connected")
        if figure == "80.00":
            raise Forbidden("rate limit", status=403, message="Rate limit exceeded", retry_after_s=1.0)
        if figure == "85.00":
            raise GatewayFailed("failed", status=500, message="Internal error")
        busy = any(sale.device == order.device and not sale.is_over for sale in self.sales)
        verdict = BUSY if busy else ENDINGS.get(figure, _APPROVED)
        polls = 0 if busy else _NEVER if figure == "90.00" else _POLLS
        sale = _Sale(f"request-{self.number()}", order.device, order.reference, verdict, polls)
        self.sales.append(sale)
        if figure == "70.00":
            raise AnswerLost("connection closed")
        if figure == "71.00":
            raise AnswerUnreadable("not json", status=202)
        return sale

    def state(self, device_id: str) -> DeviceState:
        device = self.device(device_id)
        is_connected = device.connection == "connected"
        holder = next((sale for sale in self.sales if sale.device == device_id and not sale.is_over), None)
        return DeviceState(
            device_id,
            NOW,
            nickname=device.nickname,
            is_connected=is_connected,
            connection=device.connection,
            battery_percent=87 if is_connected else None,
            network="practice" if is_connected else "",
            last_connected_at=NOW,
            last_sale_at=NOW if any(sale.device == device_id for sale in self.sales) else None,
            is_busy=holder is not None,
            busy_with=holder.request_id if holder else "",
        )

    def register(self, code: str, nickname: str) -> Device:
        device = Device(f"simulated-{self.number()}", nickname, "connected")
        if (
            not code.startswith("T0000")
            or code == "T00002"
            or self.codes.setdefault(code, device.id) != device.id
        ):
            raise Refused("bad request", status=400, message="The registration code is invalid")
        self.devices.append(device)
        return device

    def rename(self, device_id: str, nickname: str) -> None:
        at = self.devices.index(self.device(device_id))
        self.devices[at] = replace(self.devices[at], nickname=nickname)

    def deregister(self, device_id: str) -> None:
        self.devices.remove(self.device(device_id))
        self.codes = {code: used_by for code, used_by in self.codes.items() if used_by != device_id}

    def find(self, device: str, fits: Callable[[_Sale], bool]) -> _Sale | None:
        self.device(device)
        return next((sale for sale in self.sales if sale.device == device and fits(sale)), None)


def _facts(name: str) -> ContractFacts:
    full = name == "practice"
    modes = (SaleMode.ASYNCHRONOUS, SaleMode.SYNCHRONOUS, SaleMode.CLASSIC)
    return ContractFacts(
        name=name,
        can_create_keys=full,
        can_list_users=full,
        selling_permission=SELL if full else "",
        portal_path="/",
        permissions=dict(_PERMISSIONS),
        modes=modes if full else modes[:2],
        can_cancel=full,
        can_look_up=full,
        can_tell_device=True,
        can_register_devices=True,
        can_rename_devices=full,
        can_deregister_devices=True,
        proof_calls=_PROOF_CALLS if full else _PROOF_CALLS[:1],
        amounts={"10.00": "approved", "20.00": "declined: do not honour"} if full else {},
    )


class FakeGateway:
    """Implements `core.ports.Gateway` on a `FakeAccount`."""

    def __init__(self, account: FakeAccount) -> None:
        self.account = account

    def facts(self, contract: str) -> ContractFacts:
        if contract not in {"v5", "practice"}:
            raise NotFound("contract", contract)
        return _facts(contract)

    def contracts(self) -> Sequence[str]:
        return ["v5"]

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        with _Recorded(caller, "POST"):
            self._offered(caller, offered=order.mode in _facts(caller.environment.contract).modes)
            self.account.note("start_sale")
            self.account.admit(caller.value, SELL)
            sale = self.account.take(order)
            if order.mode is SaleMode.ASYNCHRONOUS:
                return Accepted(sale.request_id, "pending")
            sale.polls_left = 0
            return sale.verdict

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        with _Recorded(caller, "GET"):
            self.account.note("sale_status")
            self.account.admit(caller.value, READ)
            sale = self._find(order.device, request_id)
            reading = sale.reading()
            sale.polls_left -= 1
            return reading

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        with _Recorded(caller, "GET"):
            self._offered(caller, offered=_facts(caller.environment.contract).can_look_up)
            self.account.note("look_up")
            self.account.admit(caller.value, READ)
            sale = self.account.find(order.device, lambda sale: sale.reference == order.reference)
            return sale.reading() if sale else None

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        with _Recorded(caller, "POST"):
            self._offered(caller, offered=_facts(caller.environment.contract).can_cancel)
            self.account.note("cancel")
            self.account.admit(caller.value, SELL)
            sale = self._find(device, request_id)
            if sale.is_over and sale.verdict is not CANCELLED_BY_API:
                raise Refused("conflict", status=409, message="It can't be cancelled any more")
            sale.verdict, sale.polls_left = CANCELLED_BY_API, 0

    async def probe_key(self, caller: Caller) -> int:
        with _Recorded(caller, "GET"):
            self.account.note("probe_key")
            self.account.admit(caller.value, READ)
            return 200

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        offered = expected in {one for _call, one in _facts(caller.environment.contract).proof_calls}
        try:
            with _Recorded(caller, "GET"):
                self._offered(caller, offered=offered)
                self.account.note("proof_status")
                self.account.admit(caller.value, READ if expected is Expectation.ALLOWED else MANAGE_KEYS)
        except Refused as error:
            if error.retry_after_s is not None:
                raise
            return error.status
        return 200

    async def devices(self, caller: Caller) -> Sequence[DeviceState]:
        with _Recorded(caller, "GET"):
            self.account.note("devices")
            self.account.admit(caller.value, READ)
            return [self.account.state(device.id) for device in self.account.devices]

    async def device_state(self, caller: Caller, device_id: str) -> DeviceState:
        with _Recorded(caller, "GET"):
            self.account.note("device_state")
            self.account.admit(caller.value, READ)
            return self.account.state(device_id)

    async def register_device(self, caller: Caller, code: str, nickname: str) -> DeviceState:
        with _Recorded(caller, "POST"):
            self.account.note("register_device")
            self.account.admit(caller.value, MANAGE_DEVICES)
            device = self.account.register(code, nickname)
            self.account.lose()
            return self.account.state(device.id)

    async def rename_device(self, caller: Caller, device_id: str, nickname: str) -> None:
        with _Recorded(caller, "PATCH"):
            self._offered(caller, offered=_facts(caller.environment.contract).can_rename_devices)
            self.account.note("rename_device")
            self.account.admit(caller.value, MANAGE_DEVICES)
            self.account.rename(device_id, nickname)

    async def deregister_device(self, caller: Caller, device_id: str) -> None:
        with _Recorded(caller, "DELETE"):
            self.account.note("deregister_device")
            self.account.admit(caller.value, MANAGE_DEVICES)
            self.account.deregister(device_id)
            self.account.lose()

    async def try_connection(
        self, environment: Environment, base_url: str, proxy_password: Secret | None = None
    ) -> ConnectionResult:
        if environment.contract not in {"v5", "practice"}:
            raise NotSent("contract")
        path = base_url.removeprefix(BASE_URL)
        if path == base_url:
            return ConnectionResult(base_url, BaseUrlFound.NOT_REACHED, 0.01, reason="name not found")
        if path:
            return ConnectionResult(base_url, BaseUrlFound.NO_PATH, 0.01, 404)
        return ConnectionResult(base_url, BaseUrlFound.GATEWAY, 0.01, 401)

    async def close(self) -> None:
        """There is nothing to close."""

    def _offered(self, caller: Caller, *, offered: bool) -> None:
        if not offered:
            raise NotSent("not offered")

    def _find(self, device: str, request_id: str) -> _Sale:
        sale = self.account.find(device, lambda sale: sale.request_id == request_id)
        if sale is None:
            raise Refused("request unknown", status=404, message="Payment request not found")
        return sale


class FakePortal:
    """Implements `core.ports.Portal` on a `FakeAccount`."""

    def __init__(self, account: FakeAccount) -> None:
        self.account = account

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        self._offered(environment)
        self.account.note("users")
        return list(self.account.users)

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        self._offered(environment)
        self.account.note("create_key")
        if request_id in self.account.requests:
            raise KeyMadeBefore(self.account.requests[request_id])
        fits = draft.permission in _PERMISSIONS[draft.kind]
        if not fits or draft.username not in {user.username for user in self.account.users}:
            raise Refused("bad request", status=400, message="permission, kind or username")
        number = self.account.number()
        gateway_id, value = f"key-{number}", Secret(f"MadeUpFakeKeyValue{number:014d}")
        self.account.keys[gateway_id] = (draft, value)
        self.account.requests[request_id] = gateway_id
        self.account.lose()
        return CreatedKey(gateway_id, value)

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        self._offered(environment)
        self.account.note("delete_key")
        self.account.keys.pop(gateway_id, None)
        self.account.lose()

    def _offered(self, environment: Environment) -> None:
        if not _facts(environment.contract).can_create_keys:
            raise NotSent("not offered")


class _Recorded:
    """Gives the caller the exchange of a call when it is over, however it went."""

    def __init__(self, caller: Caller, method: str) -> None:
        self._caller = caller
        self._method = method

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, NotSent) and error.reason == "not offered":
            return
        status = error.status if isinstance(error, GatewayError) else 200
        failure = error.reason if isinstance(error, GatewayError) and not status else ""
        exchange = Exchange(
            at=NOW,
            method=self._method,
            url=self._caller.base_url,
            request_headers=(("Authorization", MASK),),
            request_body="",
            status=status,
            response_headers=(),
            response_body="",
            failure=failure,
            timings=Timings(total_s=0.01),
        )
        self._caller.on_exchange(exchange)
