"""The room that is kept for what becomes of sales under way: how much, for how long, for whom."""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.journal_samples import APPROVED, NOW, a_sale, note
from fakes.clock import MovedClock
from journal.files import content_of, make_folder, posix_only, put, remove
from keybench.core.errors import JournalUnwritable
from keybench.core.input_errors import NotFound
from keybench.core.sale import Mark, SaleEvent
from keybench.journal import SqlJournal
from keybench.journal.reserve import EACH, LEAST, Reserve


@pytest.fixture
def reserve(path: Path) -> Path:
    return path.with_name("journal.sqlite3.reserve")


@pytest.fixture
async def second(path: Path, journal: SqlJournal) -> AsyncIterator[SqlJournal]:
    """Another program on the same journal."""
    second = SqlJournal(path, MovedClock())
    await second.open()
    yield second
    await second.close()


async def finish(journal: SqlJournal, reference: str) -> None:
    await journal.advance_sale(reference, lambda sale: sale.finish(APPROVED, NOW + timedelta(seconds=1)))


def size(file: Path) -> int:
    """Return how large a file is; -1 where there is none."""
    return file.stat().st_size if file.exists() else -1


def allocated(file: Path) -> int:
    return file.stat().st_blocks * 512


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


async def test_it_is_there_while_a_sale_is_under_way(journal: SqlJournal, reserve: Path) -> None:
    assert size(reserve) == -1
    await note(journal, a_sale())
    assert size(reserve) == LEAST
    await journal.advance_sale("KB-1", lambda sale: sale.send("https://gateway.example").accept("R-1", NOW))
    assert size(reserve) == LEAST
    await finish(journal, "KB-1")
    assert size(reserve) == -1


@posix_only
async def test_it_is_really_allocated_and_its_owners_alone(journal: SqlJournal, reserve: Path) -> None:
    await note(journal, a_sale())
    assert allocated(reserve) >= LEAST
    assert mode(reserve) == 0o600


async def test_a_system_that_allocates_nothing_ahead_has_it_written(
    path: Path, reserve: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "posix_fallocate")
    make_folder(path.parent)
    Reserve(path).grow(1)
    assert size(reserve) == LEAST
    assert any(content_of(reserve))
    Reserve(path).grow(9)
    assert size(reserve) == 9 * EACH


async def test_it_grows_and_shrinks_with_the_sales_of_all_programs(
    journal: SqlJournal, second: SqlJournal, reserve: Path
) -> None:
    for number in range(10):
        await note((journal, second)[number % 2], a_sale(f"KB-{number}"))
    assert size(reserve) == 10 * EACH
    for number in range(8):
        await finish(journal, f"KB-{number}")
    assert size(reserve) == LEAST
    for number in range(8, 10):
        await finish(second, f"KB-{number}")
    assert size(reserve) == -1


async def test_one_that_was_given_up_is_made_anew_with_the_next_write_about_a_sale(
    journal: SqlJournal, reserve: Path
) -> None:
    await note(journal, a_sale())
    remove(reserve)
    await journal.advance_sale(
        "KB-1", lambda sale: sale.send("https://gateway.example"), [SaleEvent("KB-1", NOW, Mark.SENT)]
    )
    assert size(reserve) == LEAST


async def test_one_that_was_left_behind_goes_and_one_that_is_missing_comes_at_the_next_start(
    path: Path, reserve: Path
) -> None:
    clock = MovedClock()
    first = SqlJournal(path, clock)
    await first.open()
    await first.close()
    put(reserve, b"left by a program that died")
    again = SqlJournal(path, clock)
    await again.open()
    assert size(reserve) == -1
    await note(again, a_sale())
    await again.close()
    remove(reserve)
    third = SqlJournal(path, clock)
    await third.open()
    await third.close()
    assert size(reserve) == LEAST


async def test_an_intent_without_room_for_its_outcome_is_not_noted(
    journal: SqlJournal, reserve: Path
) -> None:
    make_folder(reserve)
    with pytest.raises(JournalUnwritable) as raised:
        await note(journal, a_sale())
    assert raised.value.path == str(reserve)
    with pytest.raises(NotFound):
        await journal.sale("KB-1")


async def test_it_is_given_up_in_two_steps(path: Path, reserve: Path) -> None:
    make_folder(path.parent)
    Reserve(path).grow(5)
    left = [size(reserve) for _ in Reserve(path).give_up()]
    assert left == [4 * EACH, 0]
    assert list(Reserve(path).give_up()) == []
