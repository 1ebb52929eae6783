"""What other desks change in a team's journal is announced here, each once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from contracts.journal_samples import a_point, a_sale, note
from contracts.register_samples import start
from fakes.clock import MovedClock
from fakes.journal import MemoryJournal
from fakes.world import Bench
from keybench.core import events as e
from keybench.core.environments.environment import PRACTICE_ID
from keybench.core.ports import JournalStanding, OnNotice, OnStanding
from keybench.core.sales.sale import Mark
from keybench.runtime.supervisor import Supervisor
from keybench.workflows.team.fresh import GATHER_S, keep_fresh


class TeamsJournal(MemoryJournal):
    """Tells what a test has it tell."""

    standing = JournalStanding()

    def listen(self, on_notice: OnNotice, on_standing: OnStanding) -> None:
        self.notice, self.stood = on_notice, on_standing


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    made = Supervisor(lambda _task, error: pytest.fail(repr(error)))
    yield made
    await made.close()


KINDS = (
    *(e.EnvironmentsChanged, e.KeysChanged, e.ApplicationsChanged, e.DevicesChanged, e.RotationChanged),
    *(e.ActivityRecorded, e.ProgramsChanged, e.SaleChanged, e.JournalStood),
)


async def opened(supervisor: Supervisor) -> tuple[TeamsJournal, MovedClock, list[Any]]:
    clock = MovedClock()
    journal = TeamsJournal(clock)
    bench = Bench(clock, journal_to_share=journal)
    await journal.open()
    heard: list[Any] = []
    for kind in KINDS:
        bench.events.subscribe(kind, heard.append)
    keep_fresh(bench.console.world, supervisor)
    return journal, clock, heard


async def test_notices_are_announced_once_and_a_sale_as_it_is_now(supervisor: Supervisor) -> None:
    journal, clock, heard = await opened(supervisor)
    sale = await note(journal, a_sale())
    point = a_point(sale, Mark.SENT)
    sale = await journal.advance_sale(sale.reference, lambda one: one.send("https://pay.example"), [point])
    of_keys = (f"{table}\t{PRACTICE_ID}\tk" for table in ("security_keys", "desk_values", "contradictions"))
    for payload in (*of_keys, "activities\t\t1", f"rotations\t{PRACTICE_ID}\tR-1", "unheard of", "programs"):
        journal.notice(payload)
    journal.notice(f"devices\t{PRACTICE_ID}\tD-1")
    for reference in (sale.reference, sale.reference, "gone"):
        journal.notice(f"sales\t{PRACTICE_ID}\t{reference}")
    await clock.advance(GATHER_S)
    assert heard.pop() == e.SaleChanged(sale, point)
    expected = {e.KeysChanged(PRACTICE_ID), e.ActivityRecorded(), e.RotationChanged("R-1", PRACTICE_ID)}
    assert set(heard) == expected | {e.ProgramsChanged(), e.DevicesChanged(PRACTICE_ID)}
    assert len(heard) == len(set(heard))


async def test_once_the_journal_is_back_everything_may_have_changed(supervisor: Supervisor) -> None:
    journal, clock, heard = await opened(supervisor)
    sale, rotation = await note(journal, a_sale()), await start(journal)
    away = JournalStanding(is_away=True, since=clock.now())
    journal.stood(away)
    journal.stood(replace(away, queued=1))
    await clock.advance(GATHER_S)
    assert heard == [e.JournalStood(away), e.JournalStood(replace(away, queued=1))]
    journal.stood(JournalStanding())
    await clock.advance(GATHER_S)
    assert {type(one) for one in heard} == set(KINDS)
    assert e.RotationChanged(rotation.id, PRACTICE_ID) in heard
    assert e.SaleChanged(sale, a_point(sale)) in heard


async def test_while_the_journal_is_away_nobody_takes_up_a_sale(supervisor: Supervisor) -> None:
    journal, clock, _heard = await opened(supervisor)
    sale = await note(journal, replace(a_sale(), owner=""))
    console = Bench(clock, journal_to_share=journal).console
    assert [one.reference for one in await console.resume.orphans()] == [sale.reference]
    journal.standing = JournalStanding(is_away=True)
    assert await console.resume.orphans() == ()
