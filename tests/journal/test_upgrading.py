"""A journal of an older Keybench: brought up to date when it is opened, and nothing in it is lost."""

from __future__ import annotations

import asyncio
import gzip
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, insert, select

from contracts.journal_samples import NOW, a_key, a_sale, an_environment, an_exchange, note
from contracts.register_samples import a_rotation, start
from fakes.journal import put_key
from journal.files import as_of_version_13, change, make, refusal
from keybench import __version__
from keybench.core.environments.environment import SYSTEM_PROXY
from keybench.core.errors import JournalUnwritable
from keybench.core.exchange import Exchange
from keybench.core.keys.key import Trial
from keybench.core.ports import Activity, ActivityFilter, Clock, PollNote
from keybench.core.reasons import Reason
from keybench.core.rotations.rotation import (
    NEW_KEY_REVOKED,
    SEEN_WORKING,
    THIS_CONSOLE,
    VALUE_GIVEN,
    ApplicationStep,
    Evidence,
    KeyFacts,
)
from keybench.core.rotations.stages import is_replacement_revoked, not_seen
from keybench.core.sales.history import SaleFilter
from keybench.core.sales.sale import Mark, Outcome, SaleEvent, SaleStage, Verdict
from keybench.journal import SqlJournal
from keybench.journal.columns import metadata
from keybench.journal.rows import exchange_values
from keybench.journal.sqlite.engine import engine_for
from keybench.journal.sqlite.upgrading import TOLD_SINCE, copy_of
from keybench.journal.tables import older_exchanges
from keybench.words.rotations.record import record_paper

Row = dict[str, Any]


_IN_PART = "ix_sales_approved_amount_noted_at_currency_outcome_group_id"
#: The rule of the first version, where no text was erased.
NEVER_CHANGE_1 = (
    "CREATE TRIGGER activities_never_change BEFORE UPDATE ON activities"
    " BEGIN SELECT RAISE(ABORT, 'activities are only added'); END"
)


def as_of_version_12(path: Path) -> None:
    """Take away what version 13 brought."""
    as_of_version_13(path)
    change(path, "ALTER TABLE sale_events DROP COLUMN reason")
    change(path, "ALTER TABLE activities DROP COLUMN fingerprint")
    change(path, "UPDATE rotations SET document = replace(document, ',\"key_id\":\"\"}', '}')")
    change(path, "UPDATE meta SET value = '12' WHERE name = 'schema_version'")


def as_of_version_11(path: Path) -> None:
    """Take away what version 12 brought."""
    as_of_version_12(path)
    change(path, "DROP TABLE sale_exchanges")
    change(path, "DROP INDEX ix_exchanges_at")
    change(path, "UPDATE meta SET value = '11' WHERE name = 'schema_version'")


async def as_of_version_1(path: Path, clock: Clock) -> None:
    """Leave a journal as the first version kept it: a sale that wasn't sent counts as its key's use."""
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.add_key(a_key())
    await journal.add_key(a_key("Till 4"))
    await note(journal, a_sale("KB-1", minutes=1))
    await note(journal, a_sale("KB-2", minutes=2))
    for reference, outcome in (("KB-1", Outcome.APPROVED), ("KB-2", Outcome.NOT_SENT)):
        verdict = Verdict(outcome)
        await journal.advance_sale(reference, lambda stored, said=verdict: stored.finish(said, NOW))
    await journal.close()
    as_of_version_11(path)
    change(path, "UPDATE security_keys SET used_at = (SELECT max(noted_at) FROM sales)")
    for column in ("tried_at", "trial", "folded_fingerprint", "imported_at"):
        change(path, f"ALTER TABLE security_keys DROP COLUMN {column}")
    for column in ("proxy", "portal_url"):
        change(path, f"ALTER TABLE environments DROP COLUMN {column}")
    change(path, "DROP TRIGGER activities_never_change")  # it names the column
    change(path, "ALTER TABLE activities DROP COLUMN who")
    change(path, NEVER_CHANGE_1)
    for table in ("programs", "key_plans", "device_states", "key_exchanges"):
        change(path, f"DROP TABLE {table}")
    change(path, "DROP INDEX ix_sales_amount_noted_at_currency_outcome_group_id")
    change(path, f"DROP INDEX {_IN_PART}")
    for column in ("transaction_id", "authorisation"):
        change(path, f"DROP INDEX ix_sales_{column}_noted_at_outcome_group_id")
    for column in ("lasted_s", "approved_amount", "sent_to"):
        change(path, f"ALTER TABLE sales DROP COLUMN {column}")
    change(path, "UPDATE meta SET value = '1' WHERE name = 'schema_version'")


async def test_a_journal_of_the_first_version_is_brought_up_to_date(path: Path, clock: Clock) -> None:
    await as_of_version_1(path, clock)
    for _ in range(2):
        journal = SqlJournal(path, clock)
        await journal.open()
        used = replace(a_key(), used_at=NOW + timedelta(minutes=1))
        assert list(await journal.all_keys()) == [used, a_key("Till 4")]
        assert len(await journal.sales(None, 9)) == 2
        await put_key(journal, used.tried(Trial.NO_ANSWER, NOW))
        assert (await journal.all_keys())[0].trial is Trial.NO_ANSWER
        await put_key(journal, used)
        assert await journal.run(_writer, writes=False) == __version__
        await journal.close()
    assert await make(path, clock)


async def test_what_was_read_out_of_texts_is_read_into_fields_once(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await note(journal, a_sale("KB-1"))
    poll = SaleEvent("KB-1", NOW, Mark.TROUBLE, f"429 {Reason.RATE_LIMIT}", 0.1)
    await journal.note_polls([PollNote(poll)])
    accepted = Activity(NOW, "key tested", "e1", "Till", "200 accepted amber-river-nine-fox")
    refused = Activity(NOW, "key tested", "e1", "Till", "401 not accepted here")
    given = Activity(NOW, "value given", "e1", "Till", "amber-river-nine-fox → oak-lake-two-owl")
    for line in (accepted, refused, given):
        await journal.record_activity(line)
    new = replace(KeyFacts.of(a_key("Till 4")), fingerprint="oak-lake-two-owl")
    rotation = replace(a_rotation(), replacement=new)
    for key, what in ((new, NEW_KEY_REVOKED), (rotation.old, VALUE_GIVEN)):
        rotation = rotation.noting(NOW, what, f"Any name, fingerprint {key.fingerprint}")
    await start(journal, rotation)
    await journal.close()
    as_of_version_12(path)
    journal = SqlJournal(path, clock)
    await journal.open()
    assert (await journal.sale_events("KB-1"))[-1].reason == Reason.RATE_LIMIT
    lines = await journal.activities(9)
    told = {line.result: line.fingerprint for line in lines}
    assert told[accepted.result] == "amber-river-nine-fox"
    assert told[given.result] == "oak-lake-two-owl"
    (kept,) = await journal.rotations()
    assert [one.key_id for one in kept.evidence[-2:]] == [new.key_id, rotation.old.key_id]
    assert is_replacement_revoked(kept)
    await journal.close()


def _writer(connection: Connection) -> str:
    meta = metadata.tables["meta"]
    return str(connection.execute(select(meta.c.value).where(meta.c.name == "schema_writer")).scalar_one())


async def test_what_this_console_once_noted_of_an_application_is_read_as_what_it_was(
    journal: SqlJournal,
) -> None:
    was = "the gateway accepts the new key from this computer"
    step = ApplicationStep(
        "A-1", "Shop", changed_at=NOW, changed_by="Mira", seen_at=NOW, seen_by=THIS_CONSOLE
    )
    rotation = replace(
        a_rotation(),
        applications=(replace(step, seen_how=was),),
        evidence=(Evidence(NOW, SEEN_WORKING, f"Shop: {was}", 200, THIS_CONSOLE),),
    )
    await start(journal, rotation)
    (stored,) = await journal.rotations()
    assert not_seen(stored) == stored.applications
    (where,) = await journal.environments()
    told = {section.title: section.rows for section in record_paper(stored, where, NOW).sections}
    assert told["Applications"][0][4].startswith("no\nThe gateway accepted the new key from this console")
    assert told["Evidence by time"][0][1] == "New key accepted from this console"


# --- journals that were kept -------------------------------------------------------------------------

KEPT = Path(__file__).parent / "kept"


def unpack(name: str, path: Path) -> None:
    """Put a journal that an earlier Keybench wrote where this one looks for it."""
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.decompress((KEPT / f"{name}.sqlite3.gz").read_bytes()))


def rows_of(path: Path, columns: Mapping[str, Sequence[str]] | None = None) -> dict[str, list[Row]]:
    """Return every table's rows by table, of the given columns or of all."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        # The names are the journal's own.
        found = {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")]  # noqa: S608 - see above
            for name in tables
        }
    if columns is None:
        return found
    return {name: [{c: row[c] for c in columns[name]} for row in found[name]] for name in columns}


async def test_a_kept_journal_is_opened_with_all_that_is_in_it(path: Path, clock: Clock) -> None:
    unpack("schema-2", path)
    before = rows_of(path)
    assert {name: len(rows) for name, rows in before.items()} == {
        "meta": 2, "environments": 3, "security_keys": 5, "devices": 2, "sale_groups": 3, "sales": 8,
        "sale_events": 28, "exchanges": 14, "applications": 2, "rotations": 2, "settings": 2,
        "activities": 20,
    }  # fmt: skip
    journal = SqlJournal(path, clock)
    installation = await journal.open()
    assert {"name": "installation", "value": installation} in before["meta"]
    assert [one.is_open for one in await journal.rotations()] == [False, True]
    assert [key.compromised for key in await journal.all_keys()] == [True, False, False, False, False]
    assert {one.proxy for one in await journal.environments()} == {SYSTEM_PROXY}
    assert [sale.stage for sale in await journal.unfinished_sales()] == [SaleStage.ACCEPTED, SaleStage.NOTED]
    for sale in await journal.sales(None, 9):
        known = [sale.request_id, str(sale.money)]
        known += [sale.verdict.transaction_id, sale.verdict.authorisation] if sale.verdict else []
        for text in filter(None, known):
            assert sale in await journal.find_sales(SaleFilter(text), limit=9)
    assert list(await journal.key_plans()) == []
    await journal.close()
    columns = {name: list(rows[0]) for name, rows in before.items()}
    after = rows_of(path, columns)
    for rows in (before, after):
        del rows["meta"]
    assert after == before


async def test_what_was_done_before_names_were_recorded_is_nobodys_and_a_removed_environment_keeps_its_name(
    path: Path, clock: Clock
) -> None:
    unpack("schema-3", path)
    journal = SqlJournal(path, clock)
    await journal.open()
    await journal.record_activity(Activity(NOW, "key tested", "practice", "shop", "200", "Mira"))
    lines = await journal.activities(9)
    assert sorted({line.who for line in lines}) == ["", "Mira"]
    (gone,) = {line.environment_id for line in lines} - {"practice"}
    assert await journal.removed_environments([gone, "practice"]) == {gone: "Sandbox"}
    assert [line.who for line in await journal.activities(9, ActivityFilter("mira"))] == ["Mira"]
    await journal.close()


@pytest.mark.parametrize("kept", ["schema-2", "schema-3"])
async def test_an_upgraded_journal_has_the_tables_of_a_new_one(path: Path, clock: Clock, kept: str) -> None:
    unpack(kept, path)
    await make(path, clock)
    new = path.with_name("new.sqlite3")
    await make(new, clock)
    for each in (path, new):
        engine = engine_for(each, 1.0)
        with engine.begin() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, metadata) == []
        engine.dispose()
    assert rules_of(path) == rules_of(new)


async def test_the_journal_from_before_is_kept_beside_the_upgraded_one(path: Path, clock: Clock) -> None:
    unpack("schema-2", path)
    before = rows_of(path)
    await make(path, clock)
    copy = copy_of(path, 2)
    assert rows_of(copy) == before
    if os.name == "posix":
        assert copy.stat().st_mode & 0o777 == 0o600
    copy.unlink()
    await make(path, clock)
    assert not copy.exists()  # it is kept when it is needed, not at every start


async def test_without_room_for_the_copy_nothing_is_changed(path: Path, clock: Clock) -> None:
    unpack("schema-2", path)
    before = rows_of(path)
    blocked = copy_of(path, 2)
    blocked.mkdir()  # a folder can't be replaced by a file
    assert isinstance(await refusal(path, clock), JournalUnwritable)
    assert rows_of(path) == before
    blocked.rmdir()
    assert await make(path, clock)


@pytest.mark.parametrize("step", TOLD_SINCE)
async def test_an_upgrade_that_fails_at_any_step_changes_nothing(
    path: Path, clock: Clock, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    await as_of_version_1(path, clock)
    before = rows_of(path)

    def fail(_connection: object) -> None:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setitem(TOLD_SINCE, step, fail)
        assert isinstance(await refusal(path, clock), JournalUnwritable)
    assert rows_of(path) == before
    assert await make(path, clock)


async def test_two_programs_that_open_an_older_journal_at_once_upgrade_it_once(
    path: Path, clock: Clock
) -> None:
    unpack("schema-2", path)
    journals = [SqlJournal(path, clock) for _ in range(3)]
    installations = await asyncio.gather(*(journal.open() for journal in journals))
    assert len(set(installations)) == 1
    for journal in journals:
        assert len(await journal.all_keys()) == 5
        await journal.close()


async def test_a_program_of_the_version_before_that_still_runs_goes_on_writing(
    path: Path, clock: Clock
) -> None:
    """It knows nothing of the new columns, which therefore have defaults."""
    unpack("schema-2", path)
    with closing(sqlite3.connect(path, isolation_level=None)) as older:
        older.execute("PRAGMA journal_mode = WAL")
        await make(path, clock)
        older.execute(
            "INSERT INTO environments (id, name, folded_name, kind, base_url, contract, created_at)"
            " VALUES ('e', 'Late', 'late', 'test', 'https://late.example', 'v5', 0)"
        )
    journal = SqlJournal(path, clock)
    await journal.open()
    assert [one.proxy for one in await journal.environments() if one.name == "Late"] == [SYSTEM_PROXY]
    await journal.close()


@pytest.mark.parametrize(
    ("url", "moved", "known"),
    [
        ("https://gateway.example/api/v5/payments/sale", True, True),  # and back again since
        ("https://older.example/api/v5/payments/sale", False, False),
        ("https://gateway.example.other/api", False, False),
        ("", False, True),
        ("", True, False),
    ],
)
async def test_where_an_unknown_sale_was_sent_is_known_where_its_request_or_the_activity_tells(
    path: Path, clock: Clock, url: str, *, moved: bool, known: bool
) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    there = an_environment()
    await journal.add_environment(there)
    await note(journal, a_sale("KB-1", environment_id=there.id, minutes=1))
    if url:
        await keep_as_before_12(journal, "KB-1", replace(an_exchange(url), method="POST"))
    unknown = Verdict(Outcome.UNKNOWN)
    await journal.advance_sale("KB-1", lambda stored: stored.finish(unknown, NOW))
    if moved:
        result = "base URL: https://older.example \N{RIGHTWARDS ARROW} https://gateway.example"
        await journal.record_activity(
            Activity(NOW + timedelta(hours=1), "environment edited", there.id, "Practice", result)
        )
    await journal.close()
    as_of_version_11(path)
    change(path, f"DROP INDEX {_IN_PART}")
    for column in ("approved_amount", "sent_to"):
        change(path, f"ALTER TABLE sales DROP COLUMN {column}")
    change(path, "ALTER TABLE security_keys DROP COLUMN imported_at")
    change(path, "UPDATE meta SET value = '9' WHERE name = 'schema_version'")
    await journal.open()
    assert (await journal.sale("KB-1")).sent_to == (there.base_url if known else "")
    await journal.close()


async def test_exchanges_of_before_are_read_as_they_were_before_those_that_come(
    path: Path, clock: Clock
) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    await note(journal, a_sale())
    said = [an_exchange(f"https://gateway.example/{number}") for number in range(3)]
    for one in said[:2]:
        await keep_as_before_12(journal, "KB-1", one)
    await journal.close()
    as_of_version_11(path)
    await journal.open()
    await journal.advance_sale("KB-1", lambda sale: sale, exchanges=[said[2]])
    assert list(await journal.exchanges("KB-1")) == said
    await journal.close()


async def test_a_text_that_was_not_erased_to_the_end_is_told(path: Path, clock: Clock) -> None:
    await make(path, clock)
    as_of_version_11(path)
    change(path, "INSERT INTO meta VALUES ('erasing', '7'), ('unswept', 'yes')")
    left = [path.with_name(f"{path.name}.{name}") for name in ("erasing", "reserve")]
    for file in left:
        file.touch()
    journal = SqlJournal(path, clock)
    await journal.open()
    (line,) = await journal.activities(9)
    assert (line.action, line.subject) == ("text not erased everywhere", "#7")
    assert [one.number for one in await journal.activities(9, ActivityFilter("erased #7"))] == [1]
    await journal.close()
    assert {row["name"] for row in rows_of(path)["meta"]} == {
        "schema_version",
        "schema_compatible_since",
        "schema_writer",
    }
    assert not [file for file in left if file.exists()]


@pytest.mark.parametrize(("days", "stays"), [(29, True), (31, False)])
async def test_a_copy_from_before_an_upgrade_goes_after_a_month(
    path: Path, clock: Clock, days: int, *, stays: bool
) -> None:
    unpack("schema-2", path)
    await make(path, clock)
    copy = copy_of(path, 2)
    made = (NOW - timedelta(days=days)).timestamp()
    os.utime(copy, (made, made))
    await make(path, clock)
    assert copy.exists() is stays


async def keep_as_before_12(journal: SqlJournal, reference: str, exchange: Exchange) -> None:
    """Keep an exchange as versions before 12 did."""
    row = exchange_values(exchange, reference=reference)
    await journal.run(lambda connection: connection.execute(insert(older_exchanges), row), writes=True)


async def test_when_a_key_was_imported_is_known_from_the_activity(path: Path, clock: Clock) -> None:
    journal = SqlJournal(path, clock)
    await journal.open()
    imported, added = a_key("Till 3"), a_key("Till 4")
    for key in (imported, added):
        await journal.add_key(key)
    for action, key in (("key imported", imported), ("key added", added)):
        await journal.record_activity(Activity(NOW, action, key.environment_id, key.name, ""))
    await journal.close()
    as_of_version_11(path)
    change(path, "ALTER TABLE security_keys DROP COLUMN imported_at")
    change(path, "UPDATE meta SET value = '10' WHERE name = 'schema_version'")
    await journal.open()
    known = {key.name: key.imported_at for key in await journal.all_keys()}
    assert known == {"Till 3": NOW, "Till 4": None}
    await journal.close()


def rules_of(path: Path) -> set[str]:
    """Return the triggers and the indexes with their conditions, without the white space of their text."""
    wanted = "SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL"
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(wanted).fetchall()
    return {" ".join(sql.split()) for (sql,) in found}
