"""An erased text is gone from every column and every file, slice by slice, or it is said that it isn't."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, Table, select
from sqlalchemy.types import TypeDecorator, TypeEngine

from contracts.erasing_contract import TEXT, a_line, finished, record
from contracts.journal_samples import APPROVED, NOW, a_key, a_sale, an_environment, an_exchange, note
from contracts.register_samples import a_plan, a_rotation, abandoned, an_application, start
from journal.files import change
from journal.test_durability import run_sql
from journal.test_upgrading import unpack
from keybench.core.device_state import DeviceState
from keybench.core.erasing import Eraser
from keybench.core.errors import JournalBusy, JournalUnwritable
from keybench.core.input_errors import TextNotErasable
from keybench.core.ports import Activity, Clock, Device, RunningProgram
from keybench.core.secret import Secret
from keybench.journal import SqlJournal
from keybench.journal.columns import Amount, HeaderList, UtcTime, Word, metadata
from keybench.journal.erasing import JournalErasing
from keybench.journal.store import Store
from keybench.journal.tables import ERASING, UNSWEPT
from keybench.journal.upgrading import copy_of
from keybench.runtime.owners import this_computer

MARK: Final = "[erased #"
#: What no text is looked for in: figures, times, and the words of an enumeration.
_NO_TEXT: Final = (UtcTime, Amount, Word)


async def filled(journal: SqlJournal, text: str = "") -> None:
    """Put at least a row into every table, with `text` in a name, a device, headers and a document."""
    await journal.add_environment(replace(an_environment("Shop"), name=f"Shop {text}"))
    await journal.add_key(replace(a_key(), purpose=text))
    said = an_exchange(f"https://gateway.example/{text}")
    await journal.keep_key_exchanges(a_key().id, [said])
    await journal.remember_devices("id-of-Shop", [Device("D-1", text)])
    state = DeviceState(text, NOW, nickname=text, connection=text, network=text, busy_with=text)
    await journal.keep_device_states("id-of-Shop", [state])
    await journal.add_application(replace(an_application(), contact=text))
    await journal.keep_program(RunningProgram("program-1", "till-3", 1, NOW, NOW))
    await journal.add_key_plan(a_plan())
    await start(journal, abandoned(replace(a_rotation(), reason=text)))
    await journal.update_setting("dismissed", lambda _: json.dumps([{"reason": text}]))
    await finished(journal)
    await journal.erase_text(Secret(TEXT), a_line)  # the sample's own
    await record(journal, text)


def all_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        return {
            table.name: connection.execute(f"SELECT * FROM {table.name} ORDER BY 1, 2").fetchall()  # noqa: S608 - our own words
            for table in metadata.sorted_tables
        }


def files_with(folder: Path, text: str) -> list[str]:
    return [
        file.name
        for file in folder.rglob("*")
        if file.is_file() and text.lower().encode() in file.read_bytes().lower()
    ]


# --- every column ------------------------------------------------------------------------------------


def _plain(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    return kind.impl_instance if isinstance(kind, TypeDecorator) else kind


def _texts() -> Iterator[tuple[Table, Column[Any]]]:
    """Return every column that the database keeps as text, apart from figures and enumerations."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if _plain(column.type).python_type is str and not isinstance(column.type, _NO_TEXT):
                yield table, column


COLUMNS = [pytest.param(table, column, id=str(column)) for table, column in _texts()]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
async def test_each_column_of_text_is_erased_or_says_that_it_is_needed(
    journal: SqlJournal, path: Path, table: Table, column: Column[Any]
) -> None:
    await filled(journal)
    _put(path, table, column, TEXT)

    try:
        erasure = await journal.erase_text(Secret(TEXT), a_line)
    except TextNotErasable as error:
        needed = f"{error} {error.where}"
        assert TEXT not in needed
        assert any(TEXT in str(row) for row in all_rows(path)[table.name])
        return
    assert erasure.is_swept
    assert files_with(path.parent, TEXT) == []
    assert column.name == "folded" or MARK in str(all_rows(path)[table.name]).lower()


#: What is erased wherever it stands; what isn't here may refuse it.
ERASABLE: Final = {
    *("environments.name", "security_keys.name", "security_keys.username", "security_keys.permission"),
    *("security_keys.purpose", "security_keys.owner", "devices.id", "devices.nickname", "devices.connection"),
    *("sale_groups.device", "sale_groups.key_name", "sales.key_name", "sales.device", "sales.reason"),
    *("sales.message", "sales.gateway_status", "sales.transaction_id", "sales.authorisation"),
    *("sales.response_code", "sales.error_reference", "sale_events.detail", "exchanges.url"),
    *("exchanges.request_headers", "exchanges.request_body", "exchanges.response_headers"),
    *("exchanges.response_body", "exchanges.failure", "applications.name", "applications.owner"),
    *("applications.contact", "applications.place", "applications.instructions", "applications.changed_by"),
    *("applications.seen_by", "rotations.document", "settings.value", "activities.subject"),
    *("activities.result", "activities.who"),
}


@pytest.mark.parametrize("name", sorted(ERASABLE))
async def test_what_people_and_gateways_wrote_is_erased(journal: SqlJournal, path: Path, name: str) -> None:
    table_name, _, column_name = name.partition(".")
    table = metadata.tables[table_name]
    await filled(journal)
    _put(path, table, table.c[column_name], TEXT)

    assert (await journal.erase_text(Secret(TEXT), a_line)).is_swept

    assert files_with(path.parent, TEXT) == []


def _put(path: Path, table: Table, column: Column[Any], text: str) -> None:
    """Put a text into a column of one row, past the program."""
    held = text
    if isinstance(column.type, HeaderList):
        held = json.dumps([["X-Key", text]])
    elif column.name == "document" or str(column) == "settings.value":
        with closing(sqlite3.connect(path)) as connection:
            (kept,) = connection.execute(f"SELECT {column.name} FROM {table.name}").fetchone()  # noqa: S608 - our own words
        plain = json.loads(kept)
        inner = plain[0] if isinstance(plain, list) else plain
        inner["gateway_id" if table.name == "key_plans" else "reason"] = text
        held = json.dumps(plain)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER activities_never_change")
        last = f"SELECT max(rowid) FROM {table.name}"  # noqa: S608 - our own words
        statement = f"UPDATE {table.name} SET {column.name} = ? WHERE rowid = ({last})"  # noqa: S608 - same
        connection.execute(statement, (held,))


# --- nothing else ------------------------------------------------------------------------------------

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
sought = st.text(st.sampled_from('aB3+/=[]#ä "\\%'), min_size=6, max_size=12).filter(
    lambda text: len(text.strip()) == len(text)
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=sought, before=words, between=words, others=st.lists(words, min_size=1, max_size=4))
async def test_no_row_holds_it_and_all_other_texts_are_as_they_were(
    journal: SqlJournal, text: str, before: str, between: str, others: list[str]
) -> None:
    place = uuid.uuid4().hex
    eraser = Eraser(Secret(text))
    await journal.add_key(replace(a_key(place, identifier=place), purpose=f"{before}{text}{between}{text}"))
    for other in others:
        await journal.record_activity(Activity(NOW, "noted", place, other, other))

    erasure = await journal.erase_text(Secret(text), a_line)

    assert erasure.occurrences >= 1
    assert (await journal.find_text(Secret(text))).occurrences == 0
    (key,) = await journal.keys("practice")
    assert not eraser.is_in(key.purpose)
    assert replace(key, purpose="") == replace(a_key(place, identifier=place), purpose="")
    lines = [line for line in await journal.activities(len(others) + 1) if line.environment_id == place]
    for line, other in zip(reversed(lines), others, strict=True):
        kept = other if not eraser.is_in(other) else line.subject
        assert line.subject == kept
    await journal.remove_key(place)


# --- the files ---------------------------------------------------------------------------------------


async def test_nothing_of_it_is_left_in_any_file(journal: SqlJournal, path: Path) -> None:
    for number in range(300):  # some of them in pages that are free by then
        await journal.add_key(replace(a_key(f"Till {number}"), purpose=f"{TEXT} {number}" * 20))
    for number in range(0, 300, 2):
        await journal.remove_key(f"id-of-Till {number}")
    copy_of(path, 2).write_bytes(f"an older journal with {TEXT}".encode())
    copy_of(path, 1).with_name(f"{path.name}.schema-1.new").write_text(TEXT)
    assert len(files_with(path.parent, TEXT)) >= 3

    erasure = await journal.erase_text(Secret(TEXT), a_line)

    assert (erasure.occurrences, erasure.copies, erasure.is_swept) == (150 * 20, 2, True)
    assert files_with(path.parent, TEXT) == []
    assert [key.name for key in await journal.keys("practice")][:1] == ["Till 1"]


async def test_what_was_taken_out_leaves_nothing_in_the_file(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.add_key(replace(a_key(), purpose=TEXT))
    await journal.remove_key(a_key().id)
    await journal.close()
    assert files_with(path.parent, TEXT) == []


async def test_where_another_program_reads_it_is_swept_at_the_next_opening(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    await record(journal, TEXT)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM activities").fetchone()

        erasure = await journal.erase_text(Secret(TEXT), a_line)

        assert (erasure.occurrences, erasure.is_swept) == (1, False)
        assert files_with(path.parent, TEXT) != []
        reader.execute("ROLLBACK")
    await journal.close()

    again = SqlJournal(path, clock)
    await again.open()
    assert files_with(path.parent, TEXT) == []
    assert [line.subject for line in await again.activities(2)] == ["", "[erased #2]"]
    await again.close()


async def test_a_program_that_ends_between_leaves_the_rest_to_the_next(
    path: Path, journal: SqlJournal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record(journal, TEXT)
    with monkeypatch.context() as patch:
        patch.setattr("keybench.journal.store.sweep", lambda _engine: False)
        assert not (await journal.erase_text(Secret(TEXT), a_line)).is_swept
    assert await _facts(journal) == {"schema_version", "schema_writer", "installation", UNSWEPT}
    await journal.close()

    again = SqlJournal(path, clock)
    await again.open()
    assert files_with(path.parent, TEXT) == []
    assert await _facts(again) == {"schema_version", "schema_writer", "installation"}
    await again.close()


async def _facts(journal: SqlJournal) -> set[str]:
    def facts(connection: Connection) -> set[str]:
        return set(connection.execute(select(metadata.tables["meta"].c.name)).scalars())

    return await journal.run(facts, writes=False)


async def test_a_program_that_only_has_it_open_is_in_nobodys_way(
    path: Path, journal: SqlJournal, clock: Clock
) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    await record(other, TEXT)
    assert (await journal.erase_text(Secret(TEXT), a_line)).is_swept
    assert files_with(path.parent, TEXT) == []
    assert [line.subject for line in await other.activities(2)] == ["", "[erased #2]"]
    await record(other, "and goes on")
    await other.close()


async def test_it_goes_from_a_journal_that_was_brought_up_to_date(path: Path, clock: Clock) -> None:
    unpack("schema-2", path)
    journal = SqlJournal(path, clock)
    await journal.open()
    key = next(one for one in await journal.all_keys() if len(one.name) > 5)
    assert len(files_with(path.parent, key.name)) > 1
    for rotation in await journal.rotations():
        await journal.advance_rotation(rotation.id, abandoned)

    erasure = await journal.erase_text(Secret(key.name), a_line)

    assert (erasure.occurrences > 1, erasure.copies, erasure.is_swept) == (True, 1, True)
    assert files_with(path.parent, key.name) == []
    assert len(await journal.rotations()) == 2
    await journal.close()


# --- nothing half done -------------------------------------------------------------------------------


async def test_two_programs_erase_one_after_the_other(path: Path, journal: SqlJournal, clock: Clock) -> None:
    other = SqlJournal(path, clock)
    await other.open()
    for _ in range(50):
        await record(journal, TEXT)

    erased = await asyncio.gather(*(each.erase_text(Secret(TEXT), a_line) for each in (journal, other)))

    assert sorted(erasure.occurrences for erasure in erased) == [0, 50]
    assert (await other.find_text(Secret(TEXT))).occurrences == 0
    await other.close()
    assert (await journal.erase_text(Secret(TEXT), a_line)).is_swept
    assert files_with(path.parent, TEXT) == []


async def test_a_journal_that_another_program_holds_stays_as_it_is(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock, wait_s=0.01)
    await journal.open()
    await filled(journal, TEXT)
    before = all_rows(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalBusy):
            await journal.erase_text(Secret(TEXT), a_line)
        other.execute("ROLLBACK")
    assert all_rows(path) == before
    await journal.close()


async def test_a_full_disk_changes_nothing(journal: SqlJournal, path: Path) -> None:
    text = "aaaaab"
    for number in range(200):
        await journal.add_key(replace(a_key(f"Till {number}"), purpose=text * 100))
    before = all_rows(path)
    pages = await run_sql(journal, "PRAGMA page_count")
    await run_sql(journal, f"PRAGMA max_page_count = {pages}")

    with pytest.raises(JournalUnwritable) as raised:
        await journal.erase_text(Secret(text), a_line)

    assert raised.value.reason == "disk full"
    assert all_rows(path) == before
    await run_sql(journal, "PRAGMA max_page_count = 99999")
    assert (await journal.erase_text(Secret(text), a_line)).occurrences == 20_000


async def test_a_refusal_in_the_last_table_changes_nothing(journal: SqlJournal, path: Path) -> None:
    await filled(journal, TEXT)
    await journal.add_key_plan(a_plan(TEXT))
    before = all_rows(path)
    with pytest.raises(TextNotErasable):
        await journal.erase_text(Secret(TEXT), a_line)
    assert all_rows(path) == before


async def test_nobody_changes_a_line_in_another_way(journal: SqlJournal, path: Path) -> None:
    await record(journal, TEXT)
    await journal.erase_text(Secret(TEXT), a_line)
    with pytest.raises(sqlite3.IntegrityError):
        change(path, "UPDATE activities SET subject = 'nothing happened'")


# --- slice by slice ----------------------------------------------------------------------------------


async def test_others_write_between_and_what_they_write_goes_with_a_line_of_its_own(
    journal: SqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.journal.erasing.HOLD_S", 0.0)
    for _ in range(20):
        await record(journal, TEXT)

    begun, loop = asyncio.Event(), asyncio.get_running_loop()

    def line(places: int) -> Activity:
        loop.call_soon_threadsafe(begun.set)
        return a_line(places)

    async def record_then() -> None:
        await begun.wait()
        await record(journal, TEXT)

    erasure, *_ = await asyncio.gather(
        journal.erase_text(Secret(TEXT), line), *(record_then() for _ in range(3))
    )

    assert (erasure.occurrences, erasure.is_swept) == (23, True)
    lines = await journal.activities(99)
    told = [line for line in lines if line.action == "text erased"]
    assert sorted(line.result for line in told) == ["20, by Mira", "3, by Mira"]
    assert lines.index(told[-1]) > 0, "the others didn't wait for the end"
    assert (await journal.find_text(Secret(TEXT))).occurrences == 0


async def test_what_was_not_finished_is_said_at_the_next_opening_and_can_be_done_again(
    path: Path, journal: SqlJournal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await record(journal, TEXT)
    monkeypatch.setattr("keybench.journal.erasing.HOLD_S", 0.0)
    await journal.on_store(lambda store: store.begin_erasing(NOW))
    erasing = JournalErasing(Secret(TEXT))
    while await journal.run(erasing.look, writes=False):
        pass
    assert await journal.run(lambda connection: erasing.erase(connection, a_line), writes=True)
    assert await _facts(journal) >= {ERASING, UNSWEPT}
    other = SqlJournal(path, clock)
    await other.open()
    assert [line.action for line in await other.activities(1)] == ["text erased"], "it goes on"
    await other.close()
    await journal.on_store(Store.end_erasing)
    await journal.close()

    again = SqlJournal(path, clock)
    await again.open()
    (line,) = [one for one in await again.activities(9) if one.action == "text not erased everywhere"]
    assert (line.subject, line.result) == ("#4", "the program ended meanwhile: erase it again")
    assert not await _facts(again) & {ERASING, UNSWEPT}
    assert (await again.erase_text(Secret(TEXT), a_line)).occurrences == 2
    assert files_with(path.parent, TEXT) == []
    await again.close()


async def test_a_large_journal_is_swept_when_no_sale_and_no_other_program_would_wait(
    path: Path, journal: SqlJournal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keybench.journal.store.SWEPT_AT_ONCE", 0)
    await record(journal, TEXT)
    await note(journal, a_sale("KB-1"))
    assert not (await journal.erase_text(Secret(TEXT), a_line)).is_swept
    await journal.advance_sale("KB-1", lambda sale: sale.finish(APPROVED, NOW))
    other = RunningProgram("other", this_computer(), os.getppid(), NOW, NOW)
    await journal.keep_program(other)
    assert not (await journal.erase_text(Secret(TEXT), a_line)).is_swept
    await journal.remove_programs(["other"])
    assert UNSWEPT in await _facts(journal)
    await journal.close()

    again = SqlJournal(path, clock)
    await again.open()
    assert UNSWEPT not in await _facts(again)
    assert files_with(path.parent, TEXT) == []
    await again.close()
