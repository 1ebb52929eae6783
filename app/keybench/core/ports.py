"""What the use cases need from the world, as protocols: clock, keystore, journal, gateway, portal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from keybench.core.environment import Environment
from keybench.core.errors import ContractInvalid, KeystoreError
from keybench.core.exchange import Exchange
from keybench.core.history import SaleFilter
from keybench.core.money import Money
from keybench.core.outcome import Verdict
from keybench.core.sale import Sale, SaleEvent, SaleMode
from keybench.core.secret import Secret
from keybench.core.security_key import KeyDraft, KeyKind, SecurityKey


class Clock(Protocol):
    """Time, so that tests can move it."""

    def now(self) -> datetime:
        """Return the wall-clock time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds on a clock that never goes back; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait at least `seconds` on the monotonic clock."""
        ...


# --- keystore ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KeystoreStatus:
    """Where values are kept at the moment.

    Attributes:
        name: What people call it (``GNOME Keyring``, ``this session's memory``, …).
        durable: Whether values outlive this run.
        trouble: Why the system's keystore isn't in use, or None.
    """

    name: str
    durable: bool
    trouble: KeystoreError | None = None


class Keystore(Protocol):
    """Values at rest. Every method may raise a KeystoreError and nothing else."""

    @property
    def status(self) -> KeystoreStatus:
        """The last known status; cheap, never touches the system."""
        ...

    async def probe(self) -> KeystoreStatus:
        """Look at the system's keystore (again) and choose where values are kept from now on."""
        ...

    async def write(self, entry: str, value: Secret) -> None:
        """Keep `value` under `entry`, read it back and compare; on failure the entry is as it was."""
        ...

    async def read(self, entry: str) -> Secret:
        """Return the value under `entry`.

        Raises:
            ValueLost: There is none.
        """
        ...

    async def erase(self, entry: str) -> None:
        """Make sure nothing is under `entry`; no error if nothing was."""
        ...


def entry_of(key: SecurityKey) -> str:
    """Return the name of the keystore entry that holds the value of `key`."""
    return f"{key.environment_id}/{key.id}"


# --- journal -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Device:
    """A cloud payment device.

    Attributes:
        id: The identifier the gateway knows it by.
        nickname: What people call it; may be empty.
        connection: The gateway's word for its connection (``connected``, …); empty if it isn't known.
    """

    id: str
    nickname: str = ""
    connection: str = ""


@dataclass(frozen=True, slots=True)
class PollNote:
    """A poll that found a sale still under way, or found nothing out.

    Attributes:
        event: Its point on the sale's timeline.
        exchanges: What was said, redacted.
    """

    event: SaleEvent
    exchanges: tuple[Exchange, ...] = ()


class Journal(Protocol):
    """What happened, durable. Every method may raise a JournalError; each write is one commit."""

    async def open(self) -> str:
        """Open or create it and return this installation's identifier (it names the keyring entries)."""
        ...

    async def close(self) -> None:
        """Finish what is under way and close; no error if it isn't open."""
        ...

    async def environments(self) -> Sequence[Environment]:
        """Return all environments, practice first, then by name."""
        ...

    async def add_environment(self, environment: Environment) -> None:
        """Add one.

        Raises:
            NameTaken: Another has its name, in any case of letters.
        """
        ...

    async def update_environment(self, environment: Environment) -> None:
        """Replace what is known of the environment with the same id; its name and kind don't change.

        Raises:
            NotFound: There is no such environment.
        """
        ...

    async def remove_environment(self, environment_id: str) -> None:
        """Remove one with its keys' metadata and devices; its sales and exchanges stay as history."""
        ...

    async def keys(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return the environment's keys by name."""
        ...

    async def add_key(self, key: SecurityKey) -> None:
        """Add one.

        Raises:
            NameTaken: Another key of the environment has its name, in any case of letters.
        """
        ...

    async def update_key(self, key: SecurityKey) -> None:
        """Replace what is known of the key with the same id."""
        ...

    async def remove_key(self, key_id: str) -> None:
        """Remove one; no error if it isn't there."""
        ...

    async def devices(self, environment_id: str) -> Sequence[Device]:
        """Return the environment's known devices, by nickname and id."""
        ...

    async def remember_devices(self, environment_id: str, devices: Sequence[Device]) -> None:
        """Add or renew the given devices; others stay."""
        ...

    async def note_sale(self, sale: Sale, event: SaleEvent) -> None:
        """Write an intent durably: when this returns, it survives a power cut."""
        ...

    async def advance_sale(
        self,
        reference: str,
        move: Callable[[Sale], Sale],
        events: Sequence[SaleEvent] = (),
        exchanges: Sequence[Exchange] = (),
    ) -> Sale:
        """Apply a pure `move` to the stored sale and add to its trail, in one transaction; return the result.

        Two programs may follow one sale, so the move is applied to what is stored, not to what the caller
        remembers. Whatever `move` raises undoes the transaction and is raised here.

        Raises:
            NotFound: There is no such sale.
        """
        ...

    async def note_polls(self, notes: Sequence[PollNote]) -> None:
        """Count polls that moved nothing and add them to their sales' trails, all in one transaction."""
        ...

    async def sale(self, reference: str) -> Sale:
        """Return one sale.

        Raises:
            NotFound: There is none.
        """
        ...

    async def sales(self, environment_id: str | None, limit: int) -> Sequence[Sale]:
        """Return the newest sales first, of one environment or of all."""
        ...

    async def find_sales(self, wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        """Return the newest of the wanted sales, newest first, at most `limit`.

        Args:
            wanted: Which.
            after: The reference of the last sale of the page before; empty for the first page.
            limit: How many at most.

        Raises:
            NotFound: There is no sale `after`.
        """
        ...

    async def count_sales(self, wanted: SaleFilter) -> int:
        """Return how many sales are wanted; takes longer than a page."""
        ...

    async def unfinished_sales(self) -> Sequence[Sale]:
        """Return the sales that are noted or accepted and not finished, oldest first."""
        ...

    async def sale_events(self, reference: str) -> Sequence[SaleEvent]:
        """Return a sale's timeline in order."""
        ...

    async def record_exchange(self, reference: str, exchange: Exchange) -> None:
        """Keep a redacted exchange with its sale."""
        ...

    async def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges in order."""
        ...

    async def record_activity(self, activity: Activity) -> None:
        """Append one line of what was done."""
        ...

    async def activities(self, limit: int) -> Sequence[Activity]:
        """Return the newest lines first."""
        ...


@dataclass(frozen=True, slots=True)
class Activity:
    """One thing that was done on this computer; never a value.

    Attributes:
        at: When, UTC.
        action: A stable word (``key added``, ``key tested``, ``value revealed``, …).
        environment_id: Where.
        subject: The key's or sale's name.
        result: How it went, short.
    """

    at: datetime
    action: str
    environment_id: str
    subject: str
    result: str


# --- gateway -----------------------------------------------------------------------------------------

ExchangeSink = Callable[[Exchange], None]


def _drop(_exchange: Exchange) -> None:
    """Take an exchange nobody wants to keep."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls which gateway.

    Attributes:
        environment: Names the contract.
        base_url: Where the gateway is now.
        value: The key's value.
        on_exchange: Given every redacted exchange as soon as it is over, also the failed ones.
    """

    environment: Environment
    base_url: str
    value: Secret = field(repr=False)
    on_exchange: ExchangeSink = _drop


@dataclass(frozen=True, slots=True)
class SaleOrder:
    """What is sent for a sale."""

    reference: str
    device: str
    money: Money
    mode: SaleMode


@dataclass(frozen=True, slots=True)
class Accepted:
    """The gateway took the sale and will tell its outcome later.

    Attributes:
        request_id: Its identifier for it.
        gateway_status: The first status word, if it came with one.
    """

    request_id: str
    gateway_status: str = ""


@dataclass(frozen=True, slots=True)
class StatusReading:
    """What a poll or a look-up found.

    Attributes:
        gateway_status: The status word as it came.
        verdict: The outcome if it is there, else None.
        request_id: The gateway's identifier, where the answer named it.
        next_s: When the gateway suggests to ask again, in seconds; None where it suggests nothing.
    """

    gateway_status: str
    verdict: Verdict | None = None
    request_id: str = ""
    next_s: float | None = None


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """What the console's forms need to know about an environment's gateway.

    Attributes:
        name: The contract's name.
        can_create_keys: Whether the gateway makes and deletes keys for us.
        can_list_users: Whether it names the account's users.
        portal_path: The portal's Security Keys page, relative to the base URL; empty if unknown.
        permissions: The permission types people can choose, by kind; the field stays editable.
        modes: The ways to sell it offers.
        can_cancel: Whether a sale can be cancelled on the device.
        can_look_up: Whether a sale can be found by our reference.
        title: What people call the gateway.
        deadline_s: How long after it was accepted a sale may still end, in seconds; then it is unknown.
        held_s: How long the gateway may hold a poll until there is an outcome, in seconds; 0 where it answers
            each poll at once.
        requests_per_s: How many requests a second it is asked at most, by all sales together.
        at_once: How many requests are under way to it at most at any moment, held ones not counted.
    """

    name: str
    can_create_keys: bool
    can_list_users: bool
    portal_path: str
    permissions: dict[KeyKind, tuple[str, ...]]
    modes: tuple[SaleMode, ...]
    can_cancel: bool
    can_look_up: bool
    title: str = ""
    deadline_s: float = 330.0
    held_s: float = 0.0
    requests_per_s: float = 10.0
    at_once: int = 8

    @property
    def long_poll(self) -> bool:
        """Whether a poll is held until there is an outcome."""
        return self.held_s > 0


@dataclass(frozen=True, slots=True)
class ContractFile:
    """A contract as its file says it.

    Attributes:
        name: The contract's name.
        own: Whether it is the person's own file and not one of the program's.
        selectable: Whether it can be chosen for an environment.
        facts: What it says the gateway can do; None where the file can't be used.
        calls: Method, path and where the key stands, by the call's purpose.
        trouble: Why the file can't be used.
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
        ...

    def checked(self, path: Path) -> ContractFile:
        """Read a file from anywhere as if it were one of the person's own, and return what it says.

        Raises:
            ContractInvalid: It can't be used; file, field and reason are named.
        """
        ...


class Gateway(Protocol):
    """The payment service over HTTP. Every coroutine may raise a GatewayError and nothing else."""

    def facts(self, contract: str) -> ContractFacts:
        """Return what a contract says the gateway can do.

        Raises:
            NotFound: There is no such contract.
        """
        ...

    def contracts(self) -> Sequence[str]:
        """Return the names of the contracts a person can choose for an environment."""
        ...

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        """Send a sale once. Never retries, never follows a redirect."""
        ...

    async def sale_status(
        self, caller: Caller, device: str, request_id: str, reference: str = ""
    ) -> StatusReading:
        """Ask for a sale's status; the answer is held where the contract has a long poll.

        Args:
            caller: Who asks.
            device: Where the sale is.
            request_id: The gateway's identifier for it.
            reference: Ours; an answer that names another isn't believed. Unchecked if empty.
        """
        ...

    async def look_up(self, caller: Caller, device: str, reference: str) -> StatusReading | None:
        """Find a sale by our reference; None when the gateway knows of none."""
        ...

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        """Ask the device to cancel; whether it did shows in the status."""
        ...

    async def probe_key(self, caller: Caller) -> int:
        """Make the contract's harmless call and return the HTTP status that proves the key.

        Raises:
            KeyRefused, Forbidden: The key isn't accepted.
        """
        ...

    async def devices(self, caller: Caller) -> Sequence[Device]:
        """List the account's devices."""
        ...

    async def close(self) -> None:
        """Close connections; safe to call twice."""
        ...


# --- portal ------------------------------------------------------------------------------------------


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
        ...

    async def create_key(
        self, environment: Environment, base_url: str, draft: KeyDraft, request_id: str
    ) -> CreatedKey:
        """Make a key; `request_id` keeps a repeated call from making a second one.

        Raises:
            NameTaken: The gateway has an active key of that name.
        """
        ...

    async def delete_key(self, environment: Environment, base_url: str, gateway_id: str) -> None:
        """Delete a key; no error if it is gone already."""
        ...


class Practice(Protocol):
    """The practice gateway's process."""

    @property
    def base_url(self) -> str:
        """Where it is; empty while it isn't up."""
        ...

    async def ensure(self) -> str:
        """Return its base URL, starting it if it isn't up.

        Raises:
            PracticeUnavailable: It can't be started.
        """
        ...

    async def stop(self) -> None:
        """Stop the process if this program started it; safe to call twice."""
        ...


class Owners(Protocol):
    """Which running programs there are, so that two of them don't follow one sale."""

    @property
    def me(self) -> str:
        """This program's name for as long as it runs; never used again."""
        ...

    def is_running(self, owner: str) -> bool:
        """Tell whether `owner` still runs."""
        ...
