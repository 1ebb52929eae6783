"""What gateways answered is kept beside a journal that can't be written, whatever else stands there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest

from contracts.journal_samples import APPROVED, NOW
from keybench.core.errors import JournalError
from keybench.core.ports import KeptAnswer
from keybench.core.sales.sale import Outcome, Verdict
from keybench.journal import SqlJournal

ANSWER = KeptAnswer("KB-1", NOW, "PR-1", APPROVED)


def beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.answers")


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        *(Verdict(one) for one in Outcome),
        Verdict(Outcome.PARTLY_APPROVED, approved_amount=Decimal("5.00")),
    ],
)
async def test_every_answer_comes_back_as_it_was(journal: SqlJournal, verdict: Verdict | None) -> None:
    answer = KeptAnswer("KB-1", NOW, "PR-1", verdict, lasted_s=3.25)
    await journal.keep_answer(answer)
    assert list(await journal.kept_answers()) == [answer]


async def test_a_line_that_broke_off_spoils_no_other(journal: SqlJournal, path: Path) -> None:
    await journal.keep_answer(ANSWER)
    with beside(path).open("a") as file:
        file.write('{"reference":"KB-2","at":"20')
    await journal.keep_answer(KeptAnswer("KB-3", NOW, "PR-3"))
    assert [one.reference for one in await journal.kept_answers()] == ["KB-1", "KB-3"]
    for reference in ("KB-1", "KB-3"):
        await journal.drop_answers(reference)
    assert not beside(path).exists()


async def test_a_line_of_a_newer_keybench_is_left_to_it(journal: SqlJournal, path: Path) -> None:
    newer = '{"reference":"KB-2","seal":"new"}'
    beside(path).write_text(f"{newer}\n")
    await journal.keep_answer(ANSWER)
    assert list(await journal.kept_answers()) == [ANSWER]
    await journal.drop_answers("KB-1")
    assert beside(path).read_text().split() == [newer]


async def test_another_programs_lock_of_the_database_holds_nothing_up(
    journal: SqlJournal, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        await journal.keep_answer(ANSWER)
        assert list(await journal.kept_answers()) == [ANSWER]


async def test_where_it_cannot_be_written_either_that_is_our_own_error(
    journal: SqlJournal, path: Path
) -> None:
    beside(path).mkdir()
    with pytest.raises(JournalError):
        await journal.keep_answer(ANSWER)
