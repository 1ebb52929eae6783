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
from typing import Any, Final, Protocol, TypeVar

from sqlalchemy import Column, Connection, MetaData, Table, Text, delete, event, func, insert, select

from keybench.core.errors import JournalAway, JournalError
from keybench.core.input_errors import NotFound
from keybench.core.ports import Activity, Clock, JournalStanding, OnNotice, OnStanding
from keybench.core.secret import Secret
from keybench.core.team.edits import Edit
from keybench.journal import edits as _edits
from keybench.journal.activities import row_of
from keybench.journal.columns import counted
from keybench.journal.copying import refresh
from keybench.journal.sql_journal import WAIT_S, SqlJournal
from keybench.journal.sqlite.opening import open_store
from keybench.journal.store import Store
from keybench.journal.tables import activities, meta
from keybench.runtime.data_folder import sign_of
from keybench.runtime.documents import read_document, write_document
from keybench.runtime.supervisor import Supervisor

T = TypeVar("T")

#: The copy's file, in the data folder.
COPY: Final = "team.sqlite3"
#: What changed is copied at most so often, in seconds.
EVERY_S: Final = 30.0
#: The pause before a server that is heard, but couldn't be asked, is asked again, in seconds.
RETRY_S: Final = 2.0
#: The numbers of queued lines in the copy begin here, behind all others.
_QUEUED: Final = 2**40
_COPIED_AT: Final = "copied_at"
_MICROSECOND: Final = timedelta(microseconds=1)
# It is in the copy alone, and no table of a journal.
_queue: Final = Table("queued", MetaData(), counted(), Column("document", Text, nullable=False))
_LOGGER: Final = logging.getLogger("keybench")


class Listening(Protocol):
    """What tells of changes and of the connection."""

    def close(self) -> None:
        """Tell nothing more."""


class TeamJournal(SqlJournal):
    """A team's journal at the URL of the desk of `path`'s folder.

    It is away from the first call that isn't answered until the queue is written. What is asked of the copy
    and isn't in it raises JournalAway: nobody can tell whether it is there.
    """

    def __init__(
        self, path: Path, clock: Clock, password: Secret | None = None, *, wait_s: float = WAIT_S
    ) -> None:
        super().__init__(path.with_name(COPY), clock, wait_s=wait_s)
        self._password = password
        self._supervisor = Supervisor(_log_fault)
        self._team: Store | None = None
        self._listening: Listening | None = None
        self._is_heard = True  # until the listener says otherwise
        self._since: datetime | None = None
        self._copied_at: datetime | None = None
        self._waiting: Sequence[tuple[int, Edit]] = ()
        self._told: set[str] = set()  # the loop's
        self._changed: set[str] = set()  # the worker's
        self._stood = JournalStanding()
        self._on_notice: OnNotice = lambda _payload: None
        self._on_standing: OnStanding = lambda _standing: None

    @property
    def standing(self) -> JournalStanding:
        """Whether it is away, and what waits."""
        edited = frozenset(edit.record_id for _, edit in self._waiting if edit.what)
        copied_at = self._copied_at if self._since else None
        return JournalStanding(self._since is not None, self._since, copied_at, len(self._waiting), edited)

    def listen(self, on_notice: OnNotice, on_standing: OnStanding) -> None:
        """Have both told from now on."""
        self._on_notice, self._on_standing = on_notice, on_standing

    async def open(self) -> str:
        """Open the copy and connect; JournalAway if there is no server and nothing was ever copied."""
        self._loop = asyncio.get_running_loop()
        installation = await super().open()
        self._supervisor.start("come back to the team", self._come_back())
        self._look()
        return installation

    async def close(self) -> None:
        """Leave what waits for another time."""
        await self._supervisor.close()
        await super().close()

    async def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make a call there; while it is away, read from the copy."""
        try:
            return await self._worker.run(lambda: self._run(call, writes=writes))
        finally:
            self._look(changed=writes)

    async def edit(self, edit: Edit) -> None:
        """Apply an edit, or queue it."""
        try:
            await self._worker.run(lambda: self._edit(edit))
        finally:
            self._look(changed=True)

    async def record_activity(self, activity: Activity) -> None:
        """Append a line, or queue it."""
        await self.edit(Edit(None, activity.environment_id, "", {}, {}, activity))

    async def queued(self) -> Sequence[Edit]:
        """Return what waits, in order."""
        return [edit for _, edit in self._waiting]

    # --- on the loop ---------------------------------------------------------------------------------

    def _look(self, *, changed: bool = False) -> None:
        """Tell how it stands if that is news, and begin what has to be done about it."""
        if self._since:
            self._supervisor.start("come back to the team", self._come_back(pause_s=RETRY_S))
        elif changed:
            self._supervisor.start("copy what changed", self._copy_later())
        if self.standing != self._stood:
            self._stood = self.standing
            self._on_standing(self._stood)

    async def _come_back(self, pause_s: float = 0.0) -> None:
        while self._is_heard:
            await self._clock.sleep(pause_s)
            with suppress(JournalError):
                await self._worker.run(self._catch_up)
            if self._since is None:
                break
            pause_s = RETRY_S
        if self._is_heard:
            self._loop.call_soon(self._look)  # when this has ended

    async def _copy_later(self) -> None:
        await self._clock.sleep(EVERY_S)
        told, self._told = self._told, set()
        with suppress(JournalError):
            await self._worker.run(lambda: self._copy(told))

    def _note(self, payload: str) -> None:
        self._told.add(payload.partition("\t")[0])
        self._look(changed=True)
        self._on_notice(payload)

    def _note_heard(self, *, heard: bool) -> None:
        self._is_heard = heard
        if not heard:
            self._since = self._since or self._clock.now()
        self._look()

    # --- on the worker -------------------------------------------------------------------------------

    def _connect(self) -> Store:
        from keybench.journal.postgres.opening import open_team  # noqa: PLC0415 - slow, and a team's alone

        desk = self.desk
        return open_team(desk.journal, self._password, desk, self._clock.now, self._wait_s)

    def _hear(self, on_notice: OnNotice, on_heard: Callable[[bool], None]) -> Listening:
        from keybench.journal.postgres.listening import Listener  # noqa: PLC0415 - as above

        def own_pid() -> int:
            return getattr(self._team, "backend_pid", 0)

        return Listener(self.desk.journal, self._password, on_notice, on_heard, own_pid)

    def _open(self) -> str:
        if self._store is not None:
            return self.desk.installation
        with suppress(OSError):
            if not self._path.exists():
                sign_of(self._path).unlink(missing_ok=True)  # a copy that is gone is made anew
        copy, self._desk = open_store(self._path, self._clock.now, self._wait_s)
        self._store = copy
        copy.hold_no_rule()
        copy.run(self._prepare, writes=True)
        try:
            self._team = self._connect()
        except JournalAway:
            if self._copied_at is None:
                self._close()
                raise
            self._since = self._clock.now()
        except BaseException:
            self._close()
            raise

        def on_loop(call: Callable[..., None]) -> None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(call)

        self._listening = self._hear(
            lambda payload: on_loop(partial(self._note, payload)),
            lambda heard: on_loop(partial(self._note_heard, heard=heard)),
        )
        return self.desk.installation

    def _close(self) -> None:
        for one in (self._listening, self._team):
            if one is not None:
                one.close()
        self._listening = self._team = None
        super()._close()

    def _prepare(self, copy: Connection) -> None:
        _queue.create(copy, checkfirst=True)
        stored = copy.execute(select(meta.c.value).where(meta.c.name == _COPIED_AT)).scalar()
        self._copied_at = datetime.fromisoformat(stored) if stored else None
        self._read_queue(copy)

    def _run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        if self._team and self._since is None:
            try:
                return self._team.run(partial(self._watched, call) if writes else call, writes=writes)
            except JournalAway:
                self._since = self._clock.now()
                if writes:
                    raise
        if writes:
            raise JournalAway(self.desk.journal)
        try:
            return self._opened().run(call, writes=False)
        except NotFound:
            raise JournalAway(self.desk.journal) from None

    def _watched(self, call: Callable[[Connection], T], connection: Connection) -> T:
        """Make a call, and note which tables it changes: nobody else tells."""

        def note(_conn: Any, statement: Any, _many: Any, _params: Any, _options: Any) -> None:
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
                self._opened().run(partial(self._keep, edit), writes=True)
            except NotFound:
                raise away from None

    def _keep(self, edit: Edit, copy: Connection) -> None:
        """Queue an edit, known by its line, and apply it to the copy."""
        known = {(line.at, line.action, line.subject) for line in (one.line for _, one in self._waiting)}
        line = edit.line
        while (line.at, line.action, line.subject) in known:
            line = replace(line, at=line.at + _MICROSECOND)
        _edits.applied(copy, edit, alone=True)
        copy.execute(insert(_queue).values(document=write_document(replace(edit, line=line))))
        self._show_line(copy, line)
        self._read_queue(copy)

    def _show_line(self, copy: Connection, line: Activity) -> None:
        last = copy.execute(select(func.max(activities.c.number))).scalar() or 0
        copy.execute(insert(activities).values(row_of(line) | {"number": max(last, _QUEUED) + 1}))

    def _read_queue(self, copy: Connection) -> None:
        rows = copy.execute(select(_queue).order_by(_queue.c.number)).all()
        self._waiting = tuple((number, read_document(Edit, document)) for number, document in rows)

    def _catch_up(self) -> None:
        """Write the queue, and copy all: anything may have changed."""
        self._team = self._team or self._connect()
        self._write_queue(self._team)
        self._since = None
        self._copy(None)

    def _write_queue(self, team: Store) -> None:
        """Write what waits in order, up to the first that the database doesn't take."""
        for number, edit in self._waiting:
            try:
                team.run(partial(_edits.edit_late, edit=edit), writes=True)
            except JournalAway:
                raise
            except JournalError as error:
                _LOGGER.warning("a queued edit isn't taken: %s", type(error).__name__)
                break
            self._opened().run(partial(self._drop, number), writes=True)

    def _drop(self, number: int, copy: Connection) -> None:
        copy.execute(delete(_queue).where(_queue.c.number == number))
        self._read_queue(copy)

    def _copy(self, told: set[str] | None) -> None:
        if self._team is None or self._since:
            return
        if self._waiting:
            self._write_queue(self._team)
        of, self._changed = None if told is None or self._waiting else told | self._changed, set()
        try:
            copy = self._opened()
            self._team.run(lambda one: copy.run(partial(self._take, one, of), writes=True), writes=False)
        except JournalAway:
            self._since = self._clock.now()
            raise

    def _take(self, source: Connection, told: set[str] | None, copy: Connection) -> None:
        refresh(source, copy, told)
        self._copied_at = self._clock.now()
        copy.execute(delete(meta).where(meta.c.name == _COPIED_AT))
        copy.execute(insert(meta).values(name=_COPIED_AT, value=self._copied_at.isoformat()))
        self._read_queue(copy)
        for _, edit in self._waiting:
            with suppress(NotFound):
                _edits.applied(copy, edit, late=True, alone=True)
            self._show_line(copy, edit.line)


def _log_fault(task: str, error: BaseException) -> None:
    _LOGGER.error("%s failed", task, exc_info=error)
