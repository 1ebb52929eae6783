"""Makes connections to PostgreSQL, runs calls on them, and turns its errors into the journal's.

Errors are told by SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html, and raised ``from
None``: a database error's text can carry the row that was being written.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, QueuePool, create_engine, text
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
#: libpq's, https://www.postgresql.org/docs/current/libpq-connect.html; a URL may say otherwise.
_USUAL: Final = {
    "application_name": "keybench",
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "tcp_user_timeout": "10000",
    "target_session_attrs": "read-write",  # of several servers the one that isn't a standby
}
# A desk that goes to sleep in a transaction holds up nobody for long, in ms. What is searched for is found in
# few rows or in many, so that no plan serves all. The server gives up before we do, and says so.
_SERVER: Final = (
    "-c idle_in_transaction_session_timeout=30000 -c plan_cache_mode=force_custom_plan"
    " -c lock_timeout={:.0f} -c statement_timeout={:.0f}"
)
#: So often is a call made that others were in the way of; its moves are pure.
_TRIES: Final = 8
#: A deadlock, or a row that another transaction added or took away between looking and writing.
_IN_THE_WAY: Final = frozenset({"40001", "40P01", "23503", "23505"})
_BY_STATE: Final[Mapping[str, Callable[[str], JournalError]]] = {
    "42501": JournalForbidden,
    "53100": partial(JournalUnwritable, reason=JournalUnwritable.SERVER_FULL),
    **dict.fromkeys(("55P03", "57014", "40001", "40P01"), JournalBusy),
}
#: For how long it is asked whether a commit without an answer was made, and how often, in seconds.
_SETTLED_S: Final = 10.0
_PAUSE_S: Final = 0.2
# A transaction that changed anything leaves its number in its store's row. What `pg_xact_status` says isn't
# enough: a server that was killed gives numbers that weren't on its disk yet to others.
_MARK: Final = text(
    "INSERT INTO keybench_commits (store, xid) SELECT :store, pg_current_xact_id()::text"
    " WHERE pg_current_xact_id_if_assigned() IS NOT NULL"
    " ON CONFLICT (store) DO UPDATE SET xid = excluded.xid, at = now() RETURNING xid"
)
_IS_UNDER_WAY: Final = text(
    "SELECT one < pg_current_xact_id() AND pg_xact_status(one) = 'in progress'"
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
    """Return what makes a connection, and raises psycopg's errors; JournalError if it is no such URL.

    Args:
        url: ``postgresql://…`` as libpq has it, without a password.
        password: The role's.
        wait_s: How long a statement waits for another's lock, in seconds.
        limit_s: How long an answer is waited for, in seconds.
    """
    try:
        named: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        named = {"password": None}
    if not url.startswith(("postgresql://", "postgres://")) or "password" in named:
        raise JournalError("no URL of a PostgreSQL database without a password")
    wanted = _USUAL | {"options": _SERVER.format(1000 * wait_s, 900 * limit_s)} | named

    def connect() -> TeamConnection:
        made = TeamConnection.connect(**wanted, password=password.reveal() if password else None)
        made.limit_s = limit_s
        return made

    return connect


class TeamStore:
    """An open team's journal; implements `journal.store.Store`.

    Attributes:
        role: The role that is logged in.
        place: Where its desk's own files are.
        backend_pid: The server's process that serves it at present, whose notices are its own.
    """

    def __init__(self, url: str, connect: Callable[[], TeamConnection]) -> None:
        self.place, self.backend_pid = JournalPlace(), 0
        self._url, self._connect, self._mark = url, connect, uuid.uuid4().hex
        self._engine = create_engine(
            "postgresql+psycopg://",
            creator=self._connected,
            poolclass=QueuePool,
            pool_size=1,
            hide_parameters=True,
            use_native_hstore=False,
        )
        self.be_at(Here())

    def be_at(self, here: Here) -> None:
        """Make calls from there, as a role that the server has let in."""
        self.role = here.role
        made = self._engine.execution_options(**{HERE: here})
        self._writing = made.execution_options(isolation_level="READ COMMITTED")
        self._reading = made.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def run(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        """Make `call` in a transaction, which reads at one moment unless it `writes`, and return its result.

        Raises:
            JournalAway: The server can't be reached, or the connection broke off.
            JournalBusy: A lock or a statement took too long.
            JournalForbidden: The role can't log in, or has no right to that.
            JournalUnwritable: The server's disk is full.
            JournalDamaged: It holds a value that can't be.
            JournalError: Any other failure; its text is the error's code and nothing of the row.
        """
        began = time.monotonic()
        for left in reversed(range(_TRIES)):
            try:
                return self._once(call, writes=writes)
            except (UnreadableRow, UnreadableDocument):
                raise JournalDamaged(self._url) from None
            except DBAPIError as error:
                # What broke off while nobody used it is made anew; a silent server isn't waited for twice.
                is_stale = error.connection_invalidated and time.monotonic() - began < SILENT_S / 2
                if not left or not (is_stale or _state(error) in _IN_THE_WAY):
                    raise _meaning(error, self._url) from None
            except SQLAlchemyError as error:
                raise JournalError(type(error).__name__) from None
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """Close the connection."""
        self._engine.dispose()

    def _connected(self) -> TeamConnection:
        made = self._connect()
        self.backend_pid = made.info.backend_pid
        return made

    def _once(self, call: Callable[[Connection], T], *, writes: bool) -> T:
        xid = None
        with (self._writing if writes else self._reading).connect() as connection:
            transaction = connection.begin()
            result = call(connection)
            if writes:
                xid = connection.execute(_MARK, {"store": self._mark}).scalar()
            try:
                transaction.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            else:
                return result
        if xid is None or self._was_committed(xid):
            return result
        raise JournalAway(self._url)

    def _was_committed(self, xid: str) -> bool:
        """Ask whether a transaction was committed that no answer came for; no if nobody can tell in time."""
        end = time.monotonic() + _SETTLED_S
        while time.monotonic() < end:
            # While the server is starting again, or the network still cut, nothing can be asked.
            with suppress(DBAPIError), self._writing.connect() as connection:
                # In this order: it may just be ending.
                if not connection.execute(_IS_UNDER_WAY, {"xid": xid}).scalar():
                    return bool(connection.execute(_IS_MARKED, {"xid": xid, "store": self._mark}).scalar())
            threading.Event().wait(_PAUSE_S)
        return False


def _state(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


def _meaning(error: DBAPIError, url: str) -> JournalError:
    state = _state(error)
    if state in _BY_STATE:
        return _BY_STATE[state](url)
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
