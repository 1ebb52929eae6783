"""The journal in an SQL database: every call is one transaction, on the one thread that owns the database."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection

from keybench.core.errors import JournalError
from keybench.core.ports import Clock, JournalPlace, JournalStanding, KeptAnswer, OnNotice, OnStanding
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk
from keybench.core.team.edits import Edit
from keybench.journal import activities as _activities
from keybench.journal import desks as _desks
from keybench.journal import edits as _edits
from keybench.journal import environments as _environments
from keybench.journal import exchanges as _exchanges
from keybench.journal import history as _history
from keybench.journal import installation as _installation
from keybench.journal import keys as _keys
from keybench.journal import retention as _retention
from keybench.journal import rotations as _rotations
from keybench.journal import sales as _sales
from keybench.journal.answers import AnswersFile
from keybench.journal.sqlite.opening import open_store
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


def _method(call: Call[P, T], *, writes: bool = False) -> Method[P, T]:
    """Return the method that makes `call` in a transaction, which only reads unless it `writes`."""

    @wraps(call)
    async def method(journal: SqlJournal, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await journal.run(lambda connection: call(connection, *args, **kwargs), writes=writes)

    return method


class SqlJournal:
    """A journal in an SQL database; implements `core.ports.Journal`, which documents each call.

    Calls are carried out one after another, in the order they were made. Before `open` and after `close`
    each raises a JournalError. An error carries nothing of the database's own. It is the file in `path`, or
    a team's at the URL that a `desk` has, where its role logs in with `password`.
    """

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        wait_s: float = WAIT_S,
        file_system_of: Callable[[Path], FileSystem] = file_system_of,
        desk: Desk | None = None,
        password: Secret | None = None,
    ) -> None:
        self._path = path
        self._file_system_of = file_system_of
        self._clock = clock
        self._wait_s = wait_s
        self._worker = DaemonWorker("keybench journal")
        self._answers, self._beside = AnswersFile(path), DaemonWorker("keybench answers")
        self._store: Store | None = None  # opened and closed on the worker
        self._desk = desk
        self._password = password
        self._has_moved = False

    @property
    def place(self) -> JournalPlace:
        """Where it is, once it is open."""
        return self._store.place if self._store else JournalPlace()

    @property
    def desk(self) -> Desk:
        """The desk it is open at."""
        if self._desk is None:
            raise JournalError("not open")
        return self._desk

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
        return await self._worker.run(lambda: self._opened(writes=writes).run(call, writes=writes))

    async def leave(self, move: Callable[[Connection], T]) -> T:
        """Make a call that moves the journal elsewhere; from then on nothing is written to it from here.

        Meanwhile nobody writes to a file; of a team's journal it sees one moment.
        """

        def leave() -> T:
            result = self._opened(writes=True).run(move, writes=not self.desk.journal)
            self._has_moved = True
            return result

        return await self._worker.run(leave)

    environments = _method(_environments.environments)
    add_environment = _method(_environments.ENVIRONMENTS.add, writes=True)
    update_environment = _method(_environments.ENVIRONMENTS.update, writes=True)
    remove_environment = _method(_environments.remove_environment, writes=True)
    devices = _method(_environments.devices)
    remember_devices = _method(_environments.remember_devices, writes=True)
    forget_device = _method(_environments.forget_device, writes=True)
    device_states = _method(_environments.device_states)
    keep_device_states = _method(_environments.keep_device_states, writes=True)

    setting = _method(_installation.setting)
    update_setting = _method(_installation.update_setting, writes=True)
    programs = _method(_installation.programs)
    keep_program = _method(_installation.keep_program, writes=True)
    work_on = _method(_installation.work_on, writes=True)
    remove_programs = _method(_installation.remove_programs, writes=True)

    keys = _method(_keys.keys)
    all_keys = _method(_keys.all_keys)
    add_key = _method(_keys.KEYS.add, writes=True)
    update_key = _method(_keys.KEYS.update, writes=True)
    expect_right_to_remove = _method(_keys.expect_right_to_remove, writes=True)
    remove_key = _method(_keys.KEYS.remove, writes=True)
    keep_key_exchanges = _method(_keys.keep_key_exchanges, writes=True)
    key_exchanges = _method(_keys.key_exchanges)
    applications = _method(_keys.applications)
    add_application = _method(_keys.APPLICATIONS.add, writes=True)
    update_application = _method(_keys.APPLICATIONS.update, writes=True)
    remove_application = _method(_keys.APPLICATIONS.remove, writes=True)

    keep_desk = _method(_desks.keep_desk, writes=True)
    desks = _method(_desks.desks)
    holdings = _method(_desks.holdings)
    holdings_stamp = _method(_desks.holdings_stamp)
    note_value = _method(_desks.note_value, writes=True)
    values_to_erase = _method(_desks.values_to_erase)
    drop_holding = _method(_desks.drop_holding, writes=True)

    rotations = _method(_rotations.rotations)
    rotation = _method(_rotations.rotation)
    start_rotation = _method(_rotations.start_rotation, writes=True)
    advance_rotation = _method(_rotations.advance_rotation, writes=True)
    key_plans = _method(_rotations.key_plans)
    add_key_plan = _method(_rotations.add_key_plan, writes=True)
    update_key_plan = _method(_rotations.update_key_plan, writes=True)
    end_key_plan = _method(_rotations.end_key_plan, writes=True)

    note_sale = _method(_sales.note_sale, writes=True)
    advance_sale = _method(_sales.advance_sale, writes=True)
    note_polls = _method(_sales.note_polls, writes=True)
    sale = _method(_sales.sale)
    sales = _method(_sales.sales)
    unfinished_sales = _method(_sales.unfinished_sales)
    sale_events = _method(_sales.sale_events)
    timelines = _method(_sales.timelines)
    exchanges = _method(_exchanges.exchanges)
    count_older = _method(_retention.count_older)
    delete_older = _method(_retention.delete_some, writes=True)
    find_sales = _method(_history.find_sales)
    count_sales = _method(_history.count_sales)

    async def keep_answer(self, answer: KeptAnswer) -> None:
        """Append an answer durably to a file beside the database, on a thread of its own."""
        await self._beside.run(lambda: self._answers.add(answer))

    async def kept_answers(self) -> Sequence[KeptAnswer]:
        """Return the latest answer in that file about each sale, in order."""
        return await self._beside.run(self._answers.read)

    async def drop_answers(self, reference: str) -> None:
        """Remove what the file has about a sale."""
        await self._beside.run(lambda: self._answers.drop(reference))

    attention = _method(_rotations.attention)
    record_activity = _method(_activities.record_activity, writes=True)
    activities = _method(_activities.activities)
    removed_environments = _method(_activities.removed_environments)

    edit = _method(_edits.edit, writes=True)
    contradictions = _method(_edits.contradictions)
    settle = _method(_edits.settle, writes=True)

    @property
    def standing(self) -> JournalStanding:
        """How a team's journal stands; a file is always there."""
        return JournalStanding()

    async def queued(self) -> Sequence[Edit]:
        """Return the edits that wait to be written."""
        return ()

    def listen(self, on_notice: OnNotice, on_standing: OnStanding) -> None:
        """Have both told of a team's journal; of a file there is nothing to tell."""

    def _opened(self, *, writes: bool = False) -> Store:
        if self._store is None:
            raise JournalError("not open")
        if writes and self._has_moved:
            raise JournalError("moved")
        return self._store

    def _open(self) -> str:
        if self._store is None and self._desk and self._desk.journal:
            # Slow, and nothing for a desk of its own.
            from keybench.journal.postgres.opening import open_team  # noqa: PLC0415 - see above

            now = self._clock.now
            self._store = open_team(self._desk.journal, self._password, self._desk, now, self._wait_s)
            self._store.place = JournalPlace(str(self._path.parent))
        elif self._store is None:
            self._store, self._desk = open_store(
                self._path, self._clock.now, self._wait_s, self._file_system_of
            )
        return self.desk.installation

    def _close(self) -> None:
        store, self._store = self._store, None
        if store is not None:
            store.close()
