"""Taking up what an earlier run left, and asking again about what nobody could tell."""

from __future__ import annotations

import asyncio

import pytest

from fakes.clock import turns
from fakes.scripted_gateway import APPROVED, DONE, PENDING
from fakes.world import Bench, FakeOwners
from keybench.core.errors import AnswerLost, GatewayError, KeystoreLocked, NotFound, NotSent
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import StatusReading
from keybench.core.sale import IllegalTransition, Mark, Sale, SaleStage
from keybench.workflows.resume import NEVER_RECEIVED_AFTER_S, NOT_FOUND_YET

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


async def left_unknown(bench: Bench) -> Sale:
    bench.gateway.to_post = [AnswerLost("timeout")]
    noted = await bench.console.sell.note(await bench.draft())
    return await bench.carry(bench.console.sell.carry_out(noted))


def next_program(bench: Bench, me: str = "program-2") -> Bench:
    """Start another program on the same folder."""
    owners = FakeOwners(me, bench.owners.running)
    return Bench(bench.clock, bench.keystore, bench.gateway, owners=owners, journal_to_share=bench.journal)


async def test_an_intent_that_was_never_marked_as_sent_was_not_sent(bench: Bench) -> None:
    sale = await left_noted(bench)
    later = next_program(bench)
    ended = await later.carry(later.console.resume.take_up(sale))
    assert ended.verdict == Verdict(Outcome.NOT_SENT, reason="ended before it was sent")
    assert not bench.gateway.posts
    assert not await later.console.resume.orphans()
    # The program that noted it was only frozen, and goes on now: it sends nothing any more.
    with pytest.raises(IllegalTransition):
        await bench.console.sell.carry_out(sale)
    assert not bench.gateway.posts


async def test_an_intent_without_an_answer_becomes_unknown_and_is_not_sent(bench: Bench) -> None:
    sale = await left_noted(bench)
    await bench.console.log.sent(sale)
    later = next_program(bench)
    assert [one.reference for one in await later.console.resume.orphans()] == [sale.reference]
    ended = await later.carry(later.console.resume.take_up(sale))
    assert ended.verdict == Verdict(Outcome.UNKNOWN, reason="ended before the answer")
    assert not bench.gateway.posts
    assert not await later.console.resume.orphans()


@pytest.mark.parametrize("after_s", [0.0, 60.0, 100_000.0])
async def test_an_accepted_sale_is_asked_for_at_once_however_late(bench: Bench, after_s: float) -> None:
    sale = await left_accepted(bench, after_s=after_s)
    later = next_program(bench)
    began = bench.clock.monotonic()
    ended = await later.carry(later.console.resume.take_up(sale))
    assert ended.outcome is Outcome.APPROVED
    assert bench.clock.monotonic() - began <= 0.5
    assert len(bench.gateway.posts) == 1


async def test_a_sale_that_another_running_program_follows_is_left_alone(bench: Bench) -> None:
    sale = await bench.console.sell.note(await bench.draft())
    other = next_program(bench)
    assert not await other.console.resume.orphans()
    assert (await other.carry(other.console.resume.take_up(sale))).verdict is None
    assert (await bench.journal.sale(sale.reference)).owner == bench.owners.me


async def test_only_one_of_two_programs_takes_a_sale_up(bench: Bench) -> None:
    sale = await left_accepted(bench)
    bench.gateway.to_poll = [PENDING, PENDING, DONE]
    second, third = next_program(bench, "program-2"), next_program(bench, "program-3")

    async def both() -> tuple[Sale, Sale]:
        return await asyncio.gather(second.console.resume.take_up(sale), third.console.resume.take_up(sale))

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
    later = next_program(bench)
    assert [one.reference for one in await later.console.resume.orphans()] == references


async def test_an_accepted_sale_whose_key_was_forgotten_is_unknown(bench: Bench) -> None:
    sale = await left_accepted(bench)
    await bench.journal.remove_key(sale.key_id)
    later = next_program(bench)
    ended = await later.carry(later.console.resume.take_up(sale))
    assert ended.verdict == Verdict(Outcome.UNKNOWN, reason="key forgotten")


async def test_a_locked_keystore_makes_it_unknown_until_it_is_looked_up(bench: Bench) -> None:
    sale = await left_accepted(bench)
    later = next_program(bench)
    bench.keystore.failure = KeystoreLocked()
    unknown = await later.carry(later.console.resume.take_up(sale))
    assert unknown.verdict == Verdict(Outcome.UNKNOWN, reason="KeystoreLocked")
    with pytest.raises(KeystoreLocked):
        await later.carry(later.console.resume.look_up(unknown))
    bench.keystore.failure = None
    assert (await later.carry(later.console.resume.look_up(unknown))).outcome is Outcome.APPROVED


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
    assert (await bench.console.timeline(sale.reference))[-1].detail == NOT_FOUND_YET


async def test_a_sale_the_gateway_still_does_not_know_was_never_received(bench: Bench) -> None:
    sale = await left_unknown(bench)
    await bench.clock.advance(NEVER_RECEIVED_AFTER_S)
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
