"""Sales that nobody follows, while the window is open: taken up every half minute, and told once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from pytestqt.qtbot import QtBot

from fakes.clock import turns
from fakes.scripted_gateway import DONE, PENDING
from fakes.world import Bench, FakeOwners
from keybench.core.errors import JournalBusy
from keybench.core.ports import Caller, SaleOrder, StatusReading
from keybench.core.sales.sale import Outcome, Sale, SaleStage
from keybench.ui.shell.resumed_sales import EVERY_S, resume_sales

from .conftest import LooplessSupervisor
from .sale_support import Stage, make_stage

AN_HOUR_S = 3600.0
#: A round, and time for the question that it leads to.
A_ROUND_S = EVERY_S + 10


@dataclass
class Shop:
    """A window that watches, and another program on the same folder.

    Attributes:
        faults: The tasks in which something went wrong inside the program.
    """

    stage: Stage
    other: Bench
    faults: list[str]

    @property
    def bench(self) -> Bench:
        return self.stage.bench

    @property
    def told(self) -> list[str]:
        return [notice.title for notice in self.stage.notices]

    def watch(self) -> None:
        self.stage.session.run("unfinished sales", resume_sales(self.stage.session))

    async def sell_in(self, program: Bench) -> Sale:
        """Have a sale accepted that its program then follows no further."""
        self.bench.gateway.to_poll = [PENDING]
        noted = await program.console.sell.note(await program.draft())
        task = asyncio.get_running_loop().create_task(program.console.sell.carry_out(noted))
        await turns()
        task.cancel()
        await asyncio.wait([task])
        self.bench.gateway.to_poll = [DONE]
        sale = await self.bench.journal.sale(noted.reference)
        assert sale.stage is SaleStage.ACCEPTED
        return sale

    def end_the_other(self) -> None:
        assert isinstance(self.other.owners, FakeOwners)
        self.other.owners.running.discard(self.other.owners.me)

    async def outcome(self, sale: Sale) -> Outcome | None:
        return (await self.bench.journal.sale(sale.reference)).outcome


@pytest.fixture
async def shop(qtbot: QtBot) -> AsyncIterator[Shop]:
    faults: list[str] = []
    supervisor = LooplessSupervisor(lambda task, _error: faults.append(task))
    stage = await make_stage(qtbot.addWidget, supervisor)
    bench = stage.bench
    other = Bench(
        bench.clock,
        bench.keystore,
        bench.gateway,
        owners=FakeOwners("program-2", bench.owners.running),
        journal_to_share=bench.journal,
    )
    yield Shop(stage, other, faults)
    await supervisor.close()


async def test_a_sale_of_a_program_that_ended_meanwhile_is_followed_and_shown(shop: Shop) -> None:
    shop.watch()
    sale = await shop.sell_in(shop.other)
    await shop.bench.clock.advance(10 * EVERY_S)
    assert (await shop.outcome(sale), shop.told) == (None, [])  # its program runs

    shop.end_the_other()
    await shop.bench.clock.advance(A_ROUND_S)
    assert await shop.outcome(sale) is Outcome.APPROVED
    assert shop.told == ["One sale was left unfinished and is being followed again."]
    shop.stage.panel._feed.flush()
    assert shop.stage.panel.recent.model().number(sale.reference) == 0
    assert len(shop.bench.gateway.posts) == 1


async def test_an_own_sale_that_no_task_is_at_is_followed_again(shop: Shop) -> None:
    shop.watch()
    sale = await shop.sell_in(shop.bench)
    await shop.bench.clock.advance(A_ROUND_S)
    assert await shop.outcome(sale) is Outcome.APPROVED
    assert len(shop.bench.gateway.posts) == 1


async def test_a_sale_under_way_is_not_taken_up(shop: Shop) -> None:
    shop.watch()
    shop.bench.gateway.to_poll = [PENDING]
    await shop.stage.send()
    await shop.bench.clock.advance(5 * EVERY_S)
    (sale,) = await shop.stage.sales()
    details = [event.detail for event in await shop.bench.console.timeline(sale.reference)]
    assert (sale.verdict, shop.told) == (None, [])
    assert "taken up" not in details


async def test_a_following_that_fails_by_a_fault_is_tried_again_now_and_then(shop: Shop) -> None:
    gateway, asked = shop.bench.gateway, 0

    async def broken(_caller: Caller, _order: SaleOrder, _request_id: str) -> StatusReading:
        nonlocal asked
        asked += 1
        raise RuntimeError("a fault")

    sale = await shop.sell_in(shop.bench)
    well, gateway.sale_status = gateway.sale_status, broken  # type: ignore[method-assign]  # for a while
    shop.watch()
    await shop.bench.clock.advance(AN_HOUR_S)
    assert 3 <= asked <= 9
    assert len(shop.faults) == asked
    assert shop.told == ["One sale was left unfinished and is being followed again."]

    gateway.sale_status = well  # type: ignore[method-assign]  # as before
    await shop.bench.clock.advance(AN_HOUR_S)
    assert await shop.outcome(sale) is Outcome.APPROVED


async def test_a_journal_that_fails_is_told_once_and_tried_again(shop: Shop) -> None:
    sale = await shop.sell_in(shop.bench)
    shop.bench.journal.failure = JournalBusy()
    shop.watch()
    await shop.bench.clock.advance(10 * EVERY_S)
    assert [type(error) for error in shop.stage.failures] == [JournalBusy]

    shop.bench.journal.failure = None
    await shop.bench.clock.advance(A_ROUND_S)
    assert await shop.outcome(sale) is Outcome.APPROVED


async def test_a_claim_that_cannot_be_written_is_told_once_and_tried_at_the_next_round(shop: Shop) -> None:
    sales = [await shop.sell_in(shop.bench) for _ in range(3)]
    journal, advance = shop.bench.journal, shop.bench.journal.advance_sale

    async def busy(*_given: object, **_more: object) -> Sale:
        raise JournalBusy

    journal.advance_sale = busy  # type: ignore[method-assign]  # it can be read
    shop.watch()
    await shop.bench.clock.advance(10 * EVERY_S)
    assert [type(error) for error in shop.stage.failures] == [JournalBusy]

    journal.advance_sale = advance  # type: ignore[method-assign]  # as before
    await shop.bench.clock.advance(A_ROUND_S)
    assert {await shop.outcome(sale) for sale in sales} == {Outcome.APPROVED}
    assert not shop.faults
