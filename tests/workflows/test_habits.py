"""Devices teach when their outcomes come: from the journal, from this program's sales and from each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fakes.scripted_gateway import DONE, PENDING
from fakes.world import FIRST_S, Bench
from keybench.core.devices.habit import ENOUGH, MOST_PAST_SALES, UNTAUGHT, Basis, Habit, PastSale
from keybench.core.errors import Forbidden, GatewayFailed, JournalBusy, JournalError
from keybench.core.events import PollPlanned, SaleChanged
from keybench.core.ports import Caller, SaleOrder, StatusReading
from keybench.core.sales.poll_plan import Why
from keybench.core.sales.sale import Mark, Outcome, Sale, SaleEvent
from keybench.workflows.devices import habits as habits_module
from keybench.workflows.sales import follow
from keybench.workflows.sales.follow import LISTEN_S

WHERE = "practice"


class Tills:
    """Answers each sale's polls as a till would whose outcomes come at a moment.

    Attributes:
        ends_s: After how many seconds a sale on a device ends; `usual_s` for those not named.
        asked: Each poll's moment, by device.
    """

    def __init__(self, bench: Bench, usual_s: float = 8.0, answer_s: float = 0.0) -> None:
        self._clock = bench.clock
        self._answer_s = answer_s
        self.usual_s = usual_s
        self.ends_s: dict[str, float] = {}
        self.flies_s: dict[str, float] = {}
        self.began: dict[str, float] = {}
        self.asked: dict[str, list[float]] = {}
        bench.gateway.sale_status = self.status  # type: ignore[method-assign]  # a till of its own
        bench.events.subscribe(SaleChanged, self._on_sale)

    def _on_sale(self, change: SaleChanged) -> None:
        if change.event.mark is Mark.ACCEPTED and change.sale.reference not in self.began:
            self.began[change.sale.reference] = self._clock.monotonic()
            self.asked[change.sale.device] = []

    async def status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        passed_s = self._clock.monotonic() - self.began[order.reference]
        self.asked[order.device].append(passed_s)
        await self._clock.sleep(self._answer_s)
        if passed_s >= self.ends_s.get(order.device, self.usual_s):
            return DONE
        return StatusReading("inFlight") if passed_s >= self.flies_s.get(order.device, 1e9) else PENDING


async def sell(bench: Bench, *devices: str) -> list[Sale]:
    """Carry out a sale on each of some devices, together."""
    draft = await bench.draft()
    noted = [await bench.console.sell.note(replace(draft, device=device)) for device in devices]

    async def together() -> list[Sale]:
        return list(await asyncio.gather(*(bench.console.sell.carry_out(sale) for sale in noted)))

    return await bench.carry(together())


async def teach(bench: Bench, count: int = ENOUGH + 1, device: str = "D-1") -> None:
    for _ in range(count):
        await sell(bench, device)


def past_sales_in(bench: Bench, device: str = "D-1") -> list[PastSale]:
    """Return what this program has learnt of a device."""
    return bench.console.habits._device(WHERE, device).past_sales


# --- from the journal and from this program's own sales --------------------------------------------------


async def test_a_device_is_polled_by_what_it_taught(bench: Bench) -> None:
    tills = Tills(bench)
    told: list[PollPlanned] = []
    await teach(bench)
    bench.events.subscribe(PollPlanned, told.append)
    await sell(bench, "D-1")
    assert 8.0 <= tills.asked["D-1"][-1] < 8.4
    assert len(tills.asked["D-1"]) < 7
    assert told[-1].habit.basis is Basis.DEVICE
    assert told[-1].pause.why is Why.LIKELY


async def test_a_gateway_that_holds_its_answers_tells_when_outcomes_come(bench: Bench) -> None:
    """One poll is all there is, and it says no less than many."""
    facts = replace(bench.gateway.facts("practice"), held_s=300.0)
    bench.gateway.facts = lambda _contract: facts  # type: ignore[method-assign]  # it holds its answers

    async def hold(*_args: object) -> StatusReading:
        await bench.clock.sleep(20.0)
        return DONE

    bench.gateway.sale_status = hold  # type: ignore[method-assign]
    await teach(bench)
    habit = bench.console.habits.of(WHERE, "D-1")
    assert habit.usual_s
    assert 19.5 < habit.usual_s[0] < habit.usual_s[1] < 21.5


async def test_a_program_learns_from_what_was_sold_before_it_began(bench: Bench) -> None:
    Tills(bench)
    await teach(bench)
    await bench.console.log.close()
    later = bench.next_program()
    habits = later.console.habits
    assert habits.of(WHERE, "D-1") is UNTAUGHT
    await habits.read(WHERE, "D-1")
    habit = habits.of(WHERE, "D-1")
    assert (habit.basis, habit.outcomes) == (Basis.DEVICE, ENOUGH + 1)
    assert habit.usual_s
    assert habit.usual_s[0] == pytest.approx(8.0, abs=0.6)
    elsewhere = habits.of(WHERE, "D-2")
    assert elsewhere.basis is Basis.ENVIRONMENT
    assert habits.of("elsewhere", "D-1") is UNTAUGHT


async def test_what_another_program_sold_is_known_after_a_minute(bench: Bench) -> None:
    Tills(bench)
    await sell(bench, "D-1")
    habits, other = bench.console.habits, bench.next_program()
    Tills(other, usual_s=3.0)
    await teach(other)
    await other.console.log.close()
    assert len(past_sales_in(bench)) == 1
    await bench.clock.advance(61)
    await habits.read(WHERE, "D-1")
    assert len(past_sales_in(bench)) == ENOUGH + 2
    assert habits.of(WHERE, "D-1").basis is Basis.DEVICE


async def test_what_grew_too_old_is_not_taken_for_the_newest(bench: Bench) -> None:
    """Another program sold so much meanwhile that what was known isn't among the newest any more."""
    Tills(bench)
    await teach(bench, 2)
    old = {past_sale.reference for past_sale in past_sales_in(bench)}
    other = bench.next_program()
    Tills(other, usual_s=1.0)
    await teach(other, MOST_PAST_SALES - 1)
    await other.console.log.close()
    await bench.clock.advance(61)
    await bench.console.habits.read(WHERE, "D-1")
    past_sales = past_sales_in(bench)
    newest = await bench.journal.sales(WHERE, MOST_PAST_SALES, "D-1")
    assert [past_sale.reference for past_sale in past_sales] == [sale.reference for sale in newest[::-1]]
    assert len(old & {past_sale.reference for past_sale in past_sales}) == 1


async def test_a_sale_that_is_settled_after_all_teaches_what_became_of_it(bench: Bench) -> None:
    Tills(bench, usual_s=400.0)
    (sale,) = await sell(bench, "D-1")
    assert sale.outcome is Outcome.UNKNOWN
    assert past_sales_in(bench)[0].until_s == float("inf")
    await bench.clock.advance(60.0)
    found = await bench.carry(bench.console.resume.look_up(sale))
    assert found.outcome is Outcome.APPROVED
    (past_sale,) = past_sales_in(bench)
    assert 395.0 < past_sale.after_s < 400.0 < past_sale.until_s < 405.0


@pytest.mark.parametrize("trouble", [JournalBusy("the journal"), JournalError("damaged")])
async def test_a_journal_that_cannot_be_read_disturbs_no_following(
    bench: Bench, trouble: JournalError
) -> None:
    async def fail(*_args: object) -> list[Sale]:
        raise trouble

    async def no_events(_reference: str) -> list[SaleEvent]:
        raise trouble

    tills = Tills(bench)
    bench.journal.sales = fail  # type: ignore[method-assign,assignment]
    bench.journal.sale_events = no_events  # type: ignore[method-assign]
    await teach(bench)
    assert tills.asked["D-1"][0] > 1.0
    assert bench.console.habits.of(WHERE, "D-1").basis is Basis.DEVICE, "its own sales teach all the same"


async def test_a_journal_that_could_not_be_read_is_read_with_the_next_sale(bench: Bench) -> None:
    async def fail(*_args: object) -> list[Sale]:
        raise JournalBusy("the journal")

    Tills(bench)
    await teach(bench)
    later = bench.next_program()
    habits, sales = later.console.habits, bench.journal.sales
    bench.journal.sales = fail  # type: ignore[method-assign,assignment]
    with pytest.raises(JournalBusy):
        await habits.read(WHERE, "D-1")
    assert habits.of(WHERE, "D-1").basis is Basis.NOTHING
    bench.journal.sales = sales  # type: ignore[method-assign]
    await habits.read(WHERE, "D-1")
    assert habits.of(WHERE, "D-1").basis is Basis.DEVICE


# --- new devices listen ----------------------------------------------------------------------------------


async def lags_of_new_devices(ends_s: float, count: int, *, listen_s: float = LISTEN_S) -> list[float]:
    """Return how late the outcomes of sales that begin and end together are seen, in order."""
    bench = Bench()
    await bench.journal.open()
    facts = replace(bench.gateway.facts("practice"), requests_per_s=1000.0, at_once=1000)
    bench.gateway.facts = lambda _contract: facts  # type: ignore[method-assign]  # one that takes them all
    tills = Tills(bench, usual_s=ends_s)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(follow, "LISTEN_S", listen_s)
        await sell(bench, *(f"D-{number}" for number in range(count)))
    await bench.journal.close()
    return sorted(asked[-1] - ends_s for asked in tills.asked.values())


async def test_what_many_sales_teach_at_once_is_reckoned_a_few_times_a_second(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    reckoned: list[int] = []
    environment_habit = habits_module.environment_habit

    def counted(past_sales: Sequence[PastSale]) -> Habit:
        reckoned.append(len(past_sales))
        return environment_habit(past_sales)

    monkeypatch.setattr(habits_module, "environment_habit", counted)
    habits = bench.console.habits
    for number in range(20):
        habits.learn(WHERE, PastSale(f"KB-{number}", f"other {number}", 1.0, 2.0))
        habits.of(WHERE, "D-1")
    assert reckoned == [1]
    await bench.clock.advance(LISTEN_S)
    habits.of(WHERE, "D-1")
    assert reckoned == [1, 20]


async def test_new_devices_learn_from_each_other_while_they_wait() -> None:
    """Where all end at one moment, the first outcomes that are seen have the others asked for."""
    alone, deaf, together = (
        await lags_of_new_devices(24.0, 1),
        await lags_of_new_devices(24.0, 20, listen_s=1e6),
        await lags_of_new_devices(24.0, 20),
    )
    assert together[10] < deaf[10] / 2
    assert together[18] < deaf[18] / 2
    assert together[10] < alone[0]
    assert len(set(together)) > 10, "they don't all ask at one moment"


async def test_a_device_with_past_sales_of_its_own_does_not_listen(bench: Bench) -> None:
    tills = Tills(bench, usual_s=12.0)
    await teach(bench)
    planned: list[PollPlanned] = []
    bench.events.subscribe(PollPlanned, planned.append)
    tills.ends_s = {f"new {number}": 3.0 for number in range(6)}
    sales = await sell(bench, "D-1", *tills.ends_s)
    own = [one for one in planned if one.reference == sales[0].reference]
    assert len(own) == sales[0].polls, "each pause was waited to its end"
    assert {one.habit.basis for one in own} == {Basis.DEVICE}


@pytest.mark.parametrize(
    ("answer", "why", "wait_s"),
    [
        (StatusReading("pending", next_s=30.0), Why.HINT, 30.0),
        (GatewayFailed("failed", status=503), Why.TROUBLE, 2.0),
        (Forbidden("rate limit", status=403, retry_after_s=20.0), Why.PATIENCE, 20.0),
    ],
    ids=["hint", "trouble", "patience"],
)
async def test_what_the_gateway_asks_for_is_kept_whatever_others_teach(
    bench: Bench, answer: StatusReading | GatewayFailed | Forbidden, why: Why, wait_s: float
) -> None:
    bench.gateway.to_poll = [answer, DONE]
    planned: list[PollPlanned] = []
    times: list[float] = []
    bench.events.subscribe(PollPlanned, planned.append)

    async def others() -> None:
        while len(planned) < 2:
            await bench.clock.sleep(0.01)
        times.append(bench.clock.monotonic())
        for number in range(8):
            await bench.clock.sleep(0.2)
            bench.console.habits.learn(WHERE, PastSale(f"KB-{number}", f"other {number}", 1.4, 1.5))

    async def together() -> Sale:
        noted = await bench.console.sell.note(await bench.draft())
        sale, _none = await asyncio.gather(bench.console.sell.carry_out(noted), others())
        return sale

    sale = await bench.carry(together())
    assert sale.outcome is Outcome.APPROVED
    assert [one.pause.why for one in planned] == [Why.FIRST, why]
    assert bench.clock.monotonic() - times[0] >= wait_s - 0.01


async def test_the_pause_after_a_held_answer_is_kept_whatever_others_teach(bench: Bench) -> None:
    facts = replace(bench.gateway.facts("practice"), held_s=300.0)
    bench.gateway.facts = lambda _contract: facts  # type: ignore[method-assign]  # it holds its answers
    bench.gateway.to_poll = [PENDING, PENDING, DONE]
    planned: list[PollPlanned] = []
    bench.events.subscribe(PollPlanned, planned.append)

    async def others() -> None:
        for number in range(30):
            await bench.clock.sleep(0.05)
            bench.console.habits.learn(WHERE, PastSale(f"KB-{number}", f"other {number}", 0.2, 0.3))

    async def together() -> None:
        noted = await bench.console.sell.note(await bench.draft())
        await asyncio.gather(bench.console.sell.carry_out(noted), others())

    await bench.carry(together())
    assert [one.pause.why for one in planned] == [Why.HELD] * 3


async def test_a_task_that_is_cancelled_while_it_rests_leaves_nothing(bench: Bench) -> None:
    Tills(bench)
    noted = await bench.console.sell.note(await bench.draft())
    task = asyncio.get_running_loop().create_task(bench.console.sell.carry_out(noted))
    await bench.clock.advance(FIRST_S + 1.0)
    assert bench.clock.sleepers
    task.cancel()
    await asyncio.wait([task])
    follow = bench.console.follow
    assert (follow._poll_states, follow._rounds._sleeping) == ({}, {})
    assert bench.clock.sleepers == 0


async def test_many_outcomes_bring_a_waiting_sale_no_more_work_than_a_look_each_moment(bench: Bench) -> None:
    """However many end meanwhile, a new device's plan is made anew at most as often as it listens."""
    tills = Tills(bench, usual_s=1e6)
    planned: list[PollPlanned] = []
    bench.events.subscribe(PollPlanned, planned.append)

    async def others() -> None:
        for number in range(1000):
            await bench.clock.sleep(0.01)
            bench.console.habits.learn(WHERE, PastSale(f"KB-{number}", f"D {number % 7}", 2.0, 2.5))
        tills.usual_s = 0.0

    async def together() -> None:
        noted = await bench.console.sell.note(replace(await bench.draft(), device="new"))
        await asyncio.gather(bench.console.sell.carry_out(noted), others())

    await bench.carry(together())
    assert len(planned) <= len(tills.asked["new"]) + 10.0 / LISTEN_S + 5


# --- for weeks -------------------------------------------------------------------------------------------


async def test_what_is_remembered_is_bounded(bench: Bench) -> None:
    habits = bench.console.habits
    for number in range(200):
        habits.learn(WHERE, PastSale(f"KB-{number}", "D-1", 1.0, 2.0))
    assert len(past_sales_in(bench)) == MOST_PAST_SALES
    assert len(habits._environment(WHERE).past_sales) == MOST_PAST_SALES


async def test_a_gateway_that_makes_up_words_ends_nothing_and_fills_nothing(bench: Bench) -> None:
    bench.gateway.to_poll = [*(StatusReading(f"word {number}") for number in range(60)), DONE]
    (sale,) = await sell(bench, "D-1")
    assert (sale.outcome, sale.polls) == (Outcome.APPROVED, 61)
    (past_sale,) = past_sales_in(bench)
    assert len(past_sale.states) < 10


async def test_a_clock_that_was_ahead_before_a_restart_does_not_slow_the_polls(bench: Bench) -> None:
    """The timeline says that it was seen under way an hour from now."""
    bench.gateway.to_poll = [PENDING] * 8 + [DONE]
    noted = await bench.console.sell.note(await bench.draft())
    now = bench.clock.now()
    ahead = SaleEvent(noted.reference, now.replace(hour=now.hour + 1), Mark.STATUS, "pending", 0.1)
    accepted = await bench.journal.advance_sale(
        noted.reference, lambda sale: sale.send("https://gateway.example").accept("PR-1", now), [ahead]
    )
    sale = await bench.carry(bench.console.follow.to_the_end(accepted))
    assert sale.outcome is Outcome.APPROVED
    assert sale.elapsed_s is not None
    assert sale.elapsed_s < 15.0
