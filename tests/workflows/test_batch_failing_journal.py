"""The journal fails at each read and each write of a batch's sales: what is told is what the gateway has."""

from __future__ import annotations

from typing import Any, Final, cast

import pytest

from fakes.clock import MovedClock
from fakes.failing import MODES, FailingJournal
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import DONE, PENDING
from fakes.world import Bench
from keybench.core.sales.sale import Outcome
from keybench.workflows.batch import RowState
from sweeps import every

from .test_sale_batch import rows, run_of

#: As many as a batch of three sales on two devices has calls of the journal; the first test holds the figure.
CALLS: Final = 50
DEVICES: Final = ("D-1", "D-2", "D-1")


async def failing() -> tuple[FailingJournal, Bench]:
    clock = MovedClock()
    journal = FailingJournal(MemoryJournal(clock), clock)
    bench = Bench(clock=clock, journal_to_share=cast("Any", journal))
    await journal.open()
    bench.gateway.to_poll = [PENDING, PENDING, DONE]
    return journal, bench


async def test_a_batch_has_so_many_calls() -> None:
    journal, bench = await failing()
    batch = await run_of(bench, rows(*DEVICES))
    journal.begin()
    await bench.carry(batch.carry_out())
    assert len(journal.calls) == CALLS, journal.calls


@pytest.mark.logs  # what the journal did not take before the program ended
@pytest.mark.parametrize("mode", MODES)
async def test_what_is_told_is_what_the_gateway_has(mode: str) -> None:
    for call in every(3, range(1, CALLS + 1)):
        journal, bench = await failing()
        batch = await run_of(bench, rows(*DEVICES))
        journal.begin(call, mode)
        await bench.carry(batch.carry_out())
        await bench.carry(bench.console.log.close())
        failed = f"{mode} at {call}: {journal.calls[call - 1]}"
        sent = [order.reference for order in bench.gateway.posts]
        assert len(set(sent)) == len(sent), failed
        for row in batch.rows:
            if row.sale and row.sale.reference in sent:
                assert (row.state, row.outcome) == (RowState.ENDED, Outcome.APPROVED), failed
            else:
                assert row.outcome in {Outcome.NOT_SENT, Outcome.UNKNOWN}, failed
        journal.begin()
        bench.owners.running.clear()
        later = bench.next_program()
        for orphan in await later.console.resume.orphans():
            await later.carry(later.console.resume.resume(orphan))
        stored = {sale.reference: sale for sale in await journal.sales(None, 9)}
        assert {sale.outcome for reference, sale in stored.items() if reference not in sent} <= {
            Outcome.NOT_SENT
        }, failed
        assert all(stored[one].outcome is Outcome.APPROVED and stored[one].request_id for one in sent), failed
        assert [order.reference for order in bench.gateway.posts] == sent, "nothing is sent again"
        assert await journal.kept_answers() == []
