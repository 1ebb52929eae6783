"""What is past its age goes by itself, once a day; how old that is can be chosen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta

import pytest

from contracts.journal_samples import NOW
from contracts.retention_contract import sold
from fakes.world import Bench
from keybench.core.events import OlderDeleted
from keybench.core.sales.sale import Outcome
from keybench.workflows.sales.retention import SETTING, Keeping, Retention

DAY_S = 24 * 3600.0


@pytest.fixture
async def retention(bench: Bench) -> Retention:
    await sold(bench.journal, "KB-1", 0, Outcome.APPROVED)
    await sold(bench.journal, "KB-2", 60 * 24 * 50, Outcome.APPROVED)
    bench.clock.move((NOW - bench.clock.now()).total_seconds())
    return Retention(bench.console.world)


@pytest.fixture
async def told(bench: Bench) -> list[OlderDeleted]:
    told: list[OlderDeleted] = []
    bench.events.subscribe(OlderDeleted, told.append)
    return told


@pytest.fixture
async def by_age(bench: Bench, retention: Retention) -> AsyncIterator[None]:
    """It goes by age from the middle of the 90th day on."""
    bench.clock.move(89.5 * DAY_S)
    task = asyncio.get_running_loop().create_task(retention.go_by_age())
    await bench.clock.advance(1)
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def left(bench: Bench) -> dict[str, int]:
    """Return how many exchanges each sale has that is left."""
    sales = await bench.journal.sales(None, 9)
    return {one.reference: len(await bench.journal.exchanges(one.reference)) for one in sales}


@pytest.mark.usefixtures("by_age")
async def test_exchanges_are_kept_for_90_days_and_sales_for_ever(
    bench: Bench, told: list[OlderDeleted]
) -> None:
    assert await left(bench) == {"KB-2": 1, "KB-1": 1}
    assert not told
    await bench.clock.advance(1.5 * DAY_S)
    assert await left(bench) == {"KB-2": 1, "KB-1": 0}
    assert len(told) == 1
    await bench.clock.advance(50 * DAY_S)
    assert await left(bench) == {"KB-2": 0, "KB-1": 0}
    assert [line.action for line in await bench.journal.activities(9)] == []


@pytest.mark.usefixtures("by_age")
async def test_other_ages_count_from_the_next_day_on(bench: Bench, retention: Retention) -> None:
    await retention.keep(Keeping(30, 60))
    assert await retention.keeping() == Keeping(30, 60)
    await bench.clock.advance(1.5 * DAY_S)
    assert await left(bench) == {"KB-2": 0}
    (line,) = await bench.journal.activities(9)
    assert (line.action, line.result) == ("retention changed", "30 60")


@pytest.mark.parametrize("stored", ["x y", "90", "1 2 3", "-1 0"])
async def test_an_age_that_can_not_be_read_deletes_nothing(
    bench: Bench, retention: Retention, stored: str
) -> None:
    await bench.journal.update_setting(SETTING, lambda _: stored)
    assert await retention.keeping() == Keeping(0, 0)


async def test_what_is_deleted_by_a_person_is_in_the_activity(
    bench: Bench, retention: Retention, told: list[OlderDeleted]
) -> None:
    before = NOW + timedelta(days=1)
    await retention.delete(before, with_sales=False)
    assert await left(bench) == {"KB-2": 1, "KB-1": 0}
    await retention.delete(before, with_sales=True)
    assert await left(bench) == {"KB-2": 1}
    await retention.delete(before, with_sales=True)
    lines = [(line.action, line.subject, line.result) for line in await bench.journal.activities(9)]
    day = f"{before.astimezone():%Y-%m-%d}"
    assert lines == [("older sales deleted", day, "1"), ("older exchanges deleted", day, "1")]
    assert len(told) == 2


async def test_others_have_their_turn_between_two_steps(bench: Bench, retention: Retention) -> None:
    steps = 3

    async def delete_older(*_: object, **__: object) -> bool:
        nonlocal steps
        steps -= 1
        return steps > 0

    bench.journal.delete_older = delete_older  # type: ignore[method-assign]
    began = bench.clock.monotonic()
    await bench.carry(retention.delete(NOW + timedelta(days=1), with_sales=True))
    assert bench.clock.monotonic() - began == pytest.approx(2 * 0.15)
