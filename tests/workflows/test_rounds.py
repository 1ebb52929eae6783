"""Rounds: many who wait are woken with one timer, never early, and nobody waits for whoever was cancelled."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from fakes.clock import MovedClock
from keybench.workflows.sales.follow import STEP_S, PollRounds


async def turn() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_those_due_in_the_same_step_share_a_timer() -> None:
    clock = MovedClock()
    rounds = PollRounds(clock)
    async with asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(rounds.sleep(1 - STEP_S * (number + 1) / 52))
        await turn()
        assert clock.sleepers == 1
        await clock.advance(1.0)


async def test_whoever_wakes_the_others_may_be_cancelled() -> None:
    clock = MovedClock()
    rounds = PollRounds(clock)
    woken: list[int] = []

    async def sleeper(number: int) -> None:
        await rounds.sleep(1.0)
        woken.append(number)

    async with asyncio.TaskGroup() as group:
        first, *_others, last = [group.create_task(sleeper(number)) for number in range(4)]
        await turn()
        first.cancel()
        last.cancel()
        await turn()
        assert clock.sleepers == 1
        assert woken == []
        await clock.advance(1.0)
    assert sorted(woken) == [1, 2]


@given(st.lists(st.floats(0, 30), min_size=1, max_size=20), st.floats(0, 1000))
def test_nobody_wakes_early_nor_more_than_a_step_late(pauses: list[float], began_s: float) -> None:
    async def run() -> dict[float, float]:
        clock = MovedClock()
        clock.move(began_s)
        rounds, woke = PollRounds(clock), dict[float, float]()

        async def sleeper(pause: float) -> None:
            await rounds.sleep(pause)
            woke[pause] = clock.monotonic() - began_s

        async with asyncio.TaskGroup() as group:
            for pause in pauses:
                group.create_task(sleeper(pause))
            await turn()
            while (due_s := clock.next_due_s) is not None:
                await clock.advance(due_s)
                await turn()
        return woke

    for pause, slept_s in asyncio.run(run()).items():
        assert pause - 1e-6 <= slept_s <= pause + STEP_S + 1e-6
