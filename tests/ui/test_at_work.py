"""Who else of the team is at a sale or a rotation: told with the desk's name, and taken over."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from sqlalchemy import Connection

from fakes.clock import START, turns
from fakes.journal import MemoryJournal
from fakes.rotating import Rotating
from fakes.scripted_gateway import DONE, PENDING
from fakes.waiting import until
from fakes.world import Bench, FakeOwners
from keybench.core.events import ProgramsChanged
from keybench.core.ports import RunningProgram
from keybench.core.team.desk import Desk
from keybench.journal.desks import keep_desk
from keybench.journal.store import HERE, Here
from keybench.ui.shared.at_work import AtWork
from keybench.workflows.team.leases import rotation_work

from .rotations_driver import Opener
from .sale_support import Selling

HERE_AT = Desk("", "desk-1", "stock room", "postgresql://ben@db.example/keybench")


def share(journal: MemoryJournal, owners: FakeOwners, works_on: str = "") -> RunningProgram:
    """Have another desk of the team run a program."""

    def there(connection: Connection) -> None:
        here = connection.get_execution_options()[HERE]
        connection.execution_options(**{HERE: Here("desk-2", here.now)})
        keep_desk(connection, "front office", "ana")
        connection.execution_options(**{HERE: here})

    journal.change(there)
    other = RunningProgram("program-2", "another computer", 1, START, START, "desk-2", works_on)
    owners.programs = [other]
    owners.running.add(other.id)
    return other


def said(line: AtWork) -> str:
    return line.text.text() if not line.isHidden() else ""


async def test_a_sale_that_a_colleague_follows_says_where_and_is_followed_here(
    selling: Selling, qtbot: QtBot
) -> None:
    bench = Bench(desk=HERE_AT)
    await bench.journal.open()
    other = share(bench.journal, bench.owners)
    stage = await selling(bench=bench)
    line = stage.panel.card.at_work
    bench.gateway.to_poll = [PENDING]
    program = bench.next_program(other.id)
    noted = await program.console.sell.note(await program.draft())
    carried = asyncio.get_running_loop().create_task(program.console.sell.carry_out(noted))
    await turns()
    stage.panel.selection.select(noted.reference)
    await stage.comes(lambda: said(line) == "Followed at front office (ana)")
    qtbot.mouseClick(line.take, Qt.MouseButton.LeftButton)
    await stage.comes(lambda: not said(line))
    assert (await bench.journal.sale(noted.reference)).owner == bench.owners.me
    bench.gateway.to_poll = [DONE]
    await stage.outcome_is("Approved")
    carried.cancel()


async def test_a_single_desk_asks_nothing(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [DONE]
    await stage.send()
    await stage.outcome_is("Approved")
    assert not said(stage.panel.card.at_work)
    assert not stage.bench.owners.works


async def test_a_rotation_that_a_colleague_has_open_says_where_and_is_taken_over(
    opened: Opener, qtbot: QtBot
) -> None:
    rotating = await Rotating.ready()
    rotating = rotating.on(replace(rotating.console.world, desk=HERE_AT))
    owners = rotating.console.world.owners
    assert isinstance(owners, FakeOwners)
    rotation = await rotating.begun()
    work = rotation_work(rotation.id)
    share(rotating.places.journal, owners, work)
    page = await opened(rotating)
    line = page.page.view.at_work
    await until(lambda: said(line) == "ana at front office has this rotation open.")
    assert owners.works[-1] == (work, False)
    qtbot.mouseClick(line.take, Qt.MouseButton.LeftButton)
    await until(lambda: owners.works[-1] == (work, True))
    owners.programs = []
    rotating.console.events.publish(ProgramsChanged())
    await until(lambda: not said(line))
    page.page.hide()
    await until(lambda: owners.works[-1] == ("", False))
