"""The journal's tables and statements are portable: PostgreSQL's dialect takes them as they are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Table, create_mock_engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from keybench.journal import SqlJournal
from keybench.journal.columns import metadata
from keybench.journal.sales import OF_REQUEST, newest_of_device
from keybench.journal.tables import sales


def ddl(element: CreateTable | CreateIndex) -> str:
    return str(element.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]  # SQLAlchemy's own


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_a_table_can_be_made(table: Table) -> None:
    assert ddl(CreateTable(table)).strip().startswith(f"CREATE TABLE {table.name}")
    for index in table.indexes:
        unique = "UNIQUE " if index.unique else ""
        made = ddl(CreateIndex(index))
        assert made.startswith(f"CREATE {unique}INDEX {index.name}")
        assert ("WHERE" in made) == (index.dialect_options["sqlite"]["where"] is not None)


def test_rows_are_counted_in_64_bits() -> None:
    assert "number BIGSERIAL NOT NULL" in ddl(CreateTable(sales))


def test_times_are_whole_microseconds_in_64_bits() -> None:
    assert "noted_at BIGINT NOT NULL" in ddl(CreateTable(sales))


@pytest.mark.parametrize(
    ("url", "word", "rules"), [("postgresql://", "plpgsql", 2), ("sqlite://", "RAISE(ABORT", 3)]
)
def test_each_database_is_told_in_its_own_words_that_lines_stay(url: str, word: str, rules: int) -> None:
    said: list[str] = []

    def note(statement: ExecutableDDLElement, *_: object, **__: object) -> None:
        said.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine(url, note)
    metadata.create_all(engine, checkfirst=False)

    told = [one for one in said if "only_added" in one or "only added" in one]
    assert len(told) == rules
    assert word in told[0]


async def test_a_request_id_is_found_by_its_index(path: Path, journal: SqlJournal) -> None:
    asked = OF_REQUEST.compile(dialect=sqlite.dialect())  # type: ignore[no-untyped-call]  # SQLAlchemy's own
    with closing(sqlite3.connect(path)) as database:
        plan = database.execute(f"EXPLAIN QUERY PLAN {asked}", [1] * str(asked).count("?"))
        assert "USING INDEX ix_sales_request_id" in plan.fetchall()[0][-1]
    await journal.close()


@pytest.mark.parametrize("environment_id", ["practice", None])
async def test_the_newest_sales_of_a_device_are_found_by_an_index_alone(
    path: Path, journal: SqlJournal, environment_id: str | None
) -> None:
    asked = newest_of_device(environment_id, "D-1", 48).compile(dialect=sqlite.dialect())  # type: ignore[no-untyped-call]  # SQLAlchemy's own
    with closing(sqlite3.connect(path)) as database:
        plan = database.execute(f"EXPLAIN QUERY PLAN {asked}", ["1"] * str(asked).count("?"))
        steps = [step[-1] for step in plan.fetchall()]
    assert any("sales USING COVERING INDEX ix_sales_group_id" in step for step in steps)
    assert not any(step.startswith("SCAN sales ") for step in steps)
    await journal.close()
