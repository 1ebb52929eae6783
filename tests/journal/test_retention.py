"""Deleting what is older goes on while others write, and leaves nothing of it in the database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import Connection, insert

from contracts.journal_samples import NOW, an_exchange
from contracts.retention_contract import sold
from journal.files import content_of
from keybench.core.ports import Activity, Clock
from keybench.core.sales.sale import Outcome
from keybench.journal import SqlJournal
from keybench.journal.rows import exchange_values
from keybench.journal.tables import older_exchanges
from keybench.runtime.clock import SystemClock
from keybench.workflows.sales.retention import PAUSE_S

SALES, EACH = 40, 25
TEXT = "made up of twelve words"


def _old(connection: Connection) -> None:
    """Add exchanges as they were kept before version 12: some 30 MB."""
    large = replace(an_exchange(), response_body=TEXT * 1300)
    for number in range(SALES):
        row = exchange_values(large, reference=f"KB-{number}")
        connection.execute(insert(older_exchanges), [row] * EACH)


async def test_another_program_writes_all_the_while_without_waiting_long(
    journal: SqlJournal, path: Path, clock: Clock
) -> None:
    for number in range(SALES):
        await sold(journal, f"KB-{number}", number / 60, Outcome.APPROVED)
    await journal.run(_old, writes=True)
    other = SqlJournal(path, clock, wait_s=1.0)  # it raises JournalBusy if it has to wait for longer
    await other.open()
    steps, written, is_over = 0, 0, False

    async def delete() -> None:
        nonlocal steps, is_over
        while await journal.delete_older(NOW + timedelta(days=1), with_sales=True):
            steps += 1
            await SystemClock().sleep(PAUSE_S)
        is_over = True

    async def write() -> None:
        nonlocal written
        while not is_over:
            await other.record_activity(Activity(NOW, "key tested", "", "Till", "200"))
            written += 1

    await asyncio.gather(delete(), write())
    await other.close()
    assert steps > 3
    assert written > steps
    assert list(await journal.sales(None, 9)) == []


async def test_nothing_of_what_was_deleted_is_left_in_the_database(
    journal: SqlJournal, path: Path, clock: Clock
) -> None:
    for number in range(SALES):
        await sold(journal, f"KB-{number}", 0, Outcome.APPROVED)
    await journal.run(_old, writes=True)
    while await journal.delete_older(NOW + timedelta(days=1), with_sales=True):
        pass
    await journal.close()
    assert TEXT.encode() not in content_of(path)
