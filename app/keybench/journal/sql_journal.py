"""The journal as the use cases see it: every call goes to one thread that owns the database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from keybench.core.environment import Environment
from keybench.core.exchange import Exchange
from keybench.core.history import SaleFilter
from keybench.core.ports import Device, PollNote, RunningProgram
from keybench.core.sale import Sale, SaleEvent
from keybench.core.security_key import KeyMove, SecurityKey
from keybench.journal.sql_register import SqlRegister


class SqlJournal(SqlRegister):
    """A journal in an SQL database; implements `core.ports.Journal`."""

    async def environments(self) -> Sequence[Environment]:
        """Return all environments, practice first, then by name."""
        return await self._read(lambda t: t.environments.all())

    async def add_environment(self, environment: Environment) -> None:
        """Add one.

        Raises:
            NameTaken: Another has its name, in any case of letters.
        """
        await self._write(lambda t: t.environments.add(environment))

    async def update_environment(
        self, environment_id: str, move: Callable[[Environment], Environment]
    ) -> Environment:
        """Apply a pure `move` to the stored environment, in one transaction; return the result.

        Raises:
            NotFound: There is no such environment.
        """
        return await self._write(lambda t: t.environments.update(environment_id, move))

    async def remove_environment(self, environment_id: str) -> None:
        """Remove one, if it is there, with its keys' metadata, devices and applications.

        Its sales and rotations stay as history.

        Raises:
            EnvironmentBuiltIn: It is practice.
        """
        await self._write(lambda t: t.environments.remove(environment_id))

    async def keys(self, environment_id: str) -> Sequence[SecurityKey]:
        """Return the environment's keys by name."""
        return await self._read(lambda t: t.keys.of_environment(environment_id))

    async def add_key(self, key: SecurityKey) -> None:
        """Add one.

        Raises:
            NameTaken: Another key of the environment has its name, in any case of letters.
            NotFound: There is no such environment.
        """
        await self._write(lambda t: t.keys.add(key))

    async def update_key(self, key_id: str, move: KeyMove) -> SecurityKey:
        """Apply a pure `move` to the stored key, in one transaction; return the result.

        Raises:
            NameTaken: Another key of the environment has its new name, in any case of letters.
            NotFound: There is no such key.
        """
        return await self._write(lambda t: t.keys.update(key_id, move))

    async def remove_key(self, key_id: str) -> None:
        """Remove one; no error if it isn't there."""
        await self._write(lambda t: t.keys.remove(key_id))

    async def devices(self, environment_id: str) -> Sequence[Device]:
        """Return the environment's known devices, by nickname and id."""
        return await self._read(lambda t: t.environments.devices(environment_id))

    async def remember_devices(self, environment_id: str, devices: Sequence[Device]) -> None:
        """Add or renew the given devices; others stay.

        Raises:
            NotFound: There is no such environment.
        """
        await self._write(lambda t: t.environments.remember_devices(environment_id, devices))

    async def keep_program(self, program: RunningProgram) -> None:
        """Note that a program runs, or that it runs still."""
        await self._write(lambda t: t.programs.keep(program))

    async def programs(self) -> Sequence[RunningProgram]:
        """Return the programs that are noted as running, the oldest first."""
        return await self._read(lambda t: t.programs.all())

    async def remove_programs(self, ids: Collection[str]) -> None:
        """Note that programs have ended; no error if they aren't noted."""
        await self._write(lambda t: t.programs.remove(ids))

    async def note_sale(self, sale: Sale, event: SaleEvent) -> None:
        """Write an intent durably: when this returns, it survives a power cut.

        Room on the disk for what becomes of it is kept until it is finished.

        Raises:
            JournalError: It isn't written; also if its reference is there already.
        """
        await self._write_sales(lambda t: t.sales.note(sale, event), is_intent=True)

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

        Args:
            reference: The sale's.
            move: Called on the database's thread; what it raises undoes the transaction and is raised here.
            events: New points of the sale's timeline, in order.
            exchanges: What was said meanwhile, in order.
            from_reserve: Use the room that is kept for what becomes of sales, where the disk is full.

        Raises:
            NotFound: There is no such sale.
            RequestIdTaken: Another sale of its environment has the request id it would get.
        """
        return await self._write_sales(
            lambda t: t.sales.advance(reference, move, events, exchanges), from_reserve=from_reserve
        )

    async def note_polls(self, notes: Sequence[PollNote]) -> None:
        """Count polls that moved nothing and add them to their sales' trails, all in one transaction."""
        await self._write_sales(lambda t: t.sales.note_polls(notes))

    async def sale(self, reference: str) -> Sale:
        """Return one sale.

        Raises:
            NotFound: There is none.
        """
        return await self._read(lambda t: t.sales.one(reference))

    async def sales(self, environment_id: str | None, limit: int) -> Sequence[Sale]:
        """Return the newest sales first, of one environment or of all; at most `limit`."""
        return await self._read(lambda t: t.sales.newest(environment_id, limit))

    async def find_sales(self, wanted: SaleFilter, *, after: str = "", limit: int) -> Sequence[Sale]:
        """Return the newest of the wanted sales, newest first.

        Args:
            wanted: Which.
            after: The reference of the last sale of the page before; empty for the first page.
            limit: How many at most.
        """
        return await self._read(lambda t: t.history.page(wanted, after, limit))

    async def count_sales(self, wanted: SaleFilter) -> int:
        """Return how many sales are wanted."""
        return await self._read(lambda t: t.history.count(wanted))

    async def unfinished_sales(self) -> Sequence[Sale]:
        """Return the sales that are noted or accepted and not finished, oldest first."""
        return await self._read(lambda t: t.sales.unfinished())

    async def sale_events(self, reference: str) -> Sequence[SaleEvent]:
        """Return a sale's timeline in the order it was written."""
        return await self._read(lambda t: t.sales.events(reference))

    async def record_exchange(self, reference: str, exchange: Exchange) -> None:
        """Keep a redacted exchange with its sale.

        Raises:
            NotFound: There is no such sale.
        """
        await self._write(lambda t: t.sales.record_exchange(reference, exchange))

    async def exchanges(self, reference: str) -> Sequence[Exchange]:
        """Return a sale's exchanges in the order they were written."""
        return await self._read(lambda t: t.sales.exchanges(reference))
