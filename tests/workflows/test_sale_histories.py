"""Any history of sales, lost answers, crashes, restarts and clocks: never two posts, never a sale lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fakes.clock import MovedClock, turns
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import ScriptedGateway
from fakes.world import Bench, FakeOwners
from keybench.core.errors import AnswerLost, GatewayError, GatewayFailed, NotSent, Refused
from keybench.core.outcome import Outcome, Verdict
from keybench.core.ports import Accepted, Caller, SaleOrder, StatusReading
from keybench.core.sale import Sale
from keybench.core.secret import Secret

FAULTS = {
    "none": None,
    "not sent": NotSent("connection refused"),
    "refused": Refused("unauthorised", status=401),
    "answer lost": AnswerLost("timeout"),
    "lost on the way": AnswerLost("connection reset"),
    "late": AnswerLost("timeout"),
    "failed": GatewayFailed("failed", status=502),
}
RECEIVED = {"none", "answer lost", "failed"}


@dataclass
class LedgerGateway(ScriptedGateway):
    """A gateway that keeps a ledger of what it received, and spoils its answers on request.

    Attributes:
        ledger: What became of each reference it received; None while the device is busy with it.
        fault: What happens to the next sale.
        on_the_way: The references that arrive as soon as time passes.
        silent: Whether status calls go unanswered.
        hold: Set to hold the next sale's answer until the program ends.
    """

    ledger: dict[str, Outcome | None] = field(default_factory=dict)
    fault: str = "none"
    on_the_way: list[str] = field(default_factory=list)
    silent: bool = False
    hold: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        self.posts.append(order)
        if self.fault in RECEIVED:
            self.ledger.setdefault(order.reference, None)
        if self.fault == "late":
            self.on_the_way.append(order.reference)
        if self.hold:
            await asyncio.get_running_loop().create_future()
        if error := FAULTS[self.fault]:
            raise error
        return Accepted(order.reference)

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        if self.silent:
            raise AnswerLost("timeout")
        return self._reading(request_id)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        if self.silent:
            raise AnswerLost("timeout")
        if self.ledger[request_id] is not None:
            raise Refused("conflict", status=409)
        self.ledger[request_id] = Outcome.CANCELLED

    def deliver(self) -> None:
        """Receive what was on the way."""
        self.ledger |= dict.fromkeys(self.on_the_way)
        self.on_the_way.clear()

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        if self.silent:
            raise AnswerLost("timeout")
        return self._reading(order.reference) if order.reference in self.ledger else None

    def _reading(self, reference: str) -> StatusReading:
        outcome = self.ledger[reference]
        verdict = Verdict(outcome, status=200) if outcome else None
        return StatusReading("done" if verdict else "pending", verdict, reference)


class SetClock(MovedClock):
    """A clock whose time of day somebody sets; `set_by` says by how much."""

    set_by = timedelta(0)

    def now(self) -> datetime:
        return super().now() + self.set_by


@dataclass
class Running:
    """A running program and what it is doing."""

    bench: Bench
    tasks: list[asyncio.Task[Sale]] = field(default_factory=list)

    def keep(self, work: Coroutine[Any, Any, Sale]) -> None:
        self.tasks = [task for task in self.tasks if not task.done() or task.result() is None]
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    async def end(self) -> None:
        for _ in range(2):  # a killed program gives no answer time to come
            for task in self.tasks:
                task.cancel()
            await turns(2)
        await asyncio.gather(*self.tasks, return_exceptions=True)


class Histories(RuleBasedStateMachine):
    """Drives one program, or two at once, on one data folder."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = SetClock()
        self.journal = MemoryJournal(self.clock)
        self.gateway = LedgerGateway()
        self.running: set[str] = set()
        self.programs = 0
        self.others: list[Running] = []
        self.noted: set[str] = set()
        self.settled: dict[str, Outcome] = {}
        self.values: dict[str, Secret] = {}
        self._do(self.journal.open())
        self.program = self._start()

    def teardown(self) -> None:
        for program in (self.program, *self.others):
            self._crash(program)
        self.runner.close()

    @rule(fault=st.sampled_from(sorted(FAULTS)))
    def sell(self, fault: str) -> None:
        self.gateway.fault = fault
        self._do(self._sell())

    @rule(fault=st.sampled_from(["none", "answer lost", "lost on the way"]))
    def crash_while_sending(self, fault: str) -> None:
        self.gateway.fault, self.gateway.hold = fault, True
        self._do(self._sell())
        self.gateway.hold = False
        self.restart()

    @rule()
    def crash_before_sending(self) -> None:
        self._do(self._note())
        self.restart()

    @rule()
    def restart(self) -> None:
        self._crash(self.program)
        self.program = self._start()
        self._do(self._take_up())

    @precondition(lambda self: not self.others)
    @rule()
    def start_a_second_program(self) -> None:
        self.others.append(self.program)
        self.program = self._start()
        self._do(self._take_up())

    @precondition(lambda self: self.others)
    @rule(ends=st.booleans())
    def turn_to_the_other_program(self, *, ends: bool) -> None:
        before, self.program = self.program, self.others.pop()
        if ends:
            self._crash(before)
            self._do(self._take_up())
        else:
            self.others.append(before)

    @rule()
    def take_up_what_somebody_else_has_ended(self) -> None:
        for sale in self._do(self.journal.sales(None, 10_000)):
            if sale.outcome is Outcome.UNKNOWN:
                self._do(self.program.bench.console.resume.take_up(sale))

    @rule(by=st.sampled_from([timedelta(0), timedelta(days=-1), timedelta(minutes=-7), timedelta(days=3)]))
    def set_the_clock(self, by: timedelta) -> None:
        self.clock.set_by = by  # what is on its way still is

    @rule()
    def cancel_what_is_under_way(self) -> None:
        self._do(self._cancel())

    @rule(seconds=st.sampled_from([0.5, 5.0, 60.0, 400.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.gateway.deliver()
        self._do(self.clock.advance(seconds))

    @rule(silent=st.booleans())
    def turn_the_network(self, *, silent: bool) -> None:
        self.gateway.silent = silent

    @rule(outcome=st.sampled_from([Outcome.APPROVED, Outcome.DECLINED, Outcome.CANCELLED, Outcome.EXPIRED]))
    def let_a_device_finish(self, outcome: Outcome) -> None:
        busy = [reference for reference, known in self.gateway.ledger.items() if known is None]
        if busy:
            self.gateway.ledger[busy[0]] = outcome

    @rule()
    def look_up_what_is_unknown(self) -> None:
        self._do(self._look_up())

    @invariant()
    def no_sale_is_sent_twice(self) -> None:
        assert not [r for r, count in Counter(o.reference for o in self.gateway.posts).items() if count > 1]

    @invariant()
    def every_sale_is_there_in_one_state(self) -> None:
        stored = self._do(self.journal.sales(None, 10_000))
        assert sorted(sale.reference for sale in stored) == sorted(self.noted)

    @invariant()
    def nobody_owns_what_has_ended(self) -> None:
        assert not [s for s in self._do(self.journal.sales(None, 10_000)) if s.verdict and s.owner]

    @invariant()
    def what_is_sent_was_noted(self) -> None:
        assert {order.reference for order in self.gateway.posts} <= self.noted

    @invariant()
    def what_is_settled_is_true_and_stays(self) -> None:
        for sale in self._do(self.journal.sales(None, 10_000)):
            before = self.settled.get(sale.reference)
            assert before is None or before is sale.outcome
            if not sale.is_settled or not sale.outcome:
                continue
            self.settled[sale.reference] = sale.outcome
            truth = self.gateway.ledger.get(sale.reference, "never received")
            assert sale.reference not in self.gateway.on_the_way
            if sale.outcome in {Outcome.NOT_SENT, Outcome.REFUSED}:
                assert truth == "never received"
            else:
                assert truth == sale.outcome

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def _start(self) -> Running:
        self.programs += 1
        owners = FakeOwners(f"program-{self.programs}", self.running)
        bench = Bench(self.clock, gateway=self.gateway, owners=owners, journal_to_share=self.journal)
        bench.keystore._values = self.values
        return Running(bench)

    def _crash(self, program: Running) -> None:
        self.running.discard(program.bench.owners.me)
        self._do(program.end())

    async def _note(self) -> Sale:
        bench = self.program.bench
        sale = await bench.console.sell.note(await bench.draft())
        self.noted.add(sale.reference)
        return sale

    async def _sell(self) -> None:
        noted = await self._note()
        self.program.keep(self.program.bench.console.sell.carry_out(noted))
        await turns()

    async def _take_up(self) -> None:
        resume = self.program.bench.console.resume
        for orphan in await resume.orphans():
            self.program.keep(resume.take_up(orphan))
        await turns()

    async def _look_up(self) -> None:
        for program in (self.program, *self.others):
            for sale in await self.journal.sales(None, 10_000):
                if sale.outcome is Outcome.UNKNOWN:
                    program.keep(_asked(program, sale))
        await turns()

    async def _cancel(self) -> None:
        for sale in await self.journal.unfinished_sales():
            if sale.request_id:
                with suppress(GatewayError):
                    await self.program.bench.console.resume.cancel(sale)


async def _asked(program: Running, sale: Sale) -> Sale:
    try:
        return await program.bench.console.resume.look_up(sale)
    except GatewayError:
        return sale


TestSaleHistories = Histories.TestCase
TestSaleHistories.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
