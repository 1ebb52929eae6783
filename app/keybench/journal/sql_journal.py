"""The journal in an SQL database: every call is one transaction, on the one thread that owns the database."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection

from keybench.core.errors import JournalError
from keybench.core.ports import Clock, JournalPlace, KeptAnswer
from keybench.journal import activities as _activities
from keybench.journal import attention as _attention
from keybench.journal import environments as _environments
from keybench.journal import exchanges as _exchanges
from keybench.journal import history as _history
from keybench.journal import installation as _installation
from keybench.journal import keys as _keys
from keybench.journal import retention as _retention
from keybench.journal import rotations as _rotations
from keybench.journal import sales as _sales
from keybench.journal.answers import AnswersFile
from keybench.journal.opening import open_store
from keybench.journal.store import Store
from keybench.runtime.file_system import FileSystem, file_system_of
from keybench.runtime.worker import DaemonWorker

P = ParamSpec("P")
T = TypeVar("T")

#: A function on a connection that has begun a transaction, and the journal's method that is made of it.
Call = Callable[Concatenate[Connection, P], T]
Method = Callable[Concatenate["SqlJournal", P], Coroutine[Any, Any, T]]

#: How long a call waits for another program's write, in seconds.
WAIT_S: Final = 5.0


def _read(call: Call[P, T]) -> Method[P, T]:
    """Return the method that makes `call` in a transaction that only reads."""

    @wraps(call)
    async def method(journal: SqlJournal, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await journal.run(lambda connection: call(connection, *args, **kwargs), writes=False)

    return method


def _write(call: Call[P, T]) -> Method[P, T]:
    """Return the method that makes `call` in a transaction that writes."""

    @wraps(call)
    async def method(journal: SqlJournal, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await journal.run(lambda connection: call(connection, *args, **kwargs), writes=True)

    return method


class SqlJournal:
    """A journal in an SQL database; implements `core.ports.Journal`, which documents each call.

    Calls are carried out one after another, in the order they were made. Before `open` and after `close`
    each raises a JournalError. An error carries nothing of the database's own.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        wait_s: float = WAIT_S,
        file_system_of: Callable[[Path], FileSystem] = file_system_of,
    ) -> None:
        self._path = path
        self._file_system_of = file_system_of
        self._clock = clock
        self._wait_s = wait_s
        self._worker = DaemonWorker("keybench journal")
        self._answers, self._beside = AnswersFile(path), DaemonWorker("keybench answers")
        self._store: Store | None = None  # opened and closed on the worker

    @property
    def place(self) -> JournalPlace:
        """Where it is, once it is open."""
        return self._store.place if self._store else JournalPlace()

    async def open(self) -> str:
        """Open or create it and return this installation's identifier; no harm in doing so twice.

        Raises:
            JournalUnwritable: The folder or the file can't be written.
            JournalNewer: A newer Keybench wrote it; it is untouched.
            JournalDamaged: It isn't a journal or is damaged; it is untouched.
            JournalInUse: Another program has it open, where one at a time can.
            JournalBusy: Another program holds it for longer than the limit.
        """
        return await self._worker.run(self._open)

    async def close(self) -> None:
        """Finish what is under way and close; no error if it isn't open."""
        await self._worker.run(self._close)
        self._worker.stop()
        self._beside.stop()

    async def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make a call in a transaction of its own; see `Store.run`."""
        return await self._worker.run(lambda: self._opened().run(call, writes=writes))

    environments = _read(_environments.environments)
    add_environment = _write(_environments.add_environment)
    update_environment = _write(_environments.update_environment)
    remove_environment = _write(_environments.remove_environment)
    devices = _read(_environments.devices)
    remember_devices = _write(_environments.remember_devices)
    forget_device = _write(_environments.forget_device)
    device_states = _read(_environments.device_states)
    keep_device_states = _write(_environments.keep_device_states)

    setting = _read(_installation.setting)
    update_setting = _write(_installation.update_setting)
    programs = _read(_installation.programs)
    keep_program = _write(_installation.keep_program)
    remove_programs = _write(_installation.remove_programs)

    keys = _read(_keys.keys)
    all_keys = _read(_keys.all_keys)
    add_key = _write(_keys.add_key)
    update_key = _write(_keys.update_key)
    rename_key = _write(_rotations.rename_key)
    remove_key = _write(_keys.remove_key)
    keep_key_exchanges = _write(_keys.keep_key_exchanges)
    key_exchanges = _read(_keys.key_exchanges)
    applications = _read(_keys.applications)
    add_application = _write(_keys.add_application)
    update_application = _write(_keys.update_application)
    remove_application = _write(_keys.remove_application)

    rotations = _read(_rotations.rotations)
    rotation = _read(_rotations.rotation)
    start_rotation = _write(_rotations.start_rotation)
    advance_rotation = _write(_rotations.advance_rotation)
    key_plans = _read(_rotations.key_plans)
    add_key_plan = _write(_rotations.add_key_plan)
    update_key_plan = _write(_rotations.update_key_plan)
    end_key_plan = _write(_rotations.end_key_plan)

    note_sale = _write(_sales.note_sale)
    advance_sale = _write(_sales.advance_sale)
    note_polls = _write(_sales.note_polls)
    sale = _read(_sales.sale)
    sales = _read(_sales.sales)
    unfinished_sales = _read(_sales.unfinished_sales)
    sale_events = _read(_sales.sale_events)
    timelines = _read(_sales.timelines)
    exchanges = _read(_exchanges.exchanges)
    count_older = _read(_retention.count_older)
    delete_older = _write(_retention.delete_some)
    find_sales = _read(_history.find_sales)
    count_sales = _read(_history.count_sales)

    async def keep_answer(self, answer: KeptAnswer) -> None:
        """Append an answer durably to a file beside the database, on a thread of its own."""
        await self._beside.run(lambda: self._answers.add(answer))

    async def kept_answers(self) -> Sequence[KeptAnswer]:
        """Return the latest answer in that file about each sale, in order."""
        return await self._beside.run(self._answers.read)

    async def drop_answers(self, reference: str) -> None:
        """Remove what the file has about a sale."""
        await self._beside.run(lambda: self._answers.drop(reference))

    attention = _read(_attention.attention)
    record_activity = _write(_activities.record_activity)
    activities = _read(_activities.activities)
    removed_environments = _read(_activities.removed_environments)

    def _opened(self) -> Store:
        if self._store is None:
            raise JournalError("not open")
        return self._store

    def _open(self) -> str:
        if self._store is None:
            self._store = open_store(self._path, self._clock.now(), self._wait_s, self._file_system_of)
        return self._store.installation

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()
