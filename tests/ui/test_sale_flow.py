"""The Sale test panel on fakes: many sales at once, recent ones, live, other environments, the keyboard."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import ACCEPTED, DONE, PARTLY_APPROVED, PENDING
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import EnvironmentKind
from keybench.core.errors import NotSent
from keybench.core.ports import SaleOrder, StatusReading
from keybench.core.sales.sale import Mark
from keybench.ui.kit.actions import COMMANDS
from keybench.ui.shared.sales.actions import NOTE_TASK
from keybench.ui.shared.sales.fields import SEND_LIVE
from keybench.ui.shared.sales.first_steps import TITLE
from keybench.ui.shared.session import Place
from keybench.ui.shell.resumed_sales import ResumedSales

from .questions import asked, press
from .sale_support import Selling, Stage, until_quiet

SEND_AGAIN = COMMANDS["sale.again"].text
PARTLY = StatusReading("interactionComplete", PARTLY_APPROVED)


# --- once, and several at once --------------------------------------------------------------------


async def test_two_presses_send_once(selling: Selling) -> None:
    stage = await selling()
    stage.panel.form.send.click()
    stage.panel.send()
    await stage.outcome_is("Approved")
    assert len(stage.bench.gateway.posts) == 1


async def test_several_sales_are_under_way_at_once(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING]
    for number in range(1, 21):
        await stage.send(f"{number}.00", f"counter-{number}")
    await until(lambda: stage.panel.recent.model().rowCount() == 20)
    assert len([name for name in stage.session.supervisor.running if name.startswith("sale KB-")]) == 20
    assert stage.panel.card.figure.text() == "20.00 USD"
    stage.bench.gateway.to_poll = [DONE]
    await stage.outcome_is("Approved")
    await stage.pass_time(10)
    model = stage.panel.recent.model()
    await until(lambda: all(model.row(row).sale.is_settled for row in range(20)))


async def test_send_is_usable_while_a_sale_waits_for_its_answer(selling: Selling) -> None:
    stage = await selling()
    gate = asyncio.Event()

    async def hold(_order: SaleOrder) -> None:
        await gate.wait()

    stage.bench.gateway.before_post = hold
    await stage.send("1.00", "D-1")
    await stage.send("2.00", "D-2")
    assert stage.panel.form.send.isEnabled()
    await until(lambda: len(stage.bench.gateway.posts) == 2)
    gate.set()
    await stage.outcome_is("Approved")


# --- recent sales ---------------------------------------------------------------------------------


async def test_a_sale_picked_by_keyboard_is_shown(selling: Selling) -> None:
    stage = await selling()
    await stage.send("1.00")
    await stage.outcome_is("Approved")
    await stage.send("2.00")
    await stage.outcome_is("Approved")
    await until(lambda: stage.panel.recent.selected_number == 0)
    table = stage.panel.recent
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    await until(lambda: stage.panel.card.figure.text() == "1.00 USD")
    await until_quiet(stage.panel)
    assert "1.00 USD" in stage.outcome
    assert len(stage.panel.exchanges.exchanges) == 2
    stage.panel.show_sale(stage.panel.recent.model().row(0).reference)
    await until(lambda: stage.panel.card.figure.text() == "2.00 USD")
    assert table.selected_number == 0


async def test_the_newest_sale_is_shown_at_the_start(selling: Selling) -> None:
    first = await selling()
    await first.send("3.00")
    await first.outcome_is("Approved")
    first.session.end()
    again = await selling(bench=first.bench)
    await again.outcome_is("Approved")
    assert again.panel.card.figure.text() == "3.00 USD"
    assert again.panel.recent.selected_number == 0


# --- live and other environments ------------------------------------------------------------------


async def live_stage(selling: Selling) -> Stage:
    bench = Bench()
    await bench.journal.open()
    shop = await bench.add("Main shop", EnvironmentKind.LIVE)
    stage = await selling(bench=bench, environment=shop)
    stage.panel.form.device.choose("D-1")
    stage.panel.form.amount.setText("10.00")
    return stage


async def test_live_asks_before_money_moves(selling: Selling) -> None:
    stage = await live_stage(selling)
    assert stage.panel.form.send.text() == SEND_LIVE
    stage.panel.send()
    dialog = await asked()
    words = dialog.windowTitle() + dialog.accessibleDescription()
    (key,) = stage.panel.form.key.keys
    named = ("10.00 USD", "Device: Till 1 · D-1", f"Key: Till ({key.fingerprint})", "Main shop")
    assert all(part in words for part in named)
    await press("Cancel")
    await until(lambda: "note a sale" not in stage.session.supervisor.running)
    assert not await stage.sales()
    stage.panel.send()
    await press(SEND_LIVE)
    await stage.outcome_is("Approved")
    assert len(stage.bench.gateway.posts) == 1


async def test_live_is_off_while_keys_are_in_memory_only(selling: Selling) -> None:
    bench = Bench()
    bench.keystore.durable = False
    await bench.journal.open()
    shop = await bench.add("Main shop", EnvironmentKind.LIVE)
    stage = await selling(bench=bench, environment=shop)
    form = stage.panel.form
    assert not form.send.isEnabled()
    assert "keystore" in form.message.text()
    assert "keystore" in form.send.accessibleDescription()
    stage.session.choose_environment(await bench.practice_environment())
    assert "keystore" not in form.message.text()


@pytest.mark.parametrize(
    ("end", "title", "tone"),
    [
        (DONE, "Approved 10.00 USD on Till 1 (practice)", "good"),
        (PARTLY, "Partly approved 7.50 of 10.00 USD on Till 1 (practice)", "warning"),
    ],
)
async def test_a_sale_of_another_environment_goes_on_and_is_told(
    selling: Selling, end: StatusReading, title: str, tone: str
) -> None:
    bench = Bench()
    await bench.journal.open()
    sandbox = await bench.add()
    stage = await selling(bench=bench)
    ResumedSales(stage.session)
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send()
    await until(lambda: stage.outcome.startswith("Waiting for the customer"))
    stage.session.choose_environment(sandbox)
    await until(lambda: stage.panel.card.empty_title.text() == TITLE)
    assert not stage.panel.selection.reference
    assert stage.panel.recent.model().rowCount() == 0
    assert not stage.notices
    stage.bench.gateway.to_poll = [end]
    await stage.pass_time(10)
    await until(lambda: bool(stage.notices))
    (notice,) = stage.notices
    assert (notice.title, notice.tone) == (title, tone)
    assert stage.panel.recent.model().rowCount() == 0


async def test_a_sale_that_ends_while_nobody_is_at_the_window_is_told_with_its_place(
    selling: Selling,
) -> None:
    stage = await selling()
    ResumedSales(stage.session)
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send()
    await until(lambda: stage.outcome.startswith("Waiting for the customer"))
    stage.session.is_attended = lambda: False
    stage.bench.gateway.to_poll = [DONE]
    await stage.pass_time(10)
    await until(lambda: bool(stage.notices))
    (notice,) = stage.notices
    assert notice.ends
    assert notice.place == Place("bench", stage.session.environment, stage.panel.selection.reference)
    assert notice.topic == f"sale {stage.panel.selection.reference}"


async def test_a_sale_that_ends_before_a_persons_eyes_is_not_told_once_more(selling: Selling) -> None:
    stage = await selling()
    ResumedSales(stage.session)
    ended: list[str] = []
    stage.session.notice_ended.connect(ended.append)
    await stage.send()
    await stage.outcome_is("Approved")
    assert not stage.notices
    assert f"sale {stage.panel.selection.reference}" in ended, "what was said of it as unknown is over"


# --- by keyboard alone ----------------------------------------------------------------------------


async def test_by_keyboard_alone(selling: Selling) -> None:
    stage = await selling()
    panel = stage.panel
    panel.form.device.setFocus()
    QTest.keySequence(panel.form.device, QKeySequence.StandardKey.SelectAll)
    QTest.keyClicks(panel.form.device, "D-2")
    QTest.keyClick(panel.form.device, Qt.Key.Key_Tab)
    QTest.keySequence(panel.form.amount, QKeySequence.StandardKey.SelectAll)
    QTest.keyClicks(panel.form.amount, "7.00")
    panel.form.send.setFocus()
    QTest.keyClick(panel.form.send, Qt.Key.Key_Space)
    await stage.outcome_is("Approved")
    assert stage.bench.gateway.posts[0].device == "D-2"
    seen = set()
    for _ in range(30):
        focused = panel.window().focusWidget()
        assert focused is not None
        seen.add(focused.accessibleName())
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    wanted = {"Device", "Amount", "Currency", "Key", "Send sale", SEND_AGAIN, "Recent sales", "Reference"}
    assert wanted <= seen


async def test_the_timeline_has_each_step(selling: Selling) -> None:
    stage = await selling()
    stage.bench.gateway.to_poll = [PENDING, NotSent("connection reset"), DONE]
    await stage.send()
    await stage.outcome_is("Approved")
    marks = [event.mark for event in stage.panel.selection.events]
    assert marks == [Mark.NOTED, Mark.SENT, Mark.ACCEPTED, Mark.STATUS, Mark.TROUBLE, Mark.OUTCOME]
    stage.panel.card.timeline.grab()
    assert ACCEPTED.request_id == stage.panel.card.details.text_of("Payment request")


async def test_the_shortcut_sells_only_with_the_form_in_sight(selling: Selling, qtbot: QtBot) -> None:
    stage = await selling()
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidget(stage.panel)
    area.resize(760, 200)
    area.show()
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    stage.panel.send()
    assert not stage.session.supervisor.is_running(NOTE_TASK)
    area.verticalScrollBar().setValue(0)
    stage.panel.send()
    await stage.outcome_is("Approved")
    area.takeWidget()
