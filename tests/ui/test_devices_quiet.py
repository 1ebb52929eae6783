"""A run in an environment that isn't shown tells of its end once, not of each of its sales."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.runtime.supervisor import Supervisor
from keybench.ui.shell.resumed_sales import ResumedSales

from .devices_support import make_stage


async def test_a_run_elsewhere_is_told_once_and_a_sale_of_its_own_as_ever(
    qtbot: QtBot, supervisor: Supervisor
) -> None:
    stage = await make_stage(qtbot, supervisor)
    ResumedSales(stage.session)
    await stage.order_for(0, 1, 2)
    stage.page.order.start.click()
    await until(lambda: stage.page.run_view.is_running)
    practice = stage.session.environment
    stage.session.choose_environment(await stage.bench.add("Sandbox"))
    await stage.pass_time()
    await until(lambda: stage.notices)
    alone = await stage.bench.console.sell.note(await stage.bench.draft(environment=practice))
    await stage.bench.carry(stage.bench.console.sell.carry_out(alone))
    await until(lambda: len(stage.notices) == 2)
    assert stage.notices[0].title.startswith("The run is over")
    assert stage.notices[1].title.startswith("Approved 10.00 USD")
