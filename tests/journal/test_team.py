"""A team's journal: who makes its tables, who may do what, what is told of a server in trouble."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from operator import methodcaller
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, Table, func, insert, select, text, update

from contracts.journal_samples import NOW, a_key, a_point, a_sale, an_environment
from contracts.register_samples import STARTED, a_rotation
from journal.postgres import ROLES, Server, a_desk, a_store
from keybench.core.errors import (
    JournalAway,
    JournalBusy,
    JournalError,
    JournalForbidden,
    JournalNewer,
    JournalUnfamiliar,
    JournalUnwritable,
)
from keybench.core.ports import Device, PollNote, RunningProgram
from keybench.core.sales.sale import Mark, SaleStage
from keybench.core.secret import Secret
from keybench.journal import SqlJournal, environments, installation, keys, rotations, sales, tables
from keybench.journal.activities import activities, record_activity
from keybench.journal.columns import metadata
from keybench.journal.postgres.engine import TeamStore
from keybench.journal.postgres.listening import Listener
from keybench.journal.postgres.opening import look_at, open_team

VALUE = "a-value-that-nobody-may-see"


@pytest.fixture
def bare(server: Server) -> Iterator[str]:
    """A database without tables."""
    name = server.database()
    yield name
    server.drop(name)


@pytest.fixture
def store(server: Server, database: str) -> Iterator[TeamStore]:
    with closing(a_store(server.url(database))) as opened:
        yield opened


def rows(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


# --- who makes the tables --------------------------------------------------------------------------


def test_desks_that_begin_at_once_make_one_journal(server: Server, bare: str) -> None:
    assert look_at(server.url(bare), None).schema == 0
    with ThreadPoolExecutor(6) as desks:
        opened = list(desks.map(partial(a_store, server.url(bare)), "abcdef"))
    for one in opened:
        assert len(one.run(environments.environments, writes=False)) == 1
        one.close()
    look = look_at(server.url(bare), None)
    assert (look.schema, look.role, look.rights, look.tls) == (tables.SCHEMA_VERSION, "owner", "owner", "")


def test_who_may_not_make_the_tables_is_told_who_may(server: Server, bare: str) -> None:
    with pytest.raises(JournalForbidden) as told:
        a_store(server.url(bare, "guest"))
    assert (told.value.reason, told.value.owner) == (JournalForbidden.TABLES, "owner")
    assert look_at(server.url(bare, "guest"), None).rights == "none"


def test_who_has_no_right_to_the_tables_is_told_so(server: Server, database: str) -> None:
    assert look_at(server.url(database, "guest"), None).rights == "none"
    with pytest.raises(JournalForbidden) as told:
        a_store(server.url(database, "guest"))
    assert told.value.reason == ""


def test_a_newer_journal_is_used_where_it_says_so(server: Server, database: str) -> None:
    server.execute("UPDATE meta SET value = '99' WHERE name = 'schema_version'", database)
    a_store(server.url(database)).close()
    server.execute("UPDATE meta SET value = '98' WHERE name = 'schema_compatible_since'", database)
    with pytest.raises(JournalNewer) as told:
        a_store(server.url(database))
    assert (told.value.found, told.value.known) == (99, tables.SCHEMA_VERSION)
    server.execute("UPDATE meta SET value = 'x' WHERE name = 'schema_version'", database)
    with pytest.raises(JournalUnfamiliar):
        a_store(server.url(database))


def test_an_older_one_is_brought_up_to_date_while_others_write(
    server: Server, database: str, store: TeamStore
) -> None:
    server.execute("UPDATE meta SET value = '13' WHERE name = 'schema_version'", database)
    a_store(server.url(database, "agent")).close()  # it lacks nothing
    server.execute("ALTER TABLE activities DROP COLUMN fingerprint; DROP TABLE contradictions", database)
    with pytest.raises(JournalForbidden) as told:
        a_store(server.url(database, "agent"))
    assert (told.value.reason, told.value.owner) == (JournalForbidden.TABLES, "owner")
    written = queue.SimpleQueue[str]()
    is_over = False

    def write() -> None:
        while not is_over:
            value = store.run(lambda c: installation.update_setting(c, "n", lambda n: f"{n}i"), writes=True)
            written.put(value)

    with ThreadPoolExecutor(1) as old:
        running = old.submit(write)
        written.get(timeout=30)
        a_store(server.url(database, "boss")).close()
        written.get(timeout=30)
        is_over = True
        running.result()
    a_store(server.url(database, "agent")).close()
    store.run(lambda c: record_activity(c, STARTED), writes=True)
    owners = server.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'", database)
    assert owners == [("owner",)]


# --- what each role may do ---------------------------------------------------------------------------


def _delete_sales(connection: Connection) -> None:
    connection.execute(tables.sales.delete())


#: What is done, and who may besides the owner.
EVERYBODY, MOST = " ".join(ROLES), "administrator agent"
DEEDS: dict[str, tuple[Callable[[Connection], object], str]] = {
    "sell": (lambda c: sales.note_sale(c, a_sale("KB-2"), a_point(a_sale("KB-2"))), EVERYBODY),
    "test a key": (
        lambda c: keys.KEYS.update(c, a_key().id, lambda key: replace(key, status=200, tested_at=NOW)),
        EVERYBODY,
    ),
    "set": (lambda c: installation.update_setting(c, "a", lambda _: "b"), EVERYBODY),
    "note a line": (lambda c: record_activity(c, STARTED), EVERYBODY),
    "rename a key": (
        lambda c: keys.KEYS.update(c, a_key().id, lambda key: replace(key, name="Till 9")),
        MOST,
    ),
    "add a key": (lambda c: keys.KEYS.add(c, a_key("Till 4")), MOST),
    "list devices": (lambda c: environments.remember_devices(c, "practice", [Device("D")]), EVERYBODY),
    "add an environment": (lambda c: environments.ENVIRONMENTS.add(c, an_environment("B")), MOST),
    "start a rotation": (lambda c: rotations.start_rotation(c, a_rotation(), STARTED), "administrator"),
    "ask before removing": (keys.expect_right_to_remove, "administrator"),
    "remove a key": (lambda c: keys.KEYS.remove(c, a_key().id), "administrator"),
    "remove an environment": (lambda c: environments.remove_environment(c, "id-of-Sandbox"), "administrator"),
    "delete sales": (_delete_sales, "administrator"),
    "tell of the tables": (lambda c: c.execute(update(tables.meta).values(value="1")), ""),
    "forge a line": (lambda c: c.execute(update(tables.activities).values(result="forged")), ""),
    "delete lines": (lambda c: c.execute(tables.activities.delete()), ""),
    "write in another's name": (
        lambda c: c.execute(text(
            "INSERT INTO activities (at, action, environment_id, subject, result, folded, who, fingerprint)"
            " VALUES (0, '', '', '', '', '', 'owner', '')"
        )),
        "",
    ),
    "change the tables": (lambda c: c.execute(text("DROP TABLE activities")), ""),
    "take the guard away": (lambda c: c.execute(text("DROP TRIGGER keybench_who ON activities")), ""),
}  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_its_work_alone(server: Server, database: str, store: TeamStore, role: str) -> None:
    store.run(lambda c: environments.ENVIRONMENTS.add(c, an_environment()), writes=True)
    store.run(lambda c: keys.KEYS.add(c, a_key()), writes=True)
    store.run(lambda c: record_activity(c, STARTED), writes=True)
    done, url = set(), server.url(database, role)
    assert (look_at(url, None).role, look_at(url, None).rights) == (role, role)
    with closing(a_store(url, "stock room")) as theirs:
        theirs.run(lambda c: keys.note_held(c, a_key(), keys.Held.HELD), writes=True)
        for name, (deed, _who) in DEEDS.items():

            def undone(connection: Connection, deed: Callable[[Connection], object] = deed) -> None:
                deed(connection)
                raise LookupError

            with pytest.raises((LookupError, JournalForbidden)) as told:
                theirs.run(undone, writes=True)
            if told.type is LookupError:
                done.add(name)
    assert done == {name for name, (_, who) in DEEDS.items() if role in who.split()}


def test_a_line_has_the_name_of_the_role_that_writes_it(server: Server, database: str) -> None:
    with closing(a_store(server.url(database, "agent"))) as store:
        store.run(lambda c: record_activity(c, replace(STARTED, who="somebody else")), writes=True)
        assert [line.who for line in store.run(lambda c: activities(c, 9), writes=False)] == ["agent"]


@pytest.mark.parametrize(
    "statement", ["UPDATE activities SET who = 'x'", "DELETE FROM activities", "TRUNCATE activities"]
)
def test_not_even_the_owner_changes_a_line(
    server: Server, database: str, store: TeamStore, statement: str
) -> None:
    store.run(lambda c: record_activity(c, STARTED), writes=True)
    with pytest.raises(psycopg.errors.RaiseException, match="only added"):
        server.execute(statement, database)


# --- what is told of trouble -------------------------------------------------------------------------


def test_a_wrong_password_is_told_apart_from_a_server_that_is_away(server: Server, database: str) -> None:
    url = server.url(database, "locked")
    for wrong in (None, Secret("not-the-password")):
        with pytest.raises(JournalForbidden) as told:
            look_at(url, wrong)
        assert told.value.reason == JournalForbidden.LOGIN
    assert look_at(url, Secret("a-made-up-password")).role == "locked"
    for away in (server.url("nowhere"), "postgresql://127.0.0.1:1/nowhere", "postgresql://no.invalid/a"):
        with pytest.raises(JournalAway) as missing:
            look_at(away, None)
        assert missing.value.reason


@pytest.mark.parametrize("url", ["postgresql://a:secret@b/c", "sqlite:///a", "nothing", "http://a"])
def test_what_is_no_url_of_a_team_is_refused_without_saying_it_back(url: str) -> None:
    with pytest.raises(JournalError) as told:
        look_at(url, None)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ("53100", JournalUnwritable),
        ("42501", JournalForbidden),
        ("55P03", JournalBusy),
        ("40P01", JournalBusy),
        ("57P01", JournalAway),
        ("XX000", JournalError),
    ],
)
def test_trouble_is_told_by_its_code_and_nothing_of_the_row(
    server: Server, database: str, store: TeamStore, state: str, error: type[JournalError]
) -> None:
    server.execute(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION 'row %', NEW USING ERRCODE = '{state}'; END $$;"
        "CREATE TRIGGER fail BEFORE INSERT ON sales FOR EACH ROW EXECUTE FUNCTION fail()",
        database,
    )
    sale = replace(a_sale(), request_id=VALUE)
    with pytest.raises(error) as told:
        store.run(lambda c: sales.note_sale(c, sale, a_point(sale)), writes=True)
    assert type(told.value) is error
    assert VALUE not in repr(vars(told.value)) + str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__


def test_a_connection_that_went_while_nobody_used_it_costs_nothing(
    server: Server, database: str, store: TeamStore
) -> None:
    before = store.backend_pid
    server.execute(f"SELECT pg_terminate_backend({before})")
    assert store.run(lambda c: installation.update_setting(c, "a", lambda _: "b"), writes=True) == "b"
    server.execute(f"SELECT pg_terminate_backend({store.backend_pid})")
    assert store.run(lambda c: installation.setting(c, "a"), writes=False) == "b"
    assert store.backend_pid != before


def test_a_lock_is_waited_for_no_longer_than_said(server: Server, database: str) -> None:
    url = server.url(database)
    with (
        closing(open_team(url, None, a_desk(url), lambda: NOW, 0.05)) as impatient,
        psycopg.connect(server.dsn(database)) as other,
    ):
        other.execute("LOCK TABLE settings")
        with pytest.raises(JournalBusy):
            impatient.run(lambda c: installation.setting(c, "a"), writes=False)


def test_a_page_is_read_at_one_moment(server: Server, database: str, store: TeamStore) -> None:
    def read(connection: Connection) -> list[int]:
        found = [rows(connection, tables.settings)]
        server.execute("INSERT INTO settings VALUES ('a', 'b')", database)
        return [*found, rows(connection, tables.settings)]

    assert store.run(read, writes=False) == [0, 0]
    with pytest.raises(JournalError, match="25006"):
        store.run(lambda c: installation.update_setting(c, "c", lambda _: "d"), writes=False)


def test_what_begins_alike_is_found_by_an_index(server: Server, database: str) -> None:
    with psycopg.connect(server.dsn(database)) as connection:
        connection.execute("SET enable_seqscan = off")
        plan = connection.execute(
            "EXPLAIN SELECT number FROM sales WHERE request_id >= 'a' AND request_id < 'a\U0010ffff'"
            " AND request_id != ''"
        ).fetchall()
    assert "ix_sales_request_id" in str(plan)
    assert "Index Cond: ((request_id >= 'a'" in str(plan)


# --- no value can be stored ---------------------------------------------------------------------------


HALF_A_ROW = pytest.mark.filterwarnings("ignore:Column .* is marked as a member of the primary key")


@HALF_A_ROW
async def test_no_column_of_the_file_takes_a_value(journal: SqlJournal) -> None:
    await refuses_values(journal)


@HALF_A_ROW
async def test_no_column_of_a_team_takes_a_value(team_journal: SqlJournal) -> None:
    await refuses_values(team_journal)


async def refuses_values(journal: SqlJournal) -> None:
    """Try to store a value in each column of each table."""
    columns = [(table, column) for table in metadata.sorted_tables for column in table.columns]
    assert len(columns) > 150

    def count(connection: Connection) -> int:
        return sum(rows(connection, table) for table in metadata.sorted_tables)

    before = await journal.run(count, writes=False)
    for table, column in columns:
        for kind in (insert, update):
            write = kind(table).values({column.name: Secret(VALUE)})
            with pytest.raises(JournalError) as told:
                await journal.run(methodcaller("execute", write), writes=True)
            assert VALUE not in repr(vars(told.value)) + str(told.value)
            assert str(told.value) in {"StatementError", "ProgrammingError", "InterfaceError"}, column
    assert await journal.run(count, writes=False) == before


# --- notices -------------------------------------------------------------------------------------------


class Ear:
    """What a listener told, in order."""

    def __init__(self, url: str, own_pid: Callable[[], int] = lambda: 0) -> None:
        self.heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.listener = Listener(url, None, self.heard.put, self.heard.put, own_pid)
        assert self.next() is True

    def next(self) -> Any:
        return self.heard.get(timeout=30)

    def close(self) -> None:
        self.listener.close()
        self.listener._thread.join(30)

    def until(self, store: TeamStore) -> list[Any]:
        """Return what was told until now."""
        store.run(lambda c: c.execute(text("NOTIFY keybench, 'end'")), writes=True)
        return list(iter(self.next, "end"))


def test_others_hear_what_changed_and_nothing_of_polls(
    server: Server, database: str, store: TeamStore
) -> None:
    with (
        closing(a_store(server.url(database), "stock room")) as other,
        closing(Ear(server.url(database), lambda: other.backend_pid)) as ear,
    ):
        program = RunningProgram("P", "till", 1, NOW, NOW)

        def told(call: Callable[[Connection], object]) -> list[Any]:
            store.run(call, writes=True)
            return ear.until(store)

        assert told(lambda c: keys.KEYS.add(c, a_key())) == [
            "security_keys\tpractice\t", "desk_values\tpractice\t"
        ]  # fmt: skip
        assert told(lambda c: sales.note_sale(c, a_sale(), a_point(a_sale()))) == ["sales\tpractice\tKB-1"]
        note = PollNote(a_point(a_sale(), Mark.STATUS))
        assert told(lambda c: sales.note_polls(c, [note, note])) == []
        assert told(lambda c: keys.note_use(c, a_key().id, NOW)) == []
        accepted = replace(a_sale(), stage=SaleStage.ACCEPTED, request_id="R", accepted_at=NOW)
        assert told(lambda c: sales.advance_sale(c, "KB-1", lambda _: accepted)) == ["sales\tpractice\tKB-1"]
        begun = told(lambda c: rotations.start_rotation(c, a_rotation(), STARTED))
        assert begun == ["rotations\tpractice\tR-1", "activities\tpractice\t"]
        assert told(lambda c: installation.keep_program(c, program)) == ["programs\t\t"]
        assert told(lambda c: installation.keep_program(c, program)) == []
        devices = [Device(str(n)) for n in range(300)]
        assert told(lambda c: environments.remember_devices(c, "practice", devices)) == [
            "devices\tpractice\t"
        ]
        other.run(lambda c: keys.KEYS.remove(c, a_key().id), writes=True)
        assert ear.until(store) == []


def test_a_listener_tells_that_the_server_is_gone_and_is_back(
    server: Server, database: str, store: TeamStore
) -> None:
    with closing(Ear(server.url(database))) as ear:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE query LIKE 'LISTEN%' AND datname = current_database()",
            database,
        )
        assert (ear.next(), ear.next()) == (False, True)
        store.run(lambda c: keys.KEYS.add(c, a_key()), writes=True)
        assert len(ear.until(store)) == 2
