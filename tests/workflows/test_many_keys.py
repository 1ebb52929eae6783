"""Thousands of keys cost no call to the keystore, and as many statements as a handful."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from benchmarks.generated_keys import fill_with_keys
from fakes.clock import MovedClock
from fakes.world import Bench
from keybench.journal import SqlJournal
from keybench.workflows.administration import Administration


@contextmanager
def statements() -> Iterator[list[str]]:
    """Keep every statement that any database is given."""
    given: list[str] = []

    def keep(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        given.append(statement)

    event.listen(Engine, "before_cursor_execute", keep)
    try:
        yield given
    finally:
        event.remove(Engine, "before_cursor_execute", keep)


async def looked_through(bench: Bench) -> int:
    """Ask what the pages for keys ask of a journal when they are opened; return how many keys there are."""
    administration = Administration(bench.console)
    rows = await administration.inventory.rows()
    await administration.review.look()
    return len(rows)


async def test_thousands_of_keys_take_as_many_statements_as_a_handful_and_no_keystore_call(
    tmp_path: Path,
) -> None:
    asked = [await questions(tmp_path / str(count), count) for count in (5, 2000)]
    assert asked[0] == asked[1]


async def questions(folder: Path, count: int) -> list[str]:
    """Open a journal with so many keys, look through them, and return what the database was asked."""
    path = folder / "journal" / "journal.sqlite3"
    path.parent.mkdir(parents=True)
    await fill_with_keys(path, count)
    clock = MovedClock()
    on_disk: Any = SqlJournal(path, clock)
    bench = Bench(clock=clock, journal_to_share=on_disk)
    await bench.journal.open()
    with statements() as given:
        assert await looked_through(bench) == count
    await bench.journal.close()
    assert bench.keystore.calls == []
    return [one for one in given if one.startswith("SELECT")]
