"""Selling on many devices: how many at once, in which order, what stops a run, what survives it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest

from fakes.clock import turns
from fakes.scripted_gateway import APPROVED, PENDING
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.csv_lists import DeviceRow
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, JournalUnwritable, NotSent
from keybench.core.events import SaleChanged
from keybench.core.input_errors import AmountOverLimit, KeyKindUnfit, LiveBarred, LiveNotConfirmed
from keybench.core.keys.key import KeyKind
from keybench.core.money import Money
from keybench.core.ports import SaleOrder
from keybench.core.sales.sale import Mark, Outcome, Verdict
from keybench.workflows.batch import RowState
from keybench.workflows.sales.batch import SaleBatch


def rows(*devices: str, amount: str = "10.00") -> list[DeviceRow]:
    return [DeviceRow(n, device, Money(Decimal(amount), "USD")) for n, device in enumerate(devices, 1)]


async def run_of(
    bench: Bench,
    wanted: list[DeviceRow],
    *,
    at_once: int = 5,
    environment: Environment | None = None,
    kind: KeyKind = KeyKind.PRIVATE,
    confirmed: bool = False,
    changes: list[int] | None = None,
) -> SaleBatch:
    where = environment or await bench.practice_environment()
    key = await bench.add_key(where, kind=kind)
    told = [] if changes is None else changes
    return SaleBatch(
        bench.console.sell,
        bench.clock,
        wanted,
        told.append,
        environment_id=where.id,
        key_id=key.id,
        at_once=at_once,
        confirmed=confirmed,
    )


class Door:
    """Holds every sale at the gateway until it is let through, and sees how many wait there."""

    def __init__(self, bench: Bench) -> None:
        self.waiting: list[str] = []
        self.most = 0
        self.seen: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}
        bench.gateway.before_post = self.hold

    async def hold(self, order: SaleOrder) -> None:
        assert order.device not in self.waiting, "two sales on one device"
        self.waiting.append(order.device)
        self.seen.append(order.device)
        self.most = max(self.most, len(self.waiting))
        gate = self._gates[order.device] = asyncio.Event()
        await gate.wait()
        self.waiting.remove(order.device)

    def open(self, device: str) -> None:
        self._gates[device].set()

    async def open_all(self, bench: Bench, ended: asyncio.Task[object]) -> None:
        while not ended.done():
            for device in list(self.waiting):
                self.open(device)
            await bench.clock.advance(bench.clock.next_due_s or 0.0)


async def test_every_row_is_sold_once_and_told_in_order(bench: Bench) -> None:
    changes: list[int] = []
    run = await run_of(bench, rows(*(f"D-{n}" for n in range(12))), changes=changes)
    results = await bench.carry(run.carry_out())
    assert [result.row.line for result in results] == list(range(1, 13))
    assert {result.outcome for result in results} == {Outcome.APPROVED}
    assert Counter(changes) == dict.fromkeys(range(12), 3)
    assert sorted(order.device for order in bench.gateway.posts) == sorted(f"D-{n}" for n in range(12))
    assert len({order.reference for order in bench.gateway.posts}) == 12
    assert len(await bench.journal.sales(None, 100)) == 12
    assert (run.done, run.count(Outcome.APPROVED), run.time_left_s) == (12, 12, 0.0)
    took_s = run.elapsed_s
    await bench.clock.advance(60)
    assert run.elapsed_s == took_s > 0


async def test_no_more_than_allowed_are_under_way_and_one_on_a_device(bench: Bench) -> None:
    door = Door(bench)
    run = await run_of(bench, rows("a", "a", "a", "b", "c", "d", "a"), at_once=3)
    task = asyncio.get_running_loop().create_task(run.carry_out())
    await until(lambda: len(door.waiting) == 3)
    await turns()
    assert door.waiting == ["a", "b", "c"]
    assert run.under_way == 3
    await door.open_all(bench, task)
    results = await task
    assert door.most == 3
    assert door.seen.count("a") == 4
    assert {result.outcome for result in results} == {Outcome.APPROVED}


async def test_stop_finishes_what_is_under_way_and_starts_no_more(bench: Bench) -> None:
    door = Door(bench)
    run = await run_of(bench, rows("a", "b", "c", "d"), at_once=2)
    task = asyncio.get_running_loop().create_task(run.carry_out())
    await until(lambda: len(door.waiting) == 2)
    run.stop()
    assert run.is_stopping
    await door.open_all(bench, task)
    results = await task
    assert [result.state for result in results] == [
        *(RowState.ENDED, RowState.ENDED, RowState.LEFT, RowState.LEFT)
    ]
    assert [order.device for order in bench.gateway.posts] == ["a", "b"]
    assert len(await bench.journal.sales(None, 100)) == 2
    assert (run.left, run.done) == (2, 4)


async def test_a_row_that_fails_leaves_the_others_alone(bench: Bench) -> None:
    declined = Verdict(Outcome.DECLINED, status=200, transaction_id="9")
    bench.gateway.to_post = [declined, AnswerLost("timeout"), NotSent("connection refused"), APPROVED]
    run = await run_of(bench, rows("a", "b", "c", "d", "e"), at_once=1)
    results = await bench.carry(run.carry_out())
    assert [result.outcome for result in results] == [
        *(Outcome.DECLINED, Outcome.UNKNOWN, Outcome.NOT_SENT, Outcome.APPROVED, Outcome.APPROVED)
    ]
    assert len(bench.gateway.posts) == 5


async def test_a_row_that_another_program_took_over_is_told_and_the_others_go_on(bench: Bench) -> None:
    def take_over(change: SaleChanged) -> None:
        if change.event.mark is Mark.NOTED and change.sale.device == "b":
            taken = bench.journal.advance_sale(
                change.sale.reference, lambda stored: replace(stored, owner="program-2"), [], []
            )
            with pytest.raises(StopIteration):  # the memory needs no turn of the loop
                taken.send(None)

    bench.events.subscribe(SaleChanged, take_over)
    run = await run_of(bench, rows("a", "b", "c"), at_once=1)
    results = await bench.carry(run.carry_out())
    assert [result.outcome for result in results] == [Outcome.APPROVED, Outcome.UNKNOWN, Outcome.APPROVED]
    assert {result.state for result in results} == {RowState.ENDED}
    assert results[1].sale is not None
    assert results[1].sale.verdict is None
    assert [order.device for order in bench.gateway.posts] == ["a", "c"]


async def test_a_key_forgotten_on_the_way_leaves_the_rest_not_sent(bench: Bench) -> None:
    run = await run_of(bench, rows("a", "b"), at_once=1)
    (key,) = await bench.journal.keys("practice")

    async def forget(_order: SaleOrder) -> None:
        await bench.journal.remove_key(key.id)

    bench.gateway.to_post = [APPROVED]
    bench.gateway.before_post = forget
    results = await bench.carry(run.carry_out())
    assert [result.outcome for result in results] == [Outcome.APPROVED, Outcome.NOT_SENT]
    assert results[1].sale is None
    assert len(bench.gateway.posts) == 1


async def test_a_journal_that_fails_starts_no_more_sales(bench: Bench) -> None:
    run = await run_of(bench, rows("a", "b", "c", "d"), at_once=2)

    async def fill_the_disk(order: SaleOrder) -> None:
        bench.journal.failure = JournalUnwritable("/data", "no space left")

    bench.gateway.before_post = fill_the_disk
    results = await bench.carry(run.carry_out())
    assert isinstance(run.trouble, JournalUnwritable)
    assert len(bench.gateway.posts) <= 2
    assert [result.outcome for result in results[2:]] == [Outcome.NOT_SENT] * 2
    assert {result.outcome for result in results[:2]} <= {Outcome.APPROVED, Outcome.NOT_SENT}
    assert len(bench.console.log.pending.sales) >= 1
    assert run.left >= 1


async def test_a_run_that_is_cancelled_leaves_its_sales_to_be_taken_up(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING]
    run = await run_of(bench, rows("a", "b", "c"), at_once=2)
    task = asyncio.get_running_loop().create_task(run.carry_out())
    await bench.clock.advance(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(await bench.journal.unfinished_sales()) == 2
    assert len(bench.gateway.posts) == 2


# --- guards ---------------------------------------------------------------------------------------


async def test_live_needs_the_whole_run_confirmed(bench: Bench) -> None:
    shop = await bench.add("Shop", EnvironmentKind.LIVE)
    run = await run_of(bench, rows("a", "b"), environment=shop)
    with pytest.raises(LiveNotConfirmed):
        await run.check()
    results = await bench.carry(run.carry_out())
    assert {type(result.error) for result in results} == {LiveNotConfirmed}
    assert not bench.gateway.posts


async def test_a_confirmed_live_run_sells(bench: Bench) -> None:
    shop = await bench.add("Shop", EnvironmentKind.LIVE)
    run = await run_of(bench, rows("a", "b"), environment=shop, confirmed=True)
    await run.check()
    await bench.carry(run.carry_out())
    assert len(bench.gateway.posts) == 2


async def test_live_is_barred_while_keys_are_in_memory_only(bench: Bench) -> None:
    bench.keystore.durable = False
    shop = await bench.add("Shop", EnvironmentKind.LIVE)
    run = await run_of(bench, rows("a"), environment=shop, confirmed=True)
    with pytest.raises(LiveBarred):
        await run.check()


async def test_a_public_key_is_told_before_anything_is_noted(bench: Bench) -> None:
    run = await run_of(bench, rows("a"), kind=KeyKind.PUBLIC)
    with pytest.raises(KeyKindUnfit):
        await run.check()
    assert not await bench.journal.sales(None, 10)


async def test_the_amount_limit_is_held_against_the_highest_row(bench: Bench) -> None:
    shop = await bench.console.environments.add(
        "Shop", EnvironmentKind.LIVE, "https://gateway.example", limit="50"
    )
    wanted = [*rows("a", "b"), *rows("c", amount="50.01")]
    run = await run_of(bench, wanted, environment=shop, confirmed=True)
    with pytest.raises(AmountOverLimit):
        await run.check()
