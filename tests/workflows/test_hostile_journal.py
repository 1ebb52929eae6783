"""Selling on a real journal that fails: what can't be noted isn't sent, what was sent is found again.

The judge is how many sales arrived at the gateway.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Connection

from fakes.keystore import FakeKeystore
from fakes.scripted_gateway import ACCEPTED, APPROVED, DONE, PENDING, ScriptedGateway
from fakes.waiting import until
from fakes.world import Bench, FakeOwners, build_world
from keybench.core.errors import JournalBusy, JournalDamaged, JournalError, JournalGone, JournalUnwritable
from keybench.core.ports import SaleOrder
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent, SaleStage
from keybench.journal import SqlJournal
from keybench.runtime.clock import SystemClock
from keybench.workflows.console import Console

LOCK_WAIT_S = 0.05


class Till:
    """A console on a real journal and a gateway that counts.

    Args:
        path: The journal's file.
        earlier: The program before it on the same folder; its gateway and keystore go on.
    """

    def __init__(self, path: Path, earlier: Till | None = None) -> None:
        self.path = path
        self.journal = SqlJournal(path, SystemClock(), wait_s=LOCK_WAIT_S)
        self.gateway = earlier.gateway if earlier else ScriptedGateway()
        self._keystore = earlier._keystore if earlier else FakeKeystore()
        self._bench = Bench(
            keystore=self._keystore, gateway=self.gateway, owners=FakeOwners("second" if earlier else "first")
        )
        world = replace(build_world(self._bench), clock=SystemClock(), journal=self.journal)
        self.console: Console = Console(world)
        self._locks: list[sqlite3.Connection] = []
        self._away = path.with_name("away")

    async def open(self) -> None:
        await self.journal.open()
        if not await self.journal.keys("practice"):
            self._bench.journal = self.journal  # type: ignore[assignment]  # another journal, the same port
            self._bench.console = self.console

    async def note(self) -> Sale:
        return await self.console.sell.note(await self._bench.draft())

    async def fill(self) -> None:
        """Let the disk be full: not one point more fits on any sale's timeline."""
        base = (await self.journal.sales(None, 1))[0]
        await self.journal.run(_no_page_more, writes=False)
        point = SaleEvent(base.reference, base.noted_at, Mark.SENT)
        with pytest.raises(JournalUnwritable, match="disk full"):
            await self._write_for_ever(point)

    async def _write_for_ever(self, point: SaleEvent) -> None:
        while True:
            await self.journal.advance_sale(point.reference, lambda sale: sale, [point])

    async def lock(self) -> None:
        """Let another program hold the journal for ever."""
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        self._locks.append(other)

    async def damage(self) -> None:
        """Make the file one that SQLite calls malformed."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as other:
            other.execute("PRAGMA writable_schema = ON")
            other.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE nonsense' WHERE name = 'sales'")
            version = other.execute("PRAGMA schema_version").fetchone()[0]
            other.execute(f"PRAGMA schema_version = {version + 1}")

    async def take_away(self) -> None:
        """Move the file away."""
        self.path.rename(self._away)

    async def replace(self) -> None:
        """Put an older copy in its place."""
        self._away.write_bytes(self.path.read_bytes())
        self._away.replace(self.path)

    async def mend(self) -> None:
        """Let other programs go and make room, and put the file back."""
        with suppress(FileNotFoundError):
            self._away.rename(self.path)
        for lock in self._locks:
            lock.close()
        self._locks.clear()
        await self.journal.run(_pages_for_ever, writes=False)

    async def end(self) -> None:
        """End the program as a crash does: what wasn't written isn't."""
        self.console.log.pending._supervisor.stop()
        with suppress(JournalError):  # a write that is under way still meets the lock
            await self.journal.run(lambda _connection: None, writes=False)
        for lock in self._locks:
            lock.close()
        await self.journal.close()


def _no_page_more(connection: Connection) -> None:
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def _pages_for_ever(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA max_page_count = 1073741823")


@pytest.fixture
async def till(tmp_path: Path) -> AsyncIterator[Till]:
    till = Till(tmp_path / "journal.sqlite3")
    await till.open()
    till.gateway.to_post = [APPROVED, ACCEPTED]  # the first at once: nothing is waited for on a real clock
    first = await till.console.sell.carry_out(await till.note())
    assert first.outcome is Outcome.APPROVED
    yield till
    await till.end()


TROUBLES = pytest.mark.parametrize(
    ("trouble", "error"),
    [
        *(("fill", JournalUnwritable), ("lock", JournalBusy), ("damage", JournalDamaged)),
        *(("take_away", JournalGone), ("replace", JournalGone)),
    ],
)


@TROUBLES
async def test_nothing_is_sent_that_cannot_be_noted(
    till: Till, trouble: str, error: type[JournalError]
) -> None:
    draft = await till._bench.draft()
    await getattr(till, trouble)()
    with pytest.raises(error):
        await till.console.sell.note(draft)
    assert len(till.gateway.posts) == 1


@TROUBLES
async def test_an_intent_is_not_sent_when_the_journal_fails_before_the_send(
    till: Till, trouble: str, error: type[JournalError]
) -> None:
    noted = await till.note()
    await getattr(till, trouble)()
    with pytest.raises(error):
        await till.console.sell.carry_out(noted)
    assert noted.reference not in {order.reference for order in till.gateway.posts}


@pytest.mark.parametrize("trouble", ["fill", "lock", "take_away"])
async def test_an_answer_that_cannot_be_kept_is_told_and_kept_when_it_can_be(
    till: Till, trouble: str
) -> None:
    async def break_journal(_order: SaleOrder) -> None:
        await getattr(till, trouble)()

    till.gateway.before_post = break_journal
    noted = await till.note()
    sale = await till.console.sell.carry_out(noted)
    assert (sale.outcome, sale.request_id) == (Outcome.APPROVED, "PR-1")
    assert list(till.console.log.pending.sales) == [sale]
    assert await till.console.sale(noted.reference) == sale
    assert (await till.journal.sale(noted.reference)).stage is SaleStage.NOTED

    await till.mend()
    await until(lambda: not till.console.log.pending.sales)
    assert await till.journal.sale(noted.reference) == sale
    assert len(await till.journal.exchanges(noted.reference)) == len(
        await till.console.exchanges(noted.reference)
    )


@pytest.mark.parametrize("trouble", ["fill", "lock"])
async def test_an_answer_that_is_never_written_outlives_the_program_beside_the_journal(
    till: Till, trouble: str
) -> None:
    async def break_journal(_order: SaleOrder) -> None:
        await getattr(till, trouble)()

    till.gateway.before_post = break_journal
    till.gateway.to_poll = [PENDING]
    noted = await till.note()
    selling = asyncio.get_running_loop().create_task(till.console.sell.carry_out(noted))
    answers = till.path.with_name("journal.sqlite3.answers")
    await until(lambda: answers.exists() and "PR-1" in answers.read_text())
    selling.cancel()
    await asyncio.wait([selling])
    await till.end()
    till.gateway.before_post = None

    later = Till(till.path, till)
    await later.open()
    later.gateway.to_poll = [DONE]
    (orphan,) = await later.console.resume.orphans()
    assert (orphan.reference, orphan.stage, orphan.request_id) == (
        noted.reference,
        SaleStage.ACCEPTED,
        "PR-1",
    )
    assert not answers.exists()
    assert (await later.console.resume.resume(orphan)).outcome is Outcome.APPROVED
    assert [order.reference for order in later.gateway.posts].count(noted.reference) == 1
    await later.end()


@pytest.mark.logs
async def test_a_sale_whose_row_goes_while_it_is_sent_is_followed_and_kept_beside(till: Till) -> None:
    async def take_row(order: SaleOrder) -> None:
        with closing(sqlite3.connect(till.path, isolation_level=None)) as other:
            other.execute("PRAGMA foreign_keys = OFF")
            other.execute("DELETE FROM sales WHERE reference = ?", [order.reference])

    till.gateway.before_post = take_row
    sale = await till.console.sell.carry_out(await till.note())
    assert (sale.outcome, sale.request_id) == (Outcome.APPROVED, "PR-1")
    await until(lambda: not till.console.log.pending.sales)
    (kept,) = await till.journal.kept_answers()
    assert (kept.reference, kept.request_id, kept.verdict) == (sale.reference, "PR-1", sale.verdict)
    await till.console.resume.take_kept()
    assert len(await till.journal.kept_answers()) == 1, "the journal may come back"


async def test_a_damaged_journal_is_not_opened_and_not_sold_on(till: Till) -> None:
    await till.damage()
    await till.end()
    later = Till(till.path, till)
    with pytest.raises(JournalDamaged):
        await later.journal.open()
    await later.end()
    assert len(till.gateway.posts) == 1
