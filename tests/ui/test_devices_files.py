"""The Devices page's file dialogs: opened without a nested loop, and what is chosen there is used."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from fakes.waiting import until
from keybench.runtime.supervisor import Supervisor

from .devices_support import make_stage
from .questions import asked, question


async def choose(path: Path) -> None:
    dialog = await asked()
    dialog.findChild(QLineEdit).setText(str(path))
    dialog.accept()
    await until(lambda: question() is None)


async def test_a_list_is_opened_and_its_results_are_saved(
    qtbot: QtBot, supervisor: Supervisor, tmp_path: Path
) -> None:
    devices = tmp_path / "tills.csv"
    devices.write_text("D-1,1.00\nD-2,2.00\n", encoding="utf-8")
    stage = await make_stage(qtbot, supervisor)
    stage.page.list_button.click()
    await choose(devices)
    await until(stage.page.order.start.isEnabled)
    assert stage.page.order.title.text() == "Sell on the devices of tills.csv"
    await stage.run_to_the_end()
    stage.page.run_view.save.click()
    await choose(tmp_path / "ends.csv")
    await until(lambda: any(notice.title == "Saved ends.csv" for notice in stage.notices))
    assert (tmp_path / "ends.csv").read_text(encoding="utf-8-sig").count(",approved,") == 2


async def test_leaving_the_file_dialog_changes_nothing(qtbot: QtBot, supervisor: Supervisor) -> None:
    stage = await make_stage(qtbot, supervisor)
    stage.page.list_button.click()
    (await asked()).reject()
    await until(lambda: question() is None)
    assert stage.page.table.isVisible()
