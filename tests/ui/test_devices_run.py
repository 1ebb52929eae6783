"""A run on the Devices page: how far it is, stopping it, its results, and what becomes of them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from fakes.clock import START
from fakes.scripted_gateway import APPROVED, PARTLY_APPROVED
from fakes.waiting import until
from keybench.core.csv_lists import DeviceRow
from keybench.core.environments.environment import Environment, EnvironmentKind
from keybench.core.errors import AnswerLost, FileNotSaved, JournalUnwritable, KeyRefused
from keybench.core.money import Money
from keybench.core.ports import SaleOrder
from keybench.core.sales.sale import Outcome, Verdict
from keybench.ui.devices.run_view import results_text
from keybench.ui.shared.session import Place
from keybench.workflows.batch import RowState
from keybench.workflows.sales.batch import RowResult

from .devices_support import Fleet, Stage

_AMOUNT, _OUTCOME = 2, 3

DECLINED = Verdict(Outcome.DECLINED, status=200, transaction_id="9")
MIXED = [APPROVED, DECLINED, AnswerLost("timeout"), KeyRefused("unauthorised", status=401), APPROVED]


async def mixed(fleet: Fleet) -> Stage:
    stage = await fleet()
    stage.bench.gateway.to_post = list(MIXED)
    await stage.order_for(0, 1, 2, 3, 4)
    stage.page.order.at_once.setCurrentText("1")
    await stage.run_to_the_end()
    return stage


def column(stage: Stage, number: int) -> list[str]:
    model = stage.page.run_view.model
    return [str(model.index(row, number).data()) for row in range(model.rowCount())]


def names(folder: Path) -> list[str]:
    return [found.name for found in folder.iterdir()]


# --- as it goes -----------------------------------------------------------------------------------


async def test_outcomes_are_counted_by_sign_and_word(fleet: Fleet) -> None:
    stage = await mixed(fleet)
    view = stage.page.run_view
    assert view.isVisible()
    shown = {pill.text() for pill in view.counts.values() if not pill.isHidden()}
    assert shown == {"✓ Approved 2", "✕ Declined 1", "? Unknown 1", "✕ Refused 1"}
    assert (view.progress.value(), view.progress.maximum()) == (5, 5)
    assert view.words.text().startswith("5 of 5 done · took")
    assert not view.stop.isEnabled()
    assert column(stage, _OUTCOME) == [
        *("✓ Approved", "✕ Declined", "? Unknown", "✕ Refused · 401", "✓ Approved")
    ]


async def test_progress_is_told_while_it_goes(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(*range(8))
    stage.page.order.at_once.setCurrentText("2")
    stage.page.order.start.click()
    await until(lambda: stage.page.run_view.is_running)
    run = stage.page.run_view.batch
    assert run
    while run.done < 4:
        await stage.bench.clock.advance(stage.bench.clock.next_due_s or 0.0)
    stage.page.run_view.flush()
    words = stage.page.run_view.words.text()
    assert "under way" in words
    assert "left" in words
    assert stage.page.run_view.progress.accessibleDescription() == words
    await stage.pass_time()


async def test_stop_finishes_what_is_under_way_and_starts_no_more(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(*range(12))
    stage.page.order.at_once.setCurrentText("2")
    stage.page.order.start.click()
    await until(lambda: len(stage.bench.gateway.posts) == 2)
    stage.page.run_view.stop.click()
    assert not stage.page.run_view.stop.isEnabled()
    assert "Stopping" in stage.page.run_view.words.text()
    await stage.pass_time()
    assert len(stage.bench.gateway.posts) == 2
    assert "10 not started" in stage.page.run_view.words.text()
    assert column(stage, _OUTCOME).count("– Not started") == 10  # noqa: RUF001 - the sign as it is shown
    await until(lambda: stage.notices)
    assert stage.notices[-1].title.startswith("The run was stopped")


async def test_the_run_goes_on_behind_other_views_and_its_end_is_told(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(0, 1)
    stage.page.order.start.click()
    await until(lambda: stage.page.run_view.is_running)
    stage.page.run_view.back.click()
    assert stage.page.table.isVisible()
    assert "Show the run" in stage.page.show_run.text()
    stage.session.choose_environment(await stage.bench.add("Sandbox"))
    await stage.pass_time()
    assert {order.reference for order in stage.bench.gateway.posts} <= stage.session.sales_in_runs
    await until(lambda: stage.notices)
    assert (stage.notices[-1].tone, stage.notices[-1].text) == ("good", "Approved: 2")
    assert "practice" in stage.notices[-1].title
    assert stage.notices[-1].ends
    assert stage.notices[-1].place
    assert stage.notices[-1].place.page == "devices"
    stage.page.show_run.click()
    assert stage.page.run_view.isVisible()


async def test_a_second_run_waits_for_the_end_of_the_first(fleet: Fleet) -> None:
    stage = await fleet()
    await stage.order_for(0)
    stage.page.order.start.click()
    await until(lambda: stage.page.run_view.is_running)
    stage.page.run_view.back.click()
    stage.page.sell.click()
    stage.page.order.amount.setText("1")
    await until(lambda: bool(stage.page.order.rows and stage.page.order.rows.rows))
    assert not stage.page.order.start.isEnabled()
    assert "under way" in stage.page.order.message.text()
    await stage.pass_time()
    await until(stage.page.order.start.isEnabled)


async def test_a_journal_that_fails_stops_the_run_and_is_told(fleet: Fleet) -> None:
    stage = await fleet()

    async def fill_the_disk(_order: SaleOrder) -> None:
        stage.bench.journal.failure = JournalUnwritable("/data", "no space left")

    stage.bench.gateway.before_post = fill_the_disk
    await stage.order_for(0, 1, 2, 3)
    stage.page.order.at_once.setCurrentText("1")
    await stage.run_to_the_end()
    assert "journal can't be written" in stage.page.run_view.words.text()
    await until(lambda: stage.notices)
    assert stage.notices[-1].tone == "bad"
    assert "Approved: 1, Not sent: 1, not started: 2" in stage.notices[-1].text
    assert len(stage.bench.gateway.posts) == 1


# --- results --------------------------------------------------------------------------------------


async def test_results_are_sorted_worst_first_and_filtered(fleet: Fleet) -> None:
    stage = await mixed(fleet)
    view = stage.page.run_view
    view.table.horizontalHeader().setSortIndicator(_OUTCOME, Qt.SortOrder.AscendingOrder)
    assert column(stage, _OUTCOME)[0] == "? Unknown"
    view.table.horizontalHeader().setSortIndicator(0, Qt.SortOrder.DescendingOrder)
    assert column(stage, 0) == ["5", "4", "3", "2", "1"]
    view.search.setText("APPROVED till")
    assert column(stage, 0) == ["5", "1"]


async def test_a_result_is_found_and_its_sale_opened_by_keyboard(fleet: Fleet, qtbot: QtBot) -> None:
    stage = await mixed(fleet)
    view = stage.page.run_view
    wanted: list[Place] = []
    stage.session.requested.connect(wanted.append)
    stage.page.activateWindow()
    await until(stage.page.isActiveWindow)
    qtbot.keyClick(view.table, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert view.search.hasFocus()
    qtbot.keyClicks(view.search, "unknown")
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert view.table.hasFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    (unknown,) = view.model.rows
    assert unknown.sale
    assert wanted == [Place("bench", view.environment, unknown.sale.reference)]
    view.model.show([replace(unknown, state=RowState.LEFT, result=None)])
    assert not view.show_sale.isEnabled()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert len(wanted) == 1


async def test_what_is_shown_is_saved(fleet: Fleet, tmp_path: Path) -> None:
    stage = await mixed(fleet)
    stage.page.run_view.search.setText("approved")
    path = tmp_path / "results.csv"
    await stage.page.run_view.save_to(path)
    assert stage.notices[-1].title == "Saved results.csv"
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    assert [(row["row"], row["state"], row["kind"]) for row in rows] == [
        ("1", "approved", "practice"),
        ("5", "approved", "practice"),
    ]
    assert all(row["reference"].startswith("KB-") for row in rows)
    assert names(tmp_path) == ["results.csv"]


async def test_a_partial_approval_is_told_sorted_and_saved_with_its_amount(fleet: Fleet) -> None:
    stage = await fleet()
    stage.bench.gateway.to_post = [APPROVED, AnswerLost("timeout"), PARTLY_APPROVED, DECLINED]
    await stage.order_for(0, 1, 2, 3)
    stage.page.order.at_once.setCurrentText("1")
    await stage.run_to_the_end()
    view = stage.page.run_view
    assert view.counts[Outcome.PARTLY_APPROVED].text() == "◐ Partly approved 1"
    view.table.horizontalHeader().setSortIndicator(_OUTCOME, Qt.SortOrder.AscendingOrder)
    worst_first = ["? Unknown", "◐ Partly approved", "✕ Declined", "✓ Approved"]
    await until(lambda: column(stage, _OUTCOME) == worst_first)
    assert column(stage, _AMOUNT)[1] == "7.50 of 10.00 USD"
    saved = csv.DictReader(io.StringIO(results_text(view.model.rows, view.environment), newline=""))
    assert [row["approved_amount"] for row in saved] == ["", "7.50", "", "10.00"]
    await until(lambda: stage.notices)
    assert "Partly approved: 1" in stage.notices[-1].text


def test_no_cell_is_a_formula() -> None:
    ten = Money(Decimal("10.00"), "USD")
    live = Environment("e", "+shop", EnvironmentKind.LIVE, "https://a.example", "v5", START)
    result = RowResult(DeviceRow(1, "=HYPERLINK(1)", ten), RowState.LEFT)
    (_header, cells) = csv.reader(io.StringIO(results_text([result], live)))
    assert (cells[1], cells[3]) == ("'+shop", "'=HYPERLINK(1)")


async def test_a_file_that_cannot_be_saved_leaves_what_was_there(fleet: Fleet, tmp_path: Path) -> None:
    stage = await mixed(fleet)
    folder = tmp_path / "results.csv"
    folder.mkdir()
    with pytest.raises(FileNotSaved):
        await stage.page.run_view.save_to(folder)
    assert names(tmp_path) == ["results.csv"]
