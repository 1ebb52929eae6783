"""A device that is busy with a sale of ours: a person is asked before another one is sent to it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from fakes.scripted_gateway import DONE, PENDING
from fakes.waiting import until
from keybench.runtime.supervisor import Supervisor
from keybench.ui.shared.sales.actions import ALL_THE_SAME, BUSY, NOTE_TASK, SEND_NOW

from . import devices_support, sale_support
from .questions import asked, question


async def test_a_second_sale_on_a_busy_device_is_sent_only_after_a_question(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    stage = await sale_support.make_stage(qtbot.addWidget, supervisor)
    posts = stage.bench.gateway.posts
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send("9.00")
    await until(lambda: len(posts) == 1)

    stage.panel.send()
    shown = await asked()
    assert shown.windowTitle() == BUSY
    assert "9.00 USD on D-1, begun just now, has no outcome yet." in shown.accessibleDescription()
    assert shown.cancel_button.isDefault()
    shown.reject()
    await until(lambda: not supervisor.is_running(NOTE_TASK))
    assert len(await stage.sales()) == 1

    stage.panel.send()
    shown = await asked()
    assert shown.confirm_button.text() == ALL_THE_SAME
    shown.accept()
    await until(lambda: len(posts) == 2)
    stage.bench.gateway.to_poll = [DONE]
    await stage.outcome_is("Approved")


async def test_the_question_tells_what_is_under_way_now(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await sale_support.make_stage(qtbot.addWidget, supervisor)
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send("9.00")
    await until(lambda: len(stage.bench.gateway.posts) == 1)
    stage.panel.send()
    shown = await asked()
    stage.bench.gateway.to_poll = [DONE]
    await stage.outcome_is("Approved")
    assert shown.isVisible()
    assert shown.windowTitle() == SEND_NOW
    words = "9.00 USD on D-1: Approved.\nNo sale of Keybench is under way there any more."
    assert shown.accessibleDescription() == words
    assert words in [one.text() for one in shown.findChildren(QLabel)]
    shown.reject()
    await until(lambda: not supervisor.is_running(NOTE_TASK))
    assert len(await stage.sales()) == 1, "nothing is sent by itself"


async def test_another_device_is_not_asked_about(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await sale_support.make_stage(qtbot.addWidget, supervisor)
    stage.bench.gateway.to_poll = [PENDING]
    await stage.send("9.00", "D-1")
    await stage.send("9.00", "D-2")
    assert question() is None
    stage.bench.gateway.to_poll = [DONE]
    await stage.outcome_is("Approved")


async def test_a_run_asks_about_the_busy_ones_among_its_devices(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await devices_support.make_stage(qtbot, supervisor)
    bench = stage.bench
    busy = await bench.console.sell.note(await bench.draft())
    await stage.order_for(*range(len(devices_support.FLEET)))
    stage.page.order.start.click()
    shown = await asked()
    assert shown.accessibleDescription().count("has no outcome yet") == 1
    assert busy.device in shown.accessibleDescription()
    shown.reject()
    await until(lambda: not supervisor.running)
    assert stage.page.run_view.batch is None
    assert not bench.gateway.posts
