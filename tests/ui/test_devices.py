"""The Devices page on fakes: the list, its states, and what is asked before anything is sold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from fakes.scripted_gateway import APPROVED
from fakes.waiting import until
from fakes.world import Bench
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import NotSent
from keybench.core.sales.sale import Outcome
from keybench.runtime.supervisor import Supervisor
from keybench.ui.devices.order_view import START_LIVE
from keybench.ui.devices.page import NO_DEVICES, NO_KEY, NOTHING_FOUND
from keybench.ui.devices.run_view import RUN_TASK
from keybench.ui.kit.form import Field

from .devices_support import FLEET, Fleet, Stage
from .questions import asked, press, question


def texts(stage: Stage, row: int) -> dict[str, str]:
    model = stage.page.model
    return {one.id: str(model.index(row, number).data()) for number, one in enumerate(model.columns)}


# --- the list -------------------------------------------------------------------------------------


async def test_devices_are_listed_with_their_connection_by_sign_and_word(fleet: Fleet) -> None:
    stage = await fleet()
    assert stage.page.model.rowCount() == 12
    assert texts(stage, 0) == {
        "nickname": "Till 1",
        "id": "D-1",
        "habit": "\N{EN DASH}",
        "usual": "\N{EN DASH}",
        "connection": "● connected, age not known",
        "lately": "\N{EN DASH}",
        "last": "\N{EN DASH}",
        "outcome": "",
    }
    assert texts(stage, 3)["connection"] == "○ disconnected, age not known"


async def test_search_and_sort_leave_what_was_chosen(fleet: Fleet) -> None:
    stage = await fleet()
    stage.choose(1, 4)
    stage.page.search.setText("d-2")
    assert [device.id for device in stage.page.chosen()] == ["D-2"]
    stage.page.search.setText("nothing")
    await until(lambda: stage.page.table.empty_text == NOTHING_FOUND)
    assert not stage.page.sell.isEnabled()
    stage.page.search.clear()
    stage.page.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.DescendingOrder)
    assert texts(stage, 0)["nickname"] == "Till 12"


async def test_refresh_asks_the_gateway_and_shows_new_devices(fleet: Fleet) -> None:
    stage = await fleet(devices=())
    assert stage.page.table.empty_text == NO_DEVICES
    stage.bench.gateway.device_list = FLEET[:3]
    stage.page.refresh_button.click()
    await until(lambda: stage.page.model.rowCount() == 3)
    await until(lambda: stage.page.status.text() == "3 devices")


async def test_a_refresh_that_fails_says_why_and_keeps_the_list(fleet: Fleet) -> None:
    stage = await fleet()
    stage.bench.gateway.device_list = NotSent("connection refused")
    stage.page.refresh_button.click()
    await until(lambda: "couldn't be renewed" in stage.page.status.text())
    assert stage.page.model.rowCount() == 12


async def test_without_a_key_the_page_says_what_to_do_first(fleet: Fleet) -> None:
    stage = await fleet(devices=(), with_key=False)
    assert stage.page.table.empty_text == NO_KEY
    assert not stage.page.refresh_button.isEnabled()
    assert not stage.page.list_button.isEnabled()
    await stage.bench.add_key(await stage.bench.practice_environment())
    await until(stage.page.refresh_button.isEnabled)


async def test_the_last_sale_of_a_device_is_shown_as_it_goes(fleet: Fleet) -> None:
    stage = await fleet()
    draft = await stage.bench.draft()
    noted = await stage.bench.console.sell.note(draft)
    await until(lambda: texts(stage, 0)["outcome"] == "… in progress")
    await stage.bench.carry(stage.bench.console.sell.carry_out(noted))
    await until(lambda: texts(stage, 0)["outcome"] == "✓ Approved")
    assert texts(stage, 1)["outcome"] == ""


async def test_another_environments_devices_are_others(fleet: Fleet) -> None:
    stage = await fleet()
    other: Environment = await stage.bench.add("Sandbox")
    stage.session.choose_environment(other)
    await until(lambda: stage.page.table.empty_text == NO_KEY)
    assert stage.page.model.rowCount() == 0


# --- what to sell ---------------------------------------------------------------------------------


async def test_the_selected_devices_are_counted_and_summed_up(fleet: Fleet) -> None:
    stage = await fleet()
    assert not stage.page.sell.isEnabled()
    await stage.order_for(0, 1, 2, amount="2,50")
    assert stage.page.order.summary.text() == "3 sales on 3 devices: 7.50 USD in all."


@pytest.mark.parametrize(
    ("amount", "says"), [("0", "more than zero"), ("x", "plain figures"), ("4111111111111111", "card number")]
)
async def test_a_wrong_amount_bars_the_start(fleet: Fleet, amount: str, says: str) -> None:
    stage = await fleet()
    await stage.order_for(0)
    assert stage.page.order.title.property("role") == "title"
    stage.page.order.amount.setText(amount)
    assert not stage.page.order.start.isEnabled()
    assert any(says in field.message.text() for field in stage.page.order.findChildren(Field))
    assert "4111" not in stage.page.order.amount.text()


async def test_a_text_that_names_no_key_bars_the_start(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(0, amount="2.50")
    order = stage.page.order
    name = order.key.currentText()
    await until(order.start.isEnabled)
    order.key.setEditText(f"{name} and more")
    assert not order.start.isEnabled()
    assert "No private key has this name" in order.start.accessibleDescription()
    order.key.setEditText(name.upper())
    assert order.start.isEnabled()


async def listed(stage: Stage, folder: Path, text: str) -> None:
    path = folder / "devices.csv"
    path.write_text(text, encoding="utf-8")
    stage.page.use_list(str(path))
    await until(lambda: stage.page.order.rows is not None)


async def test_wrong_rows_are_shown_and_sold_only_when_left_out(fleet: Fleet, tmp_path: Path) -> None:
    stage = await fleet()
    await listed(stage, tmp_path, "D-1,1.00\nD-2,x\n4111111111111111,1\nD-3,2.00\n")
    order = stage.page.order
    assert order.wrong_table.isVisible()
    assert [order.wrong_table.model().index(row, 0).data() for row in range(2)] == ["2", "3"]
    assert "card number" in order.wrong_table.model().index(1, 1).data()
    assert "2 rows can't be sold" in order.summary.text()
    assert not order.start.isEnabled()
    order.skip.setChecked(True)
    assert order.start.isEnabled()
    await stage.run_to_the_end()
    assert sorted(post.device for post in stage.bench.gateway.posts) == ["D-1", "D-3"]


async def test_an_amount_entered_is_for_rows_without(fleet: Fleet, tmp_path: Path) -> None:
    stage = await fleet()
    await listed(stage, tmp_path, "D-1\nD-2,2.00\n")
    assert not stage.page.order.start.isEnabled()
    stage.page.order.amount.setText("1")
    await until(stage.page.order.start.isEnabled)
    assert "3.00 USD" in stage.page.order.summary.text()


async def test_a_file_that_is_no_list_is_told_and_leads_back(fleet: Fleet, tmp_path: Path) -> None:
    stage = await fleet()
    stage.page.use_list(str(tmp_path / "nothing.csv"))
    await until(lambda: stage.notices)
    assert "can't be read" in stage.notices[0].text
    assert stage.page.table.isVisible()


async def test_leaving_the_question_sells_nothing(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(0)
    stage.page.order.back.click()
    assert stage.page.table.isVisible()
    assert not stage.bench.gateway.posts


# --- live -----------------------------------------------------------------------------------------


async def test_live_asks_once_with_count_and_total(fleet: Fleet) -> None:
    stage = await fleet(kind=EnvironmentKind.LIVE)
    await stage.order_for(0, 1)
    start = stage.page.order.start
    assert start.text() == START_LIVE
    start.click()
    dialog = await asked()
    words = dialog.windowTitle() + dialog.accessibleDescription()
    assert all(part in words for part in ("20.00 USD", "2 sales", "2 devices", "Main shop"))
    await press("Cancel")
    await until(lambda: not stage.session.supervisor.running)
    assert not stage.bench.gateway.posts
    start.click()
    await press(START_LIVE)
    await until(lambda: stage.page.run_view.batch is not None)
    await stage.pass_time()
    assert len(stage.bench.gateway.posts) == 2


async def test_live_is_barred_while_keys_are_in_memory_only(fleet: Fleet) -> None:
    bench = Bench()
    bench.keystore.durable = False
    stage = await fleet(kind=EnvironmentKind.LIVE, bench=bench)
    stage.choose(0)
    stage.page.sell.click()
    stage.page.order.amount.setText("1.00")
    await until(lambda: bool(stage.page.order.rows and stage.page.order.rows.rows))
    assert not stage.page.order.start.isEnabled()
    assert "keystore" in stage.page.order.message.text()


async def test_an_amount_over_the_limit_is_told_before_the_question(fleet: Fleet) -> None:
    bench = Bench()
    await bench.journal.open()
    shop = await bench.console.environments.add(
        "Shop", EnvironmentKind.LIVE, "https://gateway.example", limit="5"
    )
    await bench.add_key(shop)
    await bench.journal.remember_devices(shop.id, FLEET)
    stage = await fleet(bench=bench, with_key=False)
    stage.session.choose_environment(shop)
    await until(lambda: stage.page.model.rowCount() == 12)
    await stage.order_for(0)
    stage.page.order.start.click()
    await until(lambda: stage.notices)
    assert "limit" in (stage.notices[0].title + stage.notices[0].text)
    assert question() is None
    assert not bench.gateway.posts


# --- by keyboard alone ----------------------------------------------------------------------------


async def test_a_run_is_made_by_keyboard_alone(fleet: Fleet) -> None:
    stage = await fleet()
    stage.bench.gateway.to_post = [APPROVED]
    page = stage.page
    page.activateWindow()
    await until(page.isActiveWindow)
    page.table.setFocus()
    QTest.keyClick(page.table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(page.chosen()) == 12
    QTest.keyClick(page.table, Qt.Key.Key_Return)
    assert page.order.isVisible()
    QTest.keyClicks(page.order.amount, "3")
    await until(page.order.start.isEnabled)
    QTest.keyClick(page.order.amount, Qt.Key.Key_Return)
    assert not stage.session.supervisor.is_running(RUN_TASK)
    QTest.keyClick(page.order.start, Qt.Key.Key_Space)
    await until(lambda: page.run_view.batch is not None)
    await stage.pass_time()
    run: Any = page.run_view.batch
    assert run.count(Outcome.APPROVED) == 12


async def test_tab_goes_as_the_eye_does(fleet: Fleet) -> None:
    stage = await fleet()
    stage.choose(0)
    page = stage.page
    page.activateWindow()
    await until(page.isActiveWindow)
    page.refresh_button.setFocus()
    identifier = page.card.identifier
    card = [one for one in page.card.findChildren(QPushButton) if one.isEnabled() and one.isVisible()]
    assert len(card) == 4
    stops = (page.register_button, page.search, page.table, page.list_button, page.sell)
    for expected in (*stops, identifier, *card, page.edge.handle(1)):
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        assert expected.hasFocus()
    page.sell.click()
    order = page.order
    order.amount.setText("1")
    await until(order.start.isEnabled)
    for shown in (order.currency, order.key, order.at_once, order.back, order.start):
        QTest.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        assert shown.hasFocus()


async def test_the_page_asks_for_itself_while_the_bench_asks_for_the_devices(
    fleet: Fleet, supervisor: Supervisor
) -> None:
    stage = await fleet()
    bench_asks = asyncio.Event()
    supervisor.start(f"devices of {stage.session.environment.id}", bench_asks.wait())
    stage.page.refresh_button.click()
    await until(lambda: any("12 devices" in label.text() for label in stage.page.findChildren(QLabel)))
    bench_asks.set()
    await until(lambda: not supervisor.running)
