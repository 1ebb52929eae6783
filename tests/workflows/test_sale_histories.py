"""Any history of sales, crashes, cancelled tasks and failing journals, judged by the gateway's ledger.

Never two posts of a sale, never a sale lost, nothing told that isn't so; and once all troubles have passed,
every outcome the gateway knows is told. What the gateway answers is text, also text that contradicts itself
or breaks off, and is read as any answer is. ``KEYBENCH_HISTORIES=1500`` sets how many histories there are and
prints what was met in them (``-s``).
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fakes.clock import JumpingClock, MovedClock, turns
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import ScriptedGateway
from fakes.world import Bench, FakeOwners, build_world
from keybench.core.errors import (
    AnswerLost,
    GatewayFailed,
    JournalBusy,
    JournalError,
    JournalGone,
    JournalUnwritable,
    KeybenchError,
    KeystoreSilent,
    NotSent,
    Refused,
)
from keybench.core.ports import Accepted, Caller, SaleOrder, StatusReading
from keybench.core.sales.sale import Outcome, Sale, Verdict
from keybench.core.secret import Secret
from keybench.gateway.answers import Reader, refusal
from keybench.gateway.contracts import Contracts
from keybench.gateway.messages import Answer
from keybench.gateway.redaction import Redactor
from keybench.workflows.console import Console
from sweeps import ALL

#: How many histories are tried.
HISTORIES: Final = int(os.environ.get("KEYBENCH_HISTORIES", "100" if ALL else "20"))
CONTRACTS: Final = Contracts()
CLEAN: Final = Redactor([])

FAULTS = {
    "none": None,
    "not sent": NotSent("connection refused"),
    "refused": Refused("unauthorised", status=401),
    "answer lost": AnswerLost("timeout"),
    "lost on the way": AnswerLost("connection reset"),
    "late": AnswerLost("timeout"),
    "failed": GatewayFailed("failed", status=502),
}
#: What a gateway that took a sale says of it, in ways out of shape: a status, and what is done to the answer.
TAKEN: Final[dict[str, tuple[int, Callable[[str], str]]]] = {
    "named in a refusal": (402, lambda text: text),
    "named beside words": (409, lambda text: text[:-1] + ', "message": "device is in use"}'),
    "two identifiers": (202, lambda text: text[:-1] + ', "payment_request_id": "another"}'),
    "doubled identifier": (202, lambda text: '{"id": "another", ' + text[1:]),
    "cut": (202, lambda text: text[:-3]),
    "cut refusal": (422, lambda text: text[:-3]),
    "a page": (200, lambda _text: "<html>"),
}
TOO_OFTEN: Final = Answer(429, text='{"message": "too many requests"}')
RECEIVED = {"none", "answer lost", "failed", *TAKEN}
#: What may stand in a poll's answer, or in a look-up's, instead of what is so.
POLLS: Final[dict[str, Callable[[str], str]]] = {
    "none": lambda text: text,
    "cut": lambda text: text[:-3],
    "doubled": lambda text: '{"status": "cancelled", ' + text[1:],
    "doubled id": lambda text: '{"id": "another", ' + text[1:],
    "foreign": lambda text: text[:-1] + ', "payment_request_id": "another"}',
    "another's": lambda text: json.dumps(json.loads(text) | {"id": "another", "status": "cancelled"}),
    "another amount": lambda text: json.dumps(json.loads(text) | {"amount": "999.00"}),
}
#: What stands beside a list that our sale isn't on, although it was received.
LISTS: Final[dict[str, dict[str, Any]]] = {
    "none": {},
    "more": {"has_more": True},
    "counted": {"total": 7},
    "error": {"error": "timeout"},
}
#: How a device's end is told.
ENDS: Final[dict[Outcome | None, dict[str, Any]]] = {
    None: {"status": "pending"},
    Outcome.APPROVED: {"transaction": {"id": "t", "success": True, "auth_code": "A1B2C3"}},
    Outcome.PARTLY_APPROVED: {
        "transaction": {"id": "t", "success": True, "auth_code": "A1B2C3"},
        "amount": "7.00",
    },
    Outcome.DECLINED: {"transaction": {"id": "t", "success": False}},
    Outcome.CANCELLED: {"status": "cancelledAtTerminal"},
    Outcome.EXPIRED: {"status": "cancelledByTimeout"},
}
#: How often each fault was met, and what histories ended in.
MET: Final = Counter[str]()


@dataclass
class LedgerGateway(ScriptedGateway):
    """A gateway that keeps a ledger of what it received, and spoils its answers on request.

    Attributes:
        ledger: What became of each reference it received; None while the device is busy with it.
        fault: What happens to the next sale.
        poll_fault: What happens to the answers to polls.
        list_fault: What stands in a look-up's answer besides the list.
        too_often: How many requests are refused from now on.
        on_the_way: The references that arrive as soon as time passes.
        silent: Whether status calls go unanswered.
        hold: Set to hold the next sale's answer until the program ends.
        answer_s: How long the answer to a sale takes, in seconds.
        named: The references whose sales were answered with an identifier.
        at_answer: Called at the moment at which a sale is answered.
    """

    ledger: dict[str, Outcome | None] = field(default_factory=dict)
    fault: str = "none"
    poll_fault: str = "none"
    list_fault: str = "none"
    too_often: int = 0
    on_the_way: list[str] = field(default_factory=list)
    silent: bool = False
    hold: bool = False
    answer_s: float = 0.0
    named: set[str] = field(default_factory=set)
    at_answer: Callable[[], object] = bool
    clock: MovedClock = field(default_factory=MovedClock)

    def __post_init__(self) -> None:
        super().__init__()
        self.contract = CONTRACTS.get("practice")

    async def start_sale(self, caller: Caller, order: SaleOrder) -> Accepted | Verdict:
        self.posts.append(order)
        MET[f"sale, {self.fault}"] += 1
        refused, fault = self._refuses(), self.fault
        if not refused and fault in RECEIVED:
            self.ledger.setdefault(order.reference, None)
        if not refused and fault == "late":
            self.on_the_way.append(order.reference)
        if self.hold:
            await asyncio.get_running_loop().create_future()
        await self.clock.sleep(self.answer_s)
        self.at_answer()
        if refused:
            return self._reader().sold(TOO_OFTEN, order)
        if error := FAULTS.get(fault):
            raise error
        status, spoil = TAKEN.get(fault, (202, POLLS["none"]))
        sold = self._reader().sold(Answer(status, text=spoil(self._text(order, None))), order)
        if isinstance(sold, Accepted):
            self.named.add(order.reference)
        return sold

    async def sale_status(self, caller: Caller, order: SaleOrder, request_id: str) -> StatusReading:
        answer = self._answer(POLLS[self.poll_fault](self._text(order, self.ledger[order.reference])))
        MET[f"poll, {self.poll_fault}"] += 1
        assert request_id == order.reference, "another sale's identifier is followed"
        return self._reader().status(answer, order, request_id)

    async def cancel(self, caller: Caller, device: str, request_id: str) -> None:
        if self.silent:
            raise AnswerLost("timeout")
        if self.ledger[request_id] is not None:
            raise Refused("conflict", status=409)
        self.ledger[request_id] = Outcome.CANCELLED

    async def look_up(self, caller: Caller, order: SaleOrder) -> StatusReading | None:
        MET[f"look-up, {self.list_fault}"] += 1
        known = order.reference in self.ledger and self.list_fault == "none"
        found = [json.loads(self._text(order, self.ledger[order.reference]))] if known else []
        answer = self._answer(json.dumps({"payment_requests": found} | LISTS[self.list_fault]))
        reader = self._reader()
        return reader.found([reader.page(answer, 0)], order)

    def _text(self, order: SaleOrder, outcome: Outcome | None) -> str:
        return json.dumps(
            {
                "id": order.reference,
                "device_id": order.device,
                "status": "interactionComplete",
                "amount": order.money.figure,
                "currency": order.money.currency,
                "order_details": {"id": order.reference},
            }
            | ENDS[outcome]
        )

    def _answer(self, text: str) -> Answer:
        if self.silent:
            raise AnswerLost("timeout")
        answer = TOO_OFTEN if self._refuses() else Answer(200, text=text)
        if error := refusal(answer, self.contract.errors, CLEAN, self.clock.now()):
            raise error
        return answer

    def _refuses(self) -> bool:
        refuses, self.too_often = self.too_often > 0, max(self.too_often - 1, 0)
        MET["too often"] += refuses
        return refuses

    def _reader(self) -> Reader:
        return Reader(self.contract, CLEAN, self.clock.now())

    def deliver(self) -> None:
        """Receive what was on the way."""
        self.ledger |= dict.fromkeys(self.on_the_way)
        self.on_the_way.clear()

    def finish_all(self) -> None:
        """Receive what was on the way, and let every device end what it is busy with."""
        self.deliver()
        self.ledger = {name: known or Outcome.DECLINED for name, known in self.ledger.items()}


#: What the journal may say to a program that writes.
TROUBLES: Final = (
    None,
    JournalBusy("the journal"),
    JournalUnwritable("the disk", "disk full"),
    JournalGone("the journal", is_open=True),
)
READS: Final = {
    *("environments", "keys", "sale", "sale_events", "exchanges", "unfinished_sales", "timelines"),
    *("find_sales", "setting"),
}
WRITES: Final = {"note_sale", "advance_sale", "note_polls", "update_key", "update_setting"}


class OwnWay:
    """A program's own way to the journal that all share.

    A write takes a turn of the loop before and after, in which the program may be stopped.

    Attributes:
        trouble: What its writes meet; None for nothing.
        fails_until: Until when the disk fails, reads as writes, on the monotonic clock.
        is_dead: Whether the program has ended: it writes nothing more.
    """

    def __init__(self, journal: MemoryJournal, clock: MovedClock) -> None:
        self._journal = journal
        self._clock = clock
        self.fails_until = 0.0
        self.trouble: JournalError | None = None
        self.is_dead = False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._journal, name)
        return self._calling(call, name in WRITES) if name in WRITES | READS else call

    def _calling(self, call: Callable[..., Coroutine[Any, Any, Any]], writes: bool) -> Callable[..., Any]:  # noqa: FBT001 - which kind of call it is
        async def made(*given: Any, **named: Any) -> Any:
            if writes:
                await asyncio.sleep(0)
            if self.is_dead:
                raise asyncio.CancelledError
            if self._clock.monotonic() < self.fails_until:
                MET["a write fails" if writes else "a read fails"] += 1
                raise JournalUnwritable("the disk", "input or output failed")
            if writes and self.trouble:
                MET[f"a write meets {type(self.trouble).__name__}"] += 1
                raise self.trouble
            done = await call(*given, **named)
            if writes:
                await asyncio.sleep(0)
            return done

        return made


@dataclass
class Running:
    """A running program and what it is doing.

    Attributes:
        bench: It.
        way: Its way to the journal.
        asked: What the person has asked it to do.
        tasks: All that it does, also of its own accord.
        faults: What none of it should have raised.
    """

    bench: Bench
    way: OwnWay
    asked: list[asyncio.Task[Any]] = field(default_factory=list)
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)

    def keep(self, work: Coroutine[Any, Any, Sale]) -> asyncio.Task[Any]:
        context = copy_context()
        context.run(AT_WORK.set, self)
        task = context.run(asyncio.get_running_loop().create_task, work)
        task.add_done_callback(self._ended)
        self.asked = [one for one in self.asked if not one.done()] + [task]
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if error and not isinstance(error, KeybenchError):  # that, a person would be told
            self.faults.append(error)

    async def end(self) -> None:
        """End as a killed program does: nothing is finished, nothing more is written."""
        self.way.is_dead = True
        while left := [task for task in self.tasks if not task.done()]:
            for task in left:
                task.cancel()
            await turns(2)


AT_WORK: ContextVar[Running] = ContextVar("AT_WORK")


def _owned_task(
    loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **more: Any
) -> asyncio.Task[Any]:
    """Make a task as the loop would, and let the program whose task makes it know."""
    task = asyncio.Task(work, loop=loop, **more)
    if program := AT_WORK.get(None):
        program.tasks = [one for one in program.tasks if not one.done()] + [task]
    return task


class Histories(RuleBasedStateMachine):
    """Drives one program, or two at once, on one data folder."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = JumpingClock()
        self.journal = MemoryJournal(self.clock)
        self.gateway = LedgerGateway(clock=self.clock)
        self.running: set[str] = set()
        self.programs = 0
        self.others: list[Running] = []
        self.noted: set[str] = set()
        self.settled: dict[str, Outcome] = {}
        self.values: dict[str, Secret] = {}
        self.runner.get_loop().set_task_factory(_owned_task)
        self._do(self.journal.open())
        self.program = self._start()

    def teardown(self) -> None:
        self._let_all_be_well()
        for program in (self.program, *self.others):
            self._crash(program)
        self.runner.close()

    @rule(fault=st.sampled_from(sorted({*FAULTS, *TAKEN})))
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

    @rule(after=st.integers(0, 40), answer_s=st.sampled_from([0.0, 0.5, 5.0]))
    def cancel_a_sale_on_its_way(self, after: int, answer_s: float) -> None:
        self.gateway.fault, self.gateway.answer_s = "none", answer_s
        self._do(self._cancelled(after))
        self.gateway.answer_s = 0.0

    @precondition(lambda self: self.program.asked)
    @rule(which=st.integers(0, 1000))
    def cancel_a_task(self, which: int) -> None:
        asked = self.program.asked
        asked[which % len(asked)].cancel()
        self._do(turns())

    @rule(fault=st.sampled_from(["none", "named in a refusal", "answer lost", "cut"]))
    def cancel_at_the_moment_of_the_answer(self, fault: str) -> None:
        self.gateway.fault, self.gateway.answer_s = fault, 0.5
        self._do(self._cancelled_at_the_answer())
        self.gateway.answer_s = 0.0

    @precondition(lambda self: self.others)
    @rule()
    def send_what_another_program_has_taken_over(self) -> None:
        self.gateway.fault = "none"
        self._do(self._taken_over())

    @rule(fault=st.sampled_from(sorted(POLLS)), in_a_list=st.sampled_from(sorted(LISTS)))
    def turn_the_answers(self, fault: str, in_a_list: str) -> None:
        self.gateway.poll_fault, self.gateway.list_fault = fault, in_a_list

    @rule(requests=st.integers(1, 30))
    def turn_the_rate_limit(self, requests: int) -> None:
        self.gateway.too_often = requests

    @rule(seconds=st.sampled_from([1.0, 12.0, 50.0]), passed_s=st.sampled_from([0.0, 0.2, 1.0]))
    def fail_the_disk(self, seconds: float, passed_s: float) -> None:
        self.program.way.fails_until = self.clock.monotonic() + seconds
        self._do(self.clock.advance(passed_s))

    @rule(fault=st.sampled_from(["none", "named in a refusal"]), seconds=st.sampled_from([1.0, 50.0]))
    def sell_while_the_disk_fails(self, fault: str, seconds: float) -> None:
        self.gateway.fault, self.gateway.answer_s = fault, 1.0
        noted = self._do(self._sell())
        self.fail_the_disk(seconds, 0.0)
        self._do(self.clock.advance(2.0))
        self.gateway.answer_s = 0.0
        self._do(self._check_answer(noted))

    @precondition(lambda self: self.others)
    @rule()
    def take_over_from_a_program_that_stands_still(self) -> None:
        still = self.others[0].bench.owners.me
        self.running.discard(still)
        self._do(self._take_up())
        self.running.add(still)

    @rule(trouble=st.sampled_from(TROUBLES))
    def turn_the_journal(self, trouble: JournalError | None) -> None:
        self.program.way.trouble = trouble

    @rule(
        fault=st.sampled_from(["none", "answer lost", "refused", "not sent"]),
        trouble=st.sampled_from(TROUBLES),
    )
    def sell_while_the_journal_fails(self, fault: str, trouble: JournalError | None) -> None:
        self.gateway.fault, self.gateway.answer_s = fault, 1.0
        self._do(self._sell())
        self.program.way.trouble = trouble
        self._do(self.clock.advance(2.0))
        self.gateway.answer_s = 0.0

    @rule(silent=st.booleans())
    def turn_the_keystore(self, *, silent: bool) -> None:
        self.program.bench.keystore.failure = KeystoreSilent() if silent else None

    @rule(seconds=st.sampled_from([33.0, 400.0]))
    def freeze(self, seconds: float) -> None:
        self.gateway.deliver()
        self.clock.move(seconds)  # at one stroke: whoever is due finds that much has passed
        self._do(turns())

    @rule()
    def take_up_what_nobody_follows(self) -> None:
        self._do(self._take_up())

    @rule()
    def take_up_what_somebody_else_has_ended(self) -> None:
        for sale in self._do(self.journal.sales(None, 10_000)):
            if sale.outcome is Outcome.UNKNOWN:
                self._do(self._take_up_one(sale))

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

    @rule(outcome=st.sampled_from([one for one in ENDS if one]))
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
            self._check_truth(sale)

    @invariant()
    def nothing_fails_but_as_it_should(self) -> None:
        assert [fault for program in (self.program, *self.others) for fault in program.faults] == []

    @invariant()
    def what_is_told_is_true(self) -> None:
        for program in (self.program, *self.others):
            for sale in program.bench.console.log.pending.sales:
                self._check_truth(sale)

    def _check_truth(self, sale: Sale) -> None:
        if not sale.is_settled or not sale.outcome:
            return
        truth = self.gateway.ledger.get(sale.reference, "never received")
        assert sale.reference not in self.gateway.on_the_way
        if sale.outcome in {Outcome.NOT_SENT, Outcome.REFUSED}:
            assert truth == "never received"
        else:
            assert truth == sale.outcome
        if sale.outcome is Outcome.PARTLY_APPROVED:
            assert sale.verdict
            assert sale.verdict.approved_amount == Decimal("7.00")

    def _let_all_be_well(self) -> None:
        """Let every trouble pass, and see that no outcome was lost that the gateway knows."""
        self.gateway.silent, self.gateway.too_often = False, 0
        self.gateway.fault = self.gateway.poll_fault = self.gateway.list_fault = "none"
        for program in (self.program, *self.others):
            program.way.fails_until = 0.0
            program.way.trouble = program.bench.keystore.failure = None
        for step in (self._all_take_up, self._all_take_up, self._look_up, self._look_up):
            self._do(step())
            self._do(self.clock.advance(5.0))  # a sale may have waited for its turn
            self.gateway.finish_all()
            self._do(self.clock.advance(1000.0))
        for program in (self.program, *self.others):
            assert not program.bench.console.log.pending.sales
        for sale in self._do(self.journal.sales(None, 10_000)):
            assert sale.is_settled
            self._check_truth(sale)
            MET[f"ended {sale.outcome}"] += 1
        MET["histories"] += 1

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(work)

    def _start(self) -> Running:
        self.programs += 1
        owners = FakeOwners(f"program-{self.programs}", self.running)
        bench = Bench(self.clock, gateway=self.gateway, owners=owners, journal_to_share=self.journal)
        bench.keystore._values = self.values
        way = OwnWay(self.journal, self.clock)
        bench.console = Console(replace(build_world(bench), journal=way))
        return Running(bench, way)

    def _crash(self, program: Running) -> None:
        self.running.discard(program.bench.owners.me)
        self._do(program.end())

    async def _note(self) -> Sale | None:
        bench = self.program.bench
        try:
            sale = await bench.console.sell.note(await bench.draft())
        except KeybenchError:
            return None
        self.noted.add(sale.reference)
        return sale

    async def _sell(self) -> Sale | None:
        if noted := await self._note():
            self.program.keep(self.program.bench.console.sell.carry_out(noted))
        await turns()
        return noted

    async def _cancelled(self, after: int) -> None:
        if noted := await self._note():
            task = self.program.keep(self.program.bench.console.sell.carry_out(noted))
            await turns(after)
            task.cancel()
            await self.clock.advance(10.0)
            assert task.done()

    async def _cancelled_at_the_answer(self) -> None:
        if noted := await self._note():
            task = self.program.keep(self.program.bench.console.sell.carry_out(noted))
            self.gateway.at_answer = task.cancel
            await self.clock.advance(10.0)
            self.gateway.at_answer = bool
            await self._check_answer(noted)

    async def _check_answer(self, noted: Sale | None) -> None:
        """See that an identifier that came is kept: written, waiting to be written, or beside the journal."""
        if noted and noted.reference in self.gateway.named:
            stored = await self.journal.sale(noted.reference)
            latest = self.program.bench.console.log.pending.latest(stored)
            kept = [one for one in await self.journal.kept_answers() if one.request_id == noted.reference]
            assert latest.request_id or kept

    async def _taken_over(self) -> None:
        me = self.program
        if noted := await self._note():
            self.running.discard(me.bench.owners.me)
            await self._take_up(self.others[0])
            self.running.add(me.bench.owners.me)
            stored = await self.journal.sale(noted.reference)
            me.keep(me.bench.console.sell.carry_out(noted))
            await self.clock.advance(10.0)
            posted = [order.reference for order in self.gateway.posts]
            assert stored.owner == noted.owner or noted.reference not in posted

    async def _take_up(self, program: Running | None = None) -> None:
        program = program or self.program
        resume = program.bench.console.resume
        with suppress(KeybenchError):
            for orphan in await resume.orphans():
                program.keep(resume.resume(orphan))
        await turns()

    async def _take_up_one(self, sale: Sale) -> None:
        with suppress(KeybenchError):
            await self.program.bench.console.resume.resume(sale)

    async def _all_take_up(self) -> None:
        for program in (self.program, *self.others):
            await self._take_up(program)

    async def _look_up(self) -> None:
        for program in (self.program, *self.others):
            for sale in await self.journal.sales(None, 10_000):
                if sale.outcome is Outcome.UNKNOWN:
                    program.keep(program.bench.console.resume.look_up(sale))
        await turns()

    async def _cancel(self) -> None:
        for sale in await self.journal.unfinished_sales():
            if sale.request_id:
                with suppress(KeybenchError):
                    await self.program.bench.console.resume.cancel(sale)


TestSaleHistories = Histories.TestCase
TestSaleHistories.settings = settings(max_examples=HISTORIES, stateful_step_count=40)


@atexit.register
def _tell() -> None:
    if "KEYBENCH_HISTORIES" in os.environ:
        print("\n".join(f"{count:8} {what}" for what, count in sorted(MET.items())))
