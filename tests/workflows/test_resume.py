"""Taking up what an earlier run left, and asking again about what nobody could tell."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete

from fakes.clock import turns
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import APPROVED, DONE, PENDING
from fakes.slow import Slow
from fakes.waiting import until
from fakes.world import FIRST_S, Bench, build_world
from keybench.core.environments.environment import Environment
from keybench.core.errors import (
    AnswerLost,
    GatewayError,
    GatewayFailed,
    JournalBusy,
    JournalUnwritable,
    KeystoreLocked,
    NotSent,
)
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.input_errors import NotFound
from keybench.core.ports import StatusReading
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleStage, Verdict
from keybench.journal.tables import sale_exchanges
from keybench.workflows.console import Console
from keybench.workflows.sales.resume import NEVER_RECEIVED_AFTER_S, SENT_WITHIN_S

DECLINED = Verdict(Outcome.DECLINED, status=200)


async def left_noted(bench: Bench) -> Sale:
    """Note a sale and end the program before it is sent."""
    sale = await bench.console.sell.note(await bench.draft())
    bench.owners.running.discard(bench.owners.me)
    return sale


async def left_accepted(bench: Bench, *, after_s: float = 0.0) -> Sale:
    """Have a sale accepted, end the program, and let time pass."""
    bench.gateway.to_poll = [PENDING]
    noted = await bench.console.sell.note(await bench.draft())
    task = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    await turns()
    task.cancel()
    await turns()
    bench.owners.running.discard(bench.owners.me)
    bench.gateway.to_poll = [DONE]
    await bench.clock.advance(after_s)
    stored = await bench.journal.sale(noted.reference)
    assert stored.stage is SaleStage.ACCEPTED
    return stored


async def left_unknown(bench: Bench, where: Environment | None = None) -> Sale:
    bench.gateway.to_post = [AnswerLost("timeout")]
    noted = await bench.console.sell.note(await bench.draft(environment=where))
    return await bench.carry(bench.console.sell.carry_out(noted))


async def test_an_intent_that_was_never_marked_as_sent_was_not_sent(bench: Bench) -> None:
    sale = await left_noted(bench)
    later = bench.next_program()
    ended = await later.carry(later.console.resume.resume(sale))
    assert ended.verdict == Verdict(Outcome.NOT_SENT, reason="ended before it was sent")
    assert not bench.gateway.posts
    assert not await later.console.resume.orphans()
    # The program that noted it was only frozen, and goes on now: it sends nothing any more.
    assert await bench.console.sell.carry_out(sale) == ended
    assert not bench.gateway.posts


async def test_an_intent_without_an_answer_becomes_unknown_and_is_not_sent(bench: Bench) -> None:
    sale = await left_noted(bench)
    await bench.console.log.sent(sale, "https://gateway.example")
    later = bench.next_program()
    assert [one.reference for one in await later.console.resume.orphans()] == [sale.reference]
    ended = await later.carry(later.console.resume.resume(sale))
    assert ended.verdict == Verdict(Outcome.UNKNOWN, reason="ended before the answer")
    assert not bench.gateway.posts
    assert not await later.console.resume.orphans()


@pytest.mark.parametrize("after_s", [0.0, 60.0, 100_000.0])
async def test_an_accepted_sale_is_asked_for_at_once_however_late(bench: Bench, after_s: float) -> None:
    sale = await left_accepted(bench, after_s=after_s)
    later = bench.next_program()
    began = bench.clock.monotonic()
    ended = await later.carry(later.console.resume.resume(sale))
    assert ended.outcome is Outcome.APPROVED
    assert bench.clock.monotonic() - began <= FIRST_S + 0.01
    assert len(bench.gateway.posts) == 1


async def test_a_sale_that_another_running_program_follows_is_left_alone(bench: Bench) -> None:
    sale = await bench.console.sell.note(await bench.draft())
    other = bench.next_program()
    assert not await other.console.resume.orphans()
    assert (await other.carry(other.console.resume.resume(sale))).verdict is None
    assert (await bench.journal.sale(sale.reference)).owner == bench.owners.me


@pytest.mark.parametrize("ends", [False, True])
async def test_a_sale_that_another_desk_takes_over_is_polled_there_alone(bench: Bench, *, ends: bool) -> None:
    """If that desk's program ends, the one that followed before goes on."""
    bench.gateway.to_poll = [PENDING]
    noted = await bench.console.sell.note(await bench.draft())
    carried = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    await turns()
    later = bench.next_program()
    accepted = await bench.journal.sale(noted.reference)
    taken = asyncio.get_running_loop().create_task(later.console.resume.resume(accepted, take_over=True))
    await turns()
    stored = await bench.journal.sale(noted.reference)
    assert stored.owner == later.owners.me
    bench.events.publish(SaleChanged(stored, (await bench.journal.sale_events(noted.reference))[-1]))
    await bench.clock.advance(30.0)
    planned: list[PollPlanned] = []
    bench.events.subscribe(PollPlanned, planned.append)
    await bench.clock.advance(60.0)
    assert not planned
    if ends:
        taken.cancel()
        await turns()
        bench.owners.running.discard(later.owners.me)
        await bench.clock.advance(60.0)
        assert planned
    bench.gateway.to_poll = [DONE]
    await bench.clock.advance(60.0)
    assert (await carried).verdict == DONE.verdict
    assert [one.mark for one in await bench.journal.sale_events(noted.reference)].count(Mark.OUTCOME) == 1
    if not ends:
        await taken


async def test_what_is_not_accepted_yet_is_not_taken_over(bench: Bench) -> None:
    sale = await bench.console.sell.note(await bench.draft())
    later = bench.next_program()
    assert await later.console.resume.resume(sale, take_over=True) == sale


async def test_only_one_of_two_programs_takes_a_sale_up(bench: Bench) -> None:
    sale = await left_accepted(bench)
    bench.gateway.to_poll = [PENDING, PENDING, DONE]
    second, third = bench.next_program("program-2"), bench.next_program("program-3")

    async def both() -> tuple[Sale, Sale]:
        return await asyncio.gather(second.console.resume.resume(sale), third.console.resume.resume(sale))

    one, other = await bench.carry(both())
    assert (one.outcome, other.outcome) == (Outcome.APPROVED, None)
    assert len(bench.gateway.polls) == 3
    assert (await bench.journal.sale(sale.reference)).polls == 3


async def test_orphans_come_oldest_first(bench: Bench) -> None:
    references = []
    for _ in range(3):
        references.append((await bench.console.sell.note(await bench.draft())).reference)
        await bench.clock.advance(1)
    bench.owners.running.clear()
    later = bench.next_program()
    assert [one.reference for one in await later.console.resume.orphans()] == references


async def test_an_accepted_sale_whose_key_was_forgotten_is_unknown(bench: Bench) -> None:
    sale = await left_accepted(bench)
    await bench.journal.remove_key(sale.key_id)
    later = bench.next_program()
    ended = await later.carry(later.console.resume.resume(sale))
    assert ended.verdict == Verdict(Outcome.UNKNOWN, reason="key forgotten")


async def test_a_locked_keystore_makes_it_unknown_until_it_is_looked_up(bench: Bench) -> None:
    sale = await left_accepted(bench)
    later = bench.next_program()
    bench.keystore.failure = KeystoreLocked()
    unknown = await later.carry(later.console.resume.resume(sale))
    assert unknown.verdict == Verdict(Outcome.UNKNOWN, reason="KeystoreLocked")
    with pytest.raises(KeystoreLocked):
        await later.carry(later.console.resume.look_up(unknown))
    bench.keystore.failure = None
    assert (await later.carry(later.console.resume.look_up(unknown))).outcome is Outcome.APPROVED


# --- what this program is at -----------------------------------------------------------------------


def on_slow_journal(bench: Bench) -> tuple[Console, Slow[MemoryJournal]]:
    """Return the bench's program on a journal whose answers can be held back."""
    slow = Slow(bench.journal)
    return Console(replace(build_world(bench), journal=slow.port)), slow


async def test_a_sale_that_is_just_being_noted_is_nobodys_to_take_up(bench: Bench) -> None:
    console, journal = on_slow_journal(bench)
    draft = await bench.draft()
    journal.hold("note_sale")
    noting = asyncio.get_running_loop().create_task(console.sell.note(draft))
    await until(lambda: journal.is_held)
    (written,) = await bench.journal.unfinished_sales()
    await bench.clock.advance(2 * SENT_WITHIN_S)  # the journal takes its time
    assert not await console.resume.orphans()
    assert (await console.resume.resume(written)).verdict is None
    journal.let_go()
    noted = await noting
    assert (await bench.carry(console.sell.carry_out(noted))).outcome is Outcome.APPROVED
    assert len(bench.gateway.posts) == 1


async def test_a_sale_that_waits_for_its_turn_or_its_outcome_is_nobodys_to_take_up(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING]
    drafts = [await bench.draft() for _ in range(60)]
    noted = [await bench.console.sell.note(draft) for draft in drafts]
    assert not await bench.console.resume.orphans()
    tasks = [asyncio.get_running_loop().create_task(bench.console.sell.carry_out(one)) for one in noted]
    await turns()
    stages = {one.stage for one in await bench.journal.unfinished_sales()}
    assert stages == {SaleStage.NOTED, SaleStage.ACCEPTED}
    assert not await bench.console.resume.orphans()
    for one in noted:
        assert (await bench.console.resume.resume(one)).verdict is None
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_an_intent_that_could_not_be_noted_is_not_worked_at(bench: Bench) -> None:
    console, journal = on_slow_journal(bench)
    draft = await bench.draft()
    journal.hold("note_sale")
    noting = asyncio.get_running_loop().create_task(console.sell.note(draft))
    await until(lambda: journal.is_held)
    noting.cancel()
    await asyncio.wait([noting])
    assert not await console.resume.orphans()  # it may be about to be sent
    await bench.clock.advance(SENT_WITHIN_S)
    (left,) = await console.resume.orphans()  # it was written all the same
    ended = await bench.carry(console.resume.resume(left))
    assert ended.verdict == Verdict(Outcome.NOT_SENT, reason="ended before it was sent")
    assert not bench.gateway.posts


async def test_an_own_sale_whose_following_failed_by_a_fault_is_taken_up(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING]
    noted = await bench.console.sell.note(await bench.draft())
    task = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    await turns()
    task.cancel()
    await asyncio.wait([task])
    bench.gateway.to_poll = [DONE]
    (left,) = await bench.console.resume.orphans()
    ended = await bench.carry(bench.console.resume.resume(left))
    assert (ended.reference, ended.outcome) == (noted.reference, Outcome.APPROVED)
    assert len(bench.gateway.posts) == 1


async def test_what_the_journal_has_not_taken_yet_is_not_taken_up_for_it(bench: Bench) -> None:
    async def full(_order: object) -> None:
        bench.journal.failure = JournalUnwritable("/data", "disk full")

    bench.gateway.to_post = [AnswerLost("timeout")]
    bench.gateway.before_post = full
    noted = await bench.console.sell.note(await bench.draft())
    ended = await bench.carry(bench.console.sell.carry_out(noted))
    assert ended.outcome is Outcome.UNKNOWN
    (unkept,) = bench.console.log.pending.sales
    bench.journal.failure = None

    assert (await bench.journal.sale(noted.reference)).verdict is None
    assert not await bench.console.resume.orphans()
    assert unkept.reference == noted.reference


async def test_who_comes_too_late_leaves_nothing_on_the_timeline(bench: Bench) -> None:
    sale = await left_accepted(bench)
    later = bench.next_program()
    ended = await later.carry(later.console.resume.resume(sale))
    before = await bench.journal.sale_events(sale.reference)
    third = bench.next_program("program-3")
    heard: list[object] = []
    third.events.subscribe(SaleChanged, heard.append)
    assert await third.carry(third.console.resume.resume(sale)) == ended
    assert await bench.journal.sale_events(sale.reference) == before
    assert not heard


async def test_a_journal_that_fails_while_a_sale_is_taken_up_leaves_it_for_the_next_time(
    bench: Bench,
) -> None:
    sale = await left_accepted(bench)
    later = bench.next_program()
    bench.journal.failure = JournalBusy()
    with pytest.raises(JournalBusy):
        await later.carry(later.console.resume.resume(sale))
    bench.journal.failure = None
    (left,) = await later.console.resume.orphans()
    assert (await later.carry(later.console.resume.resume(left))).outcome is Outcome.APPROVED


async def test_unknown_sales_come_newest_last(bench: Bench) -> None:
    bench.gateway.to_poll = [GatewayFailed("failed", status=500)]
    references = []
    for _ in range(3):
        noted = await bench.console.sell.note(await bench.draft())
        ended = await bench.carry(bench.console.sell.carry_out(noted))
        assert (ended.outcome, bool(ended.request_id)) == (Outcome.UNKNOWN, True)
        references.append(noted.reference)
    references.append((await left_unknown(bench)).reference)  # nobody knows its request
    assert [one.reference for one in await bench.console.resume.unknown()] == references
    since = bench.clock.now() - timedelta(seconds=600)
    assert [one.reference for one in await bench.console.resume.unknown(since)] == references[-2:]


# --- looking up ----------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", [APPROVED, DECLINED])
async def test_a_look_up_brings_the_outcome_the_gateway_knows(bench: Bench, verdict: Verdict) -> None:
    sale = await left_unknown(bench)
    bench.gateway.to_look_up = [StatusReading("interactionComplete", verdict, "PR-9")]
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert (found.verdict, found.request_id) == (verdict, "PR-9")
    assert bench.gateway.look_ups == [sale.reference]
    assert len(bench.gateway.posts) == 1


async def test_a_sale_found_under_way_is_followed_on(bench: Bench) -> None:
    sale = await left_unknown(bench)
    bench.gateway.to_look_up = [StatusReading("pending", None, "PR-9")]
    bench.gateway.to_poll = [PENDING, DONE]
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert (found.outcome, found.polls) == (Outcome.APPROVED, 2)
    assert [request for _url, request in bench.gateway.polls] == ["PR-9", "PR-9"]


async def test_a_sale_found_without_an_identifier_stays_unknown(bench: Bench) -> None:
    sale = await left_unknown(bench)
    bench.gateway.to_look_up = [StatusReading("queued")]
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.outcome is Outcome.UNKNOWN
    assert (await bench.console.timeline(sale.reference))[-1].detail == "queued"


async def test_a_sale_the_gateway_does_not_know_yet_stays_unknown(bench: Bench) -> None:
    sale = await left_unknown(bench)
    await bench.clock.advance(NEVER_RECEIVED_AFTER_S - 1)
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.outcome is Outcome.UNKNOWN
    assert (await bench.console.timeline(sale.reference))[-1].detail == Reason.NOT_FOUND_YET


async def test_a_sale_the_gateway_still_does_not_know_was_never_received(bench: Bench) -> None:
    sale = await left_unknown(bench)
    await bench.clock.advance(NEVER_RECEIVED_AFTER_S)
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.verdict == Verdict(Outcome.NOT_SENT, reason="never received")


@pytest.mark.parametrize("lost", [False, True])
async def test_a_gateway_at_another_address_cannot_say_that_a_sale_was_never_received(
    bench: Bench, *, lost: bool
) -> None:
    where = await bench.add()
    sale = await left_unknown(bench, where)
    assert len(await bench.journal.exchanges(sale.reference)) == 1
    if lost:  # the program ended before it could keep the exchange
        bench.journal.change(lambda connection: connection.execute(delete(sale_exchanges)))
    await bench.clock.advance(NEVER_RECEIVED_AFTER_S)
    edit = bench.console.environments.edit
    await edit(where, base_url="https://elsewhere.example", confirmed=True)
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.outcome is Outcome.UNKNOWN
    assert (await bench.console.timeline(sale.reference))[-1].detail == Reason.SENT_ELSEWHERE
    if not lost:
        await edit(where, base_url=where.base_url, confirmed=True)
        found = await bench.carry(bench.console.resume.look_up(sale))
        assert found.verdict == Verdict(Outcome.NOT_SENT, reason="never received")


async def test_an_accepted_sale_is_asked_for_by_its_identifier(bench: Bench) -> None:
    sale = await left_accepted(bench)
    await bench.journal.advance_sale(
        sale.reference, lambda stored: stored.finish(Verdict(Outcome.UNKNOWN), bench.clock.now())
    )
    unknown = await bench.console.sale(sale.reference)
    found = await bench.carry(bench.console.resume.look_up(unknown))
    assert found.outcome is Outcome.APPROVED
    assert not bench.gateway.look_ups


@pytest.mark.parametrize("verdict", [APPROVED, None])
async def test_what_is_found_under_another_sales_identifier_is_not_believed(
    bench: Bench, verdict: Verdict | None
) -> None:
    other = await bench.carry(
        bench.console.sell.carry_out(await bench.console.sell.note(await bench.draft()))
    )
    sale = await left_unknown(bench)
    polls = len(bench.gateway.polls)
    bench.gateway.to_look_up = [StatusReading("interactionComplete", verdict, other.request_id)]
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.verdict == Verdict(Outcome.UNKNOWN, reason="identifier given twice")
    assert len(bench.gateway.polls) == polls


@pytest.mark.parametrize("error", [NotSent("not offered"), AnswerLost("timeout")])
async def test_a_look_up_that_fails_leaves_it_unknown_and_says_why(bench: Bench, error: GatewayError) -> None:
    sale = await left_unknown(bench)
    bench.gateway.to_look_up = [error]
    with pytest.raises(type(error)):
        await bench.carry(bench.console.resume.look_up(sale))
    assert (await bench.console.sale(sale.reference)).outcome is Outcome.UNKNOWN
    last = (await bench.console.timeline(sale.reference))[-1]
    assert (last.mark, last.detail) == (Mark.LOOKED_UP, error.reason)
    assert len(await bench.console.exchanges(sale.reference)) == 2


async def test_a_slower_look_up_does_not_undo_what_a_faster_one_found(bench: Bench) -> None:
    sale = await left_unknown(bench)
    bench.gateway.to_look_up = [StatusReading("interactionComplete", APPROVED, "PR-9")]
    first = await bench.carry(bench.console.resume.look_up(sale))
    assert await bench.carry(bench.console.resume.look_up(sale)) == first


async def test_a_forgotten_key_cannot_look_up(bench: Bench) -> None:
    sale = await left_unknown(bench)
    await bench.journal.remove_key(sale.key_id)
    with pytest.raises(NotFound):
        await bench.carry(bench.console.resume.look_up(sale))


async def test_cancelling_is_asked_for_and_seen_by_following(bench: Bench) -> None:
    sale = await left_accepted(bench)
    await bench.console.resume.cancel(sale)
    assert bench.gateway.cancelled == ["PR-1"]
    assert (await bench.console.timeline(sale.reference))[-1].mark is Mark.CANCEL_ASKED
    assert (await bench.console.sale(sale.reference)).verdict is None
