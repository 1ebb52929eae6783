"""Opens a team's journal: makes its tables where there are none, and brings older ones up to date.

Who may do that owns the tables. Everybody else works on what is there, or is told whom to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, text

from keybench.core.errors import JournalForbidden, JournalNewer, JournalUnfamiliar
from keybench.core.secret import Secret
from keybench.core.team.desk import Desk, TeamLook
from keybench.journal.postgres.engine import TeamStore, connector
from keybench.journal.schema import (
    add_what_is_missing,
    facts_of,
    is_known,
    make_tables,
    missing_column,
    note_version,
)
from keybench.journal.store import Here, take_turns
from keybench.journal.tables import SCHEMA_VERSION, TEAM_CHECK, VERSION, WRITER
from keybench.runtime.data_folder import resource_path

#: How long making or changing the tables may take, in seconds: an index of millions of sales takes a while.
_CHANGING_S: Final = 1800.0
# Whoever may act for the owner of the tables may change them; where there are none, who may make them.
_SESSION: Final = text(
    "SELECT session_user AS role, split_part(current_setting('server_version'), ' ', 1) AS server,"
    " coalesce((SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()), '') AS tls,"
    " relowner IS NOT NULL AS is_there, pg_get_userbyid(coalesce(relowner, datdba)) AS owner,"
    " coalesce(pg_has_role(relowner, 'USAGE'), has_schema_privilege(current_schema(), 'CREATE')) AS is_owner,"
    " has_table_privilege(pg_class.oid, 'SELECT') AS may_read,"
    " (SELECT min(substr(rolname, 10)) FROM pg_roles WHERE pg_has_role(oid, 'USAGE') AND rolname IN"
    " ('keybench_administrator', 'keybench_agent', 'keybench_trainer')) AS rights"
    " FROM pg_database LEFT JOIN pg_class ON pg_class.oid = to_regclass('meta')"
    " WHERE datname = current_database()"
)


def open_team(
    url: str, password: Secret | None, desk: Desk, now: Callable[[], datetime], wait_s: float
) -> TeamStore:
    """Open the journal at a URL, its tables made or brought up to date by who may.

    Raises:
        JournalNewer: A newer Keybench made it, with which this one can't work; it is untouched.
        JournalForbidden: The role can't log in, or what has to be done to the tables is up to their owner.
        JournalUnfamiliar: It isn't a journal, or lacks a column.
        JournalError: As `TeamStore.run` has it.
    """

    def begin(connection: Connection) -> tuple[str, bool]:
        session = connection.execute(_SESSION).one()
        return session.role, _wants_work(connection, session, url)

    store = TeamStore(url, connector(url, password, wait_s))
    try:
        role, wants_work = store.run(begin, writes=False)
        if wants_work:
            with closing(TeamStore(url, connector(url, password, wait_s, _CHANGING_S))) as patient:
                patient.run(lambda connection: _prepare(connection, url, now()), writes=True)
    except BaseException:
        store.close()
        raise
    store.be_at(Here(desk.id, now, role))
    return store


def look_at(url: str, password: Secret | None) -> TeamLook:
    """Return what answers at a URL, and change nothing; it raises as `TeamStore.run`."""
    with closing(TeamStore(url, connector(url, password, 1.0))) as store:
        return store.run(_look, writes=False)


def _look(connection: Connection) -> TeamLook:
    session = connection.execute(_SESSION).one()
    facts = facts_of(connection) if session.may_read else {}
    rights = "owner" if session.is_owner else session.rights or "none"
    version, has_team = int(facts.get(VERSION, 0)), TEAM_CHECK in facts
    return TeamLook(session.server, session.tls, session.role, rights, version, has_team=has_team)


def _wants_work(connection: Connection, session: Row[Any], url: str) -> bool:
    """Tell whether tables are to be made or changed; raise if this Keybench can't work on the journal."""
    if not session.is_there:
        return True
    facts = facts_of(connection)
    if not facts.get(VERSION, "").isdecimal():
        raise JournalUnfamiliar(url, VERSION)
    if not is_known(facts):
        raise JournalNewer(url, int(facts[VERSION]), SCHEMA_VERSION, facts.get(WRITER, ""))
    missing = missing_column(connection)
    if int(facts[VERSION]) < SCHEMA_VERSION:
        return bool(session.is_owner or missing)  # one without a column less lacks an index at most
    if missing:
        raise JournalUnfamiliar(url, f"column {missing}")
    return False


def _prepare(connection: Connection, url: str, now: datetime) -> None:
    """Make the tables or bring them up to date, one desk at a time: all of it or nothing."""
    take_turns(connection, "schema")
    session = connection.execute(_SESSION).one()
    if not _wants_work(connection, session, url):
        return  # another desk was first
    if not session.is_owner:
        raise JournalForbidden(url, JournalForbidden.TABLES, session.owner)
    if session.is_there:  # what is added belongs to the same owner
        connection.execute(text("SELECT set_config('role', :owner, true)"), {"owner": session.owner})
        add_what_is_missing(connection)
        note_version(connection)
    else:
        if connection.execute(text("SHOW server_encoding")).scalar_one() != "UTF8":
            raise JournalUnfamiliar(url, "encoding UTF8")
        make_tables(connection, now)
    rights = resource_path("team/journal.sql").read_text("utf-8")
    connection.execution_options(no_parameters=True).exec_driver_sql(rights)
