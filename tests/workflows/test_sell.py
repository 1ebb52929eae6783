"""Selling: noted before it is sent, sent once, and every answer's meaning for the money."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.journal import put_key
from fakes.keystore import FakeKeystore
from fakes.scripted_gateway import ACCEPTED, APPROVED
from fakes.world import FIRST_S, MADE_UP, Bench
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import (
    AnswerLost,
    AnswerUnreadable,
    Forbidden,
    GatewayError,
    GatewayFailed,
    KeyRefused,
    KeystoreDenied,
    KeystoreError,
    KeystoreLocked,
    KeystoreSilent,
    NotSent,
    PracticeUnavailable,
    Refused,
    ValueLost,
)
from keybench.core.events import SaleChanged
from keybench.core.input_errors import (
    AmountInvalid,
    AmountOverLimit,
    CurrencyInvalid,
    KeyKindUnfit,
    KeyWithoutValue,
    LiveBarred,
    LiveNotConfirmed,
    ModeNotOffered,
    NameInvalid,
    NotFound,
)
from keybench.core.keys.key import KeyKind, KeyState
from keybench.core.ports import Accepted, SaleOrder, entry_of
from keybench.core.reasons import Reason
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleDraft, SaleEvent, SaleMode, SaleStage, Verdict


async def sold(bench: Bench, draft: SaleDraft | None = None) -> Sale:
    noted = await bench.console.sell.note(draft or await bench.draft())
    return await bench.carry(bench.console.sell.carry_out(noted))


async def marks(bench: Bench, sale: Sale) -> list[Mark]:
    return [event.mark for event in await bench.console.timeline(sale.reference)]


async def test_a_sale_is_noted_sent_accepted_polled_and_approved(bench: Bench) -> None:
    sale = await sold(bench)
    assert (sale.outcome, sale.verdict, sale.request_id, sale.polls) == (
        Outcome.APPROVED,
        APPROVED,
        "PR-1",
        1,
    )
    assert sale.elapsed_s == pytest.approx(FIRST_S)
    assert await marks(bench, sale) == [Mark.NOTED, Mark.SENT, Mark.ACCEPTED, Mark.OUTCOME]
    assert [exchange.method for exchange in await bench.console.exchanges(sale.reference)] == ["POST", "GET"]
    assert await bench.console.sale(sale.reference) == sale


async def test_a_device_is_busy_until_its_sale_has_an_outcome(bench: Bench) -> None:
    sell, draft = bench.console.sell, await bench.draft()
    assert not await sell.under_way(draft.environment_id, ["D-1"])
    noted = await sell.note(draft)
    assert [sale.reference for sale in await sell.under_way(draft.environment_id, [" D-1 ", "D-2"])] == [
        noted.reference
    ]
    assert not await sell.under_way(draft.environment_id, ["D-2"])
    assert not await sell.under_way("another", ["D-1"])
    await bench.carry(sell.carry_out(noted))
    assert not await sell.under_way(draft.environment_id, ["D-1"])


async def test_what_is_sent_is_what_was_noted(bench: Bench) -> None:
    sale = await sold(bench, await bench.draft("12,5"))
    assert bench.gateway.posts == [SaleOrder(sale.reference, "D-1", sale.money, SaleMode.ASYNCHRONOUS)]
    assert sale.money.figure == "12.50"


async def test_the_intent_is_in_the_journal_before_anything_is_sent(bench: Bench) -> None:
    seen: list[tuple[SaleStage, list[Mark]]] = []

    async def look(order: SaleOrder) -> None:
        stored = await bench.journal.sale(order.reference)
        seen.append((stored.stage, await marks(bench, stored)))

    bench.gateway.before_post = look
    await sold(bench)
    assert seen == [(SaleStage.NOTED, [Mark.NOTED, Mark.SENT])]


async def test_the_outcome_of_a_held_sale_is_there_at_once(bench: Bench) -> None:
    bench.gateway.to_post = [APPROVED]
    sale = await sold(bench, replace(await bench.draft(), mode=SaleMode.SYNCHRONOUS))
    assert (sale.outcome, sale.polls) == (Outcome.APPROVED, 0)
    assert not bench.gateway.polls


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (NotSent("connection refused"), Outcome.NOT_SENT),
        (NotSent("tls"), Outcome.NOT_SENT),
        (KeyRefused("unauthorised", status=401, message="no such key"), Outcome.REFUSED),
        (Forbidden("forbidden", status=403, message="may not sell"), Outcome.REFUSED),
        (Refused("not found", status=404, reference="E-7"), Outcome.REFUSED),
        (Refused(Reason.DEVICE_BUSY, status=409), Outcome.REFUSED),
        (Refused(Reason.CONFLICT, status=409), Outcome.UNKNOWN),
        (Refused(Reason.REPEATED, status=409), Outcome.UNKNOWN),
        (Refused(Reason.REPEATED, status=400), Outcome.UNKNOWN),
        (AnswerLost("timeout"), Outcome.UNKNOWN),
        (AnswerUnreadable("not json", status=200), Outcome.UNKNOWN),
        (GatewayFailed("failed", status=503), Outcome.UNKNOWN),
        (GatewayFailed("gateway timeout", status=408), Outcome.UNKNOWN),
        (GatewayError("something new"), Outcome.UNKNOWN),
    ],
)
async def test_every_failure_has_its_meaning_and_keeps_its_words(
    bench: Bench, error: GatewayError, outcome: Outcome
) -> None:
    bench.gateway.to_post = [error]
    sale = await sold(bench)
    expected = Verdict(outcome, error.reason, error.message, error.status, error_reference=error.reference)
    assert sale.verdict == expected
    assert len(bench.gateway.posts) == 1
    assert not bench.gateway.polls


@pytest.mark.parametrize("error", [KeystoreLocked(), KeystoreDenied(), KeystoreSilent(), ValueLost()])
async def test_a_value_that_cannot_be_had_sends_nothing(bench: Bench, error: KeystoreError) -> None:
    draft = await bench.draft()
    bench.keystore.failure = error
    sale = await sold(bench, draft)
    assert sale.verdict == Verdict(Outcome.NOT_SENT, reason=type(error).__name__)
    assert not bench.gateway.posts


async def test_a_practice_gateway_that_cannot_be_started_sends_nothing(bench: Bench) -> None:
    bench.practice.failure = PracticeUnavailable("ended", message="no port")
    sale = await sold(bench)
    assert (sale.outcome, sale.verdict and sale.verdict.message) == (Outcome.NOT_SENT, "no port")
    assert not bench.gateway.posts


async def test_a_key_that_was_forgotten_between_noting_and_sending_sends_nothing(bench: Bench) -> None:
    noted = await bench.console.sell.note(await bench.draft())
    await bench.journal.remove_key(noted.key_id)
    sale = await bench.carry(bench.console.sell.carry_out(noted))
    assert sale.verdict == Verdict(Outcome.NOT_SENT, reason="key forgotten")
    assert sale.key_name == "Till"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"amount": "abc"}, AmountInvalid),
        ({"amount": "0"}, AmountInvalid),
        ({"currency": "US"}, CurrencyInvalid),
        ({"device": ""}, NameInvalid),
        ({"key_id": "gone"}, NotFound),
        ({"environment_id": "gone"}, NotFound),
    ],
)
async def test_a_draft_that_cannot_be_sent_is_not_even_noted(
    bench: Bench, changes: dict[str, str], error: type[Exception]
) -> None:
    draft = replace(await bench.draft(), **changes)  # type: ignore[arg-type]  # all of them texts
    with pytest.raises(error):
        await bench.console.sell.note(draft)
    assert not await bench.journal.sales(None, 10)


async def test_a_public_key_cannot_sell(bench: Bench) -> None:
    await bench.add_key(await bench.practice_environment(), kind=KeyKind.PUBLIC)
    with pytest.raises(KeyKindUnfit):
        await bench.console.sell.note(await bench.draft())


async def test_a_key_without_a_value_cannot_sell_and_nothing_is_noted(bench: Bench) -> None:
    key = await bench.add_key(await bench.practice_environment())
    draft = await bench.draft()
    await put_key(bench.journal, replace(key, state=KeyState.NO_VALUE))
    with pytest.raises(KeyWithoutValue):
        await bench.console.sell.note(draft)
    assert not await bench.journal.sales(None, 10)


async def test_a_value_that_is_missing_is_looked_for_before_a_sale_is_noted(bench: Bench) -> None:
    key = await bench.add_key(await bench.practice_environment())
    draft = await bench.draft()
    value = await bench.keystore.read(entry_of(key))
    await bench.keystore.erase(entry_of(key))
    not_sent = await sold(bench, draft)
    assert (not_sent.outcome, not_sent.verdict and not_sent.verdict.reason) == (Outcome.NOT_SENT, "ValueLost")
    (known,) = await bench.journal.keys(key.environment_id)
    assert (known.state, known.used_at) == (KeyState.VALUE_LOST, None)
    with pytest.raises(KeyWithoutValue):
        await bench.console.sell.note(draft)
    assert len(await bench.journal.sales(None, 10)) == 1
    await bench.keystore.write(entry_of(key), value)
    assert (await sold(bench, draft)).outcome is Outcome.APPROVED


async def test_a_way_to_sell_that_the_contract_lacks_is_refused(bench: Bench) -> None:
    draft = await bench.draft(environment=await bench.add())
    with pytest.raises(ModeNotOffered):
        await bench.console.sell.note(replace(draft, mode=SaleMode.CLASSIC))


async def test_live_asks_first(bench: Bench) -> None:
    draft = await bench.draft(environment=await bench.add("Shop", EnvironmentKind.LIVE))
    with pytest.raises(LiveNotConfirmed):
        await bench.console.sell.note(draft)
    assert (await sold(bench, replace(draft, confirmed=True))).outcome is Outcome.APPROVED


async def test_live_is_off_while_values_are_kept_in_memory() -> None:
    bench = Bench(keystore=FakeKeystore(durable=False))
    await bench.journal.open()
    draft = await bench.draft(environment=await bench.add("Shop", EnvironmentKind.LIVE))
    with pytest.raises(LiveBarred):
        await bench.console.sell.note(replace(draft, confirmed=True))
    assert (await sold(bench, await bench.draft(environment=await bench.add()))).outcome is Outcome.APPROVED


async def test_a_sale_that_was_sent_is_never_sent_again(bench: Bench) -> None:
    for answer in (AnswerLost("timeout"), APPROVED):
        bench.gateway.to_post = [answer]
        noted = await bench.console.sell.note(await bench.draft())
        ended = await bench.carry(bench.console.sell.carry_out(noted))
        assert await bench.carry(bench.console.sell.carry_out(noted)) == ended
        assert await bench.console.sale(noted.reference) == ended
    assert len(bench.gateway.posts) == 2


async def test_a_sale_that_another_program_took_over_is_told_as_it_stands_there(bench: Bench) -> None:
    heard: list[SaleChanged] = []
    bench.events.subscribe(SaleChanged, heard.append)
    under_way = await bench.console.sell.note(await bench.draft())
    await bench.journal.advance_sale(
        under_way.reference, lambda stored: replace(stored, owner="program-2"), [], []
    )
    left = await bench.console.sell.note(await bench.draft())
    ended = Verdict(Outcome.NOT_SENT, reason=Reason.ENDED_BEFORE_SENT)
    event = SaleEvent(left.reference, bench.clock.now(), Mark.OUTCOME, ended.outcome)
    await bench.journal.advance_sale(
        left.reference, lambda stored: stored.finish(ended, event.at), [event], []
    )
    told = [await bench.carry(bench.console.sell.carry_out(sale)) for sale in (under_way, left)]
    assert [(sale.owner, sale.verdict) for sale in told] == [("program-2", None), ("", ended)]
    assert [change.sale for change in heard[-2:]] == told
    assert not bench.gateway.posts


async def test_a_view_that_fails_does_not_stop_a_sale(bench: Bench) -> None:
    faults: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: faults.append(context))

    def broken(_change: SaleChanged) -> None:
        raise RuntimeError("a broken view")

    bench.events.subscribe(SaleChanged, broken)
    assert (await sold(bench)).outcome is Outcome.APPROVED
    assert faults


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (ACCEPTED, KeyState.WORKING),
        (APPROVED, KeyState.WORKING),
        (KeyRefused("unauthorised", status=401), KeyState.REFUSED),
        (Forbidden("forbidden", status=403), KeyState.KEPT),
        (AnswerLost("timeout"), KeyState.KEPT),
        (NotSent("connection refused"), KeyState.KEPT),
    ],
)
async def test_a_sale_shows_what_it_can_of_its_key(
    bench: Bench, answer: Accepted | Verdict | GatewayError, state: KeyState
) -> None:
    bench.gateway.to_post = [answer]
    await sold(bench)
    assert [key.state for key in await bench.journal.keys("practice")] == [state]


async def test_the_value_is_in_nothing_that_is_kept(bench: Bench) -> None:
    sale = await sold(bench)
    kept = [
        sale,
        *await bench.console.timeline(sale.reference),
        *await bench.console.exchanges(sale.reference),
        *await bench.journal.activities(100),
        *await bench.journal.keys("practice"),
    ]
    assert not any(MADE_UP[:8] in repr(one) or MADE_UP[-8:] in repr(one) for one in kept)


@pytest.mark.parametrize(("amount", "goes"), [("50.00", True), ("50.01", False), ("50000", False)])
async def test_a_sale_above_the_environments_limit_is_not_noted(
    bench: Bench, amount: str, *, goes: bool
) -> None:
    where = await bench.console.environments.edit(await bench.add(), limit="50")
    draft = await bench.draft(amount, where)
    if goes:
        assert (await bench.console.sell.note(draft)).money.figure == amount
    else:
        with pytest.raises(AmountOverLimit):
            await bench.console.sell.note(draft)
        assert not await bench.journal.unfinished_sales()


# --- one identifier for two sales -----------------------------------------------------------------


async def test_a_sale_given_another_ones_identifier_is_unknown_whichever_run_that_was_in(
    bench: Bench,
) -> None:
    first = await sold(bench)
    later = Bench(bench.clock, bench.keystore, bench.gateway, journal_to_share=bench.journal)
    bench.gateway.to_post = [Accepted(first.request_id, "pending")]
    polls = len(bench.gateway.polls)
    second = await sold(later, await bench.draft())
    assert second.verdict == Verdict(Outcome.UNKNOWN, reason="identifier given twice")
    assert second.request_id == ""
    assert await marks(bench, second) == [Mark.NOTED, Mark.SENT, Mark.OUTCOME]
    assert len(bench.gateway.polls) == polls
    assert (await bench.console.sale(first.reference)).outcome is Outcome.APPROVED
