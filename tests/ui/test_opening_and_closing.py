"""The window's life: what fails early in the opening bars nothing else, and closing counts every sale."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace

import pytest
from PySide6.QtCore import QProcess, Qt
from pytestqt.qtbot import QtBot

from fakes.clock import MovedClock
from fakes.journal import MemoryJournal
from fakes.keystore import FakeKeystore
from fakes.rotating import Rotating
from fakes.waiting import until
from fakes.world import FakePractice
from keybench import __version__
from keybench.core.environments.addresses import proxy_entry
from keybench.core.errors import JournalBusy, PracticeUnavailable
from keybench.core.events import ClassServed
from keybench.core.ports import Device, SaleOrder
from keybench.core.sales.sale import Sale
from keybench.core.secret import Secret
from keybench.journal.sales import unfinished_sales
from keybench.runtime.supervisor import Supervisor
from keybench.ui.shared.session import Notice, OpenAgain, Session
from keybench.ui.shell.resumed_sales import ResumedSales
from keybench.words import language
from keybench.words.sales.card import NOT_SENT_YET
from keybench.workflows.world import World

from .devices_support import make_stage
from .opened_window import Opened
from .sale_support import make_stage as make_sale_stage


class BusyJournal(MemoryJournal):
    """A journal that another program holds when unfinished sales are looked for."""

    async def unfinished_sales(self) -> list[Sale]:
        raise JournalBusy


async def test_what_fails_early_in_the_opening_leaves_locking_alone(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    journal, practice = BusyJournal(clock), FakePractice()
    practice.failure = PracticeUnavailable("no port is free")
    await journal.open()
    opened = Opened(qtbot, replace(world, journal=journal, practice=practice))
    await opened.settled(clock)

    qtbot.keyClick(opened.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert opened.is_locked

    assert await opened.closed() == 0
    assert opened.is_closed


async def test_a_practice_gateway_of_another_version_is_told(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    practice = FakePractice()
    practice.version = "9.9.9"
    opened = Opened(qtbot, replace(world, practice=practice))
    await opened.settled(clock)
    titles = [entry.notice.title for entry in opened.window.notice_bar.entries]
    assert f"The practice gateway is Keybench 9.9.9's, and this is Keybench {__version__}." in titles
    assert await opened.closed() == 0


async def test_it_locks_as_soon_as_there_is_something_to_lock(qtbot: QtBot, world: World) -> None:
    opened = Opened(qtbot, world)
    await until(lambda: opened.window.session is not None)

    qtbot.keyClick(opened.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)

    assert opened.is_locked
    assert await opened.closed() == 0


async def test_a_window_that_is_told_to_end_is_not_shown_to_another_start(qtbot: QtBot, world: World) -> None:
    opened = Opened(qtbot, world)
    await until(lambda: opened.window.session is not None)
    assert opened.window.come_to_front()
    signal.raise_signal(signal.SIGTERM)
    assert not opened.window.come_to_front()
    await until(opened.task.done)
    assert opened.is_closed


async def test_closing_over_a_sale_that_begins_elsewhere_asks(qtbot: QtBot) -> None:
    rotating = await Rotating.ready()
    clock = rotating.places.clock
    opened = Opened(qtbot, rotating.console.world)
    await opened.settled(clock)
    session = opened.window.session
    assert session is not None
    sell = session.console.sell
    sale = rotating.start(sell.carry_out(await sell.note(rotating.sale_draft(rotating.old.id))))
    console = session.console
    journal = console.world.journal
    assert isinstance(journal, MemoryJournal)
    await until(lambda: sale.done() or journal.change(unfinished_sales))

    opened.window.close()
    await until(opened.questions)
    (question,) = opened.questions()
    assert question.windowTitle() == "Close while a sale is under way?"
    await rotating.carry(_ended(sale))
    await until(lambda: question.windowTitle() == "Close Keybench?")
    assert question.accessibleDescription() == "No sale is under way any more."
    question.cancel_button.click()
    await until(lambda: not session.supervisor.is_running("closing"))
    assert not opened.task.done()

    assert await opened.closed() == 0


async def test_closing_with_keys_in_memory_only_asks_once(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    keystore = FakeKeystore(durable=False)
    opened = Opened(qtbot, replace(world, keystore=keystore))
    await opened.settled(clock)
    for entry in ("shop/one", "shop/two", "till/one", proxy_entry("shop")):
        await keystore.write(entry, Secret("a made-up value"))

    opened.window.close()
    await until(opened.questions)
    (question,) = opened.questions()
    assert question.windowTitle() == "Close with keys in memory only?"
    assert "3 keys are kept in this session's memory only." in question.accessibleDescription()
    question.cancel_button.click()
    session = opened.window.session
    await until(lambda: session and "closing" not in session.supervisor.running)
    assert not opened.task.done()

    keystore.durable = True
    assert await opened.closed() == 0


async def test_closing_while_a_class_is_served_asks_once(
    qtbot: QtBot, world: World, clock: MovedClock
) -> None:
    opened = Opened(qtbot, world)
    await opened.settled(clock)
    world.events.publish(ClassServed("192.0.2.10:8443"))
    opened.window.close()
    await until(opened.questions)
    (question,) = opened.questions()
    assert question.windowTitle() == "Close and end the class?"
    assert "Learners are cut off" in question.accessibleDescription()
    question.cancel_button.click()
    session = opened.window.session
    await until(lambda: session and "closing" not in session.supervisor.running)
    world.events.publish(ClassServed(""))
    assert await opened.closed() == 0


async def test_opening_again_asks_as_closing_does_and_starts_the_program_anew(
    qtbot: QtBot, world: World, clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    starts = [False, True]

    def start(_program: str, words: list[str], _folder: str) -> tuple[bool, int]:
        started.append([*words, os.environ.get("LANGUAGE", "")])
        return starts.pop(0), 1

    monkeypatch.setattr(QProcess, "startDetached", start)
    monkeypatch.setattr(language._spoken, "before", "fr")
    monkeypatch.setenv("LANGUAGE", "de")
    keystore = FakeKeystore(durable=False)
    opened = Opened(qtbot, replace(world, keystore=keystore))
    await opened.settled(clock)
    session = opened.window.session
    assert session
    await keystore.write("shop/one", Secret("a made-up value"))

    for press in ("cancel_button", "confirm_button", "confirm_button"):
        session.ask(OpenAgain())
        await until(opened.questions)
        (question,) = opened.questions()
        getattr(question, press).click()
        await until(lambda: "closing" not in session.supervisor.running or opened.task.done())
    assert await opened.task == 0
    folder = ["--data-dir", world.journal.place.folder]
    assert [(words[-3:-1], words[-1]) for words in started] == [(folder, "fr")] * 2


async def _ended(task: asyncio.Task[object]) -> None:
    await asyncio.wait([task])


async def test_a_run_of_200_tells_how_many_are_under_way_and_how_many_are_not_sent(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    fleet = tuple(Device(f"D-{n}", f"Till {n}", "connected") for n in range(200))
    stage = await make_stage(qtbot, supervisor, devices=fleet)
    sales = ResumedSales(stage.session)
    assert sales.closing_question() is None
    await stage.order_for(*range(200))
    lanes = stage.page.order.lanes
    stage.page.order.start.click()
    await until(lambda: stage.session.sales_waiting == 200 - lanes)

    title, text = sales.closing_question() or ("", "")
    assert title == "Close while sales are under way?"
    assert f"{lanes} sales are under way" in text
    assert f"{200 - lanes} more sales of the run have not been sent and will not be." in text

    stage.page.run_view.stop_batch()
    await stage.pass_time()
    assert sales.closing_question() is None


async def test_a_single_sale_is_told_as_one(session: Session) -> None:
    sales = ResumedSales(session)
    session.sales_waiting = 1
    title, text = sales.closing_question() or ("", "")
    assert title == "Close while a sale is under way?"
    assert text == "One more sale of the run has not been sent and will not be."


async def test_an_end_the_journal_does_not_take_is_told_until_it_has_it(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    stage = await make_sale_stage(qtbot.addWidget, supervisor)
    sales = ResumedSales(stage.session)
    told: list[Notice] = []
    stage.session.notified.connect(told.append)

    async def fill_the_disk(_order: SaleOrder) -> None:
        stage.bench.journal.failure = JournalBusy("the journal")

    stage.bench.gateway.before_post = fill_the_disk
    await stage.send()
    await stage.outcome_is("Approved")
    await stage.pass_time(60)
    (sale,) = stage.bench.console.log.pending.sales
    assert [notice.tone for notice in told] == ["bad", "bad"], "taken, then approved; not each attempt"
    assert told[0].text.endswith(
        f"{sale.reference}, payment request PR-1: under way at the gateway. Don't send it again for that."
    )
    assert f"{sale.reference}, payment request PR-1: approved." in told[1].text
    title, text = sales.closing_question() or ("", "")
    assert title == "Close before the journal has everything?"
    assert "PR-1" in text

    stage.bench.journal.failure = None
    await stage.pass_time(60)
    assert (told[-1].tone, told[-1].title) == ("good", "The journal has everything again.")
    assert {notice.topic for notice in told} == {told[0].topic}
    assert sales.closing_question() is None


async def test_a_sale_that_waits_for_its_key_is_not_said_to_be_on_its_way(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    stage = await make_sale_stage(qtbot.addWidget, supervisor)
    asked = asyncio.Event()
    answered = asyncio.Event()

    async def ask(entry: str) -> Secret:
        asked.set()
        await answered.wait()
        return await read(entry)

    read = stage.bench.keystore.read
    stage.bench.keystore.read = ask  # type: ignore[method-assign]
    await stage.send()
    await asked.wait()
    await until(lambda: stage.panel.card.title.text() == NOT_SENT_YET)
    answered.set()
    await stage.outcome_is("Approved")
