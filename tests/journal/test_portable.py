"""The journal's tables and statements are portable: PostgreSQL's dialect takes them as they are."""

from __future__ import annotations

import pytest
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from keybench.journal.tables import metadata, sales


def ddl(element: CreateTable | CreateIndex) -> str:
    return str(element.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]  # SQLAlchemy's own


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_a_table_can_be_made(table: Table) -> None:
    assert ddl(CreateTable(table)).strip().startswith(f"CREATE TABLE {table.name}")
    for index in table.indexes:
        assert ddl(CreateIndex(index)).startswith(f"CREATE INDEX {index.name}")


def test_rows_are_counted_in_64_bits() -> None:
    assert "number BIGSERIAL NOT NULL" in ddl(CreateTable(sales))


def test_times_are_whole_microseconds_in_64_bits() -> None:
    assert "noted_at BIGINT NOT NULL" in ddl(CreateTable(sales))
