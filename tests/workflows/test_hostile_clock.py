"""Selling while the wall clock jumps, the key dies and the keystore closes: each ends in a told state."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from fakes.clock import JumpingClock, turns
from fakes.scripted_gateway import APPROVED, DONE, PENDING
from fakes.world import Bench
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import AnswerLost, KeyRefused
from keybench.core.ports import StatusReading
from keybench.core.sales.sale import Outcome, Sale
from keybench.words.sales.outcomes import explain_sale
from keybench.workflows.sales.resume import NEVER_RECEIVED_AFTER_S

DAY = timedelta(days=1)
JUMPS = pytest.mark.parametrize("jump", [DAY, -DAY, timedelta(days=4000), -timedelta(days=4000)])
UNAUTHORISED = KeyRefused("unauthorised", status=401, message="Specified API key not found")


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
    return bench.next_program()


async def lost(bench: Bench) -> Sale:
    """Have a sale's answer lost."""
    bench.gateway.to_post = [AnswerLost("timeout")]
    noted = await bench.console.sell.note(await bench.draft())
    return await bench.carry(bench.console.sell.carry_out(noted))


async def settles_only_in_time(bench: Bench, unknown: Sale) -> None:
    """Look a sale up that the gateway doesn't know: it is open until the time for it has really passed."""
    assert unknown.outcome is Outcome.UNKNOWN
    for passing_s, outcome in (
        (0.0, Outcome.UNKNOWN),
        (NEVER_RECEIVED_AFTER_S - 1.0, Outcome.UNKNOWN),
        (1.0, Outcome.NOT_SENT),
    ):
        await bench.clock.advance(passing_s)
        assert (await bench.console.resume.look_up(unknown)).outcome is outcome


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
    taken_up = await later.carry(later.console.resume.resume(await bench.journal.sale(noted.reference)))
    assert taken_up.outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1


@JUMPS
async def test_a_clock_that_is_set_while_a_sale_is_on_its_way_settles_nothing_too_early(
    jump: timedelta,
) -> None:
    bench, clock = await jumping()

    async def lose_it(_order: object) -> None:
        clock.set_by = jump
        raise AnswerLost("timeout")

    bench.gateway.before_post = lose_it
    noted = await bench.console.sell.note(await bench.draft())
    unknown = await bench.carry(bench.console.sell.carry_out(noted))
    await settles_only_in_time(bench, unknown)


@JUMPS
async def test_a_clock_that_is_set_after_an_answer_was_lost_settles_nothing_too_early(
    jump: timedelta,
) -> None:
    bench, clock = await jumping()
    unknown = await lost(bench)
    clock.set_by = jump
    await settles_only_in_time(bench, unknown)


@JUMPS
async def test_what_is_taken_up_under_another_time_of_day_settles_nothing_too_early(
    jump: timedelta,
) -> None:
    bench, clock = await jumping()
    noted = await bench.console.sell.note(await bench.draft())
    await bench.console.log.sent(noted, "https://gateway.example")
    clock.set_by = jump
    later = next_program(bench)
    await settles_only_in_time(later, await later.console.resume.resume(noted))


@JUMPS
async def test_a_clock_that_is_set_between_two_runs_settles_nothing_too_early(
    jump: timedelta,
) -> None:
    bench, clock = await jumping()
    clock.set_by = jump
    unknown = await lost(bench)
    clock.set_by = jump * 2
    later = next_program(bench)
    await settles_only_in_time(later, unknown)


async def test_what_another_run_told_counts_from_this_ones_first_look() -> None:
    bench, clock = await jumping()
    unknown = await lost(bench)
    later = next_program(bench)
    await clock.advance(NEVER_RECEIVED_AFTER_S)
    await settles_only_in_time(later, unknown)


async def test_a_sale_that_becomes_unknown_again_counts_anew() -> None:
    bench, clock = await jumping()
    unknown = await lost(bench)
    await clock.advance(NEVER_RECEIVED_AFTER_S - 1.0)
    bench.gateway.to_look_up = [StatusReading("pending", None, "PR-9"), None]
    bench.gateway.to_poll = [UNAUTHORISED]
    again = await bench.carry(bench.console.resume.look_up(unknown))
    assert again.outcome is Outcome.UNKNOWN
    assert bench.console.resume._unknown_since.seconds(again) < NEVER_RECEIVED_AFTER_S - 1.0


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
