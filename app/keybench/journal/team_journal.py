"""A team's journal: its database while that can be reached, else this desk's copy, with a queue of edits.

What is queued is applied to the copy in the same transaction. When the database is back, the queue is written
in order, each edit in a transaction of its own, and then the copy is brought up to date.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import Column, Connection, MetaData, Table, Text, delete, event, func, insert, select

from keybench.core.errors import JournalAway, JournalError, JournalForbidden
from keybench.core.input_errors import NotFound
from keybench.core.ports import Activity, Clock, JournalPlace, JournalStanding, OnNotice, OnStanding
from keybench.core.team.edits import Edit
from keybench.journal import edits as _edits
from keybench.journal.activities import row_of
from keybench.journal.columns import counted
from keybench.journal.copying import refresh
from keybench.journal.postgres.listening import Listener
from keybench.journal.sql_journal import SqlJournal
from keybench.journal.sqlite.opening import FileStore, open_store
from keybench.journal.tables import activities, meta
from keybench.runtime.data_folder import sign_of
from keybench.runtime.documents import read_document, write_document
from keybench.runtime.log import log_failure
from keybench.runtime.supervisor import Supervisor

T = TypeVar("T")

#: The copy's file, in the data folder.
COPY: Final = "team.sqlite3"
#: What changed is copied at most so often, in seconds.
EVERY_S: Final = 30.0
#: How long after opening all is copied, in seconds: what a window shows first comes before it.
OPENED_S: Final = 1.0
#: The pause before a server that is heard, but couldn't be asked, is asked again, in seconds.
RETRY_S: Final = 2.0
#: Queued lines stand in the copy under numbers from here on, behind all others.
_BEHIND: Final = 2**40
_COPIED_AT: Final = "copied_at"
_COMING_BACK: Final = "come back to the team's journal"
# It is in the copy alone, and no table of a journal.
_queue: Final = Table("queued", MetaData(), counted(), Column("document", Text, nullable=False))
_LOGGER: Final = logging.getLogger("keybench")


class TeamJournal(SqlJournal):
    """A team's journal; takes the arguments of `SqlJournal`, a desk with a URL among them.

    It is away from the first call that isn't answered until the queue is written. What is asked of the copy
    and isn't in it raises JournalAway: nobody can tell whether it is there.
    """

    def __init__(self, path: Path, clock: Clock, **options: Any) -> None:
        super().__init__(path, clock, **options)
        self._supervisor = Supervisor(log_failure)
        self._copy: FileStore | None = None
        self._listener: Listener | None = None
        self._is_heard = True  # until the listener says otherwise
        self._since: datetime | None = None
        self._copied_at: datetime | None = None
        self._waiting: Sequence[tuple[int, Edit]] = ()
        self._told: set[str] = set()  # the tables that others changed
        self._changed: set[str] = set()  # and that were changed here
        self._stood = JournalStanding()
        self._tell: tuple[OnNotice, OnStanding] | None = None

    @property
    def place(self) -> JournalPlace:
        """Where the copy is, and what the team's database is called once it was reached."""
        store = self._store or self._copy
        return store.place if store else JournalPlace()

    @property
    def standing(self) -> JournalStanding:
        """Whether it is away, and what waits."""
        edited = frozenset(edit.record_id for _, edit in self._waiting if edit.what)
        copied_at = self._copied_at if self._since else None
        return JournalStanding(self._since is not None, self._since, copied_at, len(self._waiting), edited)

    def listen(self, on_notice: OnNotice, on_standing: OnStanding) -> None:
        """Have both told from now on."""
        self._tell = on_notice, on_standing

    async def open(self) -> str:
        """Open; JournalAway if the server doesn't answer and nothing was ever copied."""
        self._loop = asyncio.get_running_loop()
        installation = await super().open()
        pause_s = 0.0 if self._since or self._waiting else OPENED_S
        self._supervisor.start(_COMING_BACK, self._come_back(pause_s))
        return installation

    async def close(self) -> None:
        """Close; what waits is written another time."""
        await self._supervisor.close()
        await super().close()

    async def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make a call in the team's database; while it is away, read from the copy."""
        return await self._on_worker(lambda: self._run(call, writes=writes), changes=writes)

    async def edit(self, edit: Edit) -> None:
        """Apply an edit, or queue it."""
        await self._on_worker(lambda: self._edit(edit), changes=True)

    async def record_activity(self, activity: Activity) -> None:
        """Append a line, or queue it."""
        await self.edit(Edit(None, activity.environment_id, "", {}, {}, activity))

    async def queued(self) -> Sequence[Edit]:
        """Return what waits, in order."""
        return [edit for _, edit in self._waiting]

    # --- on the loop ---------------------------------------------------------------------------------

    async def _on_worker(self, work: Callable[[], T], *, changes: bool) -> T:
        try:
            return await self._worker.run(work)
        finally:
            self._look(changes=changes)

    def _look(self, *, changes: bool = False) -> None:
        """Tell how it stands if that is news, and begin what is to be done about it."""
        if self._since:
            self._supervisor.start(_COMING_BACK, self._come_back(RETRY_S))
        elif changes:
            self._supervisor.start("copy what changed", self._copy_later())
        if self._tell and self.standing != self._stood:
            self._stood = self.standing
            self._tell[1](self._stood)

    async def _come_back(self, pause_s: float = 0.0) -> None:
        while self._is_heard:
            await self._clock.sleep(pause_s)
            with suppress(JournalError):
                await self._worker.run(self._catch_up)
            if self._since is None:
                break
            pause_s = RETRY_S
        self._look()

    async def _copy_later(self) -> None:
        await self._clock.sleep(EVERY_S)
        told, self._told = self._told, set()
        with suppress(JournalError):
            await self._on_worker(lambda: self._bring_up_to_date(told), changes=False)

    def _note(self, payload: str) -> None:
        self._told.add(payload.partition("\t")[0])
        self._look(changes=True)
        if self._tell:
            self._tell[0](payload)

    def _note_heard(self, heard: bool) -> None:  # noqa: FBT001 - the listener's form
        self._is_heard = heard
        if heard:
            self._supervisor.start(_COMING_BACK, self._come_back())
        else:  # nobody tells what changes from now on
            self._since = self._since or self._clock.now()
        self._look()

    # --- on the worker -------------------------------------------------------------------------------

    @property
    def _copied(self) -> FileStore:
        if self._copy is None:
            raise JournalError("not open")
        return self._copy

    def _open(self) -> str:
        if self._listener:
            return self.desk.installation
        path = self._path.with_name(COPY)
        with suppress(OSError):
            if not path.exists():
                sign_of(path).unlink(missing_ok=True)  # a copy that is gone is made anew
        self._copy, _ = open_store(path, self._clock.now, self._wait_s, self._file_system_of)
        self._copy.hold_no_rule()
        self._copy.run(self._prepare, writes=True)
        try:
            super()._open()
        except (JournalAway, JournalForbidden) as error:  # Settings, Journal takes another password
            if self._copied_at is None or error.reason == JournalForbidden.TABLES:
                raise
            self._since = self._clock.now()
        on_loop: Callable[..., Any] = self._loop.call_soon_threadsafe
        self._listener = Listener(
            self.desk.journal,
            self._password,
            partial(on_loop, self._note),
            partial(on_loop, self._note_heard),
            lambda: getattr(self._store, "backend_pid", 0),
        )
        return self.desk.installation

    def _close(self) -> None:
        if self._listener:
            self._listener.close()
        if self._copy:
            self._copy.close()
        self._listener = self._copy = None
        super()._close()

    def _prepare(self, copy: Connection) -> None:
        _queue.create(copy, checkfirst=True)
        stored = copy.execute(select(meta.c.value).where(meta.c.name == _COPIED_AT)).scalar() or ""
        at, _, url = stored.partition(" of ")
        self._copied_at = datetime.fromisoformat(at) if url == self.desk.journal else None
        self._read_queue(copy)

    def _run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        if self._since is None:
            try:
                store = self._opened(writes=writes)
                return store.run(partial(self._watched, call) if writes else call, writes=writes)
            except JournalAway:
                self._since = self._clock.now()
                if writes:
                    raise
        if writes or self._copied_at is None:
            raise JournalAway(self.desk.journal)
        try:
            return self._copied.run(call, writes=False)
        except NotFound:
            raise JournalAway(self.desk.journal) from None

    def _watched(self, call: Callable[[Connection], T], connection: Connection) -> T:
        """Make a call, and note which tables it changes: of these nobody tells."""

        def note(_on: Any, statement: Any, _many: Any, _params: Any, _options: Any) -> None:
            if getattr(statement, "is_dml", False):
                self._changed.add(statement.table.name)

        event.listen(connection, "before_execute", note)
        return call(connection)

    def _edit(self, edit: Edit) -> None:
        try:
            self._run(lambda connection: _edits.edit(connection, edit), writes=True)
        except JournalAway as away:
            if self._copied_at is None:
                raise
            try:
                self._copied.run(partial(self._keep, edit), writes=True)
            except NotFound:
                raise away from None

    def _keep(self, edit: Edit, copy: Connection) -> None:
        """Queue an edit, known by its line, and apply it to the copy."""
        known = {(one.line.at, one.line.action, one.line.subject) for _, one in self._waiting}
        line = edit.line
        while (line.at, line.action, line.subject) in known:
            line = replace(line, at=line.at + timedelta(microseconds=1))
        _edits.applied(copy, edit, alone=True)
        copy.execute(insert(_queue).values(document=write_document(replace(edit, line=line))))
        _show_line(copy, line)
        self._read_queue(copy)

    def _read_queue(self, copy: Connection) -> None:
        rows = copy.execute(select(_queue).order_by(_queue.c.number)).all()
        self._waiting = tuple((number, read_document(Edit, document)) for number, document in rows)

    def _catch_up(self) -> None:
        """Write the queue, and copy all: anything may have changed."""
        if self._store is None:
            super()._open()
        self._write_queue()
        self._since = None
        self._bring_up_to_date(None)

    def _write_queue(self) -> None:
        """Write what waits in order, of this desk's other programs too, up to the first that can't be."""
        self._copied.run(self._read_queue, writes=False)
        for number, edit in self._waiting:
            try:
                self._opened().run(partial(_edits.edit_late, edit=edit), writes=True)
            except JournalForbidden as error:
                if error.reason:  # the role isn't let in at all
                    break
                line = replace(edit.line, result="not done: the role has no right to it")
                told = replace(edit, what=None, line=line)
                self._opened().run(partial(_edits.edit_late, edit=told), writes=True)
            except JournalAway:
                raise
            except JournalError as error:  # nothing else has to wait for it
                _LOGGER.warning("a queued edit isn't taken: %s", type(error).__name__)
                break
            self._copied.run(partial(self._drop, number), writes=True)

    def _drop(self, number: int, copy: Connection) -> None:
        copy.execute(delete(_queue).where(_queue.c.number == number))
        self._read_queue(copy)

    def _bring_up_to_date(self, told: set[str] | None) -> None:
        if self._since:
            return
        try:
            self._write_queue()
            wanted = None if told is None or self._waiting else told | self._changed
            self._changed = set()
            copied = partial(self._copied.run, writes=True)
            self._opened().run(lambda team: copied(partial(self._take, team, wanted)), writes=False)
        except JournalAway:
            self._since = self._clock.now()
            raise

    def _take(self, team: Connection, told: set[str] | None, copy: Connection) -> None:
        refresh(team, copy, told)
        self._copied_at = self._clock.now()
        copy.execute(delete(meta).where(meta.c.name == _COPIED_AT))
        stored = f"{self._copied_at.isoformat()} of {self.desk.journal}"
        copy.execute(insert(meta).values(name=_COPIED_AT, value=stored))
        self._read_queue(copy)
        for _, edit in self._waiting:
            with suppress(NotFound):
                _edits.applied(copy, edit, late=True, alone=True)
            _show_line(copy, edit.line)


def _show_line(copy: Connection, line: Activity) -> None:
    last = copy.execute(select(func.max(activities.c.number))).scalar() or 0
    copy.execute(insert(activities).values(row_of(line) | {"number": max(last, _BEHIND) + 1}))
