"""What happened, kept durably, as a protocol."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from keybench.core.environment import Environment
from keybench.core.exchange import Exchange
from keybench.core.history import SaleFilter
from keybench.core.ports.register import Register
from keybench.core.ports.surroundings import RunningProgram
from keybench.core.sale import Sale, SaleEvent
from keybench.core.security_key import KeyMove, SecurityKey


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


class Journal(Register, Protocol):
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

    async def update_environment(
        self, environment_id: str, move: Callable[[Environment], Environment]
    ) -> Environment:
        """Apply a pure `move` to the stored environment; its id, name and kind don't change.

        Returns:
            The environment as it is now stored.

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

    async def update_key(self, key_id: str, move: KeyMove) -> SecurityKey:
        """Apply a pure `move` to the stored key; its id, environment and last use don't change.

        Returns:
            The key as it is now stored.

        Raises:
            NotFound: There is no such key.
            NameTaken: Another key of the environment has its new name, in any case of letters.
        """
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

    async def keep_program(self, program: RunningProgram) -> None:
        """Note that a program runs, or that it runs still."""
        ...

    async def programs(self) -> Sequence[RunningProgram]:
        """Return the programs that are noted as running, the oldest first."""
        ...

    async def remove_programs(self, ids: Collection[str]) -> None:
        """Note that programs have ended; no error if they aren't noted."""
        ...

    async def note_sale(self, sale: Sale, event: SaleEvent) -> None:
        """Write an intent durably: when this returns, it survives a power cut.

        Room for what becomes of it is kept until it is finished; where there is none, it isn't written.
        """
        ...

    async def advance_sale(
        self,
        reference: str,
        move: Callable[[Sale], Sale],
        events: Sequence[SaleEvent] = (),
        exchanges: Sequence[Exchange] = (),
        *,
        from_reserve: bool = False,
    ) -> Sale:
        """Apply a pure `move` to the stored sale and add to its trail, in one transaction; return the result.

        Two programs may follow one sale, so the move is applied to what is stored, not to what the caller
        remembers. Whatever `move` raises undoes the transaction and is raised here.

        Args:
            reference: The sale's.
            move: How it changes; it may be called more than once.
            events: New points of the sale's timeline, in order.
            exchanges: What was said meanwhile, in order.
            from_reserve: Use the room that is kept for what becomes of sales, where the disk is full.

        Raises:
            NotFound: There is no such sale.
            RequestIdTaken: Another sale of its environment has the request id it would get.
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
