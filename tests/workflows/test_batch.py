"""A batch: whose turn it is, and what is counted."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.clock import START, MovedClock
from fakes.world import Bench
from keybench.core.csv_lists import DeviceRow
from keybench.core.errors import JournalBusy
from keybench.core.input_errors import NotFound
from keybench.core.money import Money
from keybench.core.sales.sale import Outcome, Sale, SaleMode, SaleStage, Verdict
from keybench.workflows.batch import RowState
from keybench.workflows.sales.batch import SaleBatch

TEN = Money(Decimal("10.00"), "USD")


def batch_of(rows: int, clock: MovedClock | None = None) -> SaleBatch:
    devices = [DeviceRow(line, f"till-{line}", TEN) for line in range(1, rows + 1)]
    changes: list[int] = []
    sell = Bench().console.sell
    clock = clock or MovedClock()
    return SaleBatch(sell, clock, devices, changes.append, environment_id="practice", key_id="k")


def sale(outcome: Outcome | None = None) -> Sale:
    noted = Sale(
        "KB-1", "practice", "k", "Till", "till-1", TEN, SaleMode.ASYNCHRONOUS, SaleStage.NOTED, START
    )
    return replace(noted, verdict=Verdict(outcome)) if outcome else noted


# --- turns ----------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(1, 6), st.randoms(use_true_random=False))
def test_every_row_has_its_turn_in_order_and_never_beside_its_devices_other_rows(
    devices: list[str], lanes: int, chance: random.Random
) -> None:
    batch, taken, busy = batch_of(0), list[int](), list[int]()
    batch._resources, batch._waiting = devices, dict(enumerate(devices))
    while True:
        while len(busy) < lanes and (index := batch._take()) is not None:
            assert devices[index] not in {devices[other] for other in busy}
            free = (i for i in range(index) if devices[i] not in {devices[other] for other in busy})
            assert set(free) <= set(taken), "the earliest that may"
            busy.append(index)
            taken.append(index)
        if not busy:
            break
        batch._busy.discard(devices[busy.pop(chance.randrange(len(busy)))])
    assert sorted(taken) == list(range(len(devices)))


# --- counting -------------------------------------------------------------------------------------


def test_outcomes_and_what_is_under_way_are_counted() -> None:
    batch = batch_of(6)
    for index in range(5):
        batch._put(index, state=RowState.UNDER_WAY)
    for index in range(4):
        batch._put(index, result=sale())
    batch._put(0, result=sale(Outcome.APPROVED), state=RowState.ENDED)
    batch._put(1, result=sale(Outcome.DECLINED), state=RowState.ENDED)
    batch._put(2, error=JournalBusy(), state=RowState.FAILED)
    batch._put(4, error=NotFound("key", "Till"), state=RowState.FAILED)
    assert (batch.done, batch.under_way, batch.waiting, batch.total) == (4, 1, 1, 6)
    batch._put(5, state=RowState.LEFT)
    assert (batch.done, batch.left) == (5, 1)
    counted = {outcome: batch.count(outcome) for outcome in Outcome if batch.count(outcome)}
    assert counted == {
        Outcome.APPROVED: 1,
        Outcome.DECLINED: 1,
        Outcome.UNKNOWN: 1,
        Outcome.NOT_SENT: 1,
    }
    assert [row.outcome for row in batch.rows] == [
        *(Outcome.APPROVED, Outcome.DECLINED, Outcome.UNKNOWN, None, Outcome.NOT_SENT, Outcome.NOT_SENT)
    ]


async def test_time_left_follows_from_what_was_done() -> None:
    clock = MovedClock()
    batch = batch_of(8, clock)
    batch._began = clock.monotonic()
    await clock.advance(3.0)
    assert batch.time_left_s is None, "nobody can tell before a row has ended"
    for index in range(2):
        batch._put(index, state=RowState.UNDER_WAY)
        batch._put(index, result=sale(Outcome.APPROVED), state=RowState.ENDED)
    await clock.advance(1.0)
    assert batch.time_left_s == 12.0
    batch._put(2, state=RowState.UNDER_WAY)
    assert batch.time_left_s == pytest.approx(4.0 / 2.5 * 5.5), "what is under way is half done"
    for index in range(2, 8):
        batch._put(index, result=sale(Outcome.APPROVED), state=RowState.ENDED)
    assert batch.time_left_s == 0.0
    batch.stop()
    assert batch.time_left_s is None


async def test_time_left_is_not_hours_where_the_first_of_hundreds_has_ended() -> None:
    clock = MovedClock()
    batch = batch_of(500, clock)
    batch._began = clock.monotonic()
    for index in range(500):
        batch._put(index, state=RowState.UNDER_WAY)
    await clock.advance(14.0)
    batch._put(0, result=sale(Outcome.APPROVED), state=RowState.ENDED)
    assert batch.time_left_s == pytest.approx(14.0, rel=0.01)
