"""The journal fails at each read and each write while the window sells: it shows what the gateway has."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.failing import FailingJournal
from fakes.journal import MemoryJournal
from fakes.scripted_gateway import DONE, PENDING
from fakes.world import Bench
from keybench.core.sales.sale import Outcome
from keybench.runtime.supervisor import Supervisor
from sweeps import every

from .sale_support import Stage, make_stage, until_quiet

#: More than a sale and the panel that shows it have; what comes behind the last one changes nothing.
CALLS = 38


async def end(stage: Stage) -> None:
    """Let time pass until nothing of a sale is under way."""
    for _ in range(1000):
        await until_quiet(stage.panel)
        if not stage.session.supervisor.running:
            return
        await stage.bench.clock.advance(stage.bench.clock.next_due_s or 0.0)
    raise AssertionError(stage.session.supervisor.running)


@pytest.mark.parametrize("mode", ["fails", "fails for 45 s"])
async def test_what_is_shown_is_what_the_gateway_has(qtbot: QtBot, supervisor: Supervisor, mode: str) -> None:
    clock = MovedClock()
    journal = FailingJournal(MemoryJournal(clock), clock)
    bench = Bench(clock=clock, journal_to_share=cast("Any", journal))
    await journal.open()
    stage = await make_stage(qtbot.addWidget, supervisor, bench=bench)
    last = 0
    for call in every(5, range(1, CALLS + 1)):
        bench.gateway.to_poll = [PENDING, DONE]
        sent = len(bench.gateway.posts)
        journal.begin(call, mode)
        stage.panel.form.amount.setText("10.00")
        stage.panel.send()
        await end(stage)
        await bench.clock.advance(60)
        failed = f"{mode} at {call}"
        journal.begin()
        posts = [order.reference for order in bench.gateway.posts[sent:]]
        assert len(posts) <= 1, failed
        for reference in posts:
            assert stage.panel.selection.reference == reference, failed
            assert not stage.outcome.startswith("Not sent"), failed
            await end(stage)
            assert stage.outcome.startswith("Approved"), failed
            stored = await journal.sale(reference)
            assert (stored.outcome, stored.request_id) == (Outcome.APPROVED, f"PR-{bench.gateway.accepted}")
        last = call if not posts else last
        for orphan in await bench.console.resume.orphans():
            assert (await bench.carry(bench.console.resume.resume(orphan))).outcome is Outcome.NOT_SENT
    assert len({order.reference for order in bench.gateway.posts}) == len(bench.gateway.posts)
    assert 0 < last < CALLS / 2, "it fails before and after the gateway has it"
