"""Following a sale to its outcome, through troubles, restarts and silence."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fakes.scripted_gateway import DONE, PENDING
from fakes.world import FIRST_S, Bench, build_world
from keybench.core.errors import (
    AnswerLost,
    ContractInvalid,
    Forbidden,
    GatewayError,
    GatewayFailed,
    JournalBusy,
    JournalError,
    JournalUnwritable,
    KeyRefused,
    KeystoreError,
    KeystoreLocked,
    KeystoreMissing,
    KeystoreSilent,
    NotSent,
    PracticeUnavailable,
    Refused,
)
from keybench.core.events import PollPlanned, SaleChanged, SalesUnkept
from keybench.core.ports import Caller, ContractFacts, PollNote, SaleOrder, StatusReading
from keybench.core.sales.poll_plan import PollPlan, Why
from keybench.core.sales.sale import Mark, Outcome, Sale, Verdict
from keybench.workflows.console import Console
from keybench.workflows.sales.follow import MANY

OLD, NEW = "http://127.0.0.1:4001", "http://127.0.0.1:4002"
DEADLINE_S = PollPlan().deadline_s
REFUSED = KeyRefused("unauthorised", status=401, message="key disabled")


async def followed(bench: Bench) -> Sale:
    noted = await bench.console.sell.note(await bench.draft())
    return await bench.carry(bench.console.sell.carry_out(noted))


async def details(bench: Bench, sale: Sale, mark: Mark) -> list[str]:
    return [event.detail for event in await bench.console.timeline(sale.reference) if event.mark is mark]


@pytest.mark.parametrize("count", [0, 1, 7, 40])
async def test_it_polls_until_the_outcome_is_there(bench: Bench, count: int) -> None:
    bench.gateway.to_poll = [PENDING] * count + [DONE]
    sale = await followed(bench)
    assert (sale.outcome, sale.polls) == (Outcome.APPROVED, count + 1)
    assert await details(bench, sale, Mark.STATUS) == ["pending"] * count
    assert not sale.owner


@pytest.mark.parametrize("outcome", [Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED])
async def test_it_brings_every_outcome_a_poll_can_bring(bench: Bench, outcome: Outcome) -> None:
    bench.gateway.to_poll = [PENDING, StatusReading("ended", Verdict(outcome, status=200))]
    assert (await followed(bench)).outcome is outcome


async def test_a_sale_without_an_outcome_is_unknown_at_the_deadline(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING]
    sale = await followed(bench)
    assert sale.verdict == Verdict(Outcome.UNKNOWN, reason="deadline")
    assert sale.elapsed_s == pytest.approx(DEADLINE_S)
    assert len(bench.gateway.polls) < 150


@pytest.mark.parametrize(
    "error",
    [AnswerLost("timeout"), GatewayFailed("failed", status=503), NotSent("connection refused"), REFUSED],
)
async def test_a_trouble_on_the_way_is_borne_and_noted(bench: Bench, error: GatewayError) -> None:
    bench.gateway.to_poll = [PENDING, error, error, PENDING, error, DONE]
    sale = await followed(bench)
    assert sale.outcome is Outcome.APPROVED
    assert await details(bench, sale, Mark.TROUBLE) == [f"{error.status or ''} {error.reason}".strip()] * 3


async def test_trouble_after_trouble_is_given_ever_more_time(bench: Bench) -> None:
    bench.gateway.to_poll = [AnswerLost("timeout")] * 4 + [DONE]
    sale = await followed(bench)
    times = [e.at for e in await bench.console.timeline(sale.reference) if e.mark is Mark.TROUBLE]
    pauses = [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(times)]
    assert pauses == [2.0, 4.0, 8.0]


async def test_a_gateway_that_never_answers_makes_it_unknown_with_its_last_words(bench: Bench) -> None:
    bench.gateway.to_poll = [GatewayFailed("failed", status=502, message="bad upstream")]
    sale = await followed(bench)
    assert sale.verdict == Verdict(Outcome.UNKNOWN, "deadline", "bad upstream", 502)
    assert sale.polls > 20


async def test_what_the_gateway_asks_for_is_waited(bench: Bench) -> None:
    bench.gateway.to_poll = [Forbidden("rate limit", status=403, retry_after_s=25.0), DONE]
    sale = await followed(bench)
    assert sale.outcome is Outcome.APPROVED
    assert sale.elapsed_s == pytest.approx(FIRST_S + 25.0)


async def test_a_wish_for_patience_holds_for_the_other_sales_of_the_environment(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING, Forbidden("rate limit", status=403, retry_after_s=20.0), DONE]
    noted = [await bench.console.sell.note(await bench.draft()) for _ in range(3)]
    times: list[float] = []
    bench.events.subscribe(
        SaleChanged, lambda change: change.sale.verdict and times.append(bench.clock.monotonic())
    )

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            for sale in noted:
                group.create_task(bench.console.sell.carry_out(sale))

    await bench.carry(together())
    assert len(times) == 3
    assert min(times) >= 20.0


async def test_a_contract_that_cannot_be_read_meanwhile_does_not_end_the_following(bench: Bench) -> None:
    def facts(_contract: str) -> ContractFacts:
        raise ContractInvalid("v5.toml", "calls.status", "missing")

    noted = await bench.console.sell.note(await bench.draft())
    now = bench.clock.now()
    accepted = await bench.journal.advance_sale(
        noted.reference, lambda sale: sale.send("https://gateway.example").accept("PR-1", now)
    )
    bench.gateway.facts = facts  # type: ignore[method-assign]  # the file breaks while the sale is under way
    sale = await bench.carry(bench.console.follow.to_the_end(accepted))
    assert sale.outcome is Outcome.APPROVED


async def test_a_held_question_that_outlasts_the_deadline_is_followed_by_a_last_one(bench: Bench) -> None:
    """The program stood still while the gateway held its answer, and it was lost."""

    async def hold(caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        asked_at.append(bench.clock.monotonic())
        if len(asked_at) > 1:
            return DONE
        bench.clock.move(DEADLINE_S + 33.0)
        raise AnswerLost("timeout")

    asked_at: list[float] = []
    facts = replace(bench.gateway.facts("practice"), held_s=300.0)
    bench.gateway.facts = lambda _contract: facts  # type: ignore[method-assign]  # it holds its answers
    bench.gateway.sale_status = hold  # type: ignore[method-assign]
    sale = await followed(bench)
    assert sale.outcome is Outcome.APPROVED
    assert [at > DEADLINE_S for at in asked_at] == [False, True]


async def test_the_gateways_own_time_of_the_outcome_teaches_more_than_the_polls(bench: Bench) -> None:
    verdict = Verdict(Outcome.APPROVED, status=200)
    bench.gateway.to_poll = [
        StatusReading("pending", next_s=17.0),
        StatusReading("done", verdict, lasted_s=12.345),
    ]
    sale = await followed(bench)
    assert (sale.lasted_s, sale.elapsed_s) == (12.345, pytest.approx(FIRST_S + 17.0))
    found = await bench.console.habits.of_sales(sale.environment_id, [sale])
    (past_sale,) = found["D-1"]
    assert (past_sale.after_s, past_sale.until_s) == pytest.approx((12.325, 12.365), abs=0.01)


async def test_programs_that_begin_together_poll_at_moments_of_their_own() -> None:
    firsts: list[float] = []
    for first_phase in (0.0, 0.25, 0.5, 0.75):
        bench = Bench()
        await bench.journal.open()
        sell = Console(build_world(bench), first_phase=first_phase).sell
        ended = await bench.carry(sell.carry_out(await sell.note(await bench.draft())))
        assert ended.elapsed_s
        firsts.append(ended.elapsed_s)
    assert min(later - earlier for earlier, later in itertools.pairwise(firsts)) > 0.05


@pytest.mark.parametrize(("count", "spared"), [(MANY - 1, False), (MANY, True)])
async def test_many_sales_on_devices_that_never_sold_are_asked_for_more_seldom(
    bench: Bench,
    count: int,
    *,
    spared: bool,
) -> None:
    bench.gateway.to_poll = [PENDING] * 10_000
    console = Console(build_world(bench), PollPlan(sparing_s=9.0))
    draft = await bench.draft()
    sold = [await console.sell.note(replace(draft, device=f"D-{number}")) for number in range(count)]

    async def together() -> list[Sale]:
        return await asyncio.gather(*(console.sell.carry_out(one) for one in sold))

    ended = await bench.carry(together())
    assert (max(sale.polls for sale in ended) <= 2 + DEADLINE_S / 9) is spared


async def test_every_pause_is_told_with_its_reason(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING, PENDING, Forbidden("rate limit", status=403, retry_after_s=9.0), DONE]
    told: list[Why] = []
    bench.events.subscribe(PollPlanned, lambda planned: told.append(planned.pause.why))
    await followed(bench)
    assert told == [Why.FIRST, Why.LIKELY, Why.LIKELY, Why.PATIENCE]


async def test_polls_written_together_are_all_there_when_the_timeline_is_read(bench: Bench) -> None:
    bench.gateway.to_poll = [StatusReading("pending", next_s=0.2)] * 7 + [DONE]
    noted = await bench.console.sell.note(await bench.draft())
    seen: list[int] = []

    async def read() -> None:
        await bench.clock.sleep(FIRST_S + 0.7)
        seen.append(len(await details(bench, noted, Mark.STATUS)))

    async def together() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(read())
            group.create_task(bench.console.sell.carry_out(noted))

    await bench.carry(together())
    assert seen == [4]
    assert len(await details(bench, noted, Mark.STATUS)) == 7
    assert (await bench.console.sale(noted.reference)).polls == 8
    assert len(await bench.console.exchanges(noted.reference)) == 9


async def test_a_key_that_a_harmless_call_shows_refused_can_ask_no_more(bench: Bench) -> None:
    bench.gateway.to_poll = [REFUSED, PENDING, REFUSED, REFUSED, DONE]
    bench.gateway.to_probe = [REFUSED]
    sale = await followed(bench)
    assert sale.verdict == Verdict(Outcome.UNKNOWN, "refused while following", "key disabled", 401)
    assert len(bench.gateway.polls) == 4


async def test_a_key_that_a_harmless_call_shows_accepted_asks_on(bench: Bench) -> None:
    bench.gateway.to_poll = [*[REFUSED] * 12, DONE]
    assert (await followed(bench)).outcome is Outcome.APPROVED
    assert len(bench.gateway.polls) == 13


@pytest.mark.parametrize(
    "no",
    [
        Forbidden("forbidden", status=403),
        Refused("request unknown", status=404),
        Refused("rate limit", status=429),
        GatewayFailed("failed", status=503),
        AnswerLost("timeout"),
    ],
    ids=lambda error: f"{error.status} {error.reason}",
)
async def test_any_other_no_slows_it_down_and_it_asks_on_to_the_deadline(
    bench: Bench, no: GatewayError
) -> None:
    bench.gateway.to_probe = [REFUSED]  # nobody makes this call
    bench.gateway.to_poll = [no]
    began = bench.clock.monotonic()
    sale = await followed(bench)
    assert (sale.outcome, sale.verdict and sale.verdict.reason) == (Outcome.UNKNOWN, "deadline")
    assert bench.clock.monotonic() - began >= DEADLINE_S
    assert len(bench.gateway.polls) < 40
    bench.gateway.to_poll = [*[no] * 15, DONE]
    assert (await followed(bench)).outcome is Outcome.APPROVED


async def test_it_finds_a_practice_gateway_that_came_back_elsewhere(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING, NotSent("connection refused"), DONE]

    def move(change: SaleChanged) -> None:
        if change.event.mark is Mark.STATUS:
            bench.practice.address = NEW

    bench.events.subscribe(SaleChanged, move)
    assert (await followed(bench)).outcome is Outcome.APPROVED
    assert [base_url for base_url, _request in bench.gateway.polls] == [OLD, OLD, NEW]


async def test_it_goes_through_the_proxy_that_was_set_meanwhile(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = await bench.add()
    asked: list[str] = []
    plain = bench.gateway.sale_status

    async def ask(caller: Caller, *rest: Any) -> StatusReading:
        asked.append(caller.environment.proxy)
        if len(asked) == 1:
            await bench.console.environments.edit(where, proxy="none")
        return await plain(caller, *rest)

    monkeypatch.setattr(bench.gateway, "sale_status", ask)
    bench.gateway.to_poll = [NotSent("proxy unreachable"), DONE]
    noted = await bench.console.sell.note(await bench.draft(environment=where))
    assert (await bench.carry(bench.console.sell.carry_out(noted))).outcome is Outcome.APPROVED
    assert asked == ["system", "none"]


async def test_it_asks_no_old_address_while_practice_takes_long_to_come_back(bench: Bench) -> None:
    bench.gateway.to_poll = [PENDING, NotSent("connection refused"), DONE]
    troubles = 0

    def die_and_come_back(change: SaleChanged) -> None:
        nonlocal troubles
        troubles += change.event.mark is Mark.TROUBLE
        if change.event.mark is Mark.STATUS:
            bench.practice.failure = PracticeUnavailable("ended")
            bench.practice.address = NEW
        if troubles == 4:
            bench.practice.failure = None

    bench.events.subscribe(SaleChanged, die_and_come_back)
    sale = await followed(bench)
    assert sale.outcome is Outcome.APPROVED
    assert await details(bench, sale, Mark.TROUBLE) == ["connection refused", "ended", "ended", "ended"]
    assert [base_url for base_url, _request in bench.gateway.polls] == [OLD, OLD, NEW]


@pytest.mark.parametrize("failure", [KeystoreLocked(), KeystoreSilent(), KeystoreMissing()])
async def test_the_value_that_sold_also_asks_whatever_becomes_of_the_keystore(
    bench: Bench, failure: KeystoreError
) -> None:
    async def lock(_order: object) -> None:
        bench.keystore.failure = failure

    bench.gateway.before_post = lock
    assert (await followed(bench)).outcome is Outcome.APPROVED


JOURNAL_TROUBLES = pytest.mark.parametrize(
    "trouble", [JournalUnwritable("the disk", "disk full"), JournalBusy("the journal")]
)


@JOURNAL_TROUBLES
async def test_a_journal_that_fails_while_following_ends_nothing(bench: Bench, trouble: JournalError) -> None:
    bench.gateway.to_poll = [PENDING] * 4 + [DONE]
    told: list[SalesUnkept] = []
    bench.events.subscribe(SalesUnkept, told.append)
    noted = await bench.console.sell.note(await bench.draft())

    def fail(_change: object) -> None:
        if len(bench.gateway.polls) == 2:
            bench.journal.failure = trouble

    bench.events.subscribe(SaleChanged, fail)
    sale = await bench.carry(bench.console.sell.carry_out(noted))
    assert (sale.outcome, sale.polls) == (Outcome.APPROVED, 5)
    assert await bench.console.sale(noted.reference) == sale
    assert (await bench.console.recent_sales(None, 1))[0] == sale
    assert [event.mark for event in await bench.console.timeline(noted.reference)][-1] is Mark.OUTCOME
    assert told[-1] == SalesUnkept((sale,), trouble)
    assert (await bench.journal.sale(noted.reference)).verdict is None

    bench.journal.failure = None
    await bench.clock.advance(60)
    assert await bench.journal.sale(noted.reference) == sale
    assert told[-1] == SalesUnkept((), None)
    assert list(bench.console.log.pending.sales) == []
    marks = [event.mark for event in await bench.journal.sale_events(noted.reference)]
    assert marks == [Mark.NOTED, Mark.SENT, Mark.ACCEPTED, *[Mark.STATUS] * 4, Mark.OUTCOME]


async def test_a_practice_gateway_that_cannot_start_yet_is_waited_for(bench: Bench) -> None:
    bench.gateway.to_poll = [DONE]
    noted = await bench.console.sell.note(await bench.draft())
    now = bench.clock.now()
    accepted = await bench.journal.advance_sale(
        noted.reference, lambda sale: sale.send("https://gateway.example").accept("PR-1", now)
    )
    bench.practice.failure = PracticeUnavailable("ended")

    def comes_up(change: SaleChanged) -> None:
        if change.event.mark is Mark.TROUBLE:
            bench.practice.failure = None

    bench.events.subscribe(SaleChanged, comes_up)
    sale = await bench.carry(bench.console.follow.to_the_end(accepted))
    assert sale.outcome is Outcome.APPROVED
    assert await details(bench, sale, Mark.TROUBLE) == ["ended"]


async def test_an_outcome_stands_behind_polls_whose_writing_failed_meanwhile(bench: Bench) -> None:
    """Reading the timeline has polls written: the journal is busy for that, and free for the outcome."""
    bench.gateway.to_poll = [PENDING] * 4 + [DONE]
    noted = await bench.console.sell.note(await bench.draft())
    note_polls, reading, busy = bench.journal.note_polls, asyncio.Event(), asyncio.Event()

    async def is_busy(notes: Sequence[PollNote]) -> None:
        if reading.is_set():
            await busy.wait()
        raise JournalBusy("the journal")

    bench.journal.note_polls = is_busy  # type: ignore[method-assign]
    selling = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    while len(bench.gateway.polls) < 4:
        await bench.clock.advance(bench.clock.next_due_s or 0.0)
    reading.set()
    timeline = asyncio.get_running_loop().create_task(bench.console.timeline(noted.reference))
    while len(bench.gateway.polls) < 5:
        await bench.clock.advance(bench.clock.next_due_s or 0.0)
    bench.journal.note_polls = note_polls  # type: ignore[method-assign]
    busy.set()
    await timeline
    assert (await bench.carry(_of(selling))).outcome is Outcome.APPROVED
    marks = [event.mark for event in await bench.journal.sale_events(noted.reference)]
    assert marks == [Mark.NOTED, Mark.SENT, Mark.ACCEPTED, *[Mark.STATUS] * 4, Mark.OUTCOME]


async def _of(task: asyncio.Task[Sale]) -> Sale:
    return await task
