"""The journal's thread, the database that it alone owns, and how a call gets there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from keybench.core.errors import JournalError
from keybench.core.ports import Clock
from keybench.runtime.worker import DaemonWorker

if TYPE_CHECKING:
    # These import SQLAlchemy, which waits until `open` so that the window comes first.
    from keybench.journal.store import Store, Transaction

T = TypeVar("T")

#: How long a call waits for another program's write, in seconds.
WAIT_S: Final = 5.0


class SqlCalls:
    """Opens and closes the database, and carries out calls in it.

    Calls are carried out one after another, in the order they were made. Before `open` and after `close`
    each raises a JournalError.

    Args:
        path: The SQLite file; it and its folder are made by `open` if they aren't there.
        clock: Tells when the practice environment was added to a new journal.
        wait_s: How long a call waits for another program's lock before it raises JournalBusy, in seconds.
    """

    def __init__(self, path: Path, clock: Clock, *, wait_s: float = WAIT_S) -> None:
        self._path = path
        self._clock = clock
        self._wait_s = wait_s
        self._worker = DaemonWorker("keybench journal")
        self._store: Store | None = None  # the worker's alone

    async def open(self) -> str:
        """Open or create it and return this installation's identifier; no harm in doing so twice.

        Raises:
            JournalUnwritable: The folder or the file can't be written.
            JournalNewer: A newer Keybench wrote it; it is untouched.
            JournalDamaged: It isn't a journal or is damaged; it is untouched.
            JournalBusy: Another program holds it for longer than the limit.
        """
        return await self._worker.run(self._open)

    async def close(self) -> None:
        """Finish what is under way and close; no error if it isn't open."""
        await self._worker.run(self._close)
        self._worker.stop()

    async def _read(self, call: Callable[[Transaction], T]) -> T:
        return await self._worker.run(lambda: self._opened().run(call, writes=False))

    async def _write(self, call: Callable[[Transaction], T]) -> T:
        return await self._worker.run(lambda: self._opened().run(call, writes=True))

    async def _write_sales(
        self, call: Callable[[Transaction], T], *, is_intent: bool = False, from_reserve: bool = False
    ) -> T:
        def write() -> T:
            return self._opened().write_sales(call, is_intent=is_intent, from_reserve=from_reserve)

        return await self._worker.run(write)

    def _opened(self) -> Store:
        if self._store is None:
            raise JournalError("not open")
        return self._store

    def _open(self) -> str:
        from keybench.journal.opening import open_store  # noqa: PLC0415 - SQLAlchemy waits until now

        if self._store is None:
            self._store = open_store(self._path, self._clock.now(), self._wait_s)
        return self._store.installation

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()
