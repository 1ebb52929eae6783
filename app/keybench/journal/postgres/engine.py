"""Makes connections to PostgreSQL, runs calls on them, and turns its errors into the journal's.

Errors are told by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html, and raised ``from
None``: a database error's text can carry the row that was being written.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, QueuePool, create_engine, event, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from keybench.core.errors import (
    JournalAway,
    JournalBusy,
    JournalDamaged,
    JournalError,
    JournalForbidden,
    JournalUnwritable,
)
from keybench.core.ports import JournalPlace
from keybench.core.secret import Secret
from keybench.journal.store import HERE, Here, UnreadableRow
from keybench.runtime.documents import UnreadableDocument

T = TypeVar("T")

#: After so long without an answer, in seconds, the server counts as away: a cut network says nothing.
SILENT_S: Final = 7.0
#: The server gives up a statement before that, and says so.
_OF_THE_LIMIT: Final = 0.9
_SCHEMES: Final = ("postgresql://", "postgres://")
#: libpq's, https://www.postgresql.org/docs/current/libpq-connect.html; a URL may say otherwise.
_USUAL: Final = {
    "application_name": "keybench",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
#: In milliseconds. A desk that goes to sleep in the middle of a transaction holds up nobody for longer. What
#: is searched for differs in how many rows it finds, so that no plan serves all.
_SERVER: Final = "idle_in_transaction_session_timeout=30000", "plan_cache_mode=force_custom_plan"
#: So often is a call made that others were in the way of; its moves are pure.
_TRIES: Final = 8
#: A deadlock, or a row that another transaction added or took away between looking and writing.
_IN_THE_WAY: Final = frozenset({"40001", "40P01", "23503", "23505"})
_UNWRITABLE: Final = {"53100": JournalUnwritable.SERVER_FULL, "25006": JournalUnwritable.SERVER_READS}
_PLAIN: Final[Mapping[str, Callable[[str], JournalError]]] = {
    "42501": JournalForbidden,
    **dict.fromkeys(("55P03", "57014", "40001", "40P01"), JournalBusy),
}
#: For how long it is asked whether a commit without an answer was made, and how often, in seconds.
_SETTLED_S: Final = 10.0
_ASK_EACH_S: Final = 0.2
# A transaction that changed anything leaves its number in its store's row. What `pg_xact_status` says isn't
# enough: a server that was killed gives numbers that weren't on its disk yet to others.
_MARK: Final = text(
    "INSERT INTO keybench_commits (store, xid) SELECT :store, pg_current_xact_id()::text"
    " WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
    " ON CONFLICT (store) DO UPDATE SET xid = excluded.xid, at = now() RETURNING xid"
)
_IS_UNDER_WAY: Final = text(
    "SELECT one < pg_snapshot_xmax(pg_current_snapshot()) AND pg_xact_status(one) = 'in progress'"
    " FROM CAST(CAST(:xid AS text) AS xid8) AS one"
)
_IS_MARKED: Final = text("SELECT xid = :xid FROM keybench_commits WHERE store = :store")
_LOGIN_WORDS: Final = ("authentication failed", "no password", "pg_hba.conf", "role ", "permission denied")


class TeamConnection(psycopg.Connection[Any]):
    """A connection that is closed when there is no answer for `limit_s` seconds."""

    limit_s: float = SILENT_S

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for an answer as psycopg does, and no longer than the limit."""
        try:
            return super().wait(gen, interval, self.limit_s if timeout is None else timeout)
        except psycopg.OperationalError:
            if timeout is None and self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.close()
            raise


def connector(
    url: str, password: Secret | None, wait_s: float, limit_s: float = SILENT_S
) -> Callable[[], TeamConnection]:
    """Return what makes a connection, and raises psycopg's errors.

    Args:
        url: ``postgresql://…`` as libpq has it, without a password.
        password: The role's.
        wait_s: How long a statement waits for another's lock, in seconds.
        limit_s: How long an answer is waited for, in seconds.

    Raises:
        JournalError: It is no such URL.
    """
    try:
        named = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise JournalError("no URL") from None
    if not url.startswith(_SCHEMES) or "password" in named:
        raise JournalError("no URL of a PostgreSQL database without a password")
    limits = {"lock_timeout": wait_s, "statement_timeout": limit_s * _OF_THE_LIMIT}
    ours = (*(f"{name}={int(limit * 1000)}" for name, limit in limits.items()), *_SERVER)
    wanted: dict[str, Any] = _USUAL | {"options": " ".join(f"-c {one}" for one in ours)} | named

    def connect() -> TeamConnection:
        made = TeamConnection.connect(**wanted, password=password.reveal() if password else None)
        made.limit_s = limit_s
        return made

    return connect


@dataclass
class TeamStore:
    """An open team's journal; implements `journal.store.Store`.

    Attributes:
        role: The role that is logged in.
        place: Where its desk's own files are.
    """

    url: str
    connect: Callable[[], TeamConnection]
    role: str = ""
    place: JournalPlace = field(default_factory=JournalPlace)

    def __post_init__(self) -> None:
        self._pid = 0
        self._mark = uuid.uuid4().hex
        self._engine = create_engine(
            "postgresql+psycopg://",
            creator=self.connect,
            poolclass=QueuePool,
            pool_size=1,
            hide_parameters=True,
            use_native_hstore=False,
        )
        event.listen(self._engine, "connect", self._note_pid)
        self.be_at(Here())

    def be_at(self, here: Here) -> None:
        """Make calls from there, as a role that the server has let in."""
        self.role = here.role
        made = self._engine.execution_options(**{HERE: here})
        self._writing = made.execution_options(isolation_level="READ COMMITTED")
        self._reading = made.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @property
    def backend_pid(self) -> int:
        """The server's process that serves it at present, whose notices are its own; 0 before the first."""
        return self._pid

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction and return its result; whatever it raises undoes the transaction.

        What is read is read at one moment. It raises as `team_errors`.
        """
        began = time.monotonic()
        for _ in range(_TRIES - 1):
            try:
                return self._once(call, writes=writes)
            except DBAPIError as error:
                is_stale = error.connection_invalidated and time.monotonic() - began < SILENT_S / 2
                if not is_stale and _state(error) not in _IN_THE_WAY:
                    raise _meaning(error, self.url) from None
        with team_errors(self.url):
            return self._once(call, writes=writes)

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()

    def _once(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction; one of the driver's errors is raised as it is."""
        xid = None
        with _row_errors(self.url), (self._writing if writes else self._reading).connect() as connection:
            transaction = connection.begin()
            result = call(connection)
            if writes:
                xid = connection.execute(_MARK, {"store": self._mark}).scalar()
            try:
                transaction.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                lost = True
            else:
                lost = False
        if lost and xid is not None and not self._was_committed(xid):
            raise JournalAway(self.url)
        return result

    def _was_committed(self, xid: str) -> bool:
        """Ask whether a transaction was committed that no answer came for; no if nobody can tell in time."""
        end = time.monotonic() + _SETTLED_S
        while time.monotonic() < end:
            # While the server is starting again, or the network still cut, nothing can be asked.
            with suppress(DBAPIError), self._writing.connect() as connection:
                # In this order: it may just be ending.
                if not connection.execute(_IS_UNDER_WAY, {"xid": xid}).scalar():
                    return bool(connection.execute(_IS_MARKED, {"xid": xid, "store": self._mark}).scalar())
            threading.Event().wait(_ASK_EACH_S)
        return False

    def _note_pid(self, made: Any, _record: object) -> None:
        self._pid = made.info.backend_pid


@contextmanager
def team_errors(url: str) -> Iterator[None]:
    """Raise what the database raises in the block as a JournalError; let everything else through.

    Raises:
        JournalAway: The server can't be reached, or the connection broke off.
        JournalBusy: A lock or a statement took too long.
        JournalForbidden: The role can't log in, or has no right to that.
        JournalUnwritable: The server's disk is full, or it takes no changes.
        JournalDamaged: It holds a value that can't be.
        JournalError: Any other failure; its text is the error's code and nothing of the row.
    """
    try:
        with _row_errors(url):
            yield
    except DBAPIError as error:
        raise _meaning(error, url) from None


@contextmanager
def _row_errors(url: str) -> Iterator[None]:
    try:
        yield
    except (UnreadableRow, UnreadableDocument):
        raise JournalDamaged(url) from None
    except DBAPIError:
        raise
    except SQLAlchemyError as error:
        raise JournalError(type(error).__name__) from None


def _state(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


def _meaning(error: DBAPIError, url: str) -> JournalError:
    state = _state(error)
    if state in _UNWRITABLE:
        return JournalUnwritable(url, _UNWRITABLE[state])
    if state in _PLAIN:
        return _PLAIN[state](url)
    if isinstance(error.orig, psycopg.OperationalError) and not state:
        return _away(error.orig, url)
    if error.connection_invalidated or state[:2] in {"08", "57", "53"}:
        return JournalAway(url)
    return JournalError(state or type(error.orig).__name__)


def _away(native: psycopg.OperationalError, url: str) -> JournalError:
    """Return why there is no connection: libpq gives no code for it, and no word of it is secret."""
    words = str(native).partition("\n")[0]
    if any(one in words for one in _LOGIN_WORDS) or (native.pgconn and native.pgconn.needs_password):
        return JournalForbidden(url, JournalForbidden.LOGIN)
    return JournalAway(url, words.rpartition("failed: ")[2])
