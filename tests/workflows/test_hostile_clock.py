"""Selling while the wall clock jumps, the key dies and the keystore closes: each ends in a told state."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from fakes.clock import MovedClock, turns
from fakes.scripted_gateway import APPROVED, DONE, PENDING
from fakes.world import Bench, FakeOwners
from keybench.core.environment import EnvironmentKind
from keybench.core.errors import KeyRefused, KeystoreLocked
from keybench.core.outcome import Outcome
from keybench.core.ports import StatusReading
from keybench.core.sale import Sale
from keybench.words.outcomes import explain_sale

DAY = timedelta(days=1)
JUMPS = pytest.mark.parametrize("jump", [DAY, -DAY, timedelta(days=4000), -timedelta(days=4000)])
UNAUTHORISED = KeyRefused("unauthorised", status=401, message="Specified API key not found")


class JumpingClock(MovedClock):
    """A clock whose time of day somebody sets while its monotonic side goes on.

    Attributes:
        set_by: By how much the time of day was set.
    """

    def __init__(self) -> None:
        super().__init__()
        self.set_by = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.set_by


async def jumping() -> tuple[Bench, JumpingClock]:
    clock = JumpingClock()
    bench = Bench(clock)
    await bench.journal.open()
    return bench, clock


async def under_way(bench: Bench) -> tuple[Sale, asyncio.Task[Sale]]:
    """Have a sale accepted and followed."""
    bench.gateway.to_poll = [PENDING]
    noted = await bench.console.sell.note(await bench.draft())
    task = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    await turns()
    await bench.clock.advance(5.0)
    return noted, task


def next_program(bench: Bench) -> Bench:
    bench.owners.running.discard(bench.owners.me)
    owners = FakeOwners("program-2", bench.owners.running)
    return Bench(bench.clock, bench.keystore, bench.gateway, owners=owners, journal_to_share=bench.journal)


async def ended(bench: Bench, task: asyncio.Task[Sale]) -> Sale:
    async def wait() -> Sale:
        return await task

    return await bench.carry(wait())


@JUMPS
async def test_a_clock_that_is_set_while_following_changes_nothing_about_it(jump: timedelta) -> None:
    bench, clock = await jumping()
    _, task = await under_way(bench)
    clock.set_by = jump
    await bench.clock.advance(60.0)
    assert not task.done()
    bench.gateway.to_poll = [DONE]
    sale = await ended(bench, task)
    assert sale.outcome is Outcome.APPROVED
    assert sale.elapsed_s is not None
    assert sale.elapsed_s >= 0.0
    assert len(bench.gateway.posts) == 1


@JUMPS
async def test_a_sale_without_end_is_given_up_when_its_time_is_over_by_any_clock(jump: timedelta) -> None:
    bench, clock = await jumping()
    _, task = await under_way(bench)
    clock.set_by = jump
    sale = await ended(bench, task)
    assert sale.outcome is Outcome.UNKNOWN
    assert 300.0 <= bench.clock.monotonic() <= 700.0


@JUMPS
async def test_a_sale_is_taken_up_whatever_the_clock_says_by_then(jump: timedelta) -> None:
    bench, clock = await jumping()
    noted, task = await under_way(bench)
    task.cancel()
    await turns()
    clock.set_by = jump
    later = next_program(bench)
    bench.gateway.to_poll = [PENDING, DONE]
    taken_up = await later.carry(later.console.resume.take_up(await bench.journal.sale(noted.reference)))
    assert taken_up.outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1


async def test_a_clock_set_back_settles_nothing_too_early() -> None:
    bench, clock = await jumping()
    noted = await bench.console.sell.note(await bench.draft())
    later = next_program(bench)
    unknown = await later.console.resume.take_up(noted)
    clock.set_by = -DAY
    await clock.advance(400.0)
    assert (await later.console.resume.look_up(unknown)).outcome is Outcome.UNKNOWN


async def test_a_key_deleted_between_accept_and_outcome_leaves_it_unknown_until_somebody_can_ask() -> None:
    bench, _ = await jumping()
    _, task = await under_way(bench)
    bench.gateway.to_poll = [UNAUTHORISED]
    sale = await ended(bench, task)
    assert sale.verdict is not None
    assert (sale.outcome, sale.verdict.status) == (Outcome.UNKNOWN, 401)
    assert sale.verdict.message == UNAUTHORISED.message
    assert "look" in str(explain_sale(sale, EnvironmentKind.TEST)).lower()
    bench.gateway.to_poll = [StatusReading("interactionComplete", APPROVED, sale.request_id)]
    assert (await bench.carry(bench.console.resume.look_up(sale))).outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1


async def test_one_401_in_the_middle_of_polling_is_borne() -> None:
    bench, _ = await jumping()
    _, task = await under_way(bench)
    bench.gateway.to_poll = [UNAUTHORISED, PENDING, UNAUTHORISED, DONE]
    assert (await ended(bench, task)).outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1


async def test_a_keystore_that_closes_after_the_send_does_not_lose_the_sale() -> None:
    bench, _ = await jumping()

    async def lock(_order: object) -> None:
        bench.keystore.failure = KeystoreLocked()

    bench.gateway.before_post = lock
    noted = await bench.console.sell.note(await bench.draft())
    sale = await bench.carry(bench.console.sell.carry_out(noted))
    if sale.outcome is Outcome.UNKNOWN:  # the value was to be read again
        assert sale.request_id
        bench.keystore.failure = None
        sale = await bench.carry(bench.console.resume.look_up(sale))
    assert sale.outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1
