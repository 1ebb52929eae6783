"""The payment service as protocols: its contract's facts, its calls, and the portal's key flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from keybench.core.devices.state import DeviceState
from keybench.core.diagnosis.checks import Observation
from keybench.core.environments.connection import ConnectionResult
from keybench.core.environments.environment import Environment
from keybench.core.errors import ContractInvalid
from keybench.core.exchange import Exchange
from keybench.core.keys.key import KeyDraft, KeyKind
from keybench.core.money import Money
from keybench.core.rotations.rotation import Expectation
from keybench.core.sales.sale import Outcome, Sale, SaleMode, Verdict
from keybench.core.secret import Secret

ExchangeSink = Callable[[Exchange], None]


def drop_exchange(_exchange: Exchange) -> None:
    """Take an exchange nobody wants to keep."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls which gateway; `on_exchange` gets each redacted exchange once it is over, failed ones too."""

    environment: Environment
    base_url: str
    value: Secret = field(repr=False)
    on_exchange: ExchangeSink = drop_exchange


@dataclass(frozen=True, slots=True)
class SaleOrder:
    """What is asked for with a sale: sent once, and compared with what answers say they are about."""

    reference: str
    device: str
    money: Money
    mode: SaleMode

    @classmethod
    def of(cls, sale: Sale) -> SaleOrder:
        """Return what was asked for with a sale."""
        return cls(sale.reference, sale.device, sale.money, sale.mode)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The gateway took the sale and will know its outcome some time after.

    From a `status` of 400 on it refused, and named a payment request all the same.
    """

    request_id: str
    gateway_status: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What a gateway's answers about a sale came to, as it is kept while the journal can't take it."""

    reference: str
    at: datetime
    request_id: str = ""
    verdict: Verdict | None = None
    lasted_s: float | None = None

    @classmethod
    def of(cls, sale: Sale) -> KeptAnswer | None:
        """Return what a sale has come to; None where nothing is known that another program couldn't tell."""
        if not sale.request_id and sale.outcome in {None, Outcome.UNKNOWN}:
            return None
        at = sale.finished_at or sale.accepted_at or sale.noted_at
        return cls(sale.reference, at, sale.request_id, sale.verdict, sale.lasted_s)

    def applied(self, stored: Sale) -> Sale:
        """Return the sale with it; one that has come as far stays as it is."""
        if stored.is_settled or (stored.request_id == self.request_id and not self.verdict):
            return stored
        moved = stored.accept(self.request_id, self.at) if self.request_id else stored
        return moved.finish(self.verdict, self.at, self.lasted_s) if self.verdict else moved


@dataclass(frozen=True, slots=True)
class StatusReading:
    """What a poll or a look-up found; there is a verdict if the outcome is there.

    In seconds, `next_s` is when the gateway suggests to ask again, and `lasted_s` how long the sale took by
    its clock; None where it doesn't say.
    """

    gateway_status: str
    verdict: Verdict | None = None
    request_id: str = ""
    next_s: float | None = None
    lasted_s: float | None = None


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """What the console's forms need to know about an environment's gateway.

    Attributes:
        can_create_keys: Whether the gateway makes and deletes keys for us.
        selling_permission: What its list of users calls the permission to sell; empty where that isn't known.
        portal_path: The portal's Security Keys page, relative to the base URL; empty if unknown.
        deadline_s: How long after it was accepted a sale may still end; then it is unknown.
        longest_pause_s: Between two polls, but where the gateway is in trouble or asks for patience.
        held_s: How long the gateway may hold a poll until there is an outcome; 0 where it answers at once.
        requests_per_s: How many requests a second it is asked at most, by all calls together.
        start_per_s: How many to begin with, before its answers show what it takes; the most if 0.
        at_once: How many requests are under way to it at most at any moment, held ones not counted.
        proof_calls: The calls of the same-permission proof, as ``GET /path``, and what each should meet.
        amounts: Amounts that it treats in a known way outside live, and in which, for people.
        declined_amounts: Those of them that it declines.
        kept_names: The fields whose values its exchanges keep besides the usual ones.
        begun: The status words of a sale under way that tell whether its device has begun, and which.
    """

    name: str
    can_create_keys: bool = False
    can_list_users: bool = False
    selling_permission: str = ""
    portal_path: str = ""
    permissions: Mapping[KeyKind, tuple[str, ...]] = field(default_factory=dict)
    modes: tuple[SaleMode, ...] = ()
    can_cancel: bool = False
    can_look_up: bool = False
    can_tell_device: bool = False
    can_register_devices: bool = False
    can_rename_devices: bool = False
    can_deregister_devices: bool = False
    title: str = ""
    deadline_s: float = 330.0
    shortest_pause_s: float = 0.2
    longest_pause_s: float = 10.0
    held_s: float = 0.0
    requests_per_s: float = 10.0
    start_per_s: float = 0.0
    at_once: int = 8
    proof_calls: tuple[tuple[str, Expectation], ...] = ()
    paths: tuple[str, ...] = ()
    amounts: Mapping[str, str] = field(default_factory=dict)
    declined_amounts: frozenset[str] = frozenset()
    kept_names: frozenset[str] = frozenset()
    begun: Mapping[str, bool] = field(default_factory=dict)

    def portal_page(self, environment: Environment) -> str:
        """Return the portal's page where an environment's keys are made, as far as it is known."""
        return environment.portal_url or environment.base_url + self.portal_path

    @property
    def long_poll(self) -> bool:
        """Whether a poll is held until there is an outcome."""
        return self.held_s > 0


@dataclass(frozen=True, slots=True)
class ContractFile:
    """A contract as it stands in its file, `own` if the person's; without facts where it can't be used.

    `calls` are method, path and where the key stands, by the call's purpose.
    """

    name: str
    own: bool
    selectable: bool = False
    facts: ContractFacts | None = None
    calls: Mapping[str, str] = field(default_factory=dict)
    trouble: ContractInvalid | None = None


class ContractFiles(Protocol):
    """The program's contracts and a person's own, as files."""

    def listed(self) -> Sequence[ContractFile]:
        """Return every contract by name, the ones that can't be used with the reason."""

    def checked(self, path: Path) -> ContractFile:
        """Read a file from anywhere as if it were the person's own; ContractInvalid if it can't be used."""


class Gateway(Protocol):
    """The payment service over HTTP. Every coroutine may raise a GatewayError and nothing else."""

    def facts(self, contract: str) -> ContractFacts:
        """Return what the gateway of a contract can do; NotFound if there is no such contract."""

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose for an environment."""

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        """Send a sale once. Never retries, never follows a redirect."""

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        """Ask for a sale's status; the answer is held where the contract has a long poll.

        An answer about another sale isn't believed; one about other money or another device gives no outcome.
        """

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        """Find a sale by our reference; None when the gateway knows of none: its list is empty and whole."""

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel; whether it did shows in the status."""

    async def probe_key(self, caller: Caller) -> int:
        """Make the contract's harmless call and return the HTTP status that proves the key."""

    async def proof_status(self, caller: Caller, expected: Expectation) -> int:
        """Make the harmless call that should meet `expected`, and return its status, also of a refusal.

        A redirect, a failure of the gateway, or having been asked too often shows nothing about the key and
        is raised; `NotSent` where the contract has no such call.
        """

    async def devices(self, caller: Caller) -> Sequence[DeviceState]:
        """List the account's devices, with what the list tells of their states."""

    async def device_state(self, caller: Caller, device_id: str) -> DeviceState:
        """Ask for the state of a device, by its own call or else by the list of devices.

        Refused with status 404 if the gateway knows no such device, AnswerUnreadable if it says so and its
        list has it, NotSent where the contract has no call that tells.
        """

    async def register_device(self, caller: Caller, code: str, nickname: str) -> DeviceState:
        """Register the device that shows a code; sent once.

        Refused with status 400 if the code is wrong, used or out of date; AnswerLost or AnswerUnreadable
        where it may be registered.
        """

    async def rename_device(self, caller: Caller, device_id: str, nickname: str) -> None:
        """Give a device another nickname; Refused with status 404 if the gateway knows no such device."""

    async def deregister_device(self, caller: Caller, device_id: str) -> None:
        """Take a device off the account; only a new code registers it again. Refused as `rename_device`."""

    async def try_connection(
        self, environment: Environment, base_url: str, proxy_password: Secret | None = None
    ) -> ConnectionResult:
        """Make one harmless call without a key, and return what answered, whatever that was.

        The environment needn't be kept yet; its contract names the call, and its proxy is the way, with the
        password that is kept if None is given. NotSent if there is no such contract, or it can't be used.
        """

    async def close(self) -> None:
        """Close connections; safe to call twice."""


@dataclass(frozen=True, slots=True)
class PortalUser:
    """A user of the account, as the portal lists them."""

    username: str
    full_name: str
    permissions: tuple[str, ...]
    enabled: bool


@dataclass(frozen=True, slots=True)
class CreatedKey:
    """A key the gateway has just made; its value is shown this once."""

    gateway_id: str
    value: Secret = field(repr=False)


class Portal(Protocol):
    """The portal's key flow, for gateways that offer it as calls. May raise a GatewayError, nothing else."""

    async def users(self, environment: Environment, base_url: str) -> Sequence[PortalUser]:
        """List the account's users."""

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        """Make a key; `request_id` keeps a repeated call from making a second one.

        NameTaken if the gateway has an active key of that name; KeyMadeBefore if this request made one
        before, whose value isn't shown again.
        """

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        """Delete a key; no error if it is gone already."""


class Probing(Protocol):
    """Looks at the way to a gateway, and makes harmless calls. The caller limits the time.

    Each method returns what it saw, nothing where it can't tell. A method that is cancelled stops at once and
    leaves nothing open. None raises anything but a `GatewayError`, and that only where the contract can't be
    used.
    """

    async def name(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Look the host's name up; left to the proxy where there is one."""

    async def connect(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Connect to the host, or to the proxy where there is one, by the first address that answers."""

    async def proxy(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Ask the proxy to lead on, and see whether it is needed."""

    async def tls(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Shake hands, and read the certificate also where it can't be trusted. Nothing is sent then."""

    async def clock(self, environment: Environment, base_url: str) -> Sequence[Observation]:
        """Compare this computer's clock with the `Date` of an answer to a call without a key."""

    async def gateway(
        self, environment: Environment, base_url: str, on_exchange: ExchangeSink
    ) -> Sequence[Observation]:
        """Make the harmless call without a key."""

    async def call(self, caller: Caller) -> Sequence[Observation]:
        """Make the harmless call with the bare key, as the contract has it."""

    async def forms(self, caller: Caller) -> Sequence[Observation]:
        """Make it with the key in the forms that people mix up, and with a value that was made up."""

    async def close(self) -> None:
        """Close what is open; safe to call twice."""
