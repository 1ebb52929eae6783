"""Opens a team's journal: makes its tables where there are none, and brings older ones up to date.

Who may do that owns the tables. Everybody else works on what is there, or is told whom to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, text

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
_IS_THERE: Final = text("SELECT to_regclass('meta') IS NOT NULL")
_MAY_READ: Final = text("SELECT has_table_privilege(to_regclass('meta'), 'SELECT')")
# Whoever may act for the owner of the tables may change them; where there are none, who may make them.
_OWNER: Final = text(
    "SELECT pg_get_userbyid(coalesce((SELECT relowner FROM pg_class WHERE oid = to_regclass('meta')),"
    " (SELECT datdba FROM pg_database WHERE datname = current_database()))) AS name,"
    " CASE WHEN to_regclass('meta') IS NULL THEN has_schema_privilege(current_schema(), 'CREATE')"
    " ELSE pg_has_role((SELECT relowner FROM pg_class WHERE oid = to_regclass('meta')), 'USAGE') END AS is_it"
)
_ROLES: Final = ("administrator", "agent", "trainer")
_IS_MEMBER: Final = text(
    "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :r AND pg_has_role(oid, 'USAGE'))"
)
_SESSION: Final = text(
    "SELECT session_user AS role, current_setting('server_version') AS server,"
    " (SELECT coalesce(version, '') FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS tls"
)


def open_team(
    url: str, password: Secret | None, desk: Desk, now: Callable[[], datetime], wait_s: float
) -> TeamStore:
    """Open the journal at a URL, its tables made or brought up to date by who may.

    Raises:
        JournalNewer: A newer Keybench made it, with which this one can't work; it is untouched.
        JournalForbidden: The role can't log in, or what has to be done to the tables is up to their owner.
        JournalUnfamiliar: It isn't a journal, or lacks a column.
        JournalError: As `engine.team_errors` has it.
    """
    store = TeamStore(url, connector(url, password, wait_s))
    try:
        if store.run(lambda connection: _wants_work(connection, url), writes=False):
            patient = TeamStore(url, connector(url, password, wait_s, _CHANGING_S))
            with closing(patient):
                patient.run(lambda connection: _prepare(connection, url, now()), writes=True)
        role = store.run(lambda connection: connection.execute(_SESSION).one().role, writes=False)
        store.be_at(Here(desk.id, now, role))
    except BaseException:
        store.close()
        raise
    return store


def look_at(url: str, password: Secret | None) -> TeamLook:
    """Return what answers at a URL, and change nothing; it raises as `engine.team_errors`."""
    with closing(TeamStore(url, connector(url, password, 1.0))) as store:
        return store.run(_look, writes=False)


def _look(connection: Connection) -> TeamLook:
    session = connection.execute(_SESSION).one()
    rights = next((one for one in _ROLES if _is_member(connection, f"keybench_{one}")), "none")
    if connection.execute(_OWNER).one().is_it:
        rights = "owner"
    facts = facts_of(connection) if connection.execute(_MAY_READ).scalar() else {}
    version, server = int(facts.get(VERSION, 0)), session.server.split()[0]
    return TeamLook(server, session.tls or "", session.role, rights, version, has_team=TEAM_CHECK in facts)


def _is_member(connection: Connection, role: str) -> bool:
    return bool(connection.execute(_IS_MEMBER, {"r": role}).scalar_one())


def _wants_work(connection: Connection, url: str) -> bool:
    """Tell whether tables are to be made or changed; raise if this Keybench can't work on the journal."""
    if not connection.execute(_IS_THERE).scalar_one():
        return True
    facts = facts_of(connection)
    if not facts.get(VERSION, "").isdecimal():
        raise JournalUnfamiliar(url, VERSION)
    if not is_known(facts):
        raise JournalNewer(url, int(facts[VERSION]), SCHEMA_VERSION, facts.get(WRITER, ""))
    if int(facts[VERSION]) >= SCHEMA_VERSION:
        if missing := missing_column(connection):
            raise JournalUnfamiliar(url, f"column {missing}")
        return False
    owner = connection.execute(_OWNER).one()
    # An older one without a column less lacks an index at most.
    return bool(owner.is_it or missing_column(connection))


def _prepare(connection: Connection, url: str, now: datetime) -> None:
    """Make the tables or bring them up to date, one desk at a time: all of it or nothing."""
    take_turns(connection, "schema")
    if not _wants_work(connection, url):
        return  # another desk was first
    owner = connection.execute(_OWNER).one()
    if not owner.is_it:
        raise JournalForbidden(url, JournalForbidden.TABLES, owner.name)
    if connection.execute(_IS_THERE).scalar_one():
        add_what_is_missing(connection)
        note_version(connection)
    else:
        if connection.execute(text("SHOW server_encoding")).scalar_one() != "UTF8":
            raise JournalUnfamiliar(url, "encoding UTF8")
        make_tables(connection, now)
    rights = resource_path("team/journal.sql").read_text("utf-8")
    connection.execution_options(no_parameters=True).exec_driver_sql(rights)
